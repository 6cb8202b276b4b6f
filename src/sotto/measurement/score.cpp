#include "sotto/measurement/score.hpp"

#include <utility>

#include "sotto/measurement/vector_noise.hpp"
#include "sotto/measurement/weighted_regression.hpp"
#include "sotto/model/weighted.hpp"

namespace sotto {

std::optional<Measurements> measure(const ScoreQuery& query, const OwnerContext& context) {
  const Glm& regression = weighted_regression(context);
  const auto dim = static_cast<std::size_t>(regression.dim());
  if (!legal_weighting(query.weighting, dim)) return std::nullopt;
  const VectorBound bound = weighted_score_bound(query.weighting);
  const auto noise = vector_noise(bound, dim, context.unit, query.cost);
  if (!noise) return std::nullopt;
  const WeightedTask task = weighted_task(query.weighting, bound, dim, noise->grid);
  Measurement score{
      .charge = noise->charge("weighted score"),
      .pass = RowPass{.entries = dim,
                      .add =
                          [model = context.model, task](const Rows& rows, std::size_t first,
                                                        std::size_t count, std::span<std::int64_t> sums) {
                            model.as<Glm>()->add_scores(rows, first, count, task, sums);
                          }},
      .release = [noise = *noise](NoiseMechanism& mechanism, Receipt receipt, const ExactSum& sum) -> Answer {
        return mechanism.release(std::move(receipt), sum, noise, [&](const NoisyIntegers& noisy) {
          const double g = noise.grid.value();
          const auto size = static_cast<Eigen::Index>(noisy.values.size());
          return NoisyScore{Eigen::Map<const Position>(noisy.values.data(), size) * g,
                            noisy.variance * g * g};
        });
      }};
  return Measurements{.parts = {std::move(score)}};
}

}  // namespace sotto
