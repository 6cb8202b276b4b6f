// NOT PRIVATE: books that grant everything, for study. Every page of a run that uses them says so.
#pragma once

#include <limits>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/ledger/ledger.hpp"

namespace sotto {

class NotPrivateLedger final : public Ledger {
 public:
  [[nodiscard]] std::optional<Receipt> spend(Charge charge) override { return Receipt(std::move(charge)); }
  [[nodiscard]] std::vector<bool> grants(std::span<const Charge> charges) const override {
    return std::vector<bool>(charges.size(), true);
  }
  [[nodiscard]] std::optional<PrecomposedBudget> precompose(Charge, std::size_t, Epsilon, Rho) override {
    throw Error(ErrorCode::configuration, "the study mode does not answer this query: choose another method");
  }
  [[nodiscard]] Rho left() const override { return Rho(kEverything); }
  [[nodiscard]] Epsilon epsilon() const override { return Epsilon(kEverything); }
  [[nodiscard]] Delta delta() const override { return Delta(1); }
  [[nodiscard]] Spending spending() const override { return {.epsilon = epsilon(), .delta = delta()}; }

 private:
  static constexpr double kEverything = std::numeric_limits<double>::infinity();
};

}  // namespace sotto
