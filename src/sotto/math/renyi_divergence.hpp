// Renyi divergences of known pairs of distributions, and what sampling makes of them.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

namespace sotto {

/// N(ratio, 1) from N(0, 1), order a.
[[nodiscard]] inline double gaussian_renyi(double ratio, double a) { return a * ratio * ratio / 2; }

/// Laplace noise of scale 1 moved by `ratio`.
/// Source     [M17, table II]; for small ratios the exact form cancels, and being ratio-private costs hardly more [BS16, Proposition 1.4]
[[nodiscard]] double laplace_renyi(double ratio, double a);

/// Binary randomised response with odds e^epsilon: the largest Renyi cost of an epsilon-private mechanism.
[[nodiscard]] double pure_renyi(double epsilon, double a);

/// One of `levels` answers, with `probability` replaced by a uniformly drawn one.
[[nodiscard]] double response_renyi(double probability, double levels, double a);

/// The rho of zero-concentrated privacy that an epsilon-private mechanism has.
/// Source     [BS16, Proposition 3.3]
[[nodiscard]] inline double rho_of_pure(double epsilon) { return epsilon * epsilon / 2; }

/// A Poisson sample of rate q at an integer order >= 2, one row added or removed; log_moment(k) = log E (f1 / f0)^k of the
/// noise without sampling.
/// Computes   log sum_k C(a, k) (1 - q)^(a - k) q^k exp(log_moment(k)), divided by a - 1
/// Source     [MTZ19, section 3.3 and theorem 5]
[[nodiscard]] double poisson_batch_renyi(double q, int a, const std::function<double(int)>& log_moment);

/// The same at any real order in (1, kMostFractional] and ratio in (0, kMostFractionalRatio], for noise of scale 1 and a row that moves its centre by `ratio`.
/// Computes   log(1 + E g(w)) / (a - 1), w = q (f1 / f0 - 1) under f0, g(w) = (1 + w)^a - 1 - a w >= 0: as E w = 0 nothing cancels.
///            Trapezoidal rule (Gaussian), Gauss-Legendre rule and two atoms (Laplace), relative error below 1e-9, rounded up
/// Source     [MTZ19, section 3.3]
/// Checked by tests/accountant/renyi_test.cpp: orders_between_integers_are_exact
[[nodiscard]] double poisson_gaussian_renyi(double q, double ratio, double a);
[[nodiscard]] double poisson_laplace_renyi(double q, double ratio, double a);
inline constexpr double kMostFractional = 20;
inline constexpr double kMostFractionalRatio = 10;  ///< beyond it the integrals are long

/// A batch of fixed size at an integer order >= 2, one row exchanged; `cost` of the mechanism on the batch, which need not
/// bound any loss.
/// Source     [WBK19, Theorem 9]
[[nodiscard]] double fixed_batch_renyi(double q, int a, const std::function<double(int)>& cost);

/// Under substitution the row is in the Poisson batch of both data sets or of neither: at worst the whole cost. Or take the
/// row out of one, then put the other in: the weak triangle inequality, `one` the cost of either.
/// Source     [M17, Proposition 11]
template <class Cost>
[[nodiscard]] double exchanged_renyi(double a, double whole, const Cost& one) {
  return std::min(whole, (a - 0.5) / (a - 1) * one(2 * a) + one(2 * a - 1));
}

/// Gaussian noise on a batch of fixed size; ratio = sensitivity / sigma for one exchanged row.
/// Source     [WBK19, Theorem 27]
class FixedBatchGaussianRenyi {
 public:
  FixedBatchGaussianRenyi(double ratio, double q) : ratio_(ratio), q_(q) {}
  /// At an integer order >= 2. Remembers moments: not for several threads at once.
  [[nodiscard]] double cost(int a);

 private:
  [[nodiscard]] double term(int j);
  [[nodiscard]] double moment(int l);
  double ratio_;
  double q_;
  std::vector<double> moments_;
};

}  // namespace sotto
