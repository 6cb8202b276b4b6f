#include "sotto/owner/owner_session.hpp"

#include <exception>
#include <optional>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/release/answer_shape.hpp"

namespace sotto {
namespace {

/// A reply must fit into one message, and a question into a memory: else it would be paid for and not be had.
constexpr std::size_t kMostNumbers = std::size_t{1} << 21;

void check_size(const std::vector<Query>& questions) {
  std::size_t numbers = 0;
  for (const Query& question : questions) {
    numbers += numbers_in_answer(question);
    if (numbers > kMostNumbers)
      throw Error(ErrorCode::data, "too much is asked at once: nothing was charged; ask in parts");
  }
}

nlohmann::json words_of(const std::vector<std::optional<QueryStatus>>& refusals) {
  nlohmann::json words = nlohmann::json::array();
  for (const auto& one : refusals) words.push_back(one ? nlohmann::json(static_cast<int>(*one)) : nullptr);
  return words;
}

/// Rows may have been read: nothing of what went wrong may follow from them, so nothing of it is said.
std::vector<Answer> answers_of(QueryInterface& owner, const std::vector<Query>& questions) {
  try {
    return owner.answer(questions);
  } catch (const std::exception&) {
    throw Error(
        ErrorCode::io,
        "the owner could not answer; what it had booked for the question stays booked: ask its keeper");
  }
}

}  // namespace

OwnerReply OwnerSession::reply(OwnerCall call, const Bytes& question, const AskedInSession& asked) {
  if (asked.turn != turn_)
    throw Error(ErrorCode::data, "this was asked before, or out of turn: begin a session of its own");
  ++turn_;
  if (call == OwnerCall::left) return signer_->sign_words(owner_->left().value(), question);
  check_size(asked.questions);
  // Prices follow from public things alone, and so does what is wrong with a question.
  const auto refusals = owner_->refusals(asked.questions);
  if (call == OwnerCall::refusals) return signer_->sign_words(words_of(refusals), question);
  if (call != OwnerCall::answer) throw Error(ErrorCode::data, "this is not asked within a session");
  SignedAnswers answers = signer_->sign(answers_of(*owner_, asked.questions), question);
  return {std::move(answers.answers), answers.signature};
}

}  // namespace sotto
