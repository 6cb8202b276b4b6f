// Renyi divergences of known pairs of distributions, and what sampling makes of them.
#pragma once

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

/// A batch of fixed size at an integer order >= 2, one row exchanged; `cost` of the mechanism on the batch, which need not
/// bound any loss.
/// Source     [WBK19, Theorem 9]
[[nodiscard]] double fixed_batch_renyi(double q, int a, const std::function<double(int)>& cost);

/// Under substitution the row is in the Poisson batch of both data sets or of neither: at worst the whole cost. Or take the
/// row out of one, then put the other in: the weak triangle inequality, `one` the cost of either.
/// Source     [M17, Proposition 11]
[[nodiscard]] double exchanged_renyi(int a, double whole, const std::function<double(int)>& one);

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
