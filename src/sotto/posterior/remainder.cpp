#include "sotto/posterior/remainder.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/count_bias.hpp"

namespace sotto {
namespace {

constexpr double kWider = 1.5;  // the wider clip over the score's
constexpr double kSeenDoubt =
    0.5;  // relative error of the share of what is taken off that lies between the clips
constexpr double kSampling = 0.2;  // of what lies between the clips, over the residual's variance
constexpr double kUnseen = 0.03;   // of a residual's standard deviation: tails that no histogram shows
constexpr double kBegin =
    1.4;  // they begin here and fall by e over one of their lengths, in standard deviations
constexpr double kLength = 1;
constexpr double kDispersion = 0.1;  // of counts: likewise

constexpr double kUneven = 0.07;        // prior probability that tails sit with some rows
constexpr double kUnevenEffects = 0.3;  // where counts have effects, which are seldom alike: so much more
constexpr double kGrouped = 0.5;        // of that: that histograms by group show it
constexpr double kOneColumn = 0.8;      // of the rest: that one column tells with which
/// How far, over what is seen of tails in all rows and over what no histogram shows: each as likely as another.
struct Extent {
  double seen, unseen;
};
constexpr std::array<Extent, 2> kExtents{{{1, 3}, {1, 10}}};

/// Root mean squares of what a clip takes off a random row's mean beyond what the model puts back.
struct ClippedAway {
  double seen, unseen;
};

ClippedAway loss_at(const PlanPoint& point, const BoundsPlan& plan, double clip) {
  if (point.facts.link == Link::log) {
    const CountClip counts{point.stand_in, point.at, plan, 0};
    return {std::sqrt(counts.bias({clip}, point.spread.effects).square(0, 0)),
            counts.taken_off(clip, {.dispersion = kDispersion})[0]};
  }
  const double sd = std::sqrt(plan.dispersion);
  const double from = std::max(clip / sd - kBegin, 0.0);
  return {std::sqrt(point.spread.skewness.bias({clip}).square(0, 0)),
          kUnseen * sd * std::exp(-from / kLength)};
}

/// Of counts, that they vary more than the Poisson law says.
double effects_probability(const ResidualSpread& spread) {
  double sum = 0;
  for (const auto& [effect, probability] : spread.effects)
    if (!effect.none()) sum += probability;
  return sum;
}

double weighted_rows(const PlanPoint& point, const BoundsPlan& plan) {
  return point.stand_in.rows() * plan.kept;
}

/// The fitted value's direction: mean over the rows of z e, e the standardised linear predictor.
Position fitted_direction(const PlanPoint& point) {
  const double sd = std::max(point.stand_in.predictor(point.at).sd, 1e-300);
  return point.frame * (point.stand_in.covariance() * point.at) / sd;
}

/// What the score loses where the rows lose one on average, and where what they lose has a mean of one with the standardised linear
/// predictor. Rows with unusual covariates have less weight than others: the released information, the sum of c b z z', tells how
/// much of each direction is left, if rows lose in proportion to b.
/// Computes   G (a, u) M^-1 rows M_11 / a' G a,  M the mean of b (1, e) (1, e)', a the direction whose predictor is 1 in every row,
///            u that whose predictor is e
Matrix lost_directions(const PlanPoint& point, const BoundsPlan& plan, const Matrix& information) {
  constexpr double kUsual =
      0.5;  // of the rows: as many at least are in the information, else its noise hides them
  const double rows = weighted_rows(point, plan);
  Matrix sums(point.facts.dim(), 2);
  sums << rows * point.frame * point.stand_in.mean(), rows * fitted_direction(point);
  const NormalPredictor predictor = point.stand_in.predictor(point.at);
  const Position constant = point.facts.constant();
  if (constant.size() == 0 || predictor.sd < 1e-6) return sums;
  const Cholesky mean(
      point.facts.link == Link::log
          ? Matrix(CountClip{point.stand_in, point.at, plan, plan.count_dispersion}.information())
          : Matrix(Matrix::Identity(2, 2)));
  if (!mean.is_positive_definite()) return sums;
  Matrix positions(point.facts.dim(), 2);
  positions << constant, (point.at - predictor.mean * constant) / predictor.sd;
  const Matrix across = inverse(point.frame.transpose()) * positions;
  const double expected = rows * std::pow(mean.lower()(0, 0), 2);
  const double released = across.col(0).dot(information * across.col(0));
  if (!(released > kUsual * expected)) return sums;
  return information * across * mean.inverse() * (expected / released);
}

/// What clips take off the score beyond what the model puts back, one below another, as the histogram says.
TakenOff taken_off_by(const PlanPoint& point, const BoundsPlan& plan, const std::vector<double>& clips,
                      const Matrix& information) {
  const ClipBias bias =
      point.facts.link == Link::log
          ? CountClip{point.stand_in, point.at, plan, plan.count_dispersion}.bias(clips, point.spread.effects)
          : point.spread.skewness.bias(clips);
  const Eigen::Index d = point.facts.dim();
  const Matrix directions = lost_directions(point, plan, information);
  Matrix sums = Matrix::Zero(d * static_cast<Eigen::Index>(clips.size()), bias.mean.size());
  for (Eigen::Index k = 0; 2 * k < bias.mean.size(); ++k) sums.block(k * d, 2 * k, d, 2) = directions;
  return {sums * bias.mean, sums * bias.covariance() * sums.transpose()};
}

/// Which rows may have tails that the others do not have, and how likely that is: covariance of what is taken off, a row.
struct Allocation {
  double probability;
  Matrix covariance;
};

std::vector<Allocation> allocations(const PlanPoint& point) {
  const StandIn& rows = point.stand_in;
  const Matrix& frame = point.frame;
  const Eigen::Index first = point.facts.intercept ? 1 : 0;
  const Eigen::Index columns = point.facts.dim() - first;
  // Histograms know normal residuals' mean and what goes with the fitted value.
  const bool counts = point.facts.link == Link::log;
  const Position mean = frame * rows.mean();
  const Position fitted = fitted_direction(point);
  const Matrix spread = frame * rows.covariance() * frame.transpose();
  const Matrix known = counts ? Matrix(mean * mean.transpose()) : Matrix(-fitted * fitted.transpose());
  std::vector<Allocation> all{{columns > 0 ? 1 - kOneColumn : 1, spread + known}};
  for (Eigen::Index j = first; j < point.facts.dim(); ++j) {
    const Position column =
        frame * rows.covariance().col(j) / std::sqrt(std::max(rows.covariance()(j, j), 1e-300));
    Matrix covariance = column * column.transpose();
    if (counts) covariance += known;
    all.push_back({kOneColumn / static_cast<double>(columns), std::move(covariance)});
  }
  return all;
}

}  // namespace

CoefficientChange change_of(const TakenOff& from, const TakenOff& to, const Matrix& information,
                            const Matrix& spread, const Matrix& frame) {
  const Matrix back = frame.transpose() * inverse(information);
  const auto sd = [&](const Matrix& covariance) -> Position {
    return (back * covariance * back.transpose()).diagonal().cwiseMax(1e-300).cwiseSqrt();
  };
  const Position before = sd(spread - to.covariance + from.covariance);
  return {(back * (to.mean - from.mean)).cwiseQuotient(before), sd(spread).cwiseQuotient(before)};
}

TakenOff taken_off(const PlanPoint& point, const BoundsPlan& plan, const Matrix& information) {
  const Eigen::Index d = point.facts.dim();
  if (!point.facts.clips()) return {Position::Zero(d), Matrix::Zero(d, d)};
  return taken_off_by(point, plan, {plan.clip}, information);
}

RemainderQuery remainder_query(const PlanPoint& point, const BoundsPlan& plan, Rho cost) {
  return {plan.weighting(point.at, point.frame), kWider * plan.clip, (kWider - 1) * plan.score_bound, cost};
}

TakenOff taken_off(const PlanPoint& point, const BoundsPlan& plan, const Matrix& information,
                   const RemainderQuery& query, const NoisyVector& answer,
                   const std::vector<GroupedLaws>& groups) {
  // What a wider clip puts back is what the clip takes off less what the wider one does.
  const TakenOff alike = taken_off_by(point, plan, {plan.clip, query.wide_clip}, information);
  const Eigen::Index d = point.facts.dim();
  Matrix to_answer(d, 2 * d);
  to_answer << Matrix::Identity(d, d), -Matrix::Identity(d, d);
  const double rows = weighted_rows(point, plan);
  const ClippedAway whole = loss_at(point, plan, plan.clip);
  const ClippedAway beyond = loss_at(point, plan, query.wide_clip);
  const double seen =
      std::max(1 - (beyond.seen + beyond.unseen) / std::max(whole.seen + whole.unseen, 1e-300), 0.1);
  const Matrix answer_variance =
      (answer.variance + kSampling * rows * plan.dispersion) * Matrix::Identity(d, d);

  std::vector<double> log_weight;
  std::vector<TakenOff> given;
  const auto add = [&](double log_probability, const TakenOff& clips, const Matrix& uneven) {
    const Cholesky root(to_answer * clips.covariance * to_answer.transpose() + answer_variance +
                        seen * seen * uneven);
    const Matrix together = clips.covariance.topRows(d) * to_answer.transpose() + seen * uneven;
    const Position miss = answer.value - to_answer * clips.mean;
    const Position pull = root.solve(miss);
    log_weight.push_back(log_probability - miss.dot(pull) / 2 - root.lower().diagonal().array().log().sum());
    const Position found = seen * uneven * pull;
    given.push_back(
        {clips.mean.head(d) + together * pull, clips.covariance.topLeftCorner(d, d) + uneven -
                                                   together * root.solve(Matrix(together.transpose())) +
                                                   kSeenDoubt * kSeenDoubt * found * found.transpose()});
  };
  const double uneven = kUneven + kUnevenEffects * effects_probability(point.spread);
  add(std::log(1 - uneven), alike, Matrix::Zero(d, d));
  const double grouped = groups.empty() ? 0 : kGrouped * uneven;
  for (const auto& [log_odds, more] : groups) {
    add(std::log(grouped / static_cast<double>(groups.size())) + log_odds,
        {alike.mean + more.mean, alike.covariance + more.covariance}, Matrix::Zero(d, d));
  }
  for (const Allocation& one : allocations(point)) {
    for (const Extent& extent : kExtents) {
      const double square = std::pow(extent.seen * whole.seen, 2) + std::pow(extent.unseen * whole.unseen, 2);
      add(std::log((uneven - grouped) * one.probability / kExtents.size()), alike,
          rows * rows * square * one.covariance);
    }
  }
  const double best = *std::max_element(log_weight.begin(), log_weight.end());
  TakenOff mixed{Position::Zero(d), Matrix::Zero(d, d)};
  double weights = 0;
  for (std::size_t k = 0; k < given.size(); ++k) {
    const double weight = std::exp(log_weight[k] - best);
    mixed.mean += weight * given[k].mean;
    mixed.covariance += weight * (given[k].covariance + given[k].mean * given[k].mean.transpose());
    weights += weight;
  }
  mixed.mean /= weights;
  mixed.covariance = mixed.covariance / weights - mixed.mean * mixed.mean.transpose();
  return mixed;
}

}  // namespace sotto
