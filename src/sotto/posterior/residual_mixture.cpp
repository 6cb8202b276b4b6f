#include "sotto/posterior/residual_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kNearestLog = -1.5;   // log2 of components' standard deviations over the scale
constexpr double kFarthestSeen = 6;    // standard deviation over the scale, without clear tails
constexpr double kLogStep = 0.5;       // of log2
constexpr double kOtherShares = 0.1;   // of the Dirichlet prior, the main component's being 1
constexpr double kMostLog = 5;         // of a gamma variable: more is not thought of
constexpr double kLeastLog = -60;      // likewise less
constexpr double kSharedReach = 0.35;  // of the logarithm of the common factor
constexpr double kSharedStep = 0.05;
constexpr double kLongSteps = 1.2;    // sd of the logarithm of a step's length
constexpr double kFourths = 0.6;      // E clip^4 over clip^2 E clip^2, about
constexpr double kNegligible = -7;    // logarithm of other components' gamma variables at the start
constexpr double kFirstShared = 0.1;  // sd of log_shared there
constexpr int kMixtureChains = 4;
constexpr int kKeptDraws = 300;  // draws of a chain, from its second half
constexpr int kThinned = 5;      // one of so many

/// P(|N(0, s^2)| > x).
double normal_beyond(double x, double s) { return std::erfc(x / (s * std::numbers::sqrt2)); }

/// What was released, and whose standard deviations are mixed.
struct Mixed {
  const ResidualHistogram& histogram;
  const ClippedSquares& squares;
  Position sds;    ///< of the components, but for the shared factor
  Position prior;  ///< of their shares
};

/// One state of the chain and what follows from it.
struct MixtureState {
  Position log_gamma;  ///< shares are exp of it over their sum
  double log_shared = 0;
  Matrix cells{};  ///< a component's share in each cell, by cell and component
  Position clipped{}, beyond{};
  double mean_beyond = 0, log_density = 0;

  /// What follows from `log_shared`.
  void lay_out(const Mixed& mixed) {
    const Position& edges = mixed.histogram.edges;
    const Eigen::Index last = edges.size() - 1;
    cells.resize(last, mixed.sds.size());
    clipped.resize(mixed.sds.size());
    beyond.resize(mixed.sds.size());
    for (Eigen::Index k = 0; k < mixed.sds.size(); ++k) {
      const double s = mixed.sds[k] * std::exp(log_shared);
      double above = 1;
      for (Eigen::Index j = 0; j < last; ++j) {
        const double next = j + 1 < last ? normal_beyond(edges[j + 1], s) : 0;
        cells(j, k) = above - next;
        above = next;
      }
      clipped[k] = clipped_moments(s, mixed.squares.clip).second;
      beyond[k] = clipped_moments(s, edges[last]).second - clipped[k];
    }
  }
  /// What follows from `log_gamma` and the above.
  void weigh(const Mixed& mixed) {
    Position shares = log_gamma.array().exp();
    const double log_prior = mixed.prior.dot(log_gamma) - shares.sum();
    shares /= shares.sum();
    const ResidualHistogram& histogram = mixed.histogram;
    const Eigen::ArrayXd expected = histogram.rows * (cells * shares).array();
    const Eigen::ArrayXd variance = histogram.variance + histogram.alike * expected;
    const double mean = clipped.dot(shares);
    const double fourth = kFourths * mixed.squares.clip * mixed.squares.clip * mean;
    const double of_sum = mixed.squares.variance + histogram.alike * histogram.rows * fourth;
    const double miss = mixed.squares.sum - histogram.rows * mean;
    log_density = log_prior -
                  0.5 * ((histogram.counts.array() - expected).square() / variance + variance.log()).sum() -
                  0.5 * (miss * miss / of_sum + std::log(of_sum));
    mean_beyond = beyond.dot(shares);
  }
};

/// Where components' standard deviations lie, over the scale.
Position components(const ResidualHistogram& histogram, double scale, const ResidualTails& tails) {
  double farthest = kFarthestSeen;
  for (const TailCell& cell : tails.cells)
    farthest = std::max(farthest, cell.size * std::numbers::sqrt2 / scale);
  farthest = std::min(farthest, histogram.edges[histogram.edges.size() - 1] / (2 * scale));
  const auto count = static_cast<Eigen::Index>(
      std::max(std::floor((std::log2(farthest) - kNearestLog) / kLogStep) + 1, 1 - kNearestLog / kLogStep));
  return Position::NullaryExpr(
      count, [](Eigen::Index k) { return std::exp2(kNearestLog + kLogStep * static_cast<double>(k)); });
}

void go_if_likely(const Mixed& mixed, MixtureState& state, MixtureState& to, ChainRng& rng) {
  to.weigh(mixed);
  if (std::log(rng.uniform()) < to.log_density - state.log_density) state = to;
}

void step(const Mixed& mixed, MixtureState& state, ChainRng& rng) {
  const auto size = static_cast<std::size_t>(mixed.sds.size());
  const double length = std::exp(kLongSteps * rng.normal());
  MixtureState to = state;
  double& one = to.log_gamma[static_cast<Eigen::Index>(rng.below(size))];
  one += length * rng.normal();
  if (one < kMostLog && one > kLeastLog) go_if_likely(mixed, state, to, rng);
  to = state;
  const auto k = static_cast<Eigen::Index>(rng.below(size - 1));
  std::swap(to.log_gamma[k], to.log_gamma[k + 1]);
  go_if_likely(mixed, state, to, rng);
  to = state;
  to.log_shared += kSharedStep * length * rng.normal();
  if (std::abs(to.log_shared) > kSharedReach) return;
  to.lay_out(mixed);
  go_if_likely(mixed, state, to, rng);
}

}  // namespace

ClippedMoments clipped_moments(double s, double h) {
  const double k = h / s;
  const double above = std::erfc(k / std::numbers::sqrt2) / 2;
  const double density = std::exp(-k * k / 2) / std::sqrt(2 * std::numbers::pi);
  const double inside = 1 - 2 * above;
  const double k2 = k * k;
  const double second = inside - 2 * k * density + 2 * k2 * above;
  const double fourth = 3 * inside - 2 * density * (k2 * k + 3 * k) + 2 * k2 * k2 * above;
  return {s * s * second, s * s * s * s * fourth};
}

Position squares_beyond(const ResidualHistogram& histogram, const ClippedSquares& squares, double scale,
                        const ResidualTails& tails, std::uint64_t seed) {
  const Position factors = components(histogram, scale, tails);
  Eigen::Index main = 0;
  (factors.array() - 1).abs().minCoeff(&main);
  Mixed mixed{histogram, squares, scale * factors, factors.unaryExpr([](double f) {
                return kOtherShares * std::min({1.0, f * f, 1 / (f * f)});
              })};
  mixed.prior[main] = 1;
  Position draws(kMixtureChains * kKeptDraws);
  Eigen::Index kept = 0;
  for (std::uint64_t chain = 0; chain < kMixtureChains; ++chain) {
    ChainRng rng(seed, chain);
    MixtureState state{Position::Constant(factors.size(), kNegligible), kFirstShared * rng.normal()};
    state.log_gamma[main] = 0;
    state.lay_out(mixed);
    state.weigh(mixed);
    for (int i = 0; i < 2 * kKeptDraws * kThinned; ++i) {
      step(mixed, state, rng);
      if (i >= kKeptDraws * kThinned && i % kThinned == 0) draws[kept++] = state.mean_beyond;
    }
  }
  return draws;
}

}  // namespace sotto
