// What travels between an analyst and an owner in another process, whatever carries it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sotto/release/query.hpp"
#include "sotto/release/signed_answers.hpp"

namespace sotto {

/// Both sides must speak the same: fields may mean something else in another one.
inline constexpr std::string_view kOwnerProtocol = "sotto owner 1";

/// What an owner is called for: to begin a session, and for the three functions of QueryInterface.
enum class OwnerCall { open, answer, refusals, left };
inline constexpr OwnerCall kOwnerCalls[] = {OwnerCall::open, OwnerCall::answer, OwnerCall::refusals,
                                            OwnerCall::left};

/// JSON that the owner signed for exactly the question that was asked: answers, which are releases, or what is public.
struct OwnerReply {
  Bytes text;
  std::array<std::uint8_t, 64> signature{};
};

/// Brings a question to an owner and its reply back. Errors: whatever the owner refused it with; unavailable.
using OwnerCarrier = std::function<OwnerReply(OwnerCall call, const Bytes& question)>;

/// What an owner says when a session begins. All of it is public.
struct OwnerTerms {
  std::string name;
  std::string session;         ///< drawn by the owner: no two are alike
  double epsilon = 0;          ///< the cap of its books, over all analysts and for as long as they last
  double delta = 0;            ///< likewise
  double left = 0;             ///< rho that the books would still grant
  std::optional<double> rows;  ///< their number, where it is public
  std::string noise_source{};
  bool noise_is_private = false;  ///< false: for tests alone
};

/// The bytes that ask an owner to begin a session. `declaration`: what the questions are about (run/declaration.hpp). `nonce`: bytes
/// that were never used, so that an old reply does not stand for a new one.
[[nodiscard]] Bytes ask_to_open(const nlohmann::json& declaration, const std::string& nonce);

/// The bytes of the `turn`-th call of a session. They hold what is asked, and are never asked twice.
[[nodiscard]] Bytes ask_in_session(OwnerCall call, const std::string& session, std::uint64_t turn,
                                   std::span<const Query> questions);

/// What such bytes say.
struct AskedToOpen {
  nlohmann::json declaration;
};
struct AskedInSession {
  std::string session;
  std::uint64_t turn = 0;
  std::vector<Query> questions;
};

/// Errors: data, in a constant sentence, for what `ask_to_open` did not write.
[[nodiscard]] AskedToOpen read_asked_to_open(std::span<const std::uint8_t> question);
/// Errors: data, in a constant sentence, for what `ask_in_session` did not write for this call.
[[nodiscard]] AskedInSession read_asked_in_session(OwnerCall call, std::span<const std::uint8_t> question);

/// What an owner signs beside answers: that these are its words to that question. They hold no release.
[[nodiscard]] Bytes signed_words(std::span<const std::uint8_t> question, std::span<const std::uint8_t> text);

/// The JSON of a reply that holds no release. Errors: data if the signature is not that owner's for that question, or it is no JSON.
[[nodiscard]] nlohmann::json open_words(const OwnerReply& reply, std::span<const std::uint8_t> question,
                                        const OwnerKey& key);

[[nodiscard]] nlohmann::json to_json(const OwnerTerms& terms);
/// Errors: data.
[[nodiscard]] OwnerTerms owner_terms_from_json(const nlohmann::json& json);

/// 256 bits that nobody drew before, as hexadecimal digits: for nonces and the names of sessions. No noise is made from it.
[[nodiscard]] std::string draw_name();

}  // namespace sotto
