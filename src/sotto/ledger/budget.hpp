// Money before noise: a budget grants receipts, and every release consumes one.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/numbers.hpp"

namespace sotto {

/// What one Gaussian-like release costs, and what for.
struct Charge {
  std::string query;      ///< e.g. "log-likelihood ratio"
  std::string mechanism;  ///< e.g. "discrete Gaussian"
  Rho rho{0};             ///< sensitivity^2 / (2 variance), rounded up
  /// Bound on how far the loss of the discrete noise may exceed the continuous Gaussian's; adds to epsilon.
  /// sensitivity * sqrt(dim) * grid / variance, rounded up
  double slack = 0;
  /// What the cost follows from, as facts about integers; 0 where releases of one kind differ and only the ratio is set.
  double sensitivity = 0;  ///< L2, in grid steps: an integer, or the rounded-up norm of an integer vector
  double noise_sd = 0;     ///< in grid steps
  double grid = 0;         ///< one step in the query's own unit
};

/// Proof that a charge is on the books. Made by a Budget only; moved into the mechanism that draws the noise.
class Receipt {
 public:
  Receipt(Receipt&& other) noexcept : charge_(std::move(other.charge_)), valid_(other.valid_) {
    other.valid_ = false;
  }
  Receipt& operator=(Receipt&&) = delete;
  Receipt(const Receipt&) = delete;
  Receipt& operator=(const Receipt&) = delete;
  [[nodiscard]] const Charge& charge() const { return charge_; }
  /// False once it has been moved into a release: a receipt pays for one release only.
  [[nodiscard]] bool valid() const { return valid_; }

 private:
  friend class Budget;
  friend class PrecomposedBudget;
  explicit Receipt(Charge charge) : charge_(std::move(charge)) {}
  Charge charge_;
  bool valid_ = true;
};

/// Equal releases that were booked together before the first of them, because only their composition has a
/// price. Each takes one receipt. Made by a Budget only.
class PrecomposedBudget {
 public:
  /// None when all have been taken.
  [[nodiscard]] std::optional<Receipt> take() {
    if (left_ == 0) return std::nullopt;
    --left_;
    return Receipt(each_);
  }
  [[nodiscard]] std::size_t left() const { return left_; }

 private:
  friend class Budget;
  PrecomposedBudget(Charge each, std::size_t count) : each_(std::move(each)), left_(count) {}
  Charge each_;
  std::size_t left_;
};

/// A line of the books: charges for one kind of query by one mechanism that differ by a millionth at most, as those of
/// one asked-for cost do once variances are rounded to the grid; once there are kMostLines lines, all charges of a kind.
/// `charge` holds the dearest cost among them, so count times it is an upper bound, and the sensitivity, noise and grid of the one
/// with the largest sensitivity in the query's own unit.
struct LedgerEntry {
  Charge charge;
  std::size_t count = 1;
};

inline constexpr std::size_t kMostLines = 64;

/// What was just put on the books: `count` releases like `charge`, and what they cost together where only their composition
/// has a price.
struct Booking {
  const Charge& charge;
  std::size_t count = 1;
  std::optional<Epsilon> composed{};
};

/// Is told of every booking before its receipt is given out, and so before noise is drawn for it. What it throws keeps the
/// receipt back; the charge stays booked.
using BookingWriter = std::function<void(const Booking&)>;

/// This share of epsilon is set aside for slack when the books are opened, so that what is left for Gaussian cost is a
/// constant: adaptive composition needs that.
inline constexpr double kSlackShare = 1e-6;

/// The books of one data set: a filter (refuses what does not fit) and an odometer (tells what was spent).
/// Charges may be chosen adaptively.
/// Computes   grants while sum rho_i <= the largest rho whose Gaussian curve passes ((1 - kSlackShare) epsilon, delta), and
///            sum slack_i <= kSlackShare epsilon
/// Source     fully adaptive composition of Gaussian releases [ST22, Theorem 1]; slack as in
///            docs/accounting.md
class Budget {
 public:
  Budget(Epsilon epsilon, Delta delta, BookingWriter writer = {});

  /// The charge is booked and paid for, or nothing changes and there is no receipt. NaN, negative and
  /// overflowing charges are refused.
  [[nodiscard]] std::optional<Receipt> spend(Charge charge);
  /// Which of these charges `spend` would grant now, in this order. Books nothing.
  [[nodiscard]] std::vector<bool> grants(std::span<const Charge> charges) const;

  /// Books `count` releases that, composed with Gaussian releases of total cost `others`, are (composed,
  /// delta)-private at this budget's delta, slack not counted; `spend` then grants those others, up to that
  /// cost and to what epsilon leaves for slack. Only an untouched budget can be spent so. `each` names one
  /// release, with its cost as if it stood alone; its slack counts `count` times.
  [[nodiscard]] std::optional<PrecomposedBudget> prepay(Charge each, std::size_t count, Epsilon composed,
                                                        Rho others = Rho(0));

  [[nodiscard]] Epsilon epsilon() const { return epsilon_; }
  [[nodiscard]] Delta delta() const { return delta_; }
  [[nodiscard]] Rho spent() const { return Rho(totals_.spent); }
  [[nodiscard]] double slack() const { return totals_.slack; }
  /// What is left for charges without slack.
  [[nodiscard]] Rho left() const;
  /// The epsilon of what was spent so far, at this delta.
  [[nodiscard]] Epsilon spent_epsilon(Delta delta) const;
  [[nodiscard]] const std::vector<LedgerEntry>& entries() const { return entries_; }
  /// Whether `prepay` was granted: the books then know one point of the privacy curve only.
  [[nodiscard]] bool is_prepaid() const { return prepaid_.has_value(); }

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
  std::optional<Epsilon> prepaid_;  // what the prepaid composition and its others cost at delta_
};

}  // namespace sotto
