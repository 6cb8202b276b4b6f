// Books that remember every charge in its order.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/ledger/budget.hpp"

namespace sotto {

class RecordingLedger final : public Ledger {
 public:
  explicit RecordingLedger(Epsilon epsilon) : budget_(epsilon, Delta(1e-6)) {}
  std::optional<Receipt> spend(Charge charge) override {
    auto receipt = budget_.spend(charge);
    if (receipt) charges.push_back(std::move(charge));
    return receipt;
  }
  std::vector<bool> grants(std::span<const Charge> asked) const override { return budget_.grants(asked); }
  std::optional<PrecomposedBudget> precompose(Charge each, std::size_t count, Epsilon composed,
                                              Rho others) override {
    return budget_.precompose(std::move(each), count, composed, others);
  }
  Rho left() const override { return budget_.left(); }
  Epsilon epsilon() const override { return budget_.epsilon(); }
  Delta delta() const override { return budget_.delta(); }
  Spending spending() const override { return budget_.spending(); }

  std::vector<Charge> charges;

 private:
  Budget budget_;
};

}  // namespace sotto
