// An owner elsewhere whose charges are written down here too, by whoever asks it.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/ledger/ledger.hpp"
#include "sotto/measurement/measurement.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// Prices follow from questions and public bounds, so that who asks comes to the owner's own. A question stands on `ledger` before it is
/// sent: whatever becomes of the owner, the statement of the run covers what it answered. What the ledger or the owner refuses is
/// refused; should the owner refuse only when it is asked, the charge stays here though nothing was released.
/// Checked by tests/owner/booked_owner_test.cpp: books_before_it_asks, what_its_books_refuse_is_not_asked
class BookedOwner final : public QueryInterface {
 public:
  /// `owner` and `ledger` outlive this. `measure`: as the owner's own.
  BookedOwner(QueryInterface& owner, Measure measure, Ledger& ledger)
      : owner_(&owner), measure_(std::move(measure)), ledger_(&ledger) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override;
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override;
  [[nodiscard]] Rho left() const override;

 private:
  [[nodiscard]] std::optional<QueryStatus> book(const Query& query) const;

  QueryInterface* owner_;
  Measure measure_;
  Ledger* ledger_;
};

}  // namespace sotto
