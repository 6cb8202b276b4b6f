// The releases behind a fit, kept beside its draws: whoever has them draws again for nothing.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <span>
#include <vector>

#include "sotto/release/query.hpp"
#include "sotto/release/signed_answers.hpp"

namespace sotto {

/// Every answer that a fit was given, in order. All of it is released.
struct KeptAnswers {
  nlohmann::ordered_json fit;  ///< what the questions followed from: model, priors, budget, declaration
  OwnerKey key;  ///< of whoever signed: it stands beside the answers, so it tells of damage, not of malice
  std::vector<SignedAnswers> given;  ///< one for each time that was asked
};

/// What is signed with the answers that a fit is given when it asks for the `turn`-th time: they answer nothing else.
[[nodiscard]] Bytes question_of(const nlohmann::ordered_json& fit, std::size_t turn,
                                std::span<const Query> queries);

[[nodiscard]] nlohmann::ordered_json to_json(const KeptAnswers& kept);
/// Errors: data, for what `to_json` did not write.
[[nodiscard]] KeptAnswers kept_answers_from_json(const nlohmann::ordered_json& json);

/// Answers what was answered before, and nothing else: it knows no rows and charges nothing. `kept` must outlive it.
/// Errors: data, where a question is another one than was asked then, or goes on behind the last.
/// Checked by tests/release/kept_answers_test.cpp: answer_the_same_questions_again, answer_no_others
class AnswersAgain final : public QueryInterface {
 public:
  explicit AnswersAgain(const KeptAnswers& kept) : kept_(&kept) {}
  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override;
  [[nodiscard]] Rho left() const override;

 private:
  const KeptAnswers* kept_;
  std::size_t turn_ = 0;
};

}  // namespace sotto
