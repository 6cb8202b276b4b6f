// Several columns of one row, each privatised by a channel of its own.
#pragma once

#include <Eigen/Core>
#include <array>
#include <variant>

#include "sotto/channel/gaussian.hpp"
#include "sotto/channel/haar_releases.hpp"
#include "sotto/channel/laplace.hpp"

namespace sotto {

/// z = (z_1, ..., z_Dim), z_d from channel d and y_d, the noises independent; of a wavelet z_d is the number of its release. It makes no release: the columns are released one
/// by one and paid for together (`plan_columns`); this is their joint density.
///
/// Computes   log q(z | y) = sum_d log q_d(z_d | y_d); the parts' epsilons add up [D06]
/// Checked by tests/channel/product_test.cpp: density_is_the_product, a_wavelet_is_one_of_the_parts, privacy_on_every_pair
template <int Dim,
          class PartType = std::variant<DiscreteLaplaceChannel, DiscreteGaussianChannel, HaarReleases>>
class ProductChannel {
 public:
  using Part = PartType;
  using Vector = Eigen::Matrix<double, Dim, 1>;
  using Parts = std::array<Part, static_cast<std::size_t>(Dim)>;

  explicit ProductChannel(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] double log_density(const Vector& z, const Vector& y) const {
    double sum = 0;
    for (int d = 0; d < Dim; ++d)
      sum += std::visit([&](const auto& part) { return part.log_density(z[d], y[d]); }, this->part(d));
    return sum;
  }
  /// Where a sampler of the confidential row may start.
  [[nodiscard]] Vector initial(const Vector& z, ChainRng& rng) const {
    Vector y;
    for (int d = 0; d < Dim; ++d)
      y[d] = std::visit([&](const auto& part) { return part.initial(z[d], rng); }, this->part(d));
    return y;
  }
  [[nodiscard]] const Part& part(int d) const { return parts_[static_cast<std::size_t>(d)]; }
  [[nodiscard]] Interval domain(int d) const {
    return std::visit([](const auto& part) { return part.domain(); }, part(d));
  }

 private:
  Parts parts_;
};

}  // namespace sotto
