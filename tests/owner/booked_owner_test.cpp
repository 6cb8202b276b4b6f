// Who asks an owner elsewhere writes down what that costs, before it asks.
#include "sotto/owner/booked_owner.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/ledger/budget.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/owner/data_owner.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

/// An owner that tells when it is asked.
class TellingOwner final : public QueryInterface {
 public:
  TellingOwner(Ledger& books, std::vector<std::string>& told, EntropySource& entropy)
      : told_(&told), owner_(Rows(3, 1), model(), PrivacyUnit{}, ExecutionOptions{}, books, entropy) {}
  static LocationModel model() { return {{{-1, 1}}, Matrix::Identity(1, 1)}; }
  static Measure measure() { return measure_all_rows({model(), PrivacyUnit{}, 1}); }

  std::vector<Answer> answer(std::span<const Query> queries) override {
    told_->push_back("asked " + std::to_string(queries.size()));
    return owner_.answer(queries);
  }
  std::vector<std::optional<QueryStatus>> refusals(std::span<const Query> queries) const override {
    return owner_.refusals(queries);
  }
  Rho left() const override { return owner_.left(); }

 private:
  std::vector<std::string>* told_;
  DataOwner owner_;
};

Query gradient_that_costs(double cost) { return GradientQuery{Position::Zero(1), Rho(cost)}; }

TEST(BookedOwner, books_before_it_asks) {
  std::vector<std::string> told;
  Budget theirs(Epsilon(5), Delta(1e-6));
  Budget own(Epsilon(5), Delta(1e-6), [&](const Booking& booking) { told.push_back(booking.charge.query); });
  TestEntropy entropy(1);
  TellingOwner elsewhere(theirs, told, entropy);
  BookedOwner owner(elsewhere, TellingOwner::measure(), own);
  const std::vector<Query> queries{
      gradient_that_costs(0.01),
      JointQuery{{Position::Zero(1), Rho(0.02)}, {Position::Zero(1), Position::Constant(1, 0.1), Rho(0.03)}}};
  const auto answers = owner.answer(queries);
  EXPECT_TRUE(std::holds_alternative<Released<NoisyGradient>>(answers[0]));
  EXPECT_TRUE(std::holds_alternative<Released<NoisyJoint>>(answers[1]));
  EXPECT_EQ(told, (std::vector<std::string>{"gradient", "gradient", "log-likelihood ratio", "asked 2"}));
  EXPECT_EQ(own.spent(), theirs.spent());
  EXPECT_EQ(owner.left(), own.left());
}

TEST(BookedOwner, what_its_books_refuse_is_not_asked) {
  std::vector<std::string> told;
  Budget theirs(Epsilon(5), Delta(1e-6));
  Budget own(Epsilon(1), Delta(1e-6));
  TestEntropy entropy(1);
  TellingOwner elsewhere(theirs, told, entropy);
  BookedOwner owner(elsewhere, TellingOwner::measure(), own);
  const double all = own.left().value();
  const std::vector<Query> queries{
      gradient_that_costs(0.6 * all), gradient_that_costs(0.6 * all),
      GradientQuery{Position::Constant(1, kInfinity), Rho(0.1 * all)},
      JointQuery{{Position::Zero(1), Rho(0.2 * all)},
                 {Position::Zero(1), Position::Constant(1, 0.1), Rho(0.3 * all)}},
      gradient_that_costs(0.3 * all)};
  const auto refused = owner.refusals(queries);
  EXPECT_FALSE(refused[0]);
  EXPECT_EQ(refused[1], QueryStatus::budget);
  EXPECT_EQ(refused[2], QueryStatus::out_of_range);
  EXPECT_EQ(refused[3], QueryStatus::budget);  // of two parts, one would fit
  EXPECT_EQ(own.spent(), Rho(0));
  const auto answers = owner.answer(queries);
  EXPECT_EQ(std::get<QueryStatus>(answers[1]), QueryStatus::budget);
  EXPECT_EQ(std::get<QueryStatus>(answers[2]), QueryStatus::out_of_range);
  EXPECT_EQ(std::get<QueryStatus>(answers[3]), QueryStatus::budget);
  EXPECT_TRUE(std::holds_alternative<Released<NoisyGradient>>(answers[4]));
  EXPECT_EQ(told, std::vector<std::string>{"asked 2"});
  EXPECT_EQ(own.spent(), theirs.spent());
}

TEST(BookedOwner, what_the_owner_refuses_is_refused) {
  std::vector<std::string> told;
  Budget theirs(Epsilon(0.1), Delta(1e-6));
  Budget own(Epsilon(5), Delta(1e-6));
  TestEntropy entropy(1);
  TellingOwner elsewhere(theirs, told, entropy);
  BookedOwner owner(elsewhere, TellingOwner::measure(), own);
  const Query more = gradient_that_costs(theirs.left().value() * 1.1);
  EXPECT_EQ(owner.refusals({&more, 1})[0], QueryStatus::budget);
  EXPECT_EQ(owner.left(), theirs.left());
  EXPECT_EQ(std::get<QueryStatus>(owner.answer({&more, 1})[0]), QueryStatus::budget);
  EXPECT_EQ(theirs.spent(), Rho(0));
  EXPECT_GT(own.spent().value(), 0);  // it was asked without being asked first
}

}  // namespace
}  // namespace sotto
