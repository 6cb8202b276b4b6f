// Keeps what an owner answers, for those who want to draw from the same releases later.
#pragma once

#include <utility>

#include "sotto/base/curator_side.hpp"
#include "sotto/owner/answer_signer.hpp"
#include "sotto/release/kept_answers.hpp"

namespace sotto {

/// Answers are passed on as they are. `owner` must outlive it.
class AnswerKeeper final : public QueryInterface {
 public:
  AnswerKeeper(QueryInterface& owner, nlohmann::ordered_json fit)
      : owner_(&owner), kept_{std::move(fit), signer_.key(), {}} {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers = owner_->answer(queries);
    kept_.given.push_back(signer_.sign(answers, question_of(kept_.fit, kept_.given.size(), queries)));
    return answers;
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    return owner_->refusals(queries);
  }
  [[nodiscard]] Rho left() const override { return owner_->left(); }

  [[nodiscard]] const KeptAnswers& kept() const { return kept_; }

 private:
  QueryInterface* owner_;
  AnswerSigner signer_;
  KeptAnswers kept_;
};

}  // namespace sotto
