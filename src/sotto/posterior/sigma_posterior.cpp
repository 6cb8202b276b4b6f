#include "sotto/posterior/sigma_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/math/clipped_normal.hpp"

namespace sotto {
namespace {

constexpr int kSpreads = 2000;
constexpr double kFromClip = 1e-4;  // spread over the clip: the ends of the first grid
constexpr double kToClip = 10;
constexpr double kUnlikely = 35;      // log densities below the highest
constexpr int kCells = 200;           // of log(sigma)
constexpr double kLeastSigma = 0.05;  // sigma over the largest spread: less is not looked at
constexpr double kPriorReach = 5;     // of its scale below its location
constexpr double kTableBegins = -12;  // log of q over that spread's square: the table's ends
constexpr double kTableEnds = 3;
constexpr double kSigmaTableStep = 0.01;
constexpr double kLeastFree = 0.1;  // degrees of freedom over rows

}  // namespace

SigmaPosterior::SigmaPosterior(const OnceRound& last, const ResidualTails& tails, const SquaredRows& of,
                               const std::optional<CoefficientPrior>& log_prior, Position beyond)
    : clip_(last.plan.clip),
      squares_(last.residual_squares->value[0]),
      squares_variance_(last.residual_squares->variance),
      of_(of),
      log_free_(0.5 * std::log(std::max(1 - of.fitted / of.rows, kLeastFree))),
      fourth_(tails.fourth(clip_)),
      beyond_(std::move(beyond)),
      log_prior_(log_prior),
      least_spread_(clip_ * kFromClip),
      most_spread_(clip_ * kToClip) {
  // Over all that may be, then where the likelihood lies: it may be narrower than a cell of the first.
  for (int look = 0; look < 2; ++look) {
    const Position log_spread =
        Position::LinSpaced(kSpreads, std::log(least_spread_), std::log(most_spread_));
    const Position log_density =
        log_spread.unaryExpr([this](double l) { return log_likelihood(std::exp(l)); });
    const auto likely = log_density.array() > log_density.maxCoeff() - kUnlikely;
    Eigen::Index first = 0;
    Eigen::Index end = kSpreads;
    while (first < end - 1 && !likely[first]) ++first;
    while (end - 1 > first && !likely[end - 1]) --end;
    least_spread_ = std::exp(log_spread[std::max<Eigen::Index>(first - 1, 0)]);
    most_spread_ = std::exp(log_spread[std::min<Eigen::Index>(end, kSpreads - 1)]);
  }
  for (double l = kTableBegins; l <= kTableEnds + kSigmaTableStep; l += kSigmaTableStep) {
    const Cells all = cells(most_spread_ * most_spread_ * std::exp(l));
    const double best = all.log_weight.maxCoeff();
    table_.push_back(best + std::log((all.log_weight.array() - best).exp().sum() * all.width));
  }
}

double SigmaPosterior::log_likelihood(double spread) const {
  const ClippedNormal unit = clipped_normal(clip_ / spread);
  const double second = spread * spread * unit.square;
  const double fourth = spread * spread * spread * spread * unit.fourth;
  const double variance = squares_variance_ + of_.variance * second * second +
                          of_.alike * of_.rows * std::max(fourth + fourth_ - second * second, 1e-12 * fourth);
  const double miss = squares_ - of_.rows * second;
  return -0.5 * (miss * miss / variance + std::log(variance));
}

SigmaPosterior::Cells SigmaPosterior::cells(double q) const {
  double floor = kLeastSigma * most_spread_;
  if (log_prior_)
    floor = std::min(floor, std::exp(log_prior_->location - kPriorReach * log_prior_->scale + log_free_));
  floor = std::max(floor, clip_ * kFromClip);
  const double most = std::sqrt(std::max(most_spread_ * most_spread_ - q, floor * floor));
  const double below = least_spread_ * least_spread_ - q;
  const double least = below > floor * floor / 4 ? std::sqrt(below) : floor / 2;
  Cells all{0, std::log(most / least) / kCells, Position(kCells)};
  all.first = std::log(least) + all.width / 2;
  for (int k = 0; k < kCells; ++k) {
    const double log_sigma = all.first + k * all.width;
    all.log_weight[k] = log_likelihood(std::sqrt(q + std::exp(2 * log_sigma))) +
                        (log_prior_ ? log_prior_->log_density(log_sigma - log_free_) : 0);
  }
  return all;
}

double SigmaPosterior::log_density(double q) const {
  const double place = (std::log(q / (most_spread_ * most_spread_)) - kTableBegins) / kSigmaTableStep;
  if (!(place > 0)) return table_.front();
  const auto last = table_.size() - 2;
  const std::size_t cell = place < static_cast<double>(last) ? static_cast<std::size_t>(place) : last;
  return table_[cell] + (place - static_cast<double>(cell)) * (table_[cell + 1] - table_[cell]);
}

double SigmaPosterior::draw(double q, double place, ChainRng& rng) const {
  const Cells all = cells(q);
  const Position weight = (all.log_weight.array() - all.log_weight.maxCoeff()).exp();
  double left = rng.uniform() * weight.sum();
  Eigen::Index cell = 0;
  while (cell + 1 < kCells && left > weight[cell]) left -= weight[cell++];
  const double within = std::min(left / std::max(weight[cell], 1e-300), 1.0) - 0.5;
  const double sigma = std::exp(all.first + (static_cast<double>(cell) + within) * all.width);
  const double free = std::exp(log_free_);
  if (beyond_.size() == 0) return sigma / free;
  const double beyond = beyond_[static_cast<Eigen::Index>(place * static_cast<double>(beyond_.size()))];
  const double spread = std::sqrt(sigma * sigma + q);
  const double square = spread * spread * clipped_normal(clip_ / spread).square + beyond - q;
  return std::sqrt(std::max(square, kLeastSigma * kLeastSigma * sigma * sigma)) / free;
}

}  // namespace sotto
