// Release-once for normal rows with known covariance: one noisy sum of their deviations, after looks at where they are.
#pragma once

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
  double clipped =
      0;  ///< share of rows that the model puts beyond the bound, whose contribution was shortened
  std::size_t looks = 0;
};

/// Rows are clipped where that takes less noise than their declared bounds: at a length that at most one row in a hundred passes
/// by the model, around a point that looks on small shares of the cost have found. Where no look finds one near enough, and where bounds are
/// narrow or their noise is nothing beside the rows' own spread, the whole of what is left goes to one sum of unclipped rows.
/// `go_on` is asked before every question. Errors: budget before anything is released; interrupted.
/// Checked by tests/posterior/location_release_test.cpp
[[nodiscard]] LocationRelease release_location(const LocationFacts& facts, QueryInterface& owner, Rho cost,
                                               std::function<bool()> go_on = {});

}  // namespace sotto
