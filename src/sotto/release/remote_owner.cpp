#include "sotto/release/remote_owner.hpp"

#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/release/answer_shape.hpp"

namespace sotto {
namespace {

[[noreturn]] void no_reply_to_this() {
  throw Error(ErrorCode::data,
              "an owner's reply does not fit what was asked: both must be of the same version");
}

}  // namespace

RemoteOwner::RemoteOwner(OwnerCarrier carry, const OwnerKey& key, const nlohmann::json& declaration)
    : carry_(std::move(carry)), key_(key) {
  const Bytes question = ask_to_open(declaration, draw_name());
  terms_ = owner_terms_from_json(open_words(carry_(OwnerCall::open, question), question, key_));
}

Bytes RemoteOwner::next_question(OwnerCall call, std::span<const Query> queries) const {
  return ask_in_session(call, terms_.session, turn_++, queries);
}

std::vector<Answer> RemoteOwner::answer(std::span<const Query> queries) {
  const Bytes question = next_question(OwnerCall::answer, queries);
  const OwnerReply reply = carry_(OwnerCall::answer, question);
  std::vector<Answer> answers = VerifiedAnswers::open({reply.text, reply.signature}, question, key_);
  if (answers.size() != queries.size()) no_reply_to_this();
  for (std::size_t q = 0; q < queries.size(); ++q) {
    if (!answers_to(answers[q], queries[q])) no_reply_to_this();
  }
  return answers;
}

std::vector<std::optional<QueryStatus>> RemoteOwner::refusals(std::span<const Query> queries) const {
  const Bytes question = next_question(OwnerCall::refusals, queries);
  const nlohmann::json words = open_words(carry_(OwnerCall::refusals, question), question, key_);
  if (!words.is_array() || words.size() != queries.size()) no_reply_to_this();
  std::vector<std::optional<QueryStatus>> refusals;
  for (const nlohmann::json& one : words) {
    if (one.is_null()) {
      refusals.emplace_back();
    } else if (one == static_cast<int>(QueryStatus::budget)) {
      refusals.emplace_back(QueryStatus::budget);
    } else if (one == static_cast<int>(QueryStatus::out_of_range)) {
      refusals.emplace_back(QueryStatus::out_of_range);
    } else {
      no_reply_to_this();
    }
  }
  return refusals;
}

Rho RemoteOwner::left() const {
  const Bytes question = next_question(OwnerCall::left, {});
  const nlohmann::json words = open_words(carry_(OwnerCall::left, question), question, key_);
  if (!words.is_number() || !(words.get<double>() >= 0)) no_reply_to_this();
  return Rho(words.get<double>());
}

}  // namespace sotto
