#include "sotto/diagnostics/effective_sample_size.hpp"

#include <fftw3.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "sotto/diagnostics/sequences.hpp"

namespace sotto {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// FFTW's planner is the one part of it that threads may not share.
std::mutex& planner() {
  static std::mutex mutex;
  return mutex;
}

// Forward and backward real transforms of one length on buffers of their own.
class Transform {
 public:
  explicit Transform(std::size_t length)
      : real(fftw_alloc_real(length), fftw_free), spectrum(fftw_alloc_complex(length / 2 + 1), fftw_free) {
    const std::lock_guard lock(planner());
    forward_ = fftw_plan_dft_r2c_1d(static_cast<int>(length), real.get(), spectrum.get(), FFTW_ESTIMATE);
    backward_ = fftw_plan_dft_c2r_1d(static_cast<int>(length), spectrum.get(), real.get(), FFTW_ESTIMATE);
  }
  ~Transform() {
    const std::lock_guard lock(planner());
    fftw_destroy_plan(forward_);
    fftw_destroy_plan(backward_);
  }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  void forward() { fftw_execute(forward_); }
  void backward() { fftw_execute(backward_); }

  std::unique_ptr<double[], void (*)(void*)> real;
  std::unique_ptr<fftw_complex[], void (*)(void*)> spectrum;

 private:
  fftw_plan forward_;
  fftw_plan backward_;
};

// Geyer's initial positive sequence, made monotone: pairs of autocorrelations are kept while their sum is
// positive, and of the pair behind the last one kept the even member counts once.
double autocorrelation_time(const Eigen::VectorXd& rho) {
  double even = rho(0);
  double odd = rho(1);
  double kept = 0;
  double smallest = std::numeric_limits<double>::infinity();
  for (Eigen::Index t = 1; t < rho.size() - 3 && even + odd > 0; t += 2) {
    smallest = std::min(smallest, even + odd);
    kept += smallest;
    even = rho(t + 1);
    odd = rho(t + 2);
  }
  return -1 + 2 * kept + (even > 0 || even + odd >= 0 ? even : 0);
}

}  // namespace

Matrix autocovariance(const Matrix& x) {
  const auto count = static_cast<std::size_t>(x.rows());
  Matrix result(x.rows(), x.cols());
  if (count == 0) return result;
  const std::size_t length =
      std::bit_ceil(2 * count);  // zeros keep the end of a chain from meeting its beginning
  Transform transform(length);
  const double scale = 1 / (static_cast<double>(length) * static_cast<double>(count));
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    std::fill_n(transform.real.get(), length, 0.0);
    Eigen::Map<Eigen::VectorXd> values(transform.real.get(), x.rows());
    values = x.col(c).array() - x.col(c).mean();
    transform.forward();
    for (std::size_t k = 0; k <= length / 2; ++k) {
      double* entry = transform.spectrum[k];
      entry[0] = entry[0] * entry[0] + entry[1] * entry[1];
      entry[1] = 0;
    }
    transform.backward();
    result.col(c) = values * scale;
  }
  return result;
}

double plain_ess(const Matrix& x) {
  if (x.rows() < 2 || x.cols() < 1 || !x.allFinite() || x.maxCoeff() == x.minCoeff()) return kNone;
  const auto length = static_cast<double>(x.rows());
  const Eigen::VectorXd covariance = autocovariance(x).rowwise().mean();
  const double within = covariance(0) * length / (length - 1);
  double variance = covariance(0);
  if (x.cols() > 1) {
    const Eigen::RowVectorXd mean = x.colwise().mean();
    variance += (mean.array() - mean.mean()).square().sum() / static_cast<double>(x.cols() - 1);
  }
  Eigen::VectorXd rho = 1 - (within - covariance.array()) / variance;
  rho(0) = 1;
  const auto total = static_cast<double>(x.size());
  return total / std::max(autocorrelation_time(rho), 1 / std::log10(total));
}

double ess_mean(const Matrix& x) { return can_be_diagnosed(x) ? plain_ess(split_chains(x)) : kNone; }

double ess_bulk(const Matrix& x) {
  return can_be_diagnosed(x) ? plain_ess(rank_normalise(split_chains(x))) : kNone;
}

double ess_quantile(const Matrix& x, double probability) {
  if (!can_be_diagnosed(x)) return kNone;
  const double border = quantile(std::vector<double>(x.data(), x.data() + x.size()), probability);
  return plain_ess(split_chains((x.array() <= border).cast<double>()));
}

double ess_tail(const Matrix& x) {
  const double lower = ess_quantile(x, 0.05);
  const double upper = ess_quantile(x, 0.95);
  return std::isnan(lower) || std::isnan(upper) ? kNone : std::min(lower, upper);
}

}  // namespace sotto
