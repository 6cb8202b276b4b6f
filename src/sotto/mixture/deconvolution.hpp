// The deconvolution kernel density estimator: the non-Bayesian peer for data with additive noise.
#pragma once

#include <cstddef>
#include <span>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"

namespace sotto::mixture {

enum class NoiseLaw { laplace, gaussian };

/// Noise added to every datum, in the data's units: Laplace(0, scale), or normal with standard deviation
/// `scale`.
struct AdditiveNoise {
  NoiseLaw law = NoiseLaw::laplace;
  double scale = 1;
};

/// Everything that needs a pass over the releases: their empirical characteristic function.
///
/// Computes   f(x) = (1/2pi) integral of e^(-itx) phi_Z(t) phi_K(h t) / phi_noise(t) dt
/// Source     [SC90]; kernels as in [WW11]: Gaussian for Laplace noise, phi_K(t) = (1 - t^2)^3 on [-1, 1] for
///            Gaussian noise
/// Holds when the releases are the data plus independent noise; `domain` is where the data are
///            declared to lie
/// Checked by tests/mixture/deconvolution_test.cpp: agrees_with_the_closed_form, finds_the_truth
class Deconvolution {
 public:
  /// Errors: data when there are no releases or one is not finite.
  Deconvolution(std::span<const double> releases, AdditiveNoise noise, Interval domain);

  /// The bandwidth that minimises the mean integrated squared error of the bootstrap, in closed form.
  ///
  /// Computes   argmin over h of  (1/2pi n) int phi_K(ht)^2 / phi_noise^2 - (1/pi) int |phi_g|^2 phi_K(ht)
  ///            + (1 - 1/n) (1/2pi) int |phi_g|^2 phi_K(ht)^2,  phi_g = phi_Z phi_K(gt) / phi_noise, with the
  ///            pilot bandwidth g of a two-stage plug-in for the integral of f''^2
  /// Source     [DG04, sections 2.2 and 3]
  /// Differs    the variance of the data that starts the plug-in is at least its standard error under the
  ///            noise alone, and at most that of uniform data: the difference of two variances may be
  ///            negative where noise dominates
  [[nodiscard]] double bootstrap_bandwidth() const;

  /// (5 sd^4 / n)^(1/9) for Laplace noise of this sd, sd sqrt(2 / ln n) for Gaussian noise: for comparison
  /// only, it knows nothing of the data.
  /// Source     [WW11, section 2.3]
  [[nodiscard]] double rule_of_thumb_bandwidth() const;

  /// The estimate on a grid, as the formula has it: it may be negative. Shape (grid).
  [[nodiscard]] Position density(double bandwidth, const Position& grid) const;

 private:
  [[nodiscard]] double kernel(double t) const;         // phi_K
  [[nodiscard]] double inverse_noise(double t) const;  // 1 / phi_noise
  [[nodiscard]] double noise_sd() const;
  [[nodiscard]] double roughness(int order, double bandwidth) const;
  [[nodiscard]] double roughness_bandwidth(int order, double next_roughness) const;
  [[nodiscard]] double bootstrap_error(double bandwidth, const Position& pilot_power) const;
  template <class Score>
  [[nodiscard]] double best_bandwidth(Score score) const;

  AdditiveNoise noise_;
  Interval domain_;
  double n_;
  double variance_ = 0;  // of the releases
  double step_ = 0;      // of t
  Position real_;  // shape (frequencies): of the characteristic function, about the middle of the domain
  Position imaginary_;
};

/// The positive part of an estimate, rescaled to integrate to one over the grid: what a figure shows.
[[nodiscard]] Position positive_density(const Position& grid, const Position& estimate);

}  // namespace sotto::mixture
