#include "sotto/posterior/residual_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <optional>
#include <utility>
#include <vector>

#include "sotto/math/clipped_normal.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

constexpr double kNearestLog = -1.5;   // log2 of components' standard deviations over the scale
constexpr double kFarthestSeen = 6;    // standard deviation over the scale, without clear tails
constexpr double kLogStep = 0.5;       // of log2
constexpr double kOtherShares = 0.1;   // of the Dirichlet prior, the main component's being 1
constexpr double kMostLog = 5;         // of a gamma variable: more is not thought of
constexpr double kLeastLog = -60;      // likewise less
constexpr double kSharedGrain = 5e-4;  // the common factor's logarithm is a whole number of these
constexpr int kMostShared = 700;       // of them
constexpr double kSharedStep = 0.05;
constexpr double kLongSteps = 1.2;    // sd of the logarithm of a step's length
constexpr double kFourths = 0.6;      // E clip^4 over clip^2 E clip^2, about
constexpr double kNegligible = -7;    // logarithm of other components' gamma variables at the start
constexpr double kFirstShared = 0.1;  // sd of log_shared there
constexpr std::size_t kMixtureChains = 24;
constexpr int kMixtureSteps = 5000;  // of each chain, the first half thrown away
constexpr int kThinned = 10;         // one step of so many gives a draw
constexpr int kCrossings = 3;
constexpr double kCrossed = 0.6;        // median of a crossing's share of a difference
constexpr double kCrossedSpread = 0.5;  // sd of its logarithm
constexpr double kCrossedJitter = 1e-3;
constexpr std::size_t kSharedEvery = 5;           // about
constexpr std::uint64_t kMixtureStream = 0x6d69;  // draws of the posterior have others

/// P(|N(0, s^2)| > x).
double normal_beyond(double x, double s) { return std::erfc(x / (s * std::numbers::sqrt2)); }

/// What was released, and whose standard deviations are mixed.
struct Mixed {
  const ResidualHistogram& histogram;
  const ClippedSquares& squares;
  Position sds;    ///< of the components, but for the shared factor
  Position prior;  ///< of their shares
};

/// What follows from the factor that all components share.
struct Layout {
  Matrix cells{};  ///< a component's share in each cell, by cell and component
  Position clipped{}, beyond{};

  Layout(const Mixed& mixed, double log_shared) {
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
      clipped[k] = s * s * clipped_normal(mixed.squares.clip / s).square;
      beyond[k] = s * s * clipped_normal(edges[last] / s).square - clipped[k];
    }
  }
};

/// The common factor's logarithm, as a number of grains.
int grains(double log_shared) { return static_cast<int>(std::lround(log_shared / kSharedGrain)); }

/// All of them, each made when a chain first thinks of it.
class Layouts {
 public:
  explicit Layouts(const Mixed& mixed) : mixed_(mixed), made_(2 * kMostShared + 1) {}
  const Layout& at(int shared) {
    const std::ptrdiff_t place = std::ptrdiff_t{kMostShared} + shared;
    std::optional<Layout>& one = made_[static_cast<std::size_t>(place)];
    if (!one) one.emplace(mixed_, shared * kSharedGrain);
    return *one;
  }

 private:
  const Mixed& mixed_;
  std::vector<std::optional<Layout>> made_;
};

/// Logarithms of gamma variables, which over their sum are the shares, and what follows from these.
struct Shares {
  Position log_gamma;
  double mean_beyond = 0, log_density = 0;

  void weigh(const Mixed& mixed, const Layout& layout) {
    Position shares = log_gamma.array().exp();
    const double log_prior = mixed.prior.dot(log_gamma) - shares.sum();
    shares /= shares.sum();
    const ResidualHistogram& histogram = mixed.histogram;
    const Eigen::ArrayXd expected = histogram.rows * (layout.cells * shares).array();
    const Eigen::ArrayXd variance = histogram.variance + histogram.alike * expected;
    const double mean = layout.clipped.dot(shares);
    const double fourth = kFourths * mixed.squares.clip * mixed.squares.clip * mean;
    const double of_sum = mixed.squares.variance + histogram.alike * histogram.rows * fourth;
    const double miss = mixed.squares.sum - histogram.rows * mean;
    log_density = log_prior -
                  0.5 * ((histogram.counts.array() - expected).square() / variance + variance.log()).sum() -
                  0.5 * (miss * miss / of_sum + std::log(of_sum));
    mean_beyond = layout.beyond.dot(shares);
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

/// A Metropolis chain. Its proposals are symmetric in the logarithms of the gamma variables, of two of which one can also take from the
/// other, their sum kept: in the sum's logarithm and the parts' log odds, whose Jacobian is one. Shares trade with each other and with the
/// shared factor along narrow ridges, which two other chains show: a share of what separates these is added to some coordinates.
/// Source     [B06]: chains that propose each other's differences
class MixtureChain {
 public:
  MixtureChain(const Mixed& mixed, Layouts& layouts, const Position& log_gamma, int shared)
      : mixed_(mixed), layouts_(layouts), shared_(shared), at_{log_gamma} {
    at_.weigh(mixed, layouts.at(shared));
  }
  void step(ChainRng& rng) {
    change_one(rng);
    transfer(rng);
    swap_neighbours(rng);
    if (rng.below(kSharedEvery) == 0) change_shared(rng);
  }
  void cross(const MixtureChain& towards, const MixtureChain& from, ChainRng& rng) {
    const double much = kCrossed * std::exp(kCrossedSpread * rng.normal());
    const double taken = rng.uniform();
    to_.log_gamma = at_.log_gamma;
    for (Eigen::Index k = 0; k < to_.log_gamma.size(); ++k) {
      if (rng.uniform() >= taken) continue;
      double& one = to_.log_gamma[k];
      one += much * (towards.at_.log_gamma[k] - from.at_.log_gamma[k]) + kCrossedJitter * rng.normal();
      if (one >= kMostLog || one <= kLeastLog) return;
    }
    go_if_likely(shared_ + grains(much * kSharedGrain * (towards.shared_ - from.shared_)), rng);
  }
  [[nodiscard]] double mean_beyond() const { return at_.mean_beyond; }

 private:
  static double length(ChainRng& rng) { return std::exp(kLongSteps * rng.normal()) * rng.normal(); }
  Eigen::Index any(Eigen::Index below, ChainRng& rng) const {
    return static_cast<Eigen::Index>(rng.below(static_cast<std::size_t>(below)));
  }
  void go_if_likely(int shared, ChainRng& rng) {
    if (std::abs(shared) > kMostShared) return;
    to_.weigh(mixed_, layouts_.at(shared));
    if (std::log(rng.uniform()) >= to_.log_density - at_.log_density) return;
    std::swap(at_, to_);
    shared_ = shared;
  }
  void change_one(ChainRng& rng) {
    to_.log_gamma = at_.log_gamma;
    double& one = to_.log_gamma[any(to_.log_gamma.size(), rng)];
    one += length(rng);
    if (one < kMostLog && one > kLeastLog) go_if_likely(shared_, rng);
  }
  void transfer(ChainRng& rng) {
    to_.log_gamma = at_.log_gamma;
    const Eigen::Index size = to_.log_gamma.size();
    const Eigen::Index i = any(size, rng);
    const Eigen::Index j = (i + 1 + any(size - 1, rng)) % size;
    const double high = std::max(to_.log_gamma[i], to_.log_gamma[j]);
    const double sum = high + std::log1p(std::exp(-std::abs(to_.log_gamma[i] - to_.log_gamma[j])));
    const double odds = to_.log_gamma[i] - to_.log_gamma[j] + length(rng);
    to_.log_gamma[i] = sum - std::log1p(std::exp(-odds));
    to_.log_gamma[j] = sum - std::log1p(std::exp(odds));
    if (std::min(to_.log_gamma[i], to_.log_gamma[j]) > kLeastLog) go_if_likely(shared_, rng);
  }
  void swap_neighbours(ChainRng& rng) {
    to_.log_gamma = at_.log_gamma;
    const Eigen::Index k = any(to_.log_gamma.size() - 1, rng);
    std::swap(to_.log_gamma[k], to_.log_gamma[k + 1]);
    go_if_likely(shared_, rng);
  }
  void change_shared(ChainRng& rng) {
    to_.log_gamma = at_.log_gamma;
    go_if_likely(shared_ + grains(kSharedStep * length(rng)), rng);
  }

  const Mixed& mixed_;
  Layouts& layouts_;
  int shared_;  ///< grains of the common factor
  Shares at_, to_;
};

std::pair<std::size_t, std::size_t> two_others(std::size_t chain, ChainRng& rng) {
  const std::size_t ahead = 1 + rng.below(kMixtureChains - 1);
  const std::size_t further = 1 + (ahead + rng.below(kMixtureChains - 2)) % (kMixtureChains - 1);
  return {(chain + ahead) % kMixtureChains, (chain + further) % kMixtureChains};
}

}  // namespace

Position squares_beyond(const ResidualHistogram& histogram, const ClippedSquares& squares, double scale,
                        const ResidualTails& tails, std::uint64_t seed) {
  if (!(scale > 0) || histogram.edges.size() < 3) return {};
  const Position factors = components(histogram, scale, tails);
  Eigen::Index main = 0;
  (factors.array() - 1).abs().minCoeff(&main);
  Mixed mixed{histogram, squares, scale * factors, factors.unaryExpr([](double f) {
                return kOtherShares * std::min({1.0, f * f, 1 / (f * f)});
              })};
  mixed.prior[main] = 1;
  Position start = Position::Constant(factors.size(), kNegligible);
  start[main] = 0;
  Layouts layouts(mixed);
  ChainRng rng(seed, kMixtureStream);
  std::vector<MixtureChain> chains;
  chains.reserve(kMixtureChains);
  for (std::size_t c = 0; c < kMixtureChains; ++c)
    chains.emplace_back(mixed, layouts, start,
                        std::clamp(grains(kFirstShared * rng.normal()), -kMostShared, kMostShared));
  constexpr int kFirstKept = kMixtureSteps / 2;
  constexpr Eigen::Index kKept = kFirstKept / kThinned;  // of a chain
  Position draws(static_cast<Eigen::Index>(kMixtureChains) * kKept);
  for (int step = 0; step < kMixtureSteps; ++step)
    for (std::size_t c = 0; c < kMixtureChains; ++c) {
      chains[c].step(rng);
      for (int i = 0; i < kCrossings; ++i) {
        const auto [first, second] = two_others(c, rng);
        chains[c].cross(chains[first], chains[second], rng);
      }
      if (step >= kFirstKept && step % kThinned == 0)
        draws[static_cast<Eigen::Index>(c) * kKept + (step - kFirstKept) / kThinned] =
            chains[c].mean_beyond();
    }
  return draws;
}

}  // namespace sotto
