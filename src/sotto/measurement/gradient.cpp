#include "sotto/measurement/gradient.hpp"

#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/vector_noise.hpp"

namespace sotto {
namespace {

constexpr double kLargestFactor =
    0x1p900;  // times a coordinate of a row it does not overflow: infinity times 0 counts as much

}  // namespace

Position scale_of(const Position& scale, const OwnerContext& context) {
  if (scale.size() == 0) return Position::Ones(context.model.dim());
  context.check_position(scale);
  if (!scale.allFinite() || !(scale.minCoeff() > 0))
    throw Error(ErrorCode::configuration, "the scale of a gradient must be finite and above zero");
  return scale;
}

VectorBound gradient_bound(const Position& at, const Position& scale, const OwnerContext& context) {
  context.check_position(at);
  const VectorBound bound = context.model.gradient_bound(at, scale);
  return {bound.norm * context.likelihood_power, bound.diameter * context.likelihood_power};
}

std::optional<GradientTask> gradient_task(const Position& at, const Position& scale, const VectorBound& bound,
                                          GridStep grid, const OwnerContext& context) {
  const Position factor = scale * (context.likelihood_power / grid.value());
  if (!(factor.maxCoeff() < kLargestFactor)) return std::nullopt;
  return GradientTask{&at, factor, bound.norm / grid.value(), bound.diameter / grid.value()};
}

std::function<Answer(NoiseMechanism&, Receipt, const ExactSum&)> release_gradient(const GaussianNoise& noise,
                                                                                  const Position& scale) {
  return [noise, scale](NoiseMechanism& mechanism, Receipt receipt, const ExactSum& sum) -> Answer {
    return mechanism.release(std::move(receipt), sum, noise, [&](const NoisyIntegers& noisy) {
      const Eigen::ArrayXd step = noise.grid.value() / scale.array();
      return NoisyGradient{Eigen::Map<const Position>(noisy.values.data(), scale.size()).array() * step,
                           noisy.variance * step.square()};
    });
  };
}

/// Query        sum over the rows of the scaled gradient, each row's rounded to the grid
/// Adjacency    as declared; a unit holds at most rows_per_unit rows
/// Sensitivity, noise, charge, source: measurement/vector_noise.hpp with the model's gradient_bound
/// Checked by tests/measurement/gradient_test.cpp: sensitivity_is_the_declared_boxs_for_both_adjacencies
template <>
std::optional<Measurements> measure(const GradientQuery& query, const OwnerContext& context) {
  const Position scale = scale_of(query.scale, context);
  const auto entries = static_cast<std::size_t>(context.model.dim());
  const VectorBound bound = gradient_bound(query.at, scale, context);
  const auto noise = vector_noise(bound, entries, context.unit, query.cost);
  if (!noise) return std::nullopt;
  const auto task = gradient_task(query.at, scale, bound, noise->grid, context);
  if (!task) return std::nullopt;
  Measurement gradient{
      .charge = noise->charge("gradient"),
      .pass =
          RowPass{.entries = entries,
                  .run = kGradientRun,
                  .add =
                      [model = context.model, task = *task](const Rows& rows, std::size_t first,
                                                            std::size_t count, std::span<std::int64_t> sums) {
                        model.add_gradients(rows, first, count, std::span(&task, 1), sums);
                      }},
      .release = release_gradient(*noise, scale)};
  return Measurements{.parts = {std::move(gradient)}};
}

}  // namespace sotto
