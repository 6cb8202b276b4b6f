#include "sotto/measurement/information.hpp"

#include <cmath>
#include <utility>

#include "sotto/measurement/vector_noise.hpp"
#include "sotto/measurement/weighted_regression.hpp"
#include "sotto/model/weighted.hpp"

namespace sotto {
namespace {

NoisyInformation shape(const NoisyIntegers& noisy, double g, Eigen::Index dim, double bound) {
  const double variance = noisy.variance * g * g;
  const double share = information_share(static_cast<std::size_t>(dim));
  const double rows_unit = share * bound;
  NoisyInformation information{Matrix(dim, dim), variance, 0, 0, 0, 0};
  std::size_t entry = 0;
  for (Eigen::Index i = 0; i < dim; ++i) {
    for (Eigen::Index j = i; j < dim; ++j) {
      const double value = noisy.values[entry++] * g * (i == j ? 1 : std::sqrt(0.5));
      information.value(i, j) = information.value(j, i) = value;
    }
  }
  information.squares = noisy.values[entry] * g / share;
  information.squares_variance = variance / (share * share);
  information.rows = noisy.values[entry + 1] * g / rows_unit;
  information.rows_variance = variance / (rows_unit * rows_unit);
  return information;
}

}  // namespace

std::optional<Measurements> measure(const InformationQuery& query, const OwnerContext& context) {
  const Glm& regression = weighted_regression(context);
  const auto dim = static_cast<std::size_t>(regression.dim());
  if (!legal_weighting(query.weighting, dim)) return std::nullopt;
  const VectorBound bound = information_bound(query.weighting, dim);
  const std::size_t entries = information_entries(dim);
  const auto noise = vector_noise(bound, entries, context.unit, query.cost);
  if (!noise) return std::nullopt;
  const WeightedTask task = weighted_task(query.weighting, bound, entries, noise->grid);
  Measurement information{
      .charge = noise->charge("weighted information"),
      .pass = RowPass{.entries = entries,
                      .add =
                          [model = context.model, task](const Rows& rows, std::size_t first,
                                                        std::size_t count, std::span<std::int64_t> sums) {
                            model.as<Glm>()->add_information(rows, first, count, task, sums);
                          }},
      .release = [noise = *noise, bound = query.weighting.information_bound, d = regression.dim()](
                     NoiseMechanism& mechanism, Receipt receipt, const ExactSum& sum) -> Answer {
        return mechanism.release(std::move(receipt), sum, noise, [&](const NoisyIntegers& noisy) {
          return shape(noisy, noise.grid.value(), d, bound);
        });
      }};
  return Measurements{.parts = {std::move(information)}};
}

}  // namespace sotto
