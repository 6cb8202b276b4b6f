// Release-once for normal rows with known covariance: one noisy sum of their deviations, after looks at where they are, and with it how
// far they lie from each other.
#pragma once

#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/numbers.hpp"
#include "sotto/base/position.hpp"
#include "sotto/base/privacy_unit.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// All of it is public.
struct LocationFacts {
  std::vector<Interval> bounds;  ///< of each of a row's values
  Matrix covariance;             ///< of a row, shape (dim, dim)
  std::optional<double> rows;    ///< their number, where it is public
  PrivacyUnit unit;
  double owners = 1;  ///< each adds noise of its own
};

/// How many rows have which length |frame (x - at)|, in a frame in which the declared covariance is the identity.
struct ReleasedLengths {
  Position at;
  Position
      edges;  ///< 0, the model's median, the length that one row in a hundred passes, and twice the one before from there
  Position counts;  ///< from each edge to the next, and from the last on
  double noise_sd;  ///< of each count
};

/// The sum that draws are made from: given the rows' mean mu and their number n, it is normal with mean
/// n slope frame (mu - at) and covariance n spread + noise I.
struct LocationRelease {
  Position at;
  Matrix frame;
  Position sum;
  double slope;        ///< of a row's expected contribution in frame (mu - at)
  Matrix spread;       ///< covariance of a row's contribution
  double noise;        ///< variance, of each entry
  double rows;         ///< their number, or an estimate of it
  double rows_sd = 0;  ///< of the noise of that estimate; 0: the number is public
  double bound =
      HUGE_VAL;  ///< to which a row's contribution is shortened; infinite where no legal row is longer
  double clipped =
      0;  ///< share of rows that the model puts beyond the bound, whose contribution was shortened
  std::size_t looks = 0;
  std::optional<double> usable{};               ///< share of the rows that count, by not_all_usable
  std::optional<ReleasedLengths> lengths = {};  ///< none where the noise hides the rows' own spread
};

/// Rows are clipped where that takes less noise than their declared bounds: at a length that at most one row in a hundred passes
/// by the model, or longer where released lengths show many beyond it, around a point that looks on shares of the cost have found. Where no look comes near enough for that, the
/// sum is of rows that nothing shortens, within their bounds or within what the looks leave possible, whichever takes less noise. How
/// often to look, and for what, follows from public facts and from what was released.
/// `go_on` is asked before every question. Errors: budget before anything is released; interrupted.
/// Checked by tests/posterior/location_release_test.cpp: spends_exactly_its_cost, of_wide_bounds_finds_the_rows_first
[[nodiscard]] LocationRelease release_location(const LocationFacts& facts, QueryInterface& owner, Rho cost,
                                               std::function<bool()> go_on = {});

}  // namespace sotto
