// Privacy events: what was done to the data, as plain values. Accountants read them; no event knows any
// accountant.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <variant>
#include <vector>

#include "sotto/base/numbers.hpp"

namespace sotto {

/// How the rows of one step are chosen.
enum class Sampling {
  none,                 ///< every row takes part
  poisson,              ///< each row independently with probability `rate`
  without_replacement,  ///< a batch of fixed size, `rate` = batch / rows
};

struct GaussianEvent {
  double sensitivity = 1;  ///< L2, under the adjacency in force, in units of the query
  double sigma = 1;        ///< standard deviation of the noise, same units
  bool operator==(const GaussianEvent&) const = default;
};

/// Discrete Gaussian noise on an integer grid, one coordinate at a time.
struct DiscreteGaussianEvent {
  double sensitivity = 1;  ///< L2, an integer number of grid steps
  double sigma = 1;        ///< parameter of the noise, in grid steps
  std::uint64_t dimension = 1;
  bool operator==(const DiscreteGaussianEvent&) const = default;
};

struct LaplaceEvent {
  double sensitivity = 1;  ///< L1
  double scale = 1;
  bool operator==(const LaplaceEvent&) const = default;
};

/// A sum over a random batch, plus Gaussian noise. One row contributes a vector of norm at most `clip_norm`.
struct SubsampledGaussianEvent {
  double clip_norm = 1;
  double sigma = 1;  ///< same units as clip_norm
  double rate = 1;
  Sampling sampling = Sampling::poisson;
  bool operator==(const SubsampledGaussianEvent&) const = default;
};

/// A one-dimensional sum over a random batch, plus Laplace noise. One row contributes a number in
/// [-clip_norm, clip_norm].
struct SubsampledLaplaceEvent {
  double clip_norm = 1;
  double scale = 1;
  double rate = 1;
  Sampling sampling = Sampling::poisson;
  bool operator==(const SubsampledLaplaceEvent&) const = default;
};

/// One of `levels` answers; with `probability` the answer is replaced by a uniformly drawn one.
struct RandomizedResponseEvent {
  double probability = 0.5;
  std::uint64_t levels = 2;
  bool operator==(const RandomizedResponseEvent&) const = default;
};

/// Any epsilon-private mechanism.
struct PureEvent {
  double epsilon = 1;
  bool operator==(const PureEvent&) const = default;
};

/// One step of DP Barker on a batch of fixed size, noise of total variance 2, |log ratio| <= sqrt(batch) /
/// rows.
struct BarkerEvent {
  std::uint64_t rows = 1;
  std::uint64_t batch = 1;
  bool operator==(const BarkerEvent&) const = default;
};

/// One step of Barker's test on a batch of fixed size: noise completed, batch by batch, to a total variance of 2 with the
/// batch's own; log ratios of single rows within `bound`, in the log density's unit, bound <= sqrt(batch) / rows.
struct VarianceCompletedBarkerEvent {
  std::uint64_t rows = 1;
  std::uint64_t batch = 1;
  double bound = 0;
  bool operator==(const VarianceCompletedBarkerEvent&) const = default;
};

/// One step of the subsampled penalty algorithm: noise variance tau * sensitivity^2 on a batch of fixed size.
struct SubsampledPenaltyEvent {
  double tau = 1;
  double rate = 1;
  bool operator==(const SubsampledPenaltyEvent&) const = default;
};

struct Event;

/// One after the other, each chosen with knowledge of the answers before.
struct CompositionEvent {
  std::vector<Event> parts;
};

/// A node of the tree: a mechanism or a composition, repeated `count` times.
struct Event {
  std::variant<GaussianEvent, DiscreteGaussianEvent, LaplaceEvent, SubsampledGaussianEvent,
               SubsampledLaplaceEvent, RandomizedResponseEvent, PureEvent, BarkerEvent,
               VarianceCompletedBarkerEvent, SubsampledPenaltyEvent, CompositionEvent>
      mechanism;
  std::uint64_t count = 1;
};

/// The leaves with their total counts; equal leaves are merged. Throws if a value is out of range or a count
/// overflows.
[[nodiscard]] std::vector<Event> flatten(const Event& event);

/// Throws Error(configuration) naming the first value that is out of range.
void validate(const Event& event);

/// "gaussian", "laplace", ...: the name in JSON and in messages.
[[nodiscard]] std::string mechanism_name(const Event& event);

void to_json(nlohmann::json& json, const Event& event);
void from_json(const nlohmann::json& json, Event& event);

/// Reads "NAME:key=value,..." as on the command line; `sigma` and `scale` are in units of sensitivity (of the
/// clip norm for subsampled mechanisms). Throws Error(usage) saying what to change.
[[nodiscard]] Event parse_event(const std::string& spec);

}  // namespace sotto
