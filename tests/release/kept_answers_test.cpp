// Releases kept beside a fit answer the questions that they answered then, and no others.
#include "sotto/release/kept_answers.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/owner/answer_keeper.hpp"
#include "support/released_for_tests.hpp"

namespace sotto {
namespace {

/// Answers every ratio with how many it has answered.
class CountingOwner final : public QueryInterface {
 public:
  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < queries.size(); ++i)
      answers.push_back(ReleasedForTests::make(NoisyRatio{++answered, 0.25}));
    return answers;
  }
  [[nodiscard]] Rho left() const override { return Rho(1); }
  double answered = 0;
};

const Query kRatio = RatioQuery{Position::Zero(1), Position::Ones(1), Rho(1)};
const Query kGradient = GradientQuery{Position::Zero(1), Rho(1)};

/// Asked twice: for one ratio, then for two.
KeptAnswers kept() {
  CountingOwner owner;
  AnswerKeeper keeper(owner, {{"model", "one"}});
  (void)keeper.answer(std::vector<Query>{kRatio});
  (void)keeper.answer(std::vector<Query>{kRatio, kRatio});
  return kept_answers_from_json(to_json(keeper.kept()));
}

ErrorCode refusal(const KeptAnswers& kept, const std::vector<std::vector<Query>>& turns) {
  AnswersAgain again(kept);
  try {
    for (const std::vector<Query>& queries : turns) (void)again.answer(queries);
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::internal;
}

TEST(KeptAnswers, answer_the_same_questions_again) {
  const KeptAnswers two = kept();
  AnswersAgain again(two);
  EXPECT_EQ(std::get<Released<NoisyRatio>>(again.answer(std::vector<Query>{kRatio})[0]).value().value, 1);
  const std::vector<Answer> second = again.answer(std::vector<Query>{kRatio, kRatio});
  ASSERT_EQ(second.size(), 2u);
  EXPECT_EQ(std::get<Released<NoisyRatio>>(second[1]).value().value, 3);
}

TEST(KeptAnswers, answer_no_others) {
  const KeptAnswers two = kept();
  EXPECT_EQ(refusal(two, {{kRatio}, {kRatio, kRatio}}), ErrorCode::internal) << "these are answered";
  EXPECT_EQ(refusal(two, {{kRatio}, {kRatio, kRatio}, {kRatio}}), ErrorCode::data) << "nothing is left";
  EXPECT_EQ(refusal(two, {{kGradient}}), ErrorCode::data) << "another kind of question";
  EXPECT_EQ(refusal(two, {{kRatio, kRatio}}), ErrorCode::data) << "in another order";
  KeptAnswers other = two;
  other.fit["model"] = "another";
  EXPECT_EQ(refusal(other, {{kRatio}}), ErrorCode::data) << "of another fit";
  KeptAnswers changed = two;
  changed.given[0].answers[changed.given[0].answers.size() / 2] ^= 1;
  EXPECT_EQ(refusal(changed, {{kRatio}}), ErrorCode::data) << "damaged";
}

// The same question twice: what was answered first does not stand for what was answered then.
TEST(KeptAnswers, answer_each_in_its_own_turn) {
  CountingOwner owner;
  AnswerKeeper keeper(owner, {{"model", "one"}});
  for (int turn = 0; turn < 2; ++turn) (void)keeper.answer(std::vector<Query>{kRatio});
  KeptAnswers swapped = keeper.kept();
  EXPECT_EQ(refusal(swapped, {{kRatio}, {kRatio}}), ErrorCode::internal) << "these are answered";
  std::swap(swapped.given[0], swapped.given[1]);
  EXPECT_EQ(refusal(swapped, {{kRatio}}), ErrorCode::data);
}

TEST(KeptAnswers, that_are_damaged_are_refused) {
  const nlohmann::ordered_json whole = to_json(kept());
  const auto code = [](const nlohmann::ordered_json& json) {
    try {
      (void)kept_answers_from_json(json);
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::internal;
  };
  EXPECT_EQ(code(whole), ErrorCode::internal);
  for (const char* key : {"format", "fit", "key", "given"}) {
    nlohmann::ordered_json less = whole;
    less.erase(key);
    EXPECT_EQ(code(less), ErrorCode::data) << key;
    less[key] = 3;
    EXPECT_EQ(code(less), ErrorCode::data) << key;
  }
  nlohmann::ordered_json short_key = whole;
  short_key["key"] = "ab";
  EXPECT_EQ(code(short_key), ErrorCode::data);
}

}  // namespace
}  // namespace sotto
