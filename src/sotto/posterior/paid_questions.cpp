#include "sotto/posterior/paid_questions.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

[[noreturn]] void refuse_budget() {
  throw Error(ErrorCode::budget,
              "the privacy budget does not cover release-once: raise epsilon, or choose a delta well below "
              "one over the number of rows");
}

}  // namespace

PaidQuestions::PaidQuestions(QueryInterface& interface, Rho cost, std::function<bool()> go_on)
    : interface_(&interface), cost_(cost), go_on_(std::move(go_on)) {
  if (!(cost.value() > 0) || !std::isfinite(cost.value())) {
    throw Error(ErrorCode::configuration, "release-once needs a finite cost > 0");
  }
  if (interface.left().value() < cost.value()) refuse_budget();
}

double PaidQuestions::noise_sd(double sensitivity, double share) const {
  return sensitivity / std::sqrt(2 * cost_.value() * share);
}

Rho PaidQuestions::pay(double share) {
  if (spent_ + share > 1 + 1e-9) {
    throw Error(ErrorCode::internal, "release-once planned to spend more than its cost");
  }
  share = std::min(share, 1 - spent_);
  spent_ += share;
  return Rho(cost_.value() * share);
}

void PaidQuestions::wanted() const {
  if (go_on_ && !go_on_()) throw Error(ErrorCode::interrupted, "stopped before the first draw");
}

std::vector<Answer> PaidQuestions::answer(std::span<const Query> queries) {
  wanted();
  std::vector<Answer> answers = interface_->answer(queries);
  for (const Answer& answer : answers) {
    const auto* status = std::get_if<QueryStatus>(&answer);
    if (status != nullptr && *status == QueryStatus::budget) refuse_budget();
  }
  return answers;
}

std::vector<Answer> PaidQuestions::ask(std::span<const Query> queries) {
  std::vector<Answer> answers = answer(queries);
  for (const Answer& one : answers) {
    if (!std::holds_alternative<QueryStatus>(one)) continue;
    throw Error(ErrorCode::configuration,
                "release-once: noise or position is too large for the grid of releases: take a larger "
                "epsilon, or a narrower prior");
  }
  return answers;
}

}  // namespace sotto
