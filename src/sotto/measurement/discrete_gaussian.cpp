#include "sotto/measurement/discrete_gaussian.hpp"

#include <cmath>
#include <limits>
#include <utility>

#include "sotto/entropy/discrete_gaussian.hpp"
#include "sotto/measurement/variance_completed_ratio.hpp"
#include "sotto/model/weighted.hpp"

namespace sotto {
namespace {

constexpr double kRoundUp = 1 + 0x1p-48;  // more than the rounding of the few operations it covers

}  // namespace

Rho GaussianNoise::rho() const {
  return Rho(sensitivity * sensitivity / (2 * static_cast<double>(variance)) * kRoundUp);
}

double GaussianNoise::slack() const {
  return sensitivity * std::sqrt(static_cast<double>(entries)) / static_cast<double>(variance) * kRoundUp;
}

Charge GaussianNoise::charge(std::string query) const {
  const double sd = std::sqrt(static_cast<double>(variance));
  return {std::move(query), "discrete Gaussian", rho(), slack(), sensitivity, sd, grid.value()};
}

std::optional<GaussianNoise::Integer> GaussianNoise::variance_for(double sensitivity, Rho cost,
                                                                  const Integer& multiple) {
  if (!(cost.value() > 0))
    throw Error(ErrorCode::configuration, "a query must cost more than nothing: raise its cost");
  const double least = sensitivity * sensitivity / (2 * cost.value()) * kRoundUp * kRoundUp;
  if (!(least < 0x1p103)) return std::nullopt;  // the sampler takes 2^104
  const Integer units = Integer(std::ceil(least)) / multiple + 1;
  return units * multiple;
}

std::vector<double> DiscreteGaussianMechanism::noisy(const Receipt& receipt, const ExactSum& sum,
                                                     const GaussianNoise& noise) {
  if (!receipt.valid() || receipt.charge().rho < noise.rho() || receipt.charge().slack < noise.slack() ||
      sum.size() != noise.entries) {
    throw Error(ErrorCode::internal, "a receipt does not pay for its release");
  }
  const DiscreteGaussian sampler(noise.variance);
  std::vector<double> result(sum.size());
  for (std::size_t i = 0; i < sum.size(); ++i) {
    result[i] = static_cast<double>(sum.entries_[i] + sampler(*entropy_));
  }
  return result;
}

Released<NoisyRatio> DiscreteGaussianMechanism::release_ratio(Receipt receipt, const ExactSum& sum,
                                                              const GaussianNoise& noise) {
  const double g = noise.grid.value();
  return Released(NoisyRatio{noisy(receipt, sum, noise)[0] * g, static_cast<double>(noise.variance) * g * g});
}

Released<NoisyRatio> DiscreteGaussianMechanism::release_variance_completed(
    Receipt receipt, const VarianceCompletedPlan& plan, std::span<const std::int64_t> changes) {
  ExactSum center(1);
  center.add(0, variance_completed_center(plan, changes));
  const GaussianNoise noise = plan.noise(variance_completed_variance(plan, changes));
  return Released(
      NoisyRatio{noisy(receipt, center, noise)[0] * noise.grid.value(), kVarianceCompletedVariance});
}

Released<NoisyGradient> DiscreteGaussianMechanism::release_gradient(Receipt receipt, const ExactSum& sum,
                                                                    const GaussianNoise& noise,
                                                                    const Position& scale) {
  const std::vector<double> values = noisy(receipt, sum, noise);
  const Eigen::ArrayXd step = noise.grid.value() / scale.array();
  return Released(NoisyGradient{Eigen::Map<const Position>(values.data(), scale.size()).array() * step,
                                static_cast<double>(noise.variance) * step.square()});
}

Released<NoisyStatistic> DiscreteGaussianMechanism::release_statistic(Receipt receipt, const ExactSum& sum,
                                                                      const GaussianNoise& noise,
                                                                      double quantum) {
  const std::vector<double> values = noisy(receipt, sum, noise);
  const double g = noise.grid.value();
  const auto size = static_cast<Eigen::Index>(values.size());
  return Released(NoisyStatistic{Eigen::Map<const Position>(values.data(), size) * g,
                                 Position::Constant(size, static_cast<double>(noise.variance) * g * g),
                                 Position::Constant(size, quantum)});
}

Released<NoisyCurvature> DiscreteGaussianMechanism::release_curvature(Receipt receipt, const ExactSum& sum,
                                                                      const GaussianNoise& noise) {
  const std::vector<double> values = noisy(receipt, sum, noise);
  const auto dim =
      static_cast<Eigen::Index>((std::sqrt(8.0 * static_cast<double>(values.size()) + 1) - 1) / 2 + 0.5);
  const double g = noise.grid.value();
  NoisyCurvature curvature{Matrix(dim, dim),
                           Matrix::Constant(dim, dim, static_cast<double>(noise.variance) * g * g)};
  std::size_t entry = 0;
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = i; j < dim; ++j) {
      curvature.value(i, j) = curvature.value(j, i) = values[entry++] * g;
    }
  }
  return Released(std::move(curvature));
}

Released<NoisyScore> DiscreteGaussianMechanism::release_score(Receipt receipt, const ExactSum& sum,
                                                              const GaussianNoise& noise) {
  const std::vector<double> values = noisy(receipt, sum, noise);
  const double g = noise.grid.value();
  return Released(
      NoisyScore{Eigen::Map<const Position>(values.data(), static_cast<Eigen::Index>(values.size())) * g,
                 static_cast<double>(noise.variance) * g * g});
}

Released<NoisyInformation> DiscreteGaussianMechanism::release_information(Receipt receipt,
                                                                          const ExactSum& sum,
                                                                          const GaussianNoise& noise,
                                                                          double bound) {
  const std::vector<double> values = noisy(receipt, sum, noise);
  const auto dim =
      static_cast<Eigen::Index>((std::sqrt(8.0 * static_cast<double>(values.size() - 2) + 1) - 1) / 2 + 0.5);
  const double g = noise.grid.value();
  const double variance = static_cast<double>(noise.variance) * g * g;
  const double share = information_share(static_cast<std::size_t>(dim));
  const double rows_unit = share * bound;
  NoisyInformation information{Matrix(dim, dim), variance, 0, 0, 0, 0};
  std::size_t entry = 0;
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = i; j < dim; ++j) {
      const double value = values[entry++] * g * (i == j ? 1 : std::sqrt(0.5));
      information.value(i, j) = information.value(j, i) = value;
    }
  }
  information.squares = values[entry] * g / share;
  information.squares_variance = variance / (share * share);
  information.rows = values[entry + 1] * g / rows_unit;
  information.rows_variance = variance / (rows_unit * rows_unit);
  return Released(std::move(information));
}

}  // namespace sotto
