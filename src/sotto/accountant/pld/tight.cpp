#include "sotto/accountant/pld/tight.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sotto/accountant/pld/curve_bound.hpp"
#include "sotto/accountant/pld/single_step.hpp"
#include "sotto/accountant/rdp/renyi.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {
namespace {

// Rounds of growing effort.
struct Round {
  Accuracy accuracy;
  bool split = false;  // rare large losses apart
};
constexpr Accuracy kFineAccuracy{1e-5, 0x1p18, 8};  // of an upper bound alone
constexpr Round kRounds[] = {{kFirstAccuracy}, {{0, 0x1p17, 0}, true}, {kFineAccuracy}, {{0, 0x1p18, 8}},
                             {{0, 0x1p19, 6}}, {{0, 0x1p20, 0}, true}, {{0, 0x1p21, 8}}};

// Where less than the usual width is asked for grids are made as fine as that needs.
std::vector<Round> rounds_for(double width) {
  if (width >= kUsualWidth) return {std::begin(kRounds), std::end(kRounds)};
  const double tolerance = width / 4;
  return {{kFirstAccuracy},       {{tolerance, 0x1p19, 8}},
          {{0, 0x1p19, 0}, true}, {{tolerance / 4, 0x1p21, 8}},
          {{0, 0x1p21, 0}, true}, {{tolerance / 16, 0x1p22, 6}}};
}
constexpr Accuracy kBracketAccuracy{1e-5, 0x1p18, 8};
constexpr double kLeastDelta = 1e-280;  // below it bounds are not narrow

// Whether the condition holds for one of the pairs of a model.
template <class Condition>
bool any_pair(const std::vector<LossModel>& models, const Condition& condition) {
  return std::any_of(models.front().parts.begin(), models.front().parts.end(),
                     [&](const LossPart& part) { return part.pair && condition(*part.pair); });
}

Bounds both_bounds(const Event& event, Adjacency adjacency, const CurveQuery& query, double width) {
  const std::vector<Event> leaves = flatten(event);
  const std::vector<LossModel> above = loss_models(leaves, adjacency, Side::upper);
  const std::vector<LossModel> below = loss_models(leaves, adjacency, Side::lower);
  std::vector<CurveBound> upper;
  std::vector<CurveBound> lower;
  upper.reserve(above.size());
  lower.reserve(below.size());
  for (const LossModel& model : above) upper.emplace_back(model, query, Side::upper);
  for (const LossModel& model : below) lower.emplace_back(model, query, Side::lower);
  // Batches of fixed size: wide by nature, so no gap tells when to stop.
  const bool bracket = any_pair(above, [](const DominatingPair& pair) { return pair.is_mirrored(); });
  const bool rare = any_pair(above, [](const DominatingPair& pair) { return pair.rate() < 1e-3; });
  Bounds result{0, HUGE_VAL};
  const std::vector<Round> rounds = rounds_for(width);
  for (const Round& round : rounds) {
    const bool first = &round == &rounds.front();
    // Where nothing is sampled rarely more points do as well, and cost less.
    if (round.split && !rare && round.accuracy.most_points < kFineAccuracy.most_points) continue;
    const Accuracy& accuracy = bracket && first ? kBracketAccuracy : round.accuracy;
    const auto answer_of = [&](CurveBound& answer) {
      if (first) return answer.at(accuracy);
      try {
        return round.split ? answer.split(result, accuracy.most_points) : answer.at(accuracy);
      } catch (const Error& error) {
        if (error.code() != ErrorCode::configuration) throw;
        return answer.last();  // no grid for more effort
      }
    };
    // What lies below a bound that is known does not matter any more.
    Bounds now;
    for (CurveBound& answer : upper) {
      now.upper =
          std::max(now.upper, first || answer.last() > result.lower ? answer_of(answer) : answer.last());
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < lower.size(); ++i) order.push_back(i);
    const bool paired = upper.size() == lower.size();
    if (paired) {
      std::sort(order.begin(), order.end(),
                [&](auto i, auto j) { return upper[i].last() > upper[j].last(); });
    }
    for (const std::size_t i : order) {
      if (paired && upper[i].last() <= std::max(result.lower, now.lower)) continue;
      if (first) lower[i].start_at(paired ? upper[i].last() : now.upper);
      now.lower = std::max(now.lower, answer_of(lower[i]));
    }
    if (query.by_epsilon && query.value == 0 && adjacency == Adjacency::add_remove && paired) {
      // At epsilon = 0 both directions are the total variation distance: the best bound of either holds.
      for (const CurveBound& answer : upper) now.upper = std::min(now.upper, answer.last());
    }
    result = {std::max(result.lower, now.lower), std::min(result.upper, now.upper)};
    if (query.by_epsilon) result.upper = std::min(result.upper, 1.0);
    if (bracket && (!rare || round.split)) break;
    if (result.upper - result.lower <= width * result.upper) break;
    if (query.by_epsilon && result.upper < kLeastDelta) break;
    // No effort narrows the slack of discrete noise.
    const double slack = above.front().slack;
    if (slack > width / 4 * (query.by_epsilon ? query.value : result.upper)) break;
  }
  return result;
}

// The bound of an accountant that may refuse, infinite then.
template <class Bound>
double bound_or_none(const Bound& bound) {
  try {
    return bound();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::usage) throw;
    return HUGE_VAL;
  }
}

// What more effort makes of an upper bound of delta; the same bound where no grid takes it.
double finer(CurveBound& answer, double known) {
  try {
    known = answer.at(kFineAccuracy);
    return answer.split({0, known}, kFineAccuracy.most_points);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
    return known;
  }
}

// The upper bound over all models, and what more effort makes of it.
double upper_bound(const std::vector<LossModel>& models, const CurveQuery& query, UpperBound effort) {
  double bound = 0;
  for (const LossModel& model : models) {
    CurveBound answer(model, query, Side::upper);
    double known = answer.at(kFirstAccuracy);
    if (effort == UpperBound::fine && known > 0 && std::isfinite(known)) known = finer(answer, known);
    bound = std::max(bound, known);
  }
  return bound;
}

// Simpler accountants prove less, but where bounds are not sharp perhaps more: the least of all. Many kinds of events are asked
// only where the bounds are wide; their Renyi costs take as long as the rest.
constexpr std::size_t kManyKinds = 32;

void least(Bounds& bounds, double upper, BoundKind by) {
  if (upper < bounds.upper) bounds = {bounds.lower, upper, by};
}

template <class Rho, class Renyi>
void least_of_all(Bounds& bounds, const Event& event, Adjacency adjacency, const Rho& by_rho,
                  const Renyi& by_renyi) {
  const bool wide = bounds.lower < (1 - kUsualWidth) * bounds.upper;
  if (bounds.upper == 0 || (!wide && flatten(event).size() > kManyKinds)) return;
  if (const std::optional<double> rho = concentrated_rho(event, adjacency))
    least(bounds, by_rho(*rho), BoundKind::zcdp);
  least(bounds, bound_or_none(by_renyi), BoundKind::rdp);
}

void least_delta(Bounds& bounds, const Event& event, Adjacency adjacency, Epsilon epsilon) {
  least_of_all(
      bounds, event, adjacency, [&](double rho) { return concentrated_delta(rho, epsilon.value()); },
      [&] { return renyi_delta(event, adjacency, epsilon.value()); });
}

void least_epsilon(Bounds& bounds, const Event& event, Adjacency adjacency, Delta delta) {
  least_of_all(
      bounds, event, adjacency, [&](double rho) { return concentrated_epsilon(rho, delta.value()); },
      [&] { return renyi_epsilon(event, adjacency, delta.value()); });
}

/// What is lost whatever epsilon is.
double given_away(const std::vector<LossModel>& models) {
  double most = 0;
  for (const LossModel& model : models) {
    double sum = 0;
    for (const LossPart& part : model.parts) {
      if (!part.pair) sum += static_cast<double>(part.count) * part.lattice.infinite * (1 + 1e-12);
    }
    most = std::max(most, sum);
  }
  return std::min(most, 1.0);
}

}  // namespace

std::string tight_refusal(const Event& event, Adjacency adjacency) {
  for (const Event& leaf : flatten(event)) {
    std::string why = loss_view(leaf, adjacency, Side::upper).why_not();
    if (!why.empty()) return why;
  }
  return {};
}

Bounds tight_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, double width) {
  if (std::isinf(epsilon.value())) return {0, tight_delta_upper(event, adjacency, epsilon)};
  Bounds bounds = both_bounds(event, adjacency, {true, epsilon.value()}, width);
  // Calibration stands on the finer bound: who asks afterwards shall read the same.
  bounds.upper = std::min(bounds.upper, tight_delta_upper(event, adjacency, epsilon, UpperBound::fine));
  least_delta(bounds, event, adjacency, epsilon);
  return bounds;
}

double tight_delta_upper(const Event& event, Adjacency adjacency, Epsilon epsilon, UpperBound effort) {
  const std::vector<LossModel> models = loss_models(flatten(event), adjacency, Side::upper);
  if (std::isinf(epsilon.value())) return given_away(models);
  return std::min(upper_bound(models, {true, epsilon.value()}, effort), 1.0);
}

Bounds tight_epsilon(const Event& event, Adjacency adjacency, Delta delta, double width) {
  if (delta.value() >= 1) return {0, 0};  // any mechanism is (0, 1)-private
  if (delta.value() < 1e-290) {
    // Nothing finer is resolved: no loss is larger than the largest, and epsilon no smaller than at 1e-290.
    double largest = 0;
    for (const LossModel& model : loss_models(flatten(event), adjacency, Side::upper)) {
      const double loss = model.rho > 0 && model.parts.empty() ? HUGE_VAL : largest_loss(model);
      largest = std::max(largest, loss + model.slack);
    }
    return {both_bounds(event, adjacency, {false, 1e-290}, width).lower, largest};
  }
  const CurveQuery query{false, delta.value()};
  Bounds bounds = both_bounds(event, adjacency, query, width);
  // Calibration is confirmed by the finer bound where that does not take long.
  const std::vector<Event> leaves = flatten(event);
  if (leaves.size() <= kManyKinds) {
    const std::vector<LossModel> models = loss_models(leaves, adjacency, Side::upper);
    bounds.upper = std::min(bounds.upper, upper_bound(models, query, UpperBound::fine));
  }
  least_epsilon(bounds, event, adjacency, delta);
  return bounds;
}

}  // namespace sotto
