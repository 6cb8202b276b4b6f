// The owners of several tables, here or elsewhere, each with books, rows and noise of its own, as one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/owner/booked_owner.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/owner/federation.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// Query        every question, put to each owner; answers are sums of the owners' releases
/// Adjacency    as declared, of one row of one owner's table: a row is in one table only. Units of several rows are refused, as a
///              person may be in several
/// Sensitivity  each owner's own, from the same public bounds: owners are alike, so all pay the same
/// Noise        each owner's own, at the size that the question asks of each: barker asks for a share, all others for as much as of one
///              owner alone
/// Charge       on each owner's books; the first's are `ledger`, on whose writer every charge stands before any owner draws noise
///              for it. What is booked there is what any one row pays: no row is in two tables
/// Elsewhere    an owner in another process has books of its own, which decide; the first owner's charges stand on `ledger` as well
/// Source       parallel composition: the other owners' releases do not depend on the row
/// Checked by tests/run/owners_test.cpp: each_adds_the_noise_that_one_alone_would, cost_one_row_what_it_would_cost_alone
class Owners final : public QueryInterface {
 public:
  /// `problem.owners` must not be empty. Who is called here outlives this.
  Owners(const Problem& problem, const ExecutionOptions& options, Ledger& ledger, EntropySource& entropy);

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    return federation_->answer(queries);
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    return federation_->refusals(queries);
  }
  [[nodiscard]] Rho left() const override { return federation_->left(); }

 private:
  std::vector<std::unique_ptr<Budget>> books_;  ///< of all but the first
  std::vector<std::unique_ptr<DataOwner>> owners_;
  std::optional<BookedOwner> booked_;  ///< the first, where its rows are elsewhere
  std::optional<Federation> federation_;
};

}  // namespace sotto
