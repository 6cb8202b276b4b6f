#include "sotto/owner/answer_signer.hpp"

#include <sodium.h>

#include <string>

#include "sotto/base/error.hpp"

namespace sotto {

AnswerSigner::AnswerSigner() {
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium does not start");
  crypto_sign_keypair(key_.bytes.data(), secret_.data());
}

AnswerSigner::AnswerSigner(std::span<const std::uint8_t, 32> seed) {
  static_assert(crypto_sign_SEEDBYTES == 32);
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium does not start");
  crypto_sign_seed_keypair(key_.bytes.data(), secret_.data(), seed.data());
}

AnswerSigner::~AnswerSigner() { sodium_memzero(secret_.data(), secret_.size()); }

SignedAnswers AnswerSigner::sign(std::span<const Answer> answers,
                                 std::span<const std::uint8_t> question) const {
  SignedAnswers message{encode_answers(answers), {}};
  const Bytes all = signed_bytes(question, message.answers);
  crypto_sign_detached(message.signature.data(), nullptr, all.data(), all.size(), secret_.data());
  return message;
}

OwnerReply AnswerSigner::sign_words(const nlohmann::json& words,
                                    std::span<const std::uint8_t> question) const {
  const std::string text = words.dump();
  OwnerReply reply{{text.begin(), text.end()}, {}};
  const Bytes all = signed_words(question, reply.text);
  crypto_sign_detached(reply.signature.data(), nullptr, all.data(), all.size(), secret_.data());
  return reply;
}

}  // namespace sotto
