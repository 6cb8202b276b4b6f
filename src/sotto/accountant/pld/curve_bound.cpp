#include "sotto/accountant/pld/curve_bound.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/accountant/pld/large_loss_convolution.hpp"
#include "sotto/accountant/pld/loss_curve.hpp"
#include "sotto/accountant/pld/single_step.hpp"
#include "sotto/accountant/zcdp/gaussian.hpp"

namespace sotto {
namespace {

// The total variation distance of a composition is at most the sum of its steps'.
bool certainly_zero(const LossModel& model, double target) {
  double sum = model.rho > 0 && model.parts.empty() ? 1 : 0;
  for (const LossPart& part : model.parts)
    sum += static_cast<double>(part.count) * one_step_delta(part, 0, Side::upper);
  return sum * (1 + 1e-9) <= target;
}

}  // namespace

CurveBound::CurveBound(const LossModel& model, const CurveQuery& query, Side side)
    : model_(model), query_(query), side_(side), shift_(side == Side::upper ? model.slack : -model.slack) {
  if (!query_.by_epsilon) query_.value = std::min(query_.value * std::exp(-shift_), 1.0);
}

double CurveBound::at(const Accuracy& accuracy) {
  if (plan_ && plan_->lost > accuracy.most_lost) {
    plan_ = plan_at(model_, plan_->epsilon, plan_->log_delta, accuracy.most_lost);
  }
  return keep(value_at(accuracy));
}

double CurveBound::split(const Bounds& known, double most_points) {
  if (model_.parts.empty() || single_step()) return last();
  return keep(query_.by_epsilon ? split_delta(known, most_points) : split_epsilon(known, most_points));
}

double CurveBound::last() const { return last_.value_or(side_ == Side::upper ? HUGE_VAL : 0); }

void CurveBound::start_at(double found) {
  if (model_.parts.empty() || single_step() || !(found > 0) || !std::isfinite(found)) return;
  const double epsilon = std::max(0.0, (query_.by_epsilon ? query_.value : found) - shift_);
  const double delta = query_.by_epsilon ? found : query_.value;
  plan_ = plan_at(model_, epsilon, std::log(delta), kFirstAccuracy.most_lost);
  seeded_ = true;
}

double CurveBound::keep(double bound) {
  if (std::isnan(bound))
    bound = side_ == Side::upper ? HUGE_VAL : 0;  // nothing is known, and nothing given away
  last_ = !last_ ? bound : side_ == Side::upper ? std::min(*last_, bound) : std::max(*last_, bound);
  return *last_;
}

// The split needs a guess at the whole place; its own answer is a better one.
double CurveBound::split_delta(const Bounds& known, double most_points) const {
  const double epsilon = query_.value - shift_;
  double best = last();
  if (epsilon < 0) return best;
  double guess = LargeLossConvolution::one_jump_delta(model_, epsilon);
  for (int round = 0; round < 4; ++round) {
    guess = std::max(std::clamp(guess, known.lower, std::max(known.upper, known.lower)), 1e-300);
    const auto split = LargeLossConvolution::around(model_, epsilon, std::log(guess), side_, most_points);
    if (!split) break;
    const double delta = split->delta(epsilon);
    const double bound = with_slack(delta);
    best = side_ == Side::upper ? std::min(best, bound) : std::max(best, bound);
    if (std::abs(std::log(std::max(delta, 1e-300) / guess)) < 3) break;
    guess = delta;
  }
  return best;
}

double CurveBound::split_epsilon(const Bounds& known, double most_points) const {
  const double low = std::max(known.lower - shift_, 0.0);
  const double high = known.upper - shift_;
  double best = last();
  if (!std::isfinite(high) || !(high > 0)) return best;
  double guess = high;
  for (double below = low; guess - below > 0.01 * guess;) {
    const double middle = below + (guess - below) / 2;
    (LargeLossConvolution::one_jump_delta(model_, middle) <= query_.value ? guess : below) = middle;
  }
  for (int round = 0; round < 4; ++round) {
    const auto split =
        LargeLossConvolution::around(model_, guess, std::log(query_.value), side_, most_points);
    if (!split) break;
    const double epsilon = split->epsilon(query_.value, low, high);
    const double bound = std::max(epsilon + shift_, 0.0);
    best = side_ == Side::upper ? std::min(best, bound) : std::max(best, bound);
    if (!(epsilon > 0) || std::abs(epsilon - guess) < 0.1 * guess) break;
    guess = epsilon;
  }
  return best;
}

double CurveBound::value_at(const Accuracy& accuracy) {
  if (model_.parts.empty()) return closed_form();
  if (query_.by_epsilon) {
    const double epsilon = std::max(query_.value - shift_, 0.0);
    if (epsilon >= largest_loss(model_)) return with_slack(0);
    if (single_step()) return with_slack(one_step_delta(model_.parts.front(), epsilon, side_));
    const double found = delta_at(epsilon, accuracy);
    const auto alone = [&](const LossPart& part) { return one_step_delta(part, epsilon, side_); };
    return with_slack(std::max(found, of_one_part(found, alone)));
  }
  if (shift_ <= 0 && certainly_zero(model_, query_.value)) return 0;
  if (single_step()) return std::max(one_step_epsilon(model_.parts.front()) + shift_, 0.0);
  const double found = epsilon_at(accuracy);
  const auto alone = [&](const LossPart& part) { return one_step_epsilon(part); };
  return std::max(std::max(found, of_one_part(found, alone)) + shift_, 0.0);
}

// Who sees all parts sees each: below, the largest of what one step of a part shows by itself. Many parts are asked only where the
// grid has shown nothing.
template <class Alone>
double CurveBound::of_one_part(double found, const Alone& alone) const {
  constexpr std::size_t kFewParts = 8;
  double most = 0;
  if (side_ == Side::upper || (found > 0 && model_.parts.size() > kFewParts)) return most;
  for (const LossPart& part : model_.parts) most = std::max(most, alone(part));
  return most;
}

// Gaussian releases alone.
double CurveBound::closed_form() const {
  const Rho rho(model_.rho);
  const bool upper = side_ == Side::upper;
  if (query_.by_epsilon) {
    const Bounds bounds = gaussian_delta_bounds(rho, Epsilon(std::max(query_.value - shift_, 0.0)));
    return with_slack(upper ? bounds.upper : bounds.lower);
  }
  const Bounds bounds = gaussian_epsilon_bounds(rho, Delta(query_.value));
  return std::max((upper ? bounds.upper : bounds.lower) + shift_, 0.0);
}

// From the curve of the noise that stands for discrete noise to that of the latter. A shift above epsilon asks for the curve at
// u < 1: H(u) <= H(1) + 1 - u.
double CurveBound::with_slack(double delta) const {
  if (side_ == Side::lower) return delta * std::exp(shift_);
  const double more = std::max(-std::expm1(query_.value - shift_), 0.0) * (1 + 1e-12);
  return std::min((delta + more) * std::exp(shift_) * (1 + 1e-15), 1.0);
}

bool CurveBound::single_step() const { return model_.parts.size() == 1 && model_.parts.front().count == 1; }

double CurveBound::one_step_epsilon(const LossPart& part) const {
  const auto small_enough = [&](double e) { return one_step_delta(part, e, side_) <= query_.value; };
  if (small_enough(0)) return 0;
  double low = 0;
  double high =
      part.pair ? part.pair->upper_loss(query_.value / 4) : part.lattice.loss(part.lattice.mass.size() - 1);
  high = std::min(largest_loss(model_), high * (1 + 1e-12));
  if (!small_enough(high)) return side_ == Side::upper ? HUGE_VAL : high;
  while (high - low > 1e-14 * high) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    (small_enough(middle) ? high : low) = middle;
  }
  return side_ == Side::upper ? high : low;
}

// The plan's delta is a guess: where it was far too large, the tails cut off are all that the bound shows.
double CurveBound::delta_at(double epsilon, const Accuracy& accuracy) {
  if (!plan_) plan_ = plan_for_epsilon(model_, epsilon, accuracy.most_lost);
  const bool upper = side_ == Side::upper;
  double best = upper ? 1 : 0;
  for (int round = 0; round < 8; ++round) {
    const double delta = curve_of(model_, *plan_, query_, side_, accuracy).delta(epsilon);
    best = upper ? std::min(best, delta) : std::max(best, delta);
    if (!upper && delta == 0 && seeded_) {
      seeded_ = false;  // the other side was too far away to be a guess
      plan_ = plan_for_epsilon(model_, epsilon, accuracy.most_lost);
      continue;
    }
    const double found = std::log(std::max(delta, 1e-300));
    if (!upper || found > plan_->log_delta - 5) break;
    plan_ = plan_at(model_, epsilon, found, accuracy.most_lost);
  }
  return best;
}

// The plan's epsilon is a guess, a poor one where rare large losses carry the cumulant: plan for the epsilon found.
double CurveBound::epsilon_at(const Accuracy& accuracy) {
  if (!plan_) plan_ = plan_for_delta(model_, query_.value, accuracy.most_lost);
  const bool upper = side_ == Side::upper;
  double best = upper ? largest_loss(model_) : 0;
  for (int round = 0; round < 4; ++round) {
    const LossCurve curve = curve_of(model_, *plan_, query_, side_, accuracy);
    const double epsilon = curve.epsilon(query_.value, plan_->epsilon);
    best = upper ? std::min(best, epsilon) : std::max(best, epsilon);
    if (!upper && epsilon == 0) {
      if (!seeded_) break;
      seeded_ = false;  // the other side was too far away to be a guess
      plan_ = plan_for_delta(model_, query_.value, accuracy.most_lost);
      continue;
    }
    const double near = std::isfinite(epsilon) ? epsilon : plan_->epsilon / 2;
    if (std::abs(near - plan_->epsilon) <= 2 / plan_->sensitivity) break;
    plan_ = plan_at(model_, near, plan_->log_delta, accuracy.most_lost);
  }
  return best;
}

}  // namespace sotto
