// The books in memory: a filter, which refuses what does not fit, and an odometer, which tells what was spent.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/ledger/ledger.hpp"

namespace sotto {

inline constexpr std::size_t kMostLines = 64;

/// Is told of every booking before its receipt is given out, and so before noise is drawn for it. What it throws keeps the
/// receipt back; the charge stays booked.
using BookingWriter = std::function<void(const Booking&)>;

/// This share of epsilon is set aside for slack when the books are opened, so that what is left for Gaussian cost is a
/// constant: adaptive composition needs that.
inline constexpr double kSlackShare = 1e-6;

/// Charges may be chosen adaptively. NaN, negative and overflowing charges are refused.
/// Computes   grants while sum rho_i <= the largest rho whose Gaussian curve passes ((1 - kSlackShare)
///            epsilon, delta), and sum slack_i <= kSlackShare epsilon
/// Source     fully adaptive composition of Gaussian releases [ST22, Theorem 1]; slack as in
///            docs/accounting.md
/// Checked by tests/ledger/budget_test.cpp: grants_to_its_limit_and_no_further, what_is_no_number_is_refused_and_changes_nothing
class Budget final : public Ledger {
 public:
  Budget(Epsilon epsilon, Delta delta, BookingWriter writer = {});
  Budget(const Budget&) = delete;  // a copy would pay again
  Budget& operator=(const Budget&) = delete;

  [[nodiscard]] std::optional<Receipt> spend(Charge charge) override;
  [[nodiscard]] std::vector<bool> grants(std::span<const Charge> charges) const override;
  [[nodiscard]] std::optional<PrecomposedBudget> precompose(Charge each, std::size_t count, Epsilon composed,
                                                            Rho others = Rho(0)) override;
  [[nodiscard]] Rho left() const override;
  [[nodiscard]] Epsilon epsilon() const override { return epsilon_; }
  [[nodiscard]] Delta delta() const override { return delta_; }
  [[nodiscard]] Spending spending() const override;

  [[nodiscard]] Rho spent() const { return Rho(totals_.spent); }
  [[nodiscard]] double slack() const { return totals_.slack; }
  /// The epsilon of what was spent so far, at this delta.
  [[nodiscard]] Epsilon spent_epsilon(Delta at) const { return spending().spent_epsilon(at); }
  [[nodiscard]] const std::vector<LedgerEntry>& entries() const { return entries_; }

 private:
  struct Totals {
    double limit;        // of spent
    double limit_slack;  // of slack
    double spent = 0;
    double slack = 0;
  };
  void write_down(const Charge& charge);
  [[nodiscard]] std::optional<Totals> after(const Totals& totals, const Charge& charge) const;

  Epsilon epsilon_;
  Delta delta_;
  Totals totals_;
  std::vector<LedgerEntry> entries_;
  BookingWriter writer_;
  std::optional<Epsilon> precomposed_;  // what the precomposed releases and their others cost at delta_
};

}  // namespace sotto
