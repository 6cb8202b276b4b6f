// A search for the privacy unit that moves a sum the furthest, where a unit is a response of several rows.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/release/query.hpp"
#include "support/contribution.hpp"

namespace sotto {

/// What a search is about. `Pass(pieces, query, adjacency)` has `measured`, what is declared of the query if it is answered,
/// sensitivity(), and contribution(unit), a vector of integers; a unit has covariates x, an array.
/// weighting(pieces, rng)   somewhere, or at an extreme
/// somebody(pieces, rng)    any legal unit
template <class Pass, class MakeWeighting, class Somebody>
class UnitSearch {
 public:
  UnitSearch(MakeWeighting weighting, Somebody somebody) : weighting_(weighting), somebody_(somebody) {}

  /// Largest move over the declared one, by hill climbing over pairs of units.
  template <class MakeQuery>
  [[nodiscard]] double worst(std::size_t pieces, Adjacency adjacency, const MakeQuery& make,
                             std::uint64_t seed) const {
    ChainRng rng(seed);
    double worst = 0;
    for (int trial = 0; trial < 80; ++trial) {
      const Pass pass(pieces, make(weighting_(pieces, rng)), adjacency);
      if (!pass.measured) continue;
      auto a = somebody_(pieces, rng);
      auto b = somebody_(pieces, rng);
      double best = move(pass, adjacency, a, b);
      for (int step = 0; step < 60; ++step) {
        auto to = rng.below(3) == 0 ? somebody_(pieces, rng) : a;
        auto other = rng.below(3) == 0 ? somebody_(pieces, rng) : b;
        to.x[rng.below(std::size(to.x))] += 0.3 * rng.normal();
        other.x[rng.below(std::size(other.x))] += 0.3 * rng.normal();
        const double value = move(pass, adjacency, to, other);
        if (value < best) continue;
        best = value;
        a = to;
        b = other;
      }
      worst = std::max(worst, best / pass.sensitivity());
    }
    return worst;
  }

  /// Nobody moves the sum further than declared, and somebody `nearly` so far: what is declared is of all of a unit's rows together.
  template <class MakeQuery>
  void expect_within(std::initializer_list<std::size_t> pieces, const MakeQuery& make, double nearly,
                     std::uint64_t seed) const {
    for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
      for (const std::size_t count : pieces) {
        const double found = worst(count, adjacency, make, seed);
        EXPECT_LE(found, 1) << count;
        EXPECT_GT(found, nearly) << count;
      }
    }
  }

 private:
  template <class Unit>
  [[nodiscard]] static double move(const Pass& pass, Adjacency adjacency, const Unit& a, const Unit& b) {
    const auto from = pass.contribution(a);
    const auto left_out = static_cast<double>(from.norm());
    if (adjacency == Adjacency::add_remove) return left_out;
    return std::max(left_out, static_cast<double>((from - pass.contribution(b)).norm()));
  }

  MakeWeighting weighting_;
  Somebody somebody_;
};

inline constexpr auto kAskScore = [](const BoundedWeighting& w) {
  return Query(BoundedScoreQuery{w, Rho(1)});
};
inline constexpr auto kAskInformation = [](const BoundedWeighting& w) {
  return Query(BoundedInformationQuery{w, Rho(1)});
};
inline constexpr auto kAskSquares = [](const BoundedWeighting& w) {
  return Query(ScoreSquaresQuery{w, Rho(1)});
};
/// Far shorter than any score may be.
inline constexpr auto kAskShortenedSquares = [](const BoundedWeighting& w) {
  return Query(ScoreSquaresQuery{w, Rho(1), 1e-3 * w.score_bound});
};
inline constexpr auto kAskLightRows = [](const BoundedWeighting& w) {
  return Query(LightRowsQuery{w, Rho(1)});
};

}  // namespace sotto
