// Poisson kernel with a gamma base measure.
#pragma once

#include <boost/random/poisson_distribution.hpp>
#include <cmath>
#include <cstddef>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/mixture/gamma_draws.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto::mixture {

struct PoissonParameter {
  double rate = 1;
  double log_rate = 0;
};

/// log y! of a whole number y >= 0, from a table where it is small.
inline double log_factorial(double y) {
  static const std::vector<double> table = [] {
    std::vector<double> known;
    for (double k = 0; k < 256; ++k) known.push_back(std::lgamma(k + 1));
    return known;
  }();
  return y < 256 ? table[static_cast<std::size_t>(y)] : std::lgamma(y + 1);
}

/// f(y | rate) for counts y = 0, 1, ..., held as doubles so that additive channels apply; rate ~ Gamma(shape,
/// rate).
class PoissonKernel {
 public:
  using Datum = double;
  using Parameter = PoissonParameter;
  struct Statistic {
    double count = 0;
    double sum = 0;
    double log_factorials = 0;
    void add(double y) { count += 1, sum += y, log_factorials += log_factorial(y); }
    void remove(double y) { count -= 1, sum -= y, log_factorials -= log_factorial(y); }
  };

  PoissonKernel(double shape, double rate) : shape_(shape), rate_(rate) {
    if (!(shape > 0 && rate > 0))
      throw Error(ErrorCode::configuration, "the gamma base needs shape and rate > 0");
  }

  [[nodiscard]] double log_density(double y, const Parameter& theta) const {
    return y >= 0 ? y * theta.log_rate - theta.rate - log_factorial(y) : -HUGE_VAL;
  }
  double draw(const Parameter& theta, ChainRng& rng) const {
    return static_cast<double>(boost::random::poisson_distribution<long long, double>(theta.rate)(rng));
  }
  Parameter draw_prior(ChainRng& rng) const { return draw_gamma_rate(shape_, rate_, rng); }
  Parameter update(const Parameter&, const Statistic& s, ChainRng& rng) const {
    return draw_gamma_rate(shape_ + s.sum, rate_ + s.count, rng);
  }
  /// What `update` reads of the statistic of `count` draws: their sum is Poisson.
  Statistic draw_statistic(const Parameter& theta, std::size_t count, ChainRng& rng) const {
    const auto n = static_cast<double>(count);
    return {.count = n, .sum = draw({n * theta.rate, 0}, rng)};
  }
  /// Computes   a log b - log Gamma(a) + log Gamma(a + S) - (a + S) log(b + n) - sum log y!
  [[nodiscard]] double log_marginal(const Statistic& s) const {
    return shape_ * std::log(rate_) - std::lgamma(shape_) + std::lgamma(shape_ + s.sum) -
           (shape_ + s.sum) * std::log(rate_ + s.count) - s.log_factorials;
  }

 private:
  static Parameter draw_gamma_rate(double shape, double rate, ChainRng& rng) {
    const double value = std::fmax(draw_gamma(shape, rate, rng), 1e-300);
    return {value, std::log(value)};
  }
  double shape_;
  double rate_;
};

}  // namespace sotto::mixture
