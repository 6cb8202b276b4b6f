#include "sotto/model/location/location.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

Matrix random_precision(Eigen::Index dim, ChainRng& rng) {
  Matrix factor(dim, dim);
  for (auto& entry : factor.reshaped()) entry = rng.normal();
  return factor * factor.transpose() + Matrix::Identity(dim, dim);
}

// The gradient of a row is linear in the row, so the corners of the box are all that needs a look; here they are
// visited one by one, each from the start.
TEST(LocationModel, gradient_bound_is_that_of_the_worst_row) {
  ChainRng rng(3);
  for (const Eigen::Index dim : {1, 2, 5, 10}) {
    for (const double bend : {0.0, 0.7}) {
      const Matrix precision = random_precision(dim, rng);
      const LocationModel model(std::vector<Interval>(static_cast<std::size_t>(dim), {-1, 3}), precision,
                                {.a = bend});
      const Position at = 2 * rng.normals(dim);
      const Position scale = rng.normals(dim).cwiseAbs();
      const VectorBound bound = model.gradient_bound(at, scale);
      const auto gradient = [&](std::uint32_t corner) {
        Position row(dim);
        for (Eigen::Index j = 0; j < dim; ++j) row[j] = (corner >> j & 1u) != 0 ? 3 : -1;
        Position result = precision * (row - model.bend().mean(at));
        model.bend().pull_back(at, result);
        return Position(scale.cwiseProduct(result));
      };
      double longest = 0;
      double widest = 0;
      const std::uint32_t corners = 1u << dim;
      for (std::uint32_t corner = 0; corner < corners; ++corner) {
        longest = std::max(longest, gradient(corner).norm());
        widest = std::max(widest, (gradient(corner) - gradient(corners - 1 - corner)).norm());
      }
      EXPECT_GE(bound.norm, longest);
      EXPECT_GE(bound.diameter, widest);
      EXPECT_NEAR(bound.norm, longest, 1e-11 * longest);
      EXPECT_NEAR(bound.diameter, widest, 1e-11 * widest);
    }
  }
}

}  // namespace
}  // namespace sotto
