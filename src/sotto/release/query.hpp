// What the analyst's side may ask, and what comes back: the whole traffic through the wall.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/base/position.hpp"
#include "sotto/release/released.hpp"

namespace sotto {

/// Asks for the sum over the rows of  log p(row | to) - log p(row | from).
struct RatioQuery {
  Position from, to;
  Rho cost;  ///< sensitivity^2 / (2 variance) that the asker will pay; fixes the noise
};

/// Asks for the sum over the rows of the gradient of log p(row | at).
struct GradientQuery {
  Position at;
  Rho cost;
  /// Coordinate j gets noise of a standard deviation proportional to 1 / scale_j. Empty: all alike. The
  /// sensitivity is that of the scaled gradient.
  Position scale = {};
};

/// Asks for the sum over the rows of the negative second derivative of log p(row | at).
struct CurvatureQuery {
  Position at;
  Rho cost;
};

struct NoisyRatio {
  double value;     ///< true sum plus noise
  double variance;  ///< of the noise: exact, a multiple of the grid of log densities
};
struct NoisyGradient {
  Position value;
  Position variance;  ///< of the noise, per coordinate; independent over the coordinates
};
struct NoisyCurvature {
  Matrix value;     ///< symmetric
  Matrix variance;  ///< of the noise of each entry; entries (i, j) and (j, i) are the same number
};

/// Why there is no answer. Both follow from public things alone, and neither costs anything.
enum class Refusal {
  budget,        ///< the budget does not cover the cost
  out_of_range,  ///< the positions are so far out that no bound fits the grid
};

using Query = std::variant<RatioQuery, GradientQuery, CurvatureQuery>;
using Answer = std::variant<Refusal, Released<NoisyRatio>, Released<NoisyGradient>, Released<NoisyCurvature>>;

/// Whoever answers queries: an owner of rows in this process or another, or several of them behind a sum.
class Answerer {
 public:
  virtual ~Answerer() = default;
  /// One answer per query: the alternative that matches it, or a refusal.
  [[nodiscard]] virtual std::vector<Answer> answer(std::span<const Query> queries) = 0;
  /// The cost that is still affordable for queries without slack.
  [[nodiscard]] virtual Rho left() const = 0;
};

}  // namespace sotto
