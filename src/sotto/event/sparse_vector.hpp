// The sparse vector technique: of many queries, which lie above a threshold, until so many do.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <tuple>

#include "sotto/event/pure.hpp"

namespace sotto {

/// Laplace noise, once on the threshold and on every query, in units of what one row may change of a query; "above" or "below" is
/// all that is told. Monotone queries: one row moves none of them up where it moves another down.
struct SparseVectorEvent {
  double threshold_scale = 1;
  double query_scale = 1;
  std::uint64_t positives = 1;  ///< after so many answers "above" it ends
  std::uint64_t monotone = 0;   ///< 1 if the queries are

  bool operator==(const SparseVectorEvent&) const = default;
  static constexpr const char* name = "sparse-vector";
  static auto fields() {
    using E = SparseVectorEvent;
    return std::tuple(Field<E, double>{"threshold_scale", &E::threshold_scale, "threshold"},
                      Field<E, double>{"query_scale", &E::query_scale, "query"},
                      Field<E, std::uint64_t>{"positives", &E::positives, "positives"},
                      Field<E, std::uint64_t>{"monotone", &E::monotone, "monotone", false});
  }
  void check() const {
    require(is_positive(threshold_scale) && is_positive(query_scale),
            "threshold and query must lie in [1e-100, 1e100]");
    require(positives >= 1 && is_exact(positives), "positives must lie in [1, 2^53]");
    require(monotone <= 1, "monotone must be 0 or 1");
    require(guarantee().epsilon <= 700, "with so little noise epsilon is above 700");
  }
  [[nodiscard]] SparseVectorEvent group(double rows) const {
    return {threshold_scale / rows * (1 - 1e-15), query_scale / rows * (1 - 1e-15), positives, monotone};
  }

  /// Above: the guarantee. Below: one query, which one row moves from half a unit above the threshold to half a unit below.
  /// Source docs/accounting.md, "The sparse vector technique"
  [[nodiscard]] View<LossView> loss(Adjacency adjacency, Side side) const {
    if (const std::string why = refusal(adjacency); !why.empty()) return Refusal{why};
    if (side == Side::upper) return guarantee().loss(adjacency, side);
    // Probability that the difference of both noises lies within half a unit. More noise only shows less.
    const double less = std::min(threshold_scale, query_scale);
    const double more = std::max({threshold_scale, query_scale, less * (1 + 1e-4)});
    if (more > 1e8) return LossView{NoLoss{}, {}};
    const double share = (less * less * std::expm1(-0.5 / less) - more * more * std::expm1(-0.5 / more)) /
                         (more * more - less * less);
    const double loser = (1 - share) / 2 + 2e-12;  // no less, for rounding
    const double largest = std::log1p(share / loser) * (1 - 1e-7);
    return LossView{LatticeLoss{-largest, 2 * largest, 0, {loser, 1 - loser}}, {}};
  }
  [[nodiscard]] View<RenyiCurve> renyi(Adjacency adjacency) const {
    if (const std::string why = refusal(adjacency); !why.empty()) return Refusal{why};
    return guarantee().renyi(adjacency);
  }
  [[nodiscard]] View<double> rho(Adjacency adjacency) const {
    if (const std::string why = refusal(adjacency); !why.empty()) return Refusal{why};
    return guarantee().rho(adjacency);
  }
  [[nodiscard]] View<double> pure_epsilon(Adjacency adjacency) const {
    if (const std::string why = refusal(adjacency); !why.empty()) return Refusal{why};
    return guarantee().pure_epsilon(adjacency);
  }

 private:
  /// Source [DR14, Theorem 3.23], [LSL17]
  [[nodiscard]] PureEvent guarantee() const {
    const double answers = static_cast<double>(positives) * (monotone == 1 ? 1 : 2);
    return {(1 / threshold_scale + answers / query_scale) * (1 + 1e-15)};
  }
  [[nodiscard]] std::string refusal(Adjacency adjacency) const {
    if (monotone == 0 || adjacency == Adjacency::add_remove) return {};
    return "an exchanged row moves some counts up and others down: use --adjacency add-remove or monotone=0";
  }
};

}  // namespace sotto
