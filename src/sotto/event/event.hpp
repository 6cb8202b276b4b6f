// Privacy events: what was done to the data, as plain values. An event tells how it may be seen; it knows no accountant.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/event/approximate.hpp"
#include "sotto/event/barker.hpp"
#include "sotto/event/discrete_gaussian.hpp"
#include "sotto/event/exponential.hpp"
#include "sotto/event/gaussian.hpp"
#include "sotto/event/gaussian_given.hpp"
#include "sotto/event/laplace.hpp"
#include "sotto/event/matrix.hpp"
#include "sotto/event/pure.hpp"
#include "sotto/event/random_allocation.hpp"
#include "sotto/event/randomized_response.hpp"
#include "sotto/event/renyi_given.hpp"
#include "sotto/event/report_noisy_max.hpp"
#include "sotto/event/shuffled.hpp"
#include "sotto/event/sparse_vector.hpp"
#include "sotto/event/subsampled_gaussian.hpp"
#include "sotto/event/subsampled_laplace.hpp"
#include "sotto/event/subsampled_penalty.hpp"
#include "sotto/event/tree.hpp"
#include "sotto/event/truncated_poisson.hpp"
#include "sotto/event/variance_completed_barker.hpp"
#include "sotto/event/view.hpp"
#include "sotto/event/zero_concentrated.hpp"

namespace sotto {

struct Event;

/// One after the other, each chosen with knowledge of the answers before.
struct CompositionEvent {
  std::vector<Event> parts;
};

/// The closed list. A new kind of event is a file of its own and a word here.
using Mechanism = std::variant<GaussianEvent, DiscreteGaussianEvent, LaplaceEvent, SubsampledGaussianEvent,
                               SubsampledLaplaceEvent, RandomizedResponseEvent, PureEvent, BarkerEvent,
                               VarianceCompletedBarkerEvent, SubsampledPenaltyEvent, ZeroConcentratedEvent,
                               ApproximateEvent, RenyiGivenEvent, GaussianGivenEvent, ExponentialEvent,
                               ReportNoisyMaxEvent, TreeEvent, SparseVectorEvent, ShuffledEvent, MatrixEvent,
                               TruncatedPoissonEvent, RandomAllocationEvent, CompositionEvent>;

/// A node of the tree: a mechanism or a composition, repeated `count` times.
struct Event {
  Mechanism mechanism;
  std::uint64_t count = 1;
};

/// Gaussian releases of this total cost, as one.
[[nodiscard]] Event gaussian_releases(Rho total);
/// An event, and such releases beside it, in any order and chosen from the answers.
/// Source docs/accounting.md, "Batches beside adaptive releases"
[[nodiscard]] Event beside(Event event, Rho others);

/// What every kind of event must tell, so that none is free by oversight: its name, its keys, the legal range of their values,
/// and one step's view for each accountant or the reason why there is none.
template <class E>
concept EventKind = std::equality_comparable<E> && requires(const E& e, Adjacency adjacency) {
  { E::name } -> std::convertible_to<std::string>;
  E::fields();
  e.check();
  { e.loss(adjacency, Side::upper) } -> std::same_as<View<LossView>>;
  { e.renyi(adjacency) } -> std::same_as<View<RenyiCurve>>;
  { e.rho(adjacency) } -> std::same_as<View<double>>;
  { e.pure_epsilon(adjacency) } -> std::same_as<View<double>>;
};

/// The views of one step; a composition has none.
[[nodiscard]] View<LossView> loss_view(const Event& step, Adjacency adjacency, Side side);
[[nodiscard]] View<RenyiCurve> renyi_view(const Event& step, Adjacency adjacency);
[[nodiscard]] View<double> rho_view(const Event& step, Adjacency adjacency);
[[nodiscard]] View<double> pure_epsilon_view(const Event& step, Adjacency adjacency);

/// The same mechanism with this much noise, in units of its sensitivity or clip norm. Throws Error(usage) if it has none.
[[nodiscard]] Event with_noise(const Event& event, double noise);

/// The same releases as they protect a group of so many rows. Throws Error(usage) where no such cost is proven.
/// Source docs/accounting.md, "Groups of rows"
[[nodiscard]] Event group_event(const Event& event, std::uint64_t rows);

/// The same releases where nothing is given away, and the probability that something is: what holds of the curve of the former
/// is turned into what holds of that of all.
/// Source docs/accounting.md, "Guarantees as given", "Truncated Poisson samples"
struct KeptBack {
  Event event;
  Event below;              ///< what is attained; the same event but where batches overflow
  bool is_bracket = false;  ///< the two are never alike
  double given_away = 0;    ///< rounded up
  double surely_given = 0;  ///< rounded down, of mechanisms that give away as much as they may

  [[nodiscard]] double away(Side side) const { return side == Side::upper ? given_away : surely_given; }
  /// From delta of the event to delta of all releases.
  [[nodiscard]] double all(double delta, Side side) const {
    return std::min(1.0, away(side) + (1 - away(side)) * delta);
  }
  /// So little of this delta is given away that no other way is much better.
  [[nodiscard]] bool is_enough(double delta) const { return given_away <= 1e-4 * delta; }
  /// And back, above rounded down; negative where more than delta is given away.
  [[nodiscard]] double left(double delta, Side side) const {
    if (away(side) == 0) return delta;
    return (delta - away(side)) / (1 - away(side)) * (side == Side::upper ? 1 - 0x1p-51 : 1);
  }
};
/// In every way that is looked at, each a bound: where batches may overflow, none, some or all of the steps that do are paid for, and
/// the rest counts as given away, less from way to way.
[[nodiscard]] std::vector<KeptBack> kept_back(const Event& event);

/// The leaves with their total counts; equal leaves are merged. Throws if a value is out of range or a count
/// overflows.
[[nodiscard]] std::vector<Event> flatten(const Event& event);

/// Throws Error(configuration) naming the first value that is out of range.
void validate(const Event& event);

/// "gaussian", "laplace", ...: the name in JSON and in messages.
[[nodiscard]] std::string mechanism_name(const Event& event);

void to_json(nlohmann::json& json, const Event& event);
void from_json(const nlohmann::json& json, Event& event);

/// The JSON of an event as text, and back. Errors: configuration.
[[nodiscard]] std::string event_text(const Event& event);
[[nodiscard]] Event event_from_text(const std::string& text);

/// Reads "NAME:key=value,..." as on the command line; `sigma` and `scale` are in units of sensitivity (of the
/// clip norm for subsampled mechanisms), lists are written 2/4/8. `dp-sgd` and `tree` stand for the events that they consist of:
/// see event_spec.cpp. Throws Error(usage) saying what to change.
[[nodiscard]] Event parse_event(const std::string& spec);
/// The same, with any noise where none is given.
[[nodiscard]] Event parse_event_without_noise(const std::string& spec);
/// Every name with its keys, one a line.
[[nodiscard]] std::string event_grammar();

}  // namespace sotto
