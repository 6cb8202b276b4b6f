// What passes over normal rows share: their deviations from a public point, in a public frame.
#pragma once

#include "sotto/measurement/regression_rows.hpp"

namespace sotto {

/// Shapes fit, and all numbers are finite.
[[nodiscard]] inline bool legal_deviations(const Position& at, const Matrix& frame, Eigen::Index dim) {
  return at.size() == dim && at.allFinite() && frame.rows() == dim && frame.cols() == dim &&
         frame.allFinite();
}

/// Calls visit(z), z = frame (x - at), for each row x that counts.
template <class Visit>
void for_each_deviation(const GlmTiles& tiles, const Position& at, const Matrix& frame, const Visit& visit) {
  TileVectors deviations(kTile, at.size());
  Position z(at.size());
  for_each_row(
      tiles,
      [&](const auto& first) {
        // A row's last value stands where a regression's response does.
        const Eigen::Map<const TileVectors> x(first.data(), kTile, at.size());
        deviations.noalias() = (x.rowwise() - at.transpose()) * frame.transpose();
      },
      [&](Eigen::Index lane, double) {
        z = deviations.row(lane);
        visit(z);
      });
}

}  // namespace sotto
