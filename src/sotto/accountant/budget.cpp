#include "sotto/accountant/budget.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sotto/accountant/gaussian.hpp"

namespace sotto {
namespace {

double add_up(double a, double b) {
  const double sum = a + b;
  return b == 0 ? a : std::nextafter(sum, std::numeric_limits<double>::infinity());
}

}  // namespace

Budget::Budget(Epsilon epsilon, Delta delta)
    : epsilon_(epsilon), delta_(delta), limit_(gaussian_rho(epsilon, delta).value()) {}

std::optional<Receipt> Budget::spend(Charge charge) {
  const double rho = charge.rho.value();
  const double slack = charge.slack;
  if (!std::isfinite(rho) || !(slack >= 0) || !std::isfinite(slack)) return std::nullopt;
  const double spent = add_up(spent_, rho);
  const double total_slack = add_up(slack_, slack);
  if (total_slack > limit_slack_) {
    // Recomputing the limit is slow, so reserve slack ahead: doubling keeps the recomputations few, and a reserve that
    // does not fit is cut back to what is needed.
    for (const double reserve : {2 * total_slack, total_slack}) {
      if (reserve > epsilon_.value()) continue;
      const double limit = gaussian_rho(Epsilon(epsilon_.value() - reserve), delta_).value();
      if (spent > limit) continue;
      limit_ = limit;
      limit_slack_ = reserve;
      break;
    }
    if (total_slack > limit_slack_) return std::nullopt;
  }
  if (!(spent <= limit_)) return std::nullopt;
  spent_ = spent;
  slack_ = total_slack;
  if (!entries_.empty() && entries_.back().charge.query == charge.query &&
      entries_.back().charge.mechanism == charge.mechanism && entries_.back().charge.rho == charge.rho &&
      entries_.back().charge.slack == charge.slack) {
    ++entries_.back().count;
  } else {
    entries_.push_back({charge, 1});
  }
  return Receipt(std::move(charge));
}

Rho Budget::left() const { return Rho(std::max(0.0, limit_ - spent_)); }

Epsilon Budget::spent_epsilon(Delta delta) const {
  return Epsilon(add_up(gaussian_epsilon(Rho(spent_), delta).value(), slack_));
}

}  // namespace sotto
