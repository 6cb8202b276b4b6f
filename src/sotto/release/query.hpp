// What the analyst's side may ask, and what comes back: the whole traffic through the wall. A question has a `name`, a `blank` of
// its kind, and `fields`, which calls visit("field", value) for each of its fields: what is written to an owner is what that owner reads.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <variant>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/base/position.hpp"
#include "sotto/release/regression_query.hpp"
#include "sotto/release/released.hpp"

namespace sotto {

/// Asks for the sum over the rows of  log p(row | to) - log p(row | from).
struct RatioQuery {
  Position from, to;
  Rho cost;             ///< sensitivity^2 / (2 variance) that the asker will pay; fixes the noise
  double noise_sd = 0;  ///< > 0: the standard deviation of the noise instead; what that costs follows

  static constexpr std::string_view name = "ratio";
  static RatioQuery blank() { return {.from = {}, .to = {}, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("from", of.from), visit("to", of.to), visit("noise_sd", of.noise_sd), visit("cost", of.cost);
  }
};

/// Asks for the sum over the rows of the gradient of log p(row | at).
struct GradientQuery {
  Position at;
  Rho cost;
  /// Coordinate j gets noise of a standard deviation proportional to 1 / scale_j. Empty: all alike. The
  /// sensitivity is that of the scaled gradient.
  Position scale = {};

  static constexpr std::string_view name = "gradient";
  static GradientQuery blank() { return {.at = {}, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("scale", of.scale), visit("cost", of.cost);
  }
};

/// Asks for a gradient at ratio.to and a log-likelihood ratio together: one pass over the rows answers both.
struct JointQuery {
  GradientQuery gradient;
  RatioQuery ratio;

  static constexpr std::string_view name = "gradient and ratio";
  static JointQuery blank() { return {GradientQuery::blank(), RatioQuery::blank()}; }
  static void fields(auto& of, const auto& visit) {
    visit("gradient", of.gradient), visit("ratio", of.ratio);
  }
};

/// Asks for an unbiased estimate of the sum over the rows of the gradient of log p(row | at), from a batch
/// into which every row enters with probability `rate`, independently. Who is in the batch stays secret.
struct BatchGradientQuery {
  Position at;
  double rate;              ///< in (0, 1]
  double noise_multiplier;  ///< noise on the batch's sum: standard deviation over the bound on one row
  Position scale = {};      ///< as for GradientQuery

  static constexpr std::string_view name = "batch gradient";
  static BatchGradientQuery blank() { return {.at = {}, .rate = 1, .noise_multiplier = 1}; }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("rate", of.rate), visit("noise_multiplier", of.noise_multiplier),
        visit("scale", of.scale);
  }
};

/// Asks for the sum over the rows of the standard statistic of an exponential family, with fresh noise.
struct StatisticQuery {
  Rho cost;

  static constexpr std::string_view name = "statistic";
  static StatisticQuery blank() { return {.cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) { visit("cost", of.cost); }
};

/// Asks for the sum over the normal rows x of  (z min(1, bound / |z|), count),  z = frame (x - at). Where `count` is 0 it has no entry:
/// the number of rows is not asked.
struct ClippedDeviationsQuery {
  Position at;
  Matrix frame;      ///< shape (dim, dim)
  double bound;      ///< > 0
  double count = 0;  ///< >= 0
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const { return at.size() + (count > 0 ? 1 : 0); }
  static constexpr std::string_view name = "clipped deviations";
  static ClippedDeviationsQuery blank() { return {.at = {}, .frame = {}, .bound = 1, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("frame", of.frame), visit("bound", of.bound), visit("count", of.count),
        visit("cost", of.cost);
  }
};

/// Asks how many normal rows x have a length |frame (x - at)| between neighbouring edges: from the first edge on; one at or beyond the last counts
/// in a bin of its own, so there are as many bins as edges.
struct DeviationLengthsQuery {
  Position at;
  Matrix frame;    ///< shape (dim, dim)
  Position edges;  ///< ascending, the first is 0
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const { return edges.size(); }
  static constexpr std::string_view name = "deviation lengths";
  static DeviationLengthsQuery blank() { return {.at = {}, .frame = {}, .edges = {}, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("frame", of.frame), visit("edges", of.edges), visit("cost", of.cost);
  }
};

/// Answers of several owners add up: values and, as their noise is independent, variances.
struct NoisyRatio {
  double value;     ///< true sum plus noise
  double variance;  ///< of the noise: exact, a multiple of the grid of log densities

  friend NoisyRatio operator+(const NoisyRatio& a, const NoisyRatio& b) {
    return {a.value + b.value, a.variance + b.variance};
  }
};
struct NoisyGradient {
  Position value;
  Position variance;  ///< of the noise, per coordinate; independent over the coordinates; a batch's own
                      ///< spread is not in it

  friend NoisyGradient operator+(const NoisyGradient& a, const NoisyGradient& b) {
    return {a.value + b.value, a.variance + b.variance};
  }
};
struct NoisyJoint {
  NoisyGradient gradient;
  NoisyRatio ratio;

  friend NoisyJoint operator+(const NoisyJoint& a, const NoisyJoint& b) {
    return {a.gradient + b.gradient, a.ratio + b.ratio};
  }
};

inline Released<NoisyJoint> join(Released<NoisyGradient> gradient, Released<NoisyRatio> ratio) {
  return Released<NoisyJoint>({std::move(gradient).value(), ratio.value()});
}

struct NoisyStatistic {
  Position value;
  Position variance;  ///< of the noise of each entry; independent over the entries
  Position quantum;   ///< a weighted sum of entries keeps the penalty test exact when each weight is a
                      ///< multiple of its quantum, a power of two: docs/penalty.md

  friend NoisyStatistic operator+(const NoisyStatistic& a, const NoisyStatistic& b) {
    return {a.value + b.value, a.variance + b.variance, a.quantum.cwiseMax(b.quantum)};
  }
};

/// Why a question has no answer. Both follow from public things alone, and neither costs anything.
enum class QueryStatus {
  budget,        ///< the budget does not cover the cost
  out_of_range,  ///< the positions are so far out that no bound fits the grid
};

using Query = WithRegressionQueries<RatioQuery, GradientQuery, StatisticQuery, JointQuery, BatchGradientQuery,
                                    ClippedDeviationsQuery, DeviationLengthsQuery>;
using Answer =
    std::variant<QueryStatus, Released<NoisyRatio>, Released<NoisyGradient>, Released<NoisyStatistic>,
                 Released<NoisyJoint>, Released<NoisyVector>, Released<NoisyMatrix>>;

/// Whoever answers queries: an owner of rows in this process or another, or several of them behind a sum.
class QueryInterface {
 public:
  virtual ~QueryInterface() = default;
  /// One answer per query: the alternative that matches it, or a refusal.
  [[nodiscard]] virtual std::vector<Answer> answer(std::span<const Query> queries) = 0;
  /// What `answer` would refuse of these queries if it were asked now, in this order: from public things
  /// alone, for nothing. Who shares its books with others may still refuse a query later.
  [[nodiscard]] virtual std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const {
    return std::vector<std::optional<QueryStatus>>(queries.size());
  }
  /// The cost that is still affordable for queries without slack.
  [[nodiscard]] virtual Rho left() const = 0;
};

}  // namespace sotto
