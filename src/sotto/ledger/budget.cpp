#include "sotto/ledger/budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/math/round_up.hpp"

namespace sotto {
Budget::Budget(Epsilon epsilon, Delta delta, BookingWriter writer)
    : epsilon_(epsilon),
      delta_(delta),
      totals_{.limit = gaussian_rho(Epsilon(epsilon.value() * (1 - kSlackShare)), delta).value(),
              .limit_slack = epsilon.value() * kSlackShare},
      writer_(std::move(writer)) {}

std::optional<Budget::Totals> Budget::after(const Totals& totals, const Charge& charge) const {
  const double rho = charge.rho.value();
  const double slack = charge.slack;
  if (!std::isfinite(rho) || !(slack >= 0) || !std::isfinite(slack)) return std::nullopt;
  Totals next = totals;
  next.spent = add_up(totals.spent, rho);
  next.slack = add_up(totals.slack, slack);
  if (!(next.slack <= next.limit_slack)) return std::nullopt;
  if (!(next.spent <= next.limit)) return std::nullopt;
  return next;
}

std::vector<bool> Budget::grants(std::span<const Charge> charges) const {
  std::vector<bool> granted;
  Totals totals = totals_;
  for (const Charge& charge : charges) {
    const auto next = after(totals, charge);
    if (next) totals = *next;
    granted.push_back(next.has_value());
  }
  return granted;
}

std::optional<Receipt> Budget::spend(Charge charge) {
  const auto next = after(totals_, charge);
  if (!next) return std::nullopt;
  totals_ = *next;
  write_down(charge);
  if (writer_) writer_({charge});
  return Receipt(std::move(charge));
}

void Budget::write_down(const Charge& charge) {
  const auto same_kind = [&](const LedgerEntry& entry) {
    return entry.charge.query == charge.query && entry.charge.mechanism == charge.mechanism;
  };
  const auto same_cost = [&](const LedgerEntry& entry) {
    return std::abs(entry.charge.rho.value() - charge.rho.value()) <= 1e-6 * charge.rho.value() &&
           same_kind(entry);
  };
  // The latest lines are the likeliest.
  auto line = std::find_if(entries_.rbegin(), entries_.rend(), same_cost);
  if (line == entries_.rend() && entries_.size() >= kMostLines) {
    line = std::find_if(entries_.rbegin(), entries_.rend(), same_kind);
  }
  if (line == entries_.rend()) {
    entries_.push_back({charge, 1});
    return;
  }
  ++line->count;
  line->charge.rho = std::max(line->charge.rho, charge.rho);
  line->charge.slack = std::max(line->charge.slack, charge.slack);
  if (charge.sensitivity * charge.grid > line->charge.sensitivity * line->charge.grid) {
    line->charge.sensitivity = charge.sensitivity;
    line->charge.noise_sd = charge.noise_sd;
    line->charge.grid = charge.grid;
  }
}

std::optional<PrecomposedBudget> Budget::precompose(Charge each, std::size_t count, Epsilon composed,
                                                    Rho others) {
  if (precomposed_ || !entries_.empty() || count == 0) return std::nullopt;
  const double slack = each.slack * static_cast<double>(count);
  if (!std::isfinite(slack) || !(slack >= 0)) return std::nullopt;
  const double total = add_up(composed.value(), slack);
  if (!(total <= epsilon_.value())) return std::nullopt;
  precomposed_ = Epsilon(total);
  totals_ = {.limit = others.value(), .limit_slack = epsilon_.value() - total};
  entries_.push_back({each, count});
  if (writer_) writer_({each, count, precomposed_});
  return PrecomposedBudget(std::move(each), count);
}

Rho Budget::left() const { return Rho(std::max(0.0, totals_.limit - totals_.spent)); }

Spending Budget::spending() const {
  return {.epsilon = epsilon_,
          .delta = delta_,
          .rho = Rho(totals_.spent),
          .slack = totals_.slack,
          .limit = Rho(totals_.limit),
          .limit_slack = totals_.limit_slack,
          .precomposed = precomposed_,
          .entries = entries_};
}

}  // namespace sotto
