#include "sotto/owner/answer_signer.hpp"

#include <sodium.h>

#include "sotto/base/error.hpp"

namespace sotto {

AnswerSigner::AnswerSigner() {
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium does not start");
  crypto_sign_keypair(key_.bytes.data(), secret_.data());
}

AnswerSigner::~AnswerSigner() { sodium_memzero(secret_.data(), secret_.size()); }

SignedAnswers AnswerSigner::sign(std::span<const Answer> answers,
                                 std::span<const std::uint8_t> question) const {
  SignedAnswers message{encode_answers(answers), {}};
  const Bytes all = signed_bytes(question, message.answers);
  crypto_sign_detached(message.signature.data(), nullptr, all.data(), all.size(), secret_.data());
  return message;
}

}  // namespace sotto
