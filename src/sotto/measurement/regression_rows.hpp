// What passes over a regression's rows share: tiles as Eigen sees them, bounded weights, and vectors rounded to integers.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <span>

#include "sotto/data/rows.hpp"
#include "sotto/data/wiped.hpp"
#include "sotto/measurement/triangle_pass.hpp"
#include "sotto/measurement/vector_noise.hpp"
#include "sotto/model/glm/bounded_residual.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/glm/glm_pass.hpp"
#include "sotto/release/regression_query.hpp"

namespace sotto {

/// How a row's vector, or that of a unit whose rows stand side by side, becomes integers: entries are multiplied by `factor` and rounded
/// to the nearest integer, and what is then longer than `longest` (which a legal row or unit never is) or not a number contributes zero.
struct RowRounding {
  double factor;
  double longest;
};

/// Numbers of the rows of one tile, and their vectors.
using TileNumbers = Eigen::Array<double, kTile, 1>;
using TileVectors = Eigen::Matrix<double, kTile, Eigen::Dynamic>;

/// Sums of integer vectors. They are held in doubles, exactly: a run has at most 2^12 rows of entries below 2^31.
class IntegerSums {
 public:
  IntegerSums(const RowRounding& rounding, std::size_t entries)
      : entries(Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(entries))),
        factor(rounding.factor),
        longest2_(rounding.longest * rounding.longest),
        totals_(Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(entries))) {}

  /// Adds `entries`, which have been multiplied by `factor` and are below 2^51. NaN fails the check.
  void add() {
    constexpr double kMagic = 0x1.8p52;  // (x + kMagic) - kMagic: the nearest integer, halves to even
    using Eight = Eigen::Array<double, 8, 1>;
    Eight squares = Eight::Zero();  // of each entry while it is at hand: there are many of wide designs
    Eigen::Index i = 0;
    for (; i + 8 <= entries.size(); i += 8) {
      const Eight rounded = (entries.segment<8>(i) + kMagic) - kMagic;
      entries.segment<8>(i) = rounded;
      squares += rounded.square();
    }
    double length2 = squares.sum();
    for (; i < entries.size(); ++i) {
      entries[i] = (entries[i] + kMagic) - kMagic;
      length2 += entries[i] * entries[i];
    }
    if (length2 <= longest2_) totals_ += entries;
  }
  /// Adds the triangle of scale z z' as add_triangle of it and `add` would, but for rounding in how long it is, with those of other rows:
  /// no later than `give`. All z of these sums have one size, whose triangle the entries are.
  template <class Vector>
  void add_outer(const Vector& z, double scale) {
    if (outer_.cols() != z.size()) outer_ = TileVectors::Zero(static_cast<Eigen::Index>(kTile), z.size());
    outer_.row(waiting_) = z.transpose();
    scales_[waiting_] = scale;
    if (++waiting_ == scales_.size()) add_waiting();
  }
  /// Adds the mean over a unit's rows, whose `entries` were summed up, and begins anew.
  void add_mean(std::size_t rows) {
    if (rows > 1) entries /= static_cast<double>(rows);
    add();
    entries.setZero();
  }
  void give(std::span<std::int64_t> sums) {
    add_waiting();
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += static_cast<std::int64_t>(totals_[static_cast<Eigen::Index>(j)]);
    }
  }

  Eigen::ArrayXd entries;
  double factor;

 private:
  void add_waiting() {
    scales_.tail(scales_.size() - waiting_).setZero();
    if (waiting_ > 0)
      add_triangles({outer_.data(), scales_.data(), static_cast<std::size_t>(outer_.cols())}, longest2_,
                    totals_.data());
    waiting_ = 0;
  }

  double longest2_;
  Eigen::ArrayXd totals_;
  TileVectors outer_;
  TileNumbers scales_;
  Eigen::Index waiting_ = 0;
};

/// Entries of the upper triangle by rows of a symmetric matrix, those off the diagonal times sqrt(2): as long as its
/// Frobenius norm.
[[nodiscard]] constexpr std::size_t triangle_entries(std::size_t dim) { return dim * (dim + 1) / 2; }

/// Adds the triangle of scale z z'.
template <class Vector>
void add_triangle(const Vector& z, double scale, Eigen::ArrayXd& entries) {
  const double across = scale * std::sqrt(2.0);
  Eigen::Index entry = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const Eigen::Index rest = z.size() - i - 1;
    entries[entry] += scale * z[i] * z[i];
    entries.segment(entry + 1, rest) += (across * z[i]) * z.tail(rest).array();
    entry += rest + 1;
  }
}

/// Calls per_tile(x) for each tile, then per_row(lane, y) for each of its rows that counts, and per_unit(rows) after the last of them
/// of each unit. Where rows do not stand by units each is one.
template <class PerTile, class PerRow, class PerUnit>
void for_each_unit(const GlmTiles& tiles, const PerTile& per_tile, const PerRow& per_row,
                   const PerUnit& per_unit) {
  std::size_t rows = 0;  // of the unit so far
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  const std::size_t stride = (tiles.predictors + 2) * kTile;
  for (std::size_t t = 0; t < tiles.count; ++t) {
    const double* tile = tiles.data + t * stride;
    const Eigen::Map<const TileVectors> x(tile, kTile, dim);
    const Eigen::Map<const TileNumbers> y(tile + tiles.predictors * kTile);
    const Eigen::Map<const TileNumbers> counts(tile + (tiles.predictors + 1) * kTile);
    per_tile(x);
    for (Eigen::Index lane = 0; lane < static_cast<Eigen::Index>(kTile); ++lane) {
      if (counts[lane] == 0) continue;
      const bool starts =
          tiles.unit_starts == nullptr || tiles.unit_starts[t * kTile + static_cast<std::size_t>(lane)] != 0;
      if (rows > 0 && starts) {
        per_unit(rows);
        rows = 0;
      }
      per_row(lane, y[lane]);
      ++rows;
    }
  }
  if (rows > 0) per_unit(rows);
}

template <class PerTile, class PerRow>
void for_each_row(const GlmTiles& tiles, const PerTile& per_tile, const PerRow& per_row) {
  for_each_unit(tiles, per_tile, per_row, [](std::size_t) {});
}

/// What the bounds of a regression's rows follow from, besides the question.
struct RowLaw {
  Link link;
  Pieces pieces;
  bool thresholds;  ///< pieces are those of ordered categories

  explicit RowLaw(const Glm& regression)
      : link(known_link(regression.family())),
        pieces(regression.pieces()),
        thresholds(has_thresholds(regression.family())) {}
  /// Rows of a unit whose contributions under a BoundedWeighting stay within its bounds together: pieces of one response, where the
  /// unit's rows are declared to be such. Of ordered categories only the first row of a response contributes,
  /// whose own columns are zero.
  [[nodiscard]] std::size_t together(const PrivacyUnit& unit) const {
    return (link == Link::log_rate || thresholds) && unit.pieces == pieces.count ? pieces.count : 1;
  }
  /// Which piece of a response each of the tile's rows is; 0: the first, or none.
  template <class Tile>
  [[nodiscard]] TileNumbers piece(const Tile& x) const {
    const auto others = static_cast<Eigen::Index>(pieces.count) - 1;
    if (others == 0) return TileNumbers::Zero();
    const Matrix own = x.middleCols(pieces.first, others).cwiseAbs();
    return own * Position::LinSpaced(others, 1, static_cast<double>(others));
  }
};

/// What tells a tile's rows of one response apart.
class PiecesTile {
 public:
  PiecesTile(const RowLaw& law, const Position& at) : law_(law), rest_(at) {
    rest_.segment(law.pieces.first, static_cast<Eigen::Index>(law.pieces.count) - 1).setZero();
  }
  template <class Tile>
  void read(const Tile& x) {
    common = x * rest_;
    piece = law_.piece(x);
  }

  TileNumbers common;  ///< linear predictors without what rows' own pieces add
  TileNumbers piece;   ///< RowLaw::piece

 private:
  const RowLaw& law_;
  Position rest_;
};

/// A tile's rows in a weighting's frame too.
class FramedTile : public PiecesTile {
 public:
  FramedTile(const RowLaw& law, const BoundedWeighting& weighting)
      : PiecesTile(law, weighting.at), z(kTile, weighting.frame.rows()), frame_(weighting.frame) {}
  template <class Tile>
  void read(const Tile& x) {
    PiecesTile::read(x);
    z.noalias() = x * frame_.transpose();
  }

  TileVectors z;

 private:
  const Matrix& frame_;
};

/// Bounded residuals of pieces of a time at risk. A row's other columns are its time's, so that all of its rows come to the same
/// bounds, bit by bit.
class PieceResiduals {
 public:
  PieceResiduals(const Pieces& pieces, const BoundedWeighting& weighting) : stop_(weighting.clip) {
    const auto others = static_cast<Eigen::Index>(pieces.count) - 1;
    of_pieces_ = Position::Zero(others + 1);
    of_pieces_.tail(others) = weighting.at.segment(pieces.first, others);
  }
  /// With m_k the pieces' means were they lived through, and w_k what of m_k lies before the stop: w_1 + .. + w_k is at most h.
  /// An event counts as long as it comes before the stop. So b <= w_k in piece k, and their sum is at most B = w_1 + .. + w_K; the
  /// absolute values of psi add up to at most B without an event, and to w_1 + .. + w_(j-1) + max(1, w_j - 1) with one in piece j.
  [[nodiscard]] BoundedResidual residual(double common, double piece, double y) const {
    const PieceResponse seen = PieceResponse::of(y);
    BoundedResidual r{0, 1, 0, 0};
    double passed = 0;
    for (Eigen::Index k = 0; k < of_pieces_.size(); ++k) {
      const double mean = count_mean(common + of_pieces_[k]);
      const double within = std::min(mean, stop_ - passed);
      if (!(within > 0)) break;
      if (static_cast<double>(k) == piece) {
        const double lived = seen.share * mean;
        r.slope = std::min(lived, within);
        r.psi = (lived <= within ? seen.event : 0) - r.slope;
      }
      r.largest = 1 + passed * kRoundUp;
      passed += within;
    }
    r.largest_slope = passed * kRoundUp;
    r.largest = std::max(r.largest, r.largest_slope);
    return r;
  }

 private:
  Position of_pieces_;
  double stop_;
};

/// |z|, also where its square leaves the range of doubles.
inline double length_of(const Position& z) {
  const double square = z.squaredNorm();
  return square >= kLeastNorm && square <= 1 / kLeastNorm ? std::sqrt(square) : z.stableNorm();
}

/// min(1, bound / reach), by which a contribution of that length becomes no longer than `bound`; 0 where the weight has lost digits or
/// the length is no number.
inline double weight_within(double bound, double reach) {
  const double c = bound / reach;
  if (c >= 1) return 1;
  return c >= kLeastNorm ? c : 0;
}

/// A row under a weighting; the mean is none of pieces of a time.
struct WeightedRow {
  double y, mean;
  BoundedResidual residual;
  double length;  ///< of the row in the frame
  double piece;   ///< RowLaw::piece
};

/// A unit's rows under a weighting, which gives all of them one weight: c = min(1, R / sum M |z|, Q / sum B |z|^2). So
/// |sum c psi z| <= R, and sum c b z z' is psd of trace at most Q.
template <class Response>
class WeightedUnit {
 public:
  WeightedUnit(Response response, Eigen::Index dim) : response(response), z_(dim, 1) {}

  void add(const WeightedRow& row, const Position& z) {
    const auto at = static_cast<Eigen::Index>(rows.size());
    if (at == z_.cols()) z_.conservativeResize(Eigen::NoChange, 2 * at);
    z_.col(at) = z;
    rows.push_back(row);
  }
  void weigh(const BoundedWeighting& weighting) {
    reach = 0;
    double trace = 0;
    for (const WeightedRow& row : rows) {
      reach += row.residual.largest * row.length;
      trace += row.residual.largest_slope * row.length * row.length;
    }
    c = std::min(weight_within(weighting.score_bound, reach),
                 weight_within(weighting.information_bound, trace));
  }
  void clear() { rows.clear(); }

  /// z of a row; `scale` times the sum over the rows of psi z.
  [[nodiscard]] auto z(std::size_t row) const { return z_.col(static_cast<Eigen::Index>(row)); }
  template <class Vector>
  void score(double scale, Vector&& entries) const {
    entries.setZero();
    for (std::size_t i = 0; i < rows.size(); ++i) entries.matrix() += (scale * rows[i].residual.psi) * z(i);
  }

  WipedVector<WeightedRow> rows;
  Response response;
  double c = 0;
  double reach = 0;  ///< sum of M |z|

 private:
  Matrix z_;  // by column
};

/// Calls visit(unit) with a WeightedUnit for each unit, which is one row where rows do not stand by units. Rows that are pieces of one
/// time have bounds M and B of all of them, so that their contributions stay within the weighting's bounds together:
/// |sum c psi z| <= sum |psi| R / M <= R, and so on.
template <class Visit>
void for_each_weighted_unit(const RowLaw& law, const GlmTiles& tiles, const BoundedWeighting& weighting,
                            const Visit& visit) {
  FramedTile tile(law, weighting);
  Position z(tile.z.cols());
  const PieceResiduals pieces(law.pieces, weighting);
  with_response(law.link, [&](auto response) {
    WeightedUnit unit(response, z.size());
    for_each_unit(
        tiles, [&](const auto& x) { tile.read(x); },
        [&](Eigen::Index lane, double y) {
          z = tile.z.row(lane);
          WeightedRow row{y, 0, {}, length_of(z), tile.piece[lane]};
          if constexpr (std::same_as<decltype(response), EventResponse>) {
            row.residual = pieces.residual(tile.common[lane], tile.piece[lane], y);
          } else {
            row.mean = response.mean(tile.common[lane]);
            row.residual = response.residual(y, row.mean, weighting.clip, weighting.dispersion);
          }
          unit.add(row, z);
        },
        [&](std::size_t) {
          unit.weigh(weighting);
          visit(unit);
          unit.clear();
        });
  });
}

}  // namespace sotto
