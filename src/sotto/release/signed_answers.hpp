// Releases that were made in another process: an owner signs its answers, and whoever asked verifies them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "sotto/release/query.hpp"

namespace sotto {

using Bytes = std::vector<std::uint8_t>;

/// Of a question or a reply, as it travels; an owner's memory, and an analyst's, is its own.
inline constexpr int kMostBytesOfMessage = 1 << 26;

/// The public half of an owner's signing key (Ed25519). Whoever asks must have it from the owner itself, not with the answers.
struct OwnerKey {
  std::array<std::uint8_t, 32> bytes{};
};

/// What travels: nothing in it is confidential, as every answer is a release.
struct SignedAnswers {
  Bytes answers;  ///< JSON
  std::array<std::uint8_t, 64> signature{};
};

/// The door for releases that were made elsewhere: the only one through which bytes become `Released`.
/// Source     Ed25519, RFC 8032
/// Checked by tests/release/signed_answers_test.cpp: of_others_or_changed_on_the_way_are_no_releases
class VerifiedAnswers {
 public:
  /// Answers as the owner of `key` gave them to exactly this question. `question`: the bytes that were asked; bytes that are never
  /// asked twice, a counter in them for instance, keep an old answer from standing for a new one.
  /// Errors: data if the signature is not that owner's for that question, or the bytes are no answers.
  [[nodiscard]] static std::vector<Answer> open(const SignedAnswers& message,
                                                std::span<const std::uint8_t> question, const OwnerKey& key);
};

/// Numbers arrive with the bits they left with.
[[nodiscard]] Bytes encode_answers(std::span<const Answer> answers);

/// What is signed: question and answers, so that neither can be changed nor the border between them moved.
[[nodiscard]] Bytes signed_bytes(std::span<const std::uint8_t> question,
                                 std::span<const std::uint8_t> answers);

}  // namespace sotto
