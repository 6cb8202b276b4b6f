// Several columns of one row, independent of each other within a cluster: each with a kernel of its own.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <utility>

#include "sotto/mixture/kernel/kernel.hpp"

namespace sotto::mixture {

/// f(y | theta) = prod_d f_d(y_d | theta_d): where the parts are truncated to their domains, so is the product. Dependence
/// between columns is the mixture's affair.
template <int Dim, class Part>
class ProductKernel {
 public:
  using Datum = Eigen::Matrix<double, Dim, 1>;
  using Parameter = std::array<typename Part::Parameter, static_cast<std::size_t>(Dim)>;
  struct Statistic {
    std::array<typename Part::Statistic, static_cast<std::size_t>(Dim)> part;
    void add(const Datum& y) {
      for (std::size_t d = 0; d < part.size(); ++d) part[d].add(y[static_cast<Eigen::Index>(d)]);
    }
  };
  using Parts = std::array<Part, static_cast<std::size_t>(Dim)>;

  explicit ProductKernel(Parts parts) : parts_(std::move(parts)) {}

  [[nodiscard]] const Part& part(std::size_t d) const { return parts_[d]; }
  [[nodiscard]] double log_density(const Datum& y, const Parameter& theta) const {
    double sum = 0;
    for (std::size_t d = 0; d < parts_.size(); ++d)
      sum += parts_[d].log_density(y[static_cast<Eigen::Index>(d)], theta[d]);
    return sum;
  }
  Datum draw(const Parameter& theta, ChainRng& rng) const {
    Datum y;
    for (std::size_t d = 0; d < parts_.size(); ++d)
      y[static_cast<Eigen::Index>(d)] = parts_[d].draw(theta[d], rng);
    return y;
  }
  Parameter draw_prior(ChainRng& rng) const {
    Parameter theta;
    for (std::size_t d = 0; d < parts_.size(); ++d) theta[d] = parts_[d].draw_prior(rng);
    return theta;
  }
  Parameter update(Parameter theta, const Statistic& s, ChainRng& rng) {
    for (std::size_t d = 0; d < parts_.size(); ++d) theta[d] = parts_[d].update(theta[d], s.part[d], rng);
    return theta;
  }
  [[nodiscard]] Statistic empty_statistic() const {
    Statistic s;
    for (std::size_t d = 0; d < parts_.size(); ++d) s.part[d] = mixture::empty_statistic(parts_[d]);
    return s;
  }

 private:
  Parts parts_;
};

}  // namespace sotto::mixture
