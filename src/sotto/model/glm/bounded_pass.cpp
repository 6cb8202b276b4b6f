#include "sotto/model/glm/bounded_pass.hpp"

#include <algorithm>
#include <cmath>

#include "sotto/data/rows.hpp"
#include "sotto/model/glm/bounded_residual.hpp"

namespace sotto {
namespace {

using Lanes = Eigen::Array<double, kTile, 1>;
using Tile = Eigen::Matrix<double, kTile, Eigen::Dynamic>;

/// Nearest integers, halves to even; |values| < 2^51.
template <class Values>
void round_to_integers(Values& values) {
  constexpr double kMagic = 0x1.8p52;
  values = (values + kMagic) - kMagic;
}

/// Sums of integer vectors. They are held in doubles, exactly: a run has at most 2^12 rows of entries below 2^31.
class IntegerSums {
 public:
  IntegerSums(const RowRounding& rounding, std::size_t entries)
      : entries(static_cast<Eigen::Index>(entries)),
        factor(rounding.factor),
        longest2_(rounding.longest * rounding.longest),
        totals_(Eigen::ArrayXd::Zero(static_cast<Eigen::Index>(entries))) {}

  /// Adds `entries`, which have been multiplied by `factor`. NaN fails the check.
  void add() {
    round_to_integers(entries);
    if (entries.square().sum() <= longest2_) totals_ += entries;
  }
  void give(std::span<std::int64_t> sums) const {
    for (std::size_t j = 0; j < sums.size(); ++j) {
      sums[j] += static_cast<std::int64_t>(totals_[static_cast<Eigen::Index>(j)]);
    }
  }

  Eigen::ArrayXd entries;
  double factor;

 private:
  double longest2_;
  Eigen::ArrayXd totals_;
};

/// The triangle of scale z z', off-diagonal entries times sqrt(2).
void set_triangle(const Position& z, double scale, Eigen::ArrayXd& entries) {
  const double across = scale * std::sqrt(2.0);
  Eigen::Index entry = 0;
  for (Eigen::Index i = 0; i < z.size(); ++i) {
    const Eigen::Index rest = z.size() - i - 1;
    entries[entry] = scale * z[i] * z[i];
    entries.segment(entry + 1, rest) = (across * z[i]) * z.tail(rest).array();
    entry += rest + 1;
  }
}

/// Calls visit(x, y, lane) for each tile, with visit_row(lane) for each row of it that counts.
template <class PerTile, class PerRow>
void for_each_row(const GlmTiles& tiles, const PerTile& per_tile, const PerRow& per_row) {
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  const std::size_t stride = (tiles.predictors + 2) * kTile;
  for (std::size_t t = 0; t < tiles.count; ++t) {
    const double* tile = tiles.data + t * stride;
    const Eigen::Map<const Tile> x(tile, kTile, dim);
    const Eigen::Map<const Lanes> y(tile + tiles.predictors * kTile);
    const Eigen::Map<const Lanes> counts(tile + (tiles.predictors + 1) * kTile);
    per_tile(x);
    for (Eigen::Index lane = 0; lane < static_cast<Eigen::Index>(kTile); ++lane) {
      if (counts[lane] != 0) per_row(lane, y[lane]);
    }
  }
}

/// Calls visit(z, c, residual) for each row that counts; z is the row in the frame.
template <class Visit>
void for_each_weighted_row(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                           const Visit& visit) {
  const auto dim = static_cast<Eigen::Index>(tiles.predictors);
  Tile z(kTile, dim);
  Lanes eta;
  Position row(dim);
  with_response(link, [&](auto response) {
    for_each_row(
        tiles,
        [&](const auto& x) {
          z.noalias() = x * weighting.frame.transpose();
          eta = x * weighting.at;
        },
        [&](Eigen::Index lane, double y) {
          row = z.row(lane);
          const double length2 = row.squaredNorm();
          const BoundedResidual r =
              response.residual(y, response.mean(eta[lane]), weighting.clip, weighting.dispersion);
          const double c = std::min({1.0, weighting.score_bound / (r.largest * std::sqrt(length2)),
                                     weighting.information_bound / (r.largest_slope * length2)});
          visit(row, c, r);
        });
  });
}

}  // namespace

void bounded_score_pass(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                        const RowRounding& rounding, std::span<std::int64_t> sums) {
  IntegerSums total(rounding, sums.size());
  for_each_weighted_row(link, tiles, weighting, [&](const Position& z, double c, const BoundedResidual& r) {
    total.entries = total.factor * c * r.psi * z.array();
    total.add();
  });
  total.give(sums);
}

void bounded_information_pass(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                              const RowRounding& rounding, std::span<std::int64_t> sums) {
  IntegerSums total(rounding, sums.size());
  for_each_weighted_row(link, tiles, weighting, [&](const Position& z, double c, const BoundedResidual& r) {
    set_triangle(z, total.factor * c * r.slope, total.entries);
    total.add();
  });
  total.give(sums);
}

void score_squares_pass(Link link, const GlmTiles& tiles, const BoundedWeighting& weighting,
                        const RowRounding& rounding, std::span<std::int64_t> sums) {
  IntegerSums total(rounding, sums.size());
  for_each_weighted_row(link, tiles, weighting, [&](const Position& z, double c, const BoundedResidual& r) {
    const double score = c * r.psi;
    set_triangle(z, total.factor * score * score, total.entries);
    total.add();
  });
  total.give(sums);
}

void moments_pass(const GlmTiles& tiles, const Matrix& frame, double bound, const RowRounding& rounding,
                  std::span<std::int64_t> sums) {
  IntegerSums total(rounding, sums.size());
  Tile z(kTile, frame.rows());
  Position row(frame.rows());
  for_each_row(
      tiles, [&](const auto& x) { z.noalias() = x * frame.transpose(); },
      [&](Eigen::Index lane, double) {
        row = z.row(lane);
        set_triangle(row, total.factor * std::min(1.0, bound / row.squaredNorm()), total.entries);
        total.add();
      });
  total.give(sums);
}

void residual_squares_pass(const GlmTiles& tiles, const Position& at, double clip,
                           const RowRounding& rounding, std::span<std::int64_t> sums) {
  IntegerSums total(rounding, 1);
  Lanes eta;
  for_each_row(
      tiles, [&](const auto& x) { eta = x * at; },
      [&](Eigen::Index lane, double y) {
        const double residual = std::clamp(y - eta[lane], -clip, clip);
        total.entries[0] = total.factor * residual * residual;
        total.add();
      });
  total.give(sums);
}

void histogram_pass(Link link, const GlmTiles& tiles, const HistogramQuery& query,
                    const RowRounding& rounding, std::span<std::int64_t> sums) {
  IntegerSums total(rounding, sums.size());
  const bool absolute = query.quantity == HistogramOf::absolute_residual;
  const bool residual = absolute || query.quantity == HistogramOf::residual;
  const auto* first = query.edges.data();
  const auto* last = first + query.edges.size();
  const Eigen::Index bins = query.edges.size() - 1;
  Lanes eta = Lanes::Zero();
  with_response(link, [&](auto response) {
    for_each_row(
        tiles,
        [&](const auto& x) {
          if (residual) eta = x * query.at;
        },
        [&](Eigen::Index lane, double y) {
          double value = y;
          if (query.quantity == HistogramOf::log_response) value = std::log(y + 0.5);
          if (residual) {
            const double mean = response.mean(eta[lane]);
            value = y - mean;
            if (absolute) value = std::abs(value) / response.unit(mean);
          }
          if (std::isnan(value)) return;
          const Eigen::Index bin =
              std::clamp<Eigen::Index>(std::upper_bound(first, last, value) - first - 1, 0, bins - 1);
          total.entries.setZero();
          total.entries[query.split && eta[lane] >= *query.split ? bins + bin : bin] = total.factor;
          total.add();
        });
  });
  total.give(sums);
}

void column_histograms_pass(const GlmTiles& tiles, const ColumnHistogramsQuery& query,
                            const RowRounding& rounding, std::span<std::int64_t> sums) {
  IntegerSums total(rounding, sums.size());
  const auto bins = static_cast<double>(query.bins);
  Tile all(kTile, static_cast<Eigen::Index>(tiles.predictors));
  for_each_row(
      tiles, [&](const auto& x) { all = x; },
      [&](Eigen::Index lane, double) {
        total.entries.setZero();
        for (std::size_t k = 0; k < query.columns.size(); ++k) {
          const Interval& window = query.windows[k];
          const double place = (all(lane, query.columns[k]) - window.lower) / window.width() * bins;
          if (std::isnan(place)) continue;
          const auto bin = static_cast<std::size_t>(std::clamp(place, 0.0, bins - 1));
          total.entries[static_cast<Eigen::Index>(k * query.bins + bin)] = total.factor;
        }
        total.add();
      });
  total.give(sums);
}

void curves_pass(Link link, const GlmTiles& tiles, const CurvesQuery& query, const RowRounding& rounding,
                 std::span<std::int64_t> sums) {
  IntegerSums total(rounding, sums.size());
  Eigen::Array<double, kTile, Eigen::Dynamic> squares(kTile, static_cast<Eigen::Index>(query.columns.size()));
  Lanes eta;
  with_response(link, [&](auto response) {
    for_each_row(
        tiles,
        [&](const auto& x) {
          eta = x * query.at;
          for (Eigen::Index k = 0; k < squares.cols(); ++k) {
            const Lanes column = x.col(query.columns[static_cast<std::size_t>(k)]).array();
            squares.col(k) = ((column - query.centre[k]) / query.scale[k]).square();
          }
        },
        [&](Eigen::Index lane, double y) {
          const BoundedResidual r =
              response.residual(y, response.mean(eta[lane]), query.clip, query.dispersion);
          total.entries =
              squares.row(lane).min(CurvesQuery::kLargestSquare).transpose() - CurvesQuery::kMeanSquare;
          const double length = std::sqrt(total.entries.square().sum());
          total.entries *= total.factor * r.psi * std::min(1.0, query.bound / (r.largest * length));
          total.add();
        });
  });
  total.give(sums);
}

void total_pass(TotalOf quantity, const GlmTiles& tiles, const RowRounding& rounding,
                std::span<std::int64_t> sums) {
  IntegerSums total(rounding, 1);
  for_each_row(
      tiles, [](const auto&) {},
      [&](Eigen::Index, double y) {
        total.entries[0] = total.factor * (quantity == TotalOf::rows ? 1.0 : y);
        total.add();
      });
  total.give(sums);
}

}  // namespace sotto
