#include "sotto/posterior/once_sampler.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sotto {
namespace {

/// One step that leaves N(mean, covariance) times `likelihood` invariant; `draw` is from N(0, covariance).
/// Source     [MAM10, Figure 2]
template <class Point, class LogLikelihood>
void elliptical_slice(Point& point, double& log_likelihood, const Point& mean, const Point& draw,
                      const LogLikelihood& likelihood, ChainRng& rng) {
  const double level = log_likelihood + std::log1p(-rng.uniform());
  double angle = 2 * std::numbers::pi * rng.uniform();
  double low = angle - 2 * std::numbers::pi;
  double high = angle;
  const Point offset = point - mean;
  while (true) {
    const Point candidate = mean + std::cos(angle) * offset + std::sin(angle) * draw;
    const double value = likelihood(candidate);
    if (value >= level) {
      point = candidate;
      log_likelihood = value;
      return;
    }
    (angle < 0 ? low : high) = angle;
    angle = low + (high - low) * rng.uniform();
    if (!(high - low > 1e-12)) return;  // rounding: stay
  }
}

/// The released numbers in a form the sweeps need; all in the coordinates phi.
struct Target {
  explicit Target(const OnceRelease& once, const NormalPrior& prior) : release(once) {
    const Eigen::Index d = once.anchor.size();
    const Position precision = prior.sd.array().square().inverse();
    prior_precision = once.frame * precision.asDiagonal() * once.frame.transpose();
    prior_pull = once.frame * precision.cwiseProduct(prior.mean - once.anchor);
    // The Wishart prior's exponential part moves the normal's mean; its power of the determinant is left.
    const Matrix tilt = once.expected.ldlt().solve(Matrix::Identity(d, d)) * once.expected_weight;
    information_mean = once.information - once.information_variance / 4 * (tilt + tilt.transpose());
    determinant_power = (once.expected_weight - static_cast<double>(d + 1)) / 2;
  }

  [[nodiscard]] Matrix score_covariance(const Matrix& g) const {
    const double ratio = std::clamp(release.squares / g.trace(), 0.5, 1.0);
    Matrix covariance = ratio * g;
    covariance.diagonal().array() += release.score_variance;
    return covariance;
  }
  /// log N(score; G phi, ...) and what the slice leaves of the prior of G, -infinity outside the cone.
  [[nodiscard]] double log_likelihood(const Matrix& g, const Position& phi) const {
    const Eigen::LLT<Matrix> root_of_g(g);
    if (root_of_g.info() != Eigen::Success) return -HUGE_VAL;
    const double prior = 2 * determinant_power * root_of_g.matrixLLT().diagonal().array().log().sum();
    const Eigen::LLT<Matrix> covariance(score_covariance(g));
    const Position miss = covariance.matrixL().solve(release.score - g * phi);
    return prior - miss.squaredNorm() / 2 - covariance.matrixLLT().diagonal().array().log().sum();
  }
  [[nodiscard]] Position position(const Position& phi) const {
    return release.anchor + release.frame.transpose() * phi;
  }

  const OnceRelease& release;
  Matrix prior_precision;
  Position prior_pull;
  Matrix information_mean;
  double determinant_power;
};

struct State {
  Position phi;
  Matrix information;
};

Matrix symmetric_noise(Eigen::Index d, double variance, ChainRng& rng) {
  Matrix noise(d, d);
  for (Eigen::Index i = 0; i < d; ++i) {
    noise(i, i) = std::sqrt(variance) * rng.normal();
    for (Eigen::Index j = i + 1; j < d; ++j)
      noise(i, j) = noise(j, i) = std::sqrt(variance / 2) * rng.normal();
  }
  return noise;
}

/// A positive definite start: the released information with its eigenvalues raised.
State init(const Target& target) {
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(target.information_mean);
  const double least =
      0.05 * target.release.expected.trace() / static_cast<double>(target.release.anchor.size());
  const Position values = solver.eigenvalues().cwiseMax(least);
  return {Position::Zero(target.release.anchor.size()),
          solver.eigenvectors() * values.asDiagonal() * solver.eigenvectors().transpose()};
}

/// Position given information: exact under the normal prior, and the base of the slice under another.
void draw_position(const Target& target, const PriorRatio& ratio, State& state, ChainRng& rng) {
  const Eigen::LLT<Matrix> covariance(target.score_covariance(state.information));
  const Matrix weighted = covariance.solve(state.information);
  const Eigen::LLT<Matrix> precision(state.information * weighted + target.prior_precision);
  const Position mean = precision.solve(weighted.transpose() * target.release.score + target.prior_pull);
  const Position draw = precision.matrixU().solve(rng.normals(mean.size()));
  if (!ratio) {
    state.phi = mean + draw;
    return;
  }
  const auto likelihood = [&](const Position& phi) { return ratio(target.position(phi)); };
  double value = likelihood(state.phi);
  elliptical_slice(state.phi, value, mean, draw, likelihood, rng);
}

void sweep(const Target& target, const PriorRatio& ratio, State& state, ChainRng& rng) {
  const auto likelihood = [&](const Matrix& g) { return target.log_likelihood(g, state.phi); };
  double value = likelihood(state.information);
  const Matrix noise = symmetric_noise(state.information.rows(), target.release.information_variance, rng);
  elliptical_slice(state.information, value, target.information_mean, noise, likelihood, rng);
  draw_position(target, ratio, state, rng);
}

}  // namespace

OncePosterior sample_once(const OnceRelease& release, const NormalPrior& prior, const PriorRatio& ratio,
                          const OnceSampling& sampling) {
  const Target target(release, prior);
  const Eigen::Index d = release.anchor.size();
  OncePosterior posterior;
  Matrix information = Matrix::Zero(d, d);
  Position sum = Position::Zero(d);
  Position squares = Position::Zero(d);
  for (std::size_t c = 0; c < sampling.chains; ++c) {
    ChainRng rng(sampling.seed, c);
    State state = init(target);
    Chain chain;
    chain.seed = sampling.seed;
    chain.warmup = sampling.warmup;
    chain.draws.resize(static_cast<Eigen::Index>(sampling.draws), d);
    draw_position(target, {}, state, rng);
    for (std::size_t t = 0; t < sampling.warmup; ++t) sweep(target, ratio, state, rng);
    for (Eigen::Index t = 0; t < chain.draws.rows(); ++t) {
      for (std::size_t s = 0; s < sampling.thin; ++s) sweep(target, ratio, state, rng);
      const Position theta = target.position(state.phi);
      chain.draws.row(t) = theta.transpose();
      information += state.information;
      sum += theta - release.anchor;
      squares += (theta - release.anchor).array().square().matrix();
    }
    posterior.chains.push_back(std::move(chain));
  }
  // Without weights the information would be G over their mean, which ratio = sum c^2 / sum c bounds from above; the factor
  // 1.25 is a fit to box covariates.
  const double count = static_cast<double>(sampling.chains * sampling.draws);
  information /= count;
  posterior.weight_kept = std::clamp(release.squares / information.trace(), 0.5, 1.0);
  const double kept = 1 - 1.25 * (1 - posterior.weight_kept);
  const Matrix clear = (information / kept + target.prior_precision).inverse();
  const Position clear_variance = (release.frame.transpose() * clear * release.frame).diagonal();
  const Position variance = (squares / count).array() - (sum / count).array().square();
  posterior.sd_inflation = (variance.array() / clear_variance.array()).sqrt();
  return posterior;
}

}  // namespace sotto
