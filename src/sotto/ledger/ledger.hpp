// Money before noise: a ledger grants receipts, and every release consumes one.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/accountant/spending.hpp"
#include "sotto/base/curator_side.hpp"
#include "sotto/base/numbers.hpp"

namespace sotto {

/// Proof that a charge is on the books. Made by a ledger only; moved into the mechanism that draws the noise.
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
  friend class NotPrivateLedger;
  friend class PrecomposedBudget;
  explicit Receipt(Charge charge) : charge_(std::move(charge)) {}
  Charge charge_;
  bool valid_ = true;
};

/// Equal releases that were booked together before the first of them, because only their composition has a
/// price. Each takes one receipt. Made by a Budget only; moved, never copied: a copy would pay again.
class PrecomposedBudget {
 public:
  PrecomposedBudget(PrecomposedBudget&& other) noexcept
      : each_(std::move(other.each_)), left_(std::exchange(other.left_, 0)) {}
  PrecomposedBudget& operator=(PrecomposedBudget&&) = delete;
  PrecomposedBudget(const PrecomposedBudget&) = delete;
  PrecomposedBudget& operator=(const PrecomposedBudget&) = delete;
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

/// The books of one data set, wherever they are kept. A charge is booked before `spend` returns, and is never
/// refunded. A ledger that keeps its books elsewhere (a file, a database) wraps one that decides.
class Ledger {
 public:
  virtual ~Ledger() = default;
  /// The charge is booked and paid for, or nothing changes and there is no receipt.
  [[nodiscard]] virtual std::optional<Receipt> spend(Charge charge) = 0;
  /// Which of these charges `spend` would grant now, in this order. Books nothing.
  [[nodiscard]] virtual std::vector<bool> grants(std::span<const Charge> charges) const = 0;
  /// Books `count` releases that, composed with Gaussian releases of total cost `others`, are (composed,
  /// delta)-private at this ledger's delta, slack not counted; `spend` then grants those others, up to that
  /// cost and to what epsilon leaves for slack. Only untouched books can be spent so. `each` names one
  /// release, with its cost as if it stood alone; its slack counts `count` times.
  [[nodiscard]] virtual std::optional<PrecomposedBudget> precompose(Charge each, std::size_t count,
                                                                    Epsilon composed, Rho others) = 0;
  /// What is left for charges without slack.
  [[nodiscard]] virtual Rho left() const = 0;
  [[nodiscard]] virtual Epsilon epsilon() const = 0;
  [[nodiscard]] virtual Delta delta() const = 0;
  /// The books as they are now.
  [[nodiscard]] virtual Spending spending() const = 0;
};

}  // namespace sotto
