// Multivariate normal kernel with a normal-inverse-Wishart base measure.
#pragma once

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "sotto/base/error.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

/// G0: mean | covariance ~ N(mean, covariance / precision), covariance ~ inverse Wishart(degrees, scale).
template <int Dim>
struct NormalInverseWishart {
  Eigen::Matrix<double, Dim, 1> mean = Eigen::Matrix<double, Dim, 1>::Zero();
  double precision = 0.1;
  double degrees = Dim + 2;
  Eigen::Matrix<double, Dim, Dim> scale = Eigen::Matrix<double, Dim, Dim>::Identity();
};

/// f(y | theta) = N(y | mean, covariance); `Dim` is fixed, so that nothing is allocated.
template <int Dim>
class MultivariateNormalKernel {
 public:
  using Vector = Eigen::Matrix<double, Dim, 1>;
  using Square = Eigen::Matrix<double, Dim, Dim>;
  using Datum = Vector;
  struct Parameter {
    Vector mean = Vector::Zero();
    Square factor = Square::Identity();  ///< lower Cholesky factor of the covariance
    double log_determinant = 0;          ///< of the factor
  };
  struct Statistic {
    double count = 0;
    Vector sum = Vector::Zero();
    Square products = Square::Zero();
    void add(const Vector& y) { count += 1, sum += y, products.noalias() += y * y.transpose(); }
    void remove(const Vector& y) { count -= 1, sum -= y, products.noalias() -= y * y.transpose(); }
  };

  explicit MultivariateNormalKernel(const NormalInverseWishart<Dim>& prior) : prior_(prior) {
    if (!(prior.precision > 0 && prior.degrees > Dim - 1) ||
        Eigen::LLT<Square>(prior.scale).info() != Eigen::Success)
      throw Error(
          ErrorCode::configuration,
          "the normal-inverse-Wishart base needs precision > 0, degrees > dimension - 1, a definite scale");
  }

  [[nodiscard]] double log_density(const Vector& y, const Parameter& theta) const {
    const Vector x = theta.factor.template triangularView<Eigen::Lower>().solve(y - theta.mean);
    return -0.5 * x.squaredNorm() - theta.log_determinant - 0.5 * Dim * std::log(2 * std::numbers::pi);
  }
  Vector draw(const Parameter& theta, ChainRng& rng) const {
    Vector z;
    for (double& entry : z) entry = rng.normal();
    return theta.mean + theta.factor.template triangularView<Eigen::Lower>() * z;
  }
  Parameter draw_prior(ChainRng& rng) const { return draw(prior_, rng); }
  Parameter update(const Parameter&, const Statistic& s, ChainRng& rng) const {
    return draw(posterior(s), rng);
  }

  /// Computes   -(n d/2) log pi + log Gamma_d(v_n/2) - log Gamma_d(v/2) + (v/2) log|S| - (v_n/2)
  ///            log|S_n| + (d/2) log(k/k_n)
  /// Source     [Mur07, section 8]
  [[nodiscard]] double log_marginal(const Statistic& s) const {
    const NormalInverseWishart<Dim> p = posterior(s);
    return -0.5 * s.count * Dim * std::log(std::numbers::pi) + log_gamma(p.degrees / 2) -
           log_gamma(prior_.degrees / 2) + prior_.degrees * half_log_determinant(prior_.scale) -
           p.degrees * half_log_determinant(p.scale) + 0.5 * Dim * std::log(prior_.precision / p.precision);
  }

 private:
  [[nodiscard]] NormalInverseWishart<Dim> posterior(const Statistic& s) const {
    if (s.count < 0.5) return prior_;
    NormalInverseWishart<Dim> p = prior_;
    const Vector average = s.sum / s.count;
    const Vector apart = average - prior_.mean;
    p.precision += s.count;
    p.degrees += s.count;
    p.mean = (prior_.precision * prior_.mean + s.sum) / p.precision;
    p.scale += s.products - s.sum * average.transpose() +
               (prior_.precision * s.count / p.precision) * apart * apart.transpose();
    return p;
  }
  /// Covariance = B B^T, B = C A^{-T}, C the Cholesky factor of the scale and A Bartlett's lower triangle.
  static Parameter draw(const NormalInverseWishart<Dim>& law, ChainRng& rng) {
    Square bartlett = Square::Zero();
    for (int row = 0; row < Dim; ++row) {
      bartlett(row, row) = std::sqrt(2 * draw_gamma((law.degrees - row) / 2, 1, rng));
      for (int column = 0; column < row; ++column) bartlett(row, column) = rng.normal();
    }
    const Square c = Eigen::LLT<Square>(law.scale).matrixL();
    const Square b_transposed = bartlett.template triangularView<Eigen::Lower>().solve(c.transpose());
    const Square covariance = b_transposed.transpose() * b_transposed;
    Parameter theta;
    theta.factor = Eigen::LLT<Square>(covariance).matrixL();
    theta.log_determinant = theta.factor.diagonal().array().log().sum();
    Vector z;
    for (double& entry : z) entry = rng.normal();
    theta.mean = law.mean + theta.factor * z / std::sqrt(law.precision);
    return theta;
  }
  static double half_log_determinant(const Square& matrix) {
    const Square factor = Eigen::LLT<Square>(matrix).matrixL();
    return factor.diagonal().array().log().sum();
  }
  static double log_gamma(double x) {
    double sum = 0.25 * Dim * (Dim - 1) * std::log(std::numbers::pi);
    for (int j = 0; j < Dim; ++j) sum += std::lgamma(x - 0.5 * j);
    return sum;
  }

  NormalInverseWishart<Dim> prior_;
};

}  // namespace sotto::mixture
