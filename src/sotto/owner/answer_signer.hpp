// Signs what an owner answers, for those who ask from another process.
#pragma once

#include <array>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>

#include "sotto/base/curator_side.hpp"
#include "sotto/release/owner_protocol.hpp"
#include "sotto/release/signed_answers.hpp"

namespace sotto {

/// A signing key of the owner's own, drawn from the operating system's entropy or kept from before, and wiped at the end.
/// Source     Ed25519, RFC 8032
/// Checked by tests/release/signed_answers_test.cpp: arrive_with_every_bit
class AnswerSigner {
 public:
  AnswerSigner();
  /// The key of an earlier process again, from its seed, which is as secret as the key itself.
  explicit AnswerSigner(std::span<const std::uint8_t, 32> seed);
  ~AnswerSigner();
  AnswerSigner(const AnswerSigner&) = delete;
  AnswerSigner& operator=(const AnswerSigner&) = delete;

  /// For those who ask, who must know that it is this owner's.
  [[nodiscard]] const OwnerKey& key() const { return key_; }
  /// Answers to exactly these bytes. They are releases already: signing tells nothing of rows.
  [[nodiscard]] SignedAnswers sign(std::span<const Answer> answers,
                                   std::span<const std::uint8_t> question) const;
  /// The owner's words to exactly these bytes, which are public: nothing that follows from rows may stand in them.
  [[nodiscard]] OwnerReply sign_words(const nlohmann::json& words,
                                      std::span<const std::uint8_t> question) const;

 private:
  OwnerKey key_;
  std::array<std::uint8_t, 64> secret_{};
};

}  // namespace sotto
