#include "sotto/accountant/pld/tight.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "sotto/accountant/pld/curve_bound.hpp"
#include "sotto/accountant/pld/single_step.hpp"
#include "sotto/accountant/rdp/renyi.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {
namespace {

constexpr Accuracy kFineAccuracy{2.5e-7, 0x1p19, 8};

// What a round does: each more than the one before.
enum class Technique {
  upper_alone,
  composed,
  split,       // rare large losses apart
  calibrated,  // finer, the upper bound of what is sampled rarely apart too: what calibration stands on
};
struct Round {
  Accuracy accuracy;
  Technique technique = Technique::composed;
};
constexpr Round kUsualRounds[] = {{{0, 0x1p17, 0}, Technique::split},
                                  {{0, 0x1p18, 8}},
                                  {{0, 0x1p19, 6}},
                                  {{0, 0x1p20, 0}, Technique::split},
                                  {{0, 0x1p21, 8}}};

// Where less than the usual width is asked for grids are made as fine as that needs.
std::vector<Round> rounds_for(double width, bool calibrated) {
  std::vector<Round> rounds{{kFirstAccuracy}};
  if (calibrated) rounds = {{kFirstAccuracy, Technique::upper_alone}, {kFineAccuracy, Technique::calibrated}};
  if (width >= kUsualWidth) {
    rounds.insert(rounds.end(), std::begin(kUsualRounds), std::end(kUsualRounds));
    return rounds;
  }
  const double tolerance = width / 4;
  const Round narrow[] = {{{tolerance, 0x1p19, 8}},
                          {{0, 0x1p19, 0}, Technique::split},
                          {{tolerance / 4, 0x1p21, 8}},
                          {{0, 0x1p21, 0}, Technique::split},
                          {{tolerance / 16, 0x1p22, 6}}};
  rounds.insert(rounds.end(), std::begin(narrow), std::end(narrow));
  return rounds;
}
constexpr std::size_t kManyKinds = 32;  // of events: for more no more is done than is needed
constexpr double kRare =
    1e-3;  // rate: where nothing is sampled more rarely more points do as well as a split, and cost less
constexpr double kFarBetter = 0.99;  // a bound that is less than this share of another
// Enough where a row is in few batches in all: the first bound's own error. With more batches a split takes longer than a finer grid.
constexpr double kBetter = 0.9998;
constexpr double kFewBatches = 6;
constexpr double kLeastDelta = 1e-280;  // below it bounds are not narrow

// Whether the condition holds for one of the pairs of a model.
template <class Condition>
bool any_pair(const std::vector<LossModel>& models, const Condition& condition) {
  return std::any_of(models.front().parts.begin(), models.front().parts.end(),
                     [&](const LossPart& part) { return part.pair && condition(*part.pair); });
}

// In how many batches a row is expected.
double batches_with(const LossModel& model) {
  double sum = 0;
  for (const LossPart& part : model.parts) {
    if (part.pair && part.pair->rate() < 1) sum += part.pair->rate() * static_cast<double>(part.count);
  }
  return sum;
}

// What no grid takes leaves a bound as it is.
template <class Attempt>
void if_possible(const Attempt& attempt) {
  try {
    attempt();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
  }
}

/// The bounds of all models of a job on both sides. The truth is the largest of the models'.
class Enclosure {
 public:
  Enclosure(const std::vector<LossModel>& above, const std::vector<LossModel>& below, const CurveQuery& query,
            const CurveQuery& query_below, Adjacency adjacency)
      : rare_(any_pair(above, [](const DominatingPair& pair) { return pair.rate() < kRare; })),
        same_at_zero_(query.by_epsilon && query.value == 0 && adjacency == Adjacency::add_remove) {
    needs_split_.assign(above.size(), false);
    better_ = batches_with(above.front()) < kFewBatches ? kBetter : kFarBetter;
    upper_.reserve(above.size());
    lower_.reserve(below.size());
    for (const LossModel& model : above) upper_.emplace_back(model, query, Side::upper);
    for (const LossModel& model : below) lower_.emplace_back(model, query_below, Side::lower);
  }

  [[nodiscard]] const Bounds& bounds() const { return known_.bounds(); }
  [[nodiscard]] bool is_rare() const { return rare_; }

  void attempt(const Round& round) {
    lower_upper(round);
    if (round.technique != Technique::upper_alone) raise_lower(round);
  }

 private:
  [[nodiscard]] bool is_paired() const { return upper_.size() == lower_.size(); }

  // The models with the largest upper bound first.
  [[nodiscard]] std::vector<std::size_t> order(std::size_t size) const {
    std::vector<std::size_t> order(size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    if (size == upper_.size()) {
      std::stable_sort(order.begin(), order.end(),
                       [&](auto i, auto j) { return upper_[i].last() > upper_[j].last(); });
    }
    return order;
  }

  void lower_upper(const Round& round) {
    double most = 0;
    for (const std::size_t i : order(upper_.size())) {
      CurveBound& answer = upper_[i];
      // What lies below a bound that is known does not matter any more.
      if (answer.last() > std::max(bounds().lower, most)) {
        if (round.technique == Technique::calibrated && rare_)
          split_first(i, round);
        else
          attempt(answer, round);
      }
      most = std::max(most, answer.last());
    }
    // At epsilon = 0 both directions are the total variation distance: the best bound of either holds.
    if (same_at_zero_ && is_paired()) {
      for (const CurveBound& answer : upper_) most = std::min(most, answer.last());
    }
    known_.by({0, most});
  }

  void raise_lower(const Round& round) {
    for (const std::size_t i : order(lower_.size())) {
      if (is_paired() && upper_[i].last() <= bounds().lower) continue;
      if (!started_) lower_[i].start_at(is_paired() ? upper_[i].last() : bounds().upper);
      const bool apart = round.technique == Technique::calibrated && is_paired() && needs_split_[i];
      attempt(lower_[i], apart ? Round{round.accuracy, Technique::split} : round);
      known_.by({lower_[i].last(), HUGE_VAL});
    }
    started_ = true;
  }

  // Where a split makes the first bound far better, rare large losses carry it, and no grid that holds them is any help.
  void split_first(std::size_t i, const Round& round) {
    CurveBound& answer = upper_[i];
    const bool known = std::isfinite(answer.last());
    if (!known) attempt(answer, round);
    const double before = answer.last();
    if (before > 0 && std::isfinite(before))
      if_possible([&] { answer.split({0, before}, round.accuracy.most_points); });
    needs_split_[i] = answer.last() < better_ * before;
    if (known && !needs_split_[i]) attempt(answer, round);
  }

  void attempt(CurveBound& answer, const Round& round) const {
    if (round.technique == Technique::split)
      return if_possible([&] { answer.split(bounds(), round.accuracy.most_points); });
    if_possible([&] { answer.at(round.accuracy); });
    if (!answer.is_known()) answer.at(kFirstAccuracy);
  }

  bool rare_;
  bool same_at_zero_;
  double better_ = kFarBetter;     ///< what share of the first bound is worth a split
  std::vector<bool> needs_split_;  ///< by model
  std::vector<CurveBound> upper_;
  std::vector<CurveBound> lower_;
  Narrowing known_{{0, HUGE_VAL}};
  bool started_ = false;
};

// Whether both sides of an event are different pairs: nothing brings them together, so that no gap tells when to stop.
bool are_brackets(const std::vector<LossModel>& above, const std::vector<LossModel>& below) {
  const std::vector<LossPart>& lower = below.front().parts;
  const auto is_below = [&](const DiscretePld& lattice) {
    return std::any_of(lower.begin(), lower.end(), [&](const LossPart& part) {
      return !part.pair && part.lattice.step == lattice.step && part.lattice.mass == lattice.mass;
    });
  };
  const std::vector<LossPart>& upper = above.front().parts;
  return std::any_of(upper.begin(), upper.end(), [&](const LossPart& part) {
    return part.pair ? part.pair->is_mirrored() : !is_below(part.lattice);
  });
}

// Of what gives nothing away. `query_below`: the same question of the lower side.
Bounds both_bounds(const KeptBack& kept, Adjacency adjacency, const CurveQuery& query,
                   const CurveQuery& query_below, double width) {
  const std::vector<Event> leaves = flatten(kept.event);
  const std::vector<LossModel> above = loss_models(leaves, adjacency, Side::upper);
  const std::vector<LossModel> below = loss_models(flatten(kept.below), adjacency, Side::lower);
  const bool bracket = kept.is_bracket || are_brackets(above, below);
  // Who asks what a calibrated job costs shall read what calibration has read, where that does not take long.
  const bool calibrated = leaves.size() <= kManyKinds;
  Enclosure enclosure(above, below, query, query_below, adjacency);
  for (const Round& round : rounds_for(width, calibrated)) {
    const bool apart = round.technique == Technique::split;
    if (apart && !enclosure.is_rare() && round.accuracy.most_points < 0x1p18) continue;
    enclosure.attempt(round);
    if (query.by_epsilon && enclosure.bounds().upper < kLeastDelta) break;
    if (round.technique == Technique::upper_alone) continue;
    const Bounds& bounds = enclosure.bounds();
    if (bracket && (!enclosure.is_rare() || apart)) break;
    if (bounds.upper - bounds.lower <= width * bounds.upper) break;
    // Nothing narrows the slack of discrete noise.
    const double slack = above.front().slack;
    if (slack > width / 4 * (query.by_epsilon ? query.value : bounds.upper)) break;
  }
  return {enclosure.bounds().lower,
          query.by_epsilon ? std::min(enclosure.bounds().upper, 1.0) : enclosure.bounds().upper};
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

// Simpler accountants prove less, but where bounds are not sharp perhaps more: the least of all. Many kinds of events are asked
// only where the bounds are wide; their Renyi costs take as long as the rest.
void least(Bounds& bounds, double upper, BoundKind by) {
  if (upper < bounds.upper) bounds = {bounds.lower, upper, by};
}

template <class Renyi>
void least_of_all(Bounds& bounds, const Event& event, const std::optional<double>& by_rho,
                  const Renyi& by_renyi) {
  const bool wide = bounds.lower < (1 - kUsualWidth) * bounds.upper;
  if (bounds.upper == 0 || (!wide && flatten(event).size() > kManyKinds)) return;
  if (by_rho) least(bounds, *by_rho, BoundKind::zcdp);
  least(bounds, bound_or_none(by_renyi), BoundKind::rdp);
}

Bounds least_delta(Bounds bounds, const Event& event, Adjacency adjacency, Epsilon epsilon) {
  least_of_all(bounds, event, concentrated_delta(event, adjacency, epsilon.value()),
               [&] { return renyi_delta(event, adjacency, epsilon.value()); });
  return bounds;
}

Bounds least_epsilon(Bounds bounds, const Event& event, Adjacency adjacency, Delta delta) {
  least_of_all(bounds, event, concentrated_epsilon(event, adjacency, delta.value()),
               [&] { return renyi_epsilon(event, adjacency, delta.value()); });
  return bounds;
}

// Where some event has no known losses the simpler accountants are alone. Every kind of event has a Renyi cost; where
// it has none under this adjacency, that is the reason which is told.
Bounds without_losses(const Event& event, Adjacency adjacency, Epsilon epsilon) {
  Bounds bounds{0, renyi_delta(event, adjacency, epsilon.value()), BoundKind::rdp};
  if (const auto by_rho = concentrated_delta(event, adjacency, epsilon.value()))
    least(bounds, *by_rho, BoundKind::zcdp);
  return bounds;
}

Bounds without_losses(const Event& event, Adjacency adjacency, Delta delta) {
  Bounds bounds{0, renyi_epsilon(event, adjacency, delta.value()), BoundKind::rdp};
  if (const auto by_rho = concentrated_epsilon(event, adjacency, delta.value()))
    least(bounds, *by_rho, BoundKind::zcdp);
  return bounds;
}

constexpr double kTinyDelta = 1e-290;  // nothing finer is resolved

// No loss is larger than the largest, and epsilon no smaller than at a larger delta.
Bounds at_tiny_delta(const KeptBack& kept, Adjacency adjacency, double below, double width) {
  double largest = 0;
  for (const LossModel& model : loss_models(flatten(kept.event), adjacency, Side::upper)) {
    const double loss = model.rho > 0 && model.parts.empty() ? HUGE_VAL : largest_loss(model);
    largest = std::max(largest, loss + model.slack);
  }
  const CurveQuery query{false, std::max(below, kTinyDelta)};
  return {both_bounds(kept, adjacency, query, query, width).lower, largest};
}

Bounds delta_of(const KeptBack& kept, Adjacency adjacency, Epsilon epsilon, double width) {
  if (std::isinf(epsilon.value())) return {kept.surely_given, kept.given_away};
  const CurveQuery query{true, epsilon.value()};
  const Bounds rest = both_bounds(kept, adjacency, query, query, width);
  return {kept.all(rest.lower, Side::lower), kept.all(rest.upper, Side::upper)};
}

Bounds epsilon_of(const KeptBack& kept, Adjacency adjacency, Delta delta, double width) {
  const double above = kept.left(delta.value(), Side::upper);
  const double below = kept.left(delta.value(), Side::lower);
  if (kept.given_away > 0 && !(above >= 0))
    return {kept.surely_given > 0 && !(below > 0) ? HUGE_VAL : 0, HUGE_VAL};
  return above < kTinyDelta ? at_tiny_delta(kept, adjacency, below, width)
                            : both_bounds(kept, adjacency, {false, above}, {false, below}, width);
}

double delta_upper_of(const KeptBack& kept, Adjacency adjacency, Epsilon epsilon, UpperBound bound) {
  if (std::isinf(epsilon.value())) return kept.given_away;
  const std::vector<LossModel> models = loss_models(flatten(kept.event), adjacency, Side::upper);
  const CurveQuery query{true, epsilon.value()};
  Enclosure enclosure(models, {}, query, query, adjacency);
  enclosure.attempt({kFirstAccuracy, Technique::upper_alone});
  if (bound == UpperBound::fine) enclosure.attempt({kFineAccuracy, Technique::calibrated});
  return kept.all(std::min(enclosure.bounds().upper, 1.0), Side::upper);
}

}  // namespace

std::string tight_refusal(const Event& event, Adjacency adjacency) {
  for (const Event& leaf : flatten(kept_back(event).front().event)) {
    std::string why = loss_view(leaf, adjacency, Side::upper).why_not();
    if (!why.empty()) return why;
  }
  return {};
}

Bounds tight_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, double width) {
  if (!tight_refusal(event, adjacency).empty()) return without_losses(event, adjacency, epsilon);
  Narrowing known({0, 1});  // every way of keeping back is a bound
  for (const KeptBack& kept : kept_back(event)) {
    known.by(delta_of(kept, adjacency, epsilon, width));
    if (kept.is_enough(known.bounds().upper)) break;
  }
  Bounds bounds = known.bounds();
  if (!std::isinf(epsilon.value())) bounds = least_delta(bounds, event, adjacency, epsilon);
  bounds.upper = std::min(bounds.upper, 1.0);
  return bounds;
}

double tight_delta_upper(const Event& event, Adjacency adjacency, Epsilon epsilon, UpperBound bound) {
  if (!tight_refusal(event, adjacency).empty()) return without_losses(event, adjacency, epsilon).upper;
  double least = 1;
  for (const KeptBack& kept : kept_back(event)) {
    least = std::min(least, delta_upper_of(kept, adjacency, epsilon, bound));
    if (kept.is_enough(least)) break;
  }
  return least_delta({0, least}, event, adjacency, epsilon).upper;
}

Bounds tight_epsilon(const Event& event, Adjacency adjacency, Delta delta, double width) {
  if (delta.value() >= 1) return {0, 0};  // any mechanism is (0, 1)-private
  if (!tight_refusal(event, adjacency).empty()) return without_losses(event, adjacency, delta);
  Narrowing known({0, HUGE_VAL});
  for (const KeptBack& kept : kept_back(event)) {
    known.by(epsilon_of(kept, adjacency, delta, width));
    if (kept.is_enough(delta.value())) break;
  }
  return std::isinf(known.bounds().lower) ? known.bounds()
                                          : least_epsilon(known.bounds(), event, adjacency, delta);
}

}  // namespace sotto
