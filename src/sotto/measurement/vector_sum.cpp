#include "sotto/measurement/vector_sum.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/measurement/vector_noise.hpp"
#include "sotto/model/location/location.hpp"

namespace sotto {
namespace {

/// Of frames' entries and of bounds: in between, a row's weight times its square and the grid's factor keeps all its digits
/// wherever what comes of it is not rounded to zero.
constexpr double kFarthestFrame = 0x1p200;

constexpr std::size_t kMostEntries = std::size_t{1} << 20;  // of a sum: an owner's memory is its own

constexpr double kLargestDispersion = 1e6;  // beyond, the distributions of counts are not computed

NoisyVector vector_of(const NoisyIntegers& noisy, double grid) {
  return {
      Eigen::Map<const Position>(noisy.values.data(), static_cast<Eigen::Index>(noisy.values.size())) * grid,
      noisy.variance * grid * grid};
}

NoisyMatrix matrix_of(const NoisyIntegers& noisy, double grid, Eigen::Index dim) {
  NoisyMatrix matrix{Matrix(dim, dim), noisy.variance * grid * grid};
  std::size_t entry = 0;
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = i; j < dim; ++j) {
      const double value = noisy.values[entry++] * grid * (i == j ? 1 : std::sqrt(0.5));
      matrix.value(i, j) = matrix.value(j, i) = value;
    }
  }
  return matrix;
}

template <class Shape>
std::optional<Measurements> measure_sum(VectorSum sum, const OwnerContext& context, Rho cost,
                                        const Shape& shape) {
  if (sum.entries > kMostEntries) return std::nullopt;
  PrivacyUnit unit = context.unit;
  if (unit.side_by_side) unit.rows_per_unit = sum.together = 1;  // `add` gives vectors of units
  const auto noise = vector_noise(sum.bound, sum.entries, unit, cost, sum.together);
  if (!noise) return std::nullopt;
  const double grid = noise->grid.value();
  const RowRounding rounding{
      1 / grid, sum.bound.norm / grid * (1 + 0x1p-41) + std::sqrt(static_cast<double>(sum.entries)) / 2};
  Measurement measurement{
      .charge = noise->charge(sum.name),
      .pass = RowPass{.entries = sum.entries,
                      .add =
                          [add = std::move(sum.add), rounding, by_units = unit.side_by_side](
                              const Rows& rows, std::size_t first, std::size_t count,
                              std::span<std::int64_t> sums) {
                            if (by_units && rows.unit_starts(first) == nullptr)
                              throw Error(ErrorCode::internal, "rows do not stand by units");
                            IntegerSums total(rounding, sums.size());
                            add({rows.tile(first), count, rows.columns() - 1,
                                 by_units ? rows.unit_starts(first) : nullptr},
                                total);
                            total.give(sums);
                          }},
      .release = [noise = *noise, shape](NoiseMechanism& mechanism, Receipt receipt,
                                         const ExactSum& exact) -> Answer {
        return mechanism.release(std::move(receipt), exact, noise, [&](const NoisyIntegers& noisy) {
          return shape(noisy, noise.grid.value());
        });
      }};
  Measurements measurements;
  measurements.parts.push_back(std::move(measurement));
  return measurements;
}

void check_likelihood(const OwnerContext& context) {
  if (context.likelihood_power != 1)
    throw Error(ErrorCode::configuration,
                "release-once takes the likelihood as it is: set model.likelihood_power to 1");
}

}  // namespace

std::optional<Measurements> measure_vector(VectorSum sum, const OwnerContext& context, Rho cost) {
  return measure_sum(std::move(sum), context, cost, vector_of);
}

std::optional<Measurements> measure_matrix(MatrixSum sum, Eigen::Index dim, const OwnerContext& context,
                                           Rho cost) {
  const std::size_t entries = triangle_entries(static_cast<std::size_t>(dim));
  return measure_sum({std::move(sum.name), sum.bound, entries, std::move(sum.add), sum.together}, context,
                     cost,
                     [dim](const NoisyIntegers& noisy, double grid) { return matrix_of(noisy, grid, dim); });
}

const Glm& asked_regression(const OwnerContext& context) {
  check_likelihood(context);
  const Glm* regression = context.model.as<Glm>();
  if (regression == nullptr)
    throw Error(ErrorCode::configuration, "release-once is for regressions: choose penalty or hmc");
  static_cast<void>(known_link(regression->family()));
  if (context.unit.side_by_side && summed_one_by_one(*regression))
    throw Error(ErrorCode::configuration,
                "times at risk and ordered categories of a unit are summed row by row");
  return *regression;
}

bool summed_one_by_one(const Glm& regression) {
  return link_of(regression.family()) == Link::log_rate || has_thresholds(regression.family());
}

const LocationModel& asked_location(const OwnerContext& context) {
  check_likelihood(context);
  const auto* location = context.model.as<LocationModel>();
  if (location == nullptr)
    throw Error(ErrorCode::configuration,
                "deviations are those of normal rows: choose family normal-mean or banana");
  return *location;
}

VectorBound bound_of_matrices(double trace) { return {trace * kRoundUp, trace * std::sqrt(2.0) * kRoundUp}; }

bool legal_frame(const Matrix& frame, const Glm& regression) {
  const Eigen::Index d = regression.domain().columns();
  return frame.rows() == d && frame.cols() == d && frame.allFinite() &&
         frame.cwiseAbs().maxCoeff() <= kFarthestFrame;
}

bool legal_bound(double bound) { return bound >= 1 / kFarthestFrame && bound <= kFarthestFrame; }

bool legal_columns(std::vector<Eigen::Index> columns, Eigen::Index dim) {
  std::sort(columns.begin(), columns.end());
  return !columns.empty() && columns.front() >= 0 && columns.back() < dim &&
         std::adjacent_find(columns.begin(), columns.end()) == columns.end();
}

bool legal_residual(double clip, double dispersion) {
  return clip > 0 && std::isfinite(clip) && dispersion >= 0 && dispersion <= kLargestDispersion;
}

bool legal_thresholds(const Position& weights, const Glm& regression) {
  const std::size_t thresholds = has_thresholds(regression.family()) ? regression.pieces().count : 0;
  return static_cast<std::size_t>(weights.size()) == thresholds && std::ranges::all_of(weights, legal_bound);
}

bool legal(const BoundedWeighting& weighting, const Glm& regression) {
  return legal_thresholds(weighting.thresholds, regression) &&
         weighting.at.size() == regression.domain().columns() && weighting.at.allFinite() &&
         legal_frame(weighting.frame, regression) && legal_bound(weighting.score_bound) &&
         legal_bound(weighting.information_bound) && legal_residual(weighting.clip, weighting.dispersion);
}

}  // namespace sotto
