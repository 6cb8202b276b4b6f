// A time at risk, cut into pieces: one row of a design for each piece that was reached.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"

namespace sotto {

/// What one piece of time saw: whether the event came in it, and the share of the piece that was lived through.
struct PieceResponse {
  double event;  ///< 0 or 1
  double share;  ///< in [0, 1]

  /// As one number, a design's response: 2 event + share.
  [[nodiscard]] double coded() const { return 2 * event + share; }
  /// Of any number: what is no code is taken as the nearest.
  [[nodiscard]] static PieceResponse of(double coded) {
    const double event = coded >= 2 ? 1 : 0;
    return {event, std::clamp(coded - 2 * event, 0.0, 1.0)};
  }
  static constexpr Interval kCodes{0, 3};
};

/// Pieces (0, e_1], (e_1, e_2], .. of the time at risk.
struct TimeAtRisk {
  std::vector<double> ends;  ///< ascending, > 0; the last is the longest time

  [[nodiscard]] double start(std::size_t piece) const { return piece == 0 ? 0 : ends[piece - 1]; }
  [[nodiscard]] double width(std::size_t piece) const { return ends[piece] - start(piece); }
  /// None: the piece was not reached. At most one piece has the event, whatever time and event are; who reaches the end has none: times
  /// beyond it were taken as the end.
  [[nodiscard]] std::optional<PieceResponse> response(std::size_t piece, double time, bool event) const {
    if (piece > 0 && !(time > start(piece))) return std::nullopt;
    const bool ends_here = time <= ends[piece] && time < ends.back();
    return PieceResponse{event && ends_here ? 1.0 : 0.0,
                         std::clamp((time - start(piece)) / width(piece), 0.0, 1.0)};
  }
};

/// Which columns of a design say which piece a row is, of a time at risk or of a response in ordered categories, which is a row for
/// each threshold between them. A unit's rows of one response have all other columns alike, and each piece at most once; of a time at
/// risk at most one event; of ordered categories all have the category as response.
struct Pieces {
  std::size_t count = 1;  ///< of one response; 1: rows are no pieces of one
  Eigen::Index first =
      0;  ///< column of the second piece, followed by those of the others; the first piece has none
};

}  // namespace sotto
