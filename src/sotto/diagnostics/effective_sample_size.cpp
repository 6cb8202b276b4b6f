#include "sotto/diagnostics/effective_sample_size.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "sotto/diagnostics/sequences.hpp"
#include "sotto/math/fourier.hpp"

namespace sotto {
namespace {

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
  std::vector<double> values(length);
  for (Eigen::Index c = 0; c < x.cols(); ++c) {
    std::fill(values.begin(), values.end(), 0.0);
    Eigen::Map<Eigen::VectorXd>(values.data(), x.rows()) = x.col(c).array() - x.col(c).mean();
    std::vector<std::complex<double>> spectrum = real_to_complex(values);
    for (std::complex<double>& entry : spectrum) entry = std::norm(entry);
    const std::vector<double> covariance = complex_to_real(spectrum, length);
    result.col(c) =
        Eigen::Map<const Eigen::VectorXd>(covariance.data(), x.rows()) / static_cast<double>(count);
  }
  return result;
}

double plain_ess(const Matrix& x) {
  if (x.rows() < 2 || x.cols() < 1 || !x.allFinite() || x.maxCoeff() == x.minCoeff()) return kUndefined;
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

double ess_mean(const Matrix& x) { return can_be_diagnosed(x) ? plain_ess(split_chains(x)) : kUndefined; }

double ess_bulk(const Matrix& x) {
  return can_be_diagnosed(x) ? plain_ess(rank_normalise(split_chains(x))) : kUndefined;
}

double ess_quantile(const Matrix& x, double probability) {
  if (!can_be_diagnosed(x)) return kUndefined;
  const double border = quantile(std::vector<double>(x.data(), x.data() + x.size()), probability);
  return plain_ess(split_chains((x.array() <= border).cast<double>()));
}

double ess_tail(const Matrix& x) {
  const double lower = ess_quantile(x, 0.05);
  const double upper = ess_quantile(x, 0.95);
  return std::isnan(lower) || std::isnan(upper) ? kUndefined : std::min(lower, upper);
}

}  // namespace sotto
