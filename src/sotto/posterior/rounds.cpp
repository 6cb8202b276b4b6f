#include "sotto/posterior/rounds.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/math/clipped_normal.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/curves.hpp"
#include "sotto/posterior/displacement.hpp"
#include "sotto/posterior/grouped_residuals.hpp"
#include "sotto/posterior/light_rows.hpp"
#include "sotto/posterior/offset.hpp"
#include "sotto/posterior/part_weights.hpp"
#include "sotto/posterior/remainder.hpp"
#include "sotto/posterior/score_mode.hpp"

namespace sotto {
namespace {

constexpr int kMostRounds = 4;
constexpr double kFirstRound = 0.35;  // of what is left
constexpr double kFirstRoundOfCounts =
    0.15;  // likewise: at a place that is a little off counts look as if they varied more, and what is asked under that law is not pooled
constexpr double kNoiseOfSmallRound =
    0.5;  // of what is left, over what the score varies: with more a small round would not tell where to look
constexpr double kFirstOfTwo = 0.5;      // likewise, where looking around is hopeless
constexpr double kSquaresShare = 0.015;  // of a round
constexpr double kSquaresOfUnits =
    0.08;  // likewise: what a unit's rows have in common shows in their squares alone
constexpr double kSquaresWithoutNoise =
    0.3;  // likewise, where bounds are wide as the score has as good as none
constexpr double kScoreSquaresOfNormal = 0.6;  // of that, where residuals' squares are released too
constexpr double kMostLastRound = 0.57;        // of the cost: the shares below are of no more
constexpr double kCurvesShare = 0.07;          // of the last round, and so on
constexpr double kThresholdEffectsShare = 0.04;
constexpr double kLightShare = 0.05;
constexpr double kLightShareOfLongTails = 0.1;  // where rows far out may leave the line
constexpr double kRemainderShare = 0.12;
constexpr double kGroupsShare = 0.05;
constexpr double kGroupsNoise = 0.05;  // of the rows, on those of a group: more hides what is asked
constexpr double kUsualClip = 2.5;     // standard deviations: wider clips leave less to see
constexpr double kSmallMove = 0.7;
constexpr double kLeastLeft = 0.25;    // of the cost: less is the scores'
constexpr double kSpreadMoved = 0.15;  // a move: residuals are spread otherwise from there
constexpr double kAlikeClips = 0.3;    // logarithm of the ratio
constexpr double kAlikeLevels = 0.5;   // likewise
constexpr double kHardlyLess = 0.7;    // of a move: the next one's length
constexpr double kFarStep =
    0.5;  // likewise, at most, where noise is small: far steps follow the stand-in's bends
constexpr double kHardlyWider = 0.5;  // of the posterior's sd, with a part of the cost
constexpr double kClipDoubt = 0.3;    // of a move: what it lacks, of counts
constexpr double kLivedDoubt = 1;     // likewise, of events: how long rows lived is no part of the stand-in
constexpr double kLeastLived = 0.15;  // of a part's rows, over what the stand-in says
constexpr double kLongestLogisticStep = 2;

/// Of the cost, at the end.
struct LastShares {
  double curves, threshold_effects, light, remainder, groups;

  [[nodiscard]] double all() const { return curves + threshold_effects + light + remainder + groups; }
};

/// Whether the noise on the rows of one of the groups is small beside all rows.
bool groups_are_seen(const OnceRelease& release, const PaidQuestions& questions, double share) {
  const OnceFacts& facts = release.facts;
  const GroupedResidualsQuery query =
      grouped_residuals_query(facts, release.stand_in, release.spread, {}, Rho(0));
  if (query.groupings.empty()) return false;
  const double weight = std::ranges::max_element(query.groupings, {}, &Grouping::weight)->weight;
  const double noise = questions.noise_sd(query.reach() * facts.matrix_reach(), share) / weight;
  return noise * std::sqrt(static_cast<double>(query.bins())) < kGroupsNoise * release.rows;
}

LastShares last_shares(const OnceRelease& release, const BoundsPlan& plan, const PaidQuestions& questions) {
  const double left = std::min(questions.left(), kMostLastRound);
  const std::vector<Eigen::Index> columns = columns_for_curves(release.facts);
  const bool curves = !columns.empty();
  const bool long_tails = std::ranges::any_of(
      columns, [&](Eigen::Index j) { return long_tailed(release.facts, release.stand_in, j); });
  double remainder = 0;
  if (release.facts.clips() && !release.spread.hidden && !release.located.hopeless) {
    const bool counts = release.facts.link == Link::log;
    const double clip = counts ? plan.clip : plan.clip / std::sqrt(plan.dispersion);
    remainder = kRemainderShare * std::min(1.0, std::pow(kUsualClip / clip, 2));
  }
  const bool seen = remainder > 0 && groups_are_seen(release, questions, kGroupsShare * left);
  const double groups = seen ? kGroupsShare : 0;
  const bool effects = release.facts.thresholds && !columns_for_threshold_effects(release.facts).empty();
  return {curves ? kCurvesShare * left : 0, effects ? kThresholdEffectsShare * left : 0,
          (long_tails ? kLightShareOfLongTails : kLightShare) * left, remainder * left, groups * left};
}

/// What clips took off the score's mean is put back as far as histograms and a wider clip tell; their doubt widens its spread, and so
/// does that of the scores of earlier rounds.
void put_back(const TakenOff& known, const TakenOff& off, OnceRelease& release) {
  PooledRelease& pooled = release.pooled;
  release.clear_spread = pooled.spread;
  pooled.score += off.mean;
  pooled.spread += off.covariance + pooled.doubt;
  Matrix spread = pooled.spread;
  spread.diagonal().array() += pooled.score_variance;
  release.remainder = change_of(known, off, pooled.information, spread, release.frame.matrix);
}

/// Variance of the residual per row and direction, what a unit's rows have in common included.
double row_dispersion(const OnceRelease& release) {
  const BoundsPlan& plan = release.rounds.back().plan;
  if (!release.facts.unit_sizes) return plan.dispersion;
  const auto d = static_cast<double>(release.facts.dim());
  return std::max(plan.dispersion, release.pooled.spread.trace() / (d * release.rows * plan.kept));
}

/// Of the mode, because of the score's noise: of the linear predictor, in the direction of one column.
double noise_sd(const PooledRelease& pooled, const NormalBase& base) {
  const double sampling = pooled.spread.trace() / static_cast<double>(base.mean.size());
  const double noise = pooled.score_variance / (pooled.score_variance + sampling);
  return std::sqrt(noise * base.covariance.trace() / static_cast<double>(base.mean.size()));
}

/// Where the last score was: what is left of the cost goes to what a posterior's own numbers do not show.
void look_around(OnceRelease& release, const PlanPoint& point, const NormalBase& base,
                 const LastShares& shares, PaidQuestions& questions) {
  const BoundsPlan& plan = release.rounds.back().plan;
  const double move = release.last_move * release.predictor_unit;
  const double doubt = std::hypot(move, release.predictor_sd * release.predictor_unit);
  const LightRowsQuery light{plan.weighting(point.at, point.frame), questions.pay(shares.light)};
  const auto far_out = questions.ask_if_on_grid<NoisyVector>(light);
  if (far_out) {
    const NoisyVector rows = PaidQuestions::over_rows(*far_out, release.facts.mean_unit_rows());
    release.light = light_rows(point, plan, rows, doubt);
  }
  release.unasked = !far_out;
  if (shares.threshold_effects > 0) {
    const ThresholdEffectsQuery query = threshold_effects_query(
        point, columns_for_threshold_effects(release.facts), questions.pay(shares.threshold_effects));
    const auto contrasts = questions.ask_if_on_grid<NoisyVector>(query);
    if (contrasts) release.threshold_effects = threshold_effects(query, *contrasts, point, base);
    release.unasked = release.unasked || !contrasts;
  }
  const std::vector<Eigen::Index> columns = columns_for_curves(release.facts);
  if (columns.empty()) return;
  const CurvesQuery query = curves_query(point, plan, columns, questions.pay(questions.left()));
  const auto score = questions.ask_if_on_grid<NoisyVector>(query);
  if (score) {
    release.curves = find_curves(query, *score, point, plan, row_dispersion(release), base,
                                 noise_sd(release.pooled, base));
  }
  release.unasked = release.unasked || !score;
}

/// Of what is left, of a round after which there are others.
double share_of_round(const OnceRelease& release, const BoundsPlan& plan) {
  if (release.located.hopeless) return kFirstOfTwo;
  const bool little_noise = plan.score_noise * plan.width * plan.width < kNoiseOfSmallRound;
  const bool small = release.rounds.empty() && release.facts.link == Link::log && little_noise;
  return small ? kFirstRoundOfCounts : kFirstRound;
}

/// Score, information and squares at one position, for `share` of the cost.
OnceRound ask_round(const OnceFacts& facts, const Matrix& frame, const Position& at, const BoundsPlan& plan,
                    double share, PaidQuestions& questions) {
  const double odds = std::sqrt(plan.information_noise / plan.score_noise) * plan.width;
  const double information = std::clamp(odds / (1 + odds), 0.06, 0.4);
  const double squares = share * (facts.unit_sizes            ? kSquaresOfUnits
                                  : plan.width > kUsualBounds ? kSquaresWithoutNoise
                                                              : kSquaresShare);
  const bool normal = facts.link == Link::identity;
  const BoundedWeighting weighting = plan.weighting(at, frame);
  std::vector<Query> queries{
      BoundedInformationQuery{weighting, questions.pay((share - squares) * information)},
      ScoreSquaresQuery{weighting, questions.pay(squares * (normal ? kScoreSquaresOfNormal : 1)),
                        plan.longest_score}};
  if (normal) {
    queries.emplace_back(
        ResidualSquaresQuery{at, plan.clip, questions.pay(squares * (1 - kScoreSquaresOfNormal))});
  }
  queries.emplace_back(BoundedScoreQuery{weighting, questions.pay((share - squares) * (1 - information))});
  std::vector<Answer> answers = questions.ask(queries);
  OnceRound round{at,
                  plan,
                  PaidQuestions::take<NoisyMatrix>(answers[0]),
                  PaidQuestions::take<NoisyMatrix>(answers[1]),
                  PaidQuestions::take<NoisyVector>(answers.back()),
                  {}};
  if (normal) {
    round.residual_squares =
        PaidQuestions::over_rows(PaidQuestions::take<NoisyVector>(answers[2]), facts.mean_unit_rows());
  }
  return round;
}

/// Scores with other clips are not pooled: a clip that is a little better would throw away what an earlier round has cost.
bool alike(const BoundsPlan& a, const BoundsPlan& b) {
  return std::abs(std::log(a.clip / b.clip)) < kAlikeClips &&
         std::abs(std::log(a.level / b.level)) < kAlikeLevels && a.count_dispersion == b.count_dispersion;
}

/// What clips take off the last score, before anything is put back, as is asked by groups and by a wider clip.
TakenOff ask_what_clips_take_off(const OnceRelease& release, const PlanPoint& point, const LastShares& shares,
                                 PaidQuestions& questions) {
  const BoundsPlan& plan = release.rounds.back().plan;
  const RemainderQuery query = remainder_query(point, plan, questions.pay(shares.remainder));
  std::vector<GroupedLaws> groups;
  if (shares.groups > 0) {
    const GroupedResidualsQuery by_group = grouped_residuals_query(point.facts, point.stand_in, point.spread,
                                                                   point.at, questions.pay(shares.groups));
    const auto cells = questions.ask_of_rows<NoisyVector>(by_group, point.facts.mean_unit_rows());
    const NormalBase mode = normal_base(release.pooled, point.frame, release.prior.normal);
    groups = laws_by_group(point, plan, by_group, cells, {plan.clip, query.wide_clip}, release.pooled, mode);
  }
  return taken_off(point, plan, release.pooled.information, query, questions.ask<NoisyVector>(query), groups);
}

/// The rows, each part with the weight that the released information gives it. How long rows lived is no part of the stand-in, so that of
/// times at risk an interval that few live through counts for more in it than it does.
StandIn weighed_as_released(const OnceRelease& release) {
  const Matrix& frame = release.frame.matrix;
  const PooledRelease& pooled = release.pooled;
  Position weights =
      part_weights(release.stand_in, frame, pooled.anchor, release.rounds.back().plan, release.facts);
  const Matrix expected = frame * release.weighed.slope(pooled.anchor) * frame.transpose();
  for (Eigen::Index k = 0; k < weights.size(); ++k) {
    const Position along = frame * release.stand_in.parts()[static_cast<std::size_t>(k)].mean;
    const double ratio = along.dot(pooled.information * along) / along.dot(expected * along);
    weights[k] *= std::clamp(ratio, kLeastLived, 1.0);
  }
  return release.stand_in.weighted(weights);
}

/// The mode given all that was released, as the score's mean bends.
Position bent_mode(const OnceRelease& release, const JointNormalPrior& prior,
                   const PaidQuestions& questions) {
  const PooledRelease& pooled = release.pooled;
  const NormalBase base = normal_base(pooled, release.frame.matrix, prior);
  const Matrix products = base.covariance + base.mean * base.mean.transpose();
  const Displacement displacement(release.weighed, release.frame.matrix, pooled.anchor);
  const ScoreMean mean{
      [&](const Position& at) -> Position { return pooled.information * displacement(at); },
      [&](const Position& at) -> Matrix { return pooled.information * displacement.derivative(at); }};
  return score_mode(mean, pooled.score, score_covariance(pooled, products), pooled.anchor, prior,
                    [&] { questions.wanted(); });
}

/// Where the next round looks: the mode given all that was released.
Position next_position(const OnceRelease& release, const JointNormalPrior& prior,
                       const PaidQuestions& questions) {
  const Matrix& frame = release.frame.matrix;
  const PooledRelease& pooled = release.pooled;
  Position next;
  const bool events = release.facts.link == Link::log_rate;
  if (release.last_move < kSmallMove && events) {
    next = pooled.anchor + frame.transpose() * normal_base(pooled, frame, prior).mean;
  } else if (release.last_move < kSmallMove) {
    next = bent_mode(release, prior, questions);
  } else {
    Matrix noise = pooled.spread;
    noise.diagonal().array() += pooled.score_variance;
    const StandIn rows = events ? weighed_as_released(release) : release.weighed;
    next = rows.mode(frame, pooled.score, noise, pooled.anchor, prior, [&] { questions.wanted(); });
  }
  const double far = (inverse(frame.transpose()) * (next - pooled.anchor)).norm();
  if (far > kLongestLogisticStep && release.facts.link == Link::logit) {
    next = pooled.anchor + (next - pooled.anchor) * (kLongestLogisticStep / far);
  }
  return next;
}

/// Of the linear predictor over the rows, in its unit.
double predictor_sd(const NormalBase& base, double unit) { return std::sqrt(base.covariance.trace()) / unit; }

/// Whether the next round should be the last: whatever its distance from the mode would widen is small beside `still_sd`, the
/// linear predictor's sd had the mode not moved; or the next distance is no smaller. The information's noise is multiplied by
/// that distance; and counts that are off by more than a clip look nearer than they are.
bool next_is_last(const OnceRelease& release, double still_sd) {
  const double sd = release.predictor_sd;
  const double move = release.last_move;
  const double next_move = std::hypot(sd, std::min(move / 2, kFarStep) * move);
  if (next_move > kHardlyLess * move) return true;
  const double noise = std::sqrt(std::max(sd * sd - still_sd * still_sd, 0.0)) / move;
  const double doubt = release.facts.link == Link::log        ? kClipDoubt
                       : release.facts.link == Link::log_rate ? kLivedDoubt
                                                              : 0;
  return move < kSmallMove && std::hypot(noise, doubt) * next_move < kHardlyWider * still_sd;
}

}  // namespace

void ask_rounds(OnceRelease& release, const JointNormalPrior& locating, PaidQuestions& questions) {
  const OnceFacts& facts = release.facts;
  const bool hopeless = release.located.hopeless;
  Position at = release.located.place.at;
  bool last = false;
  for (int k = 0; k < kMostRounds; ++k) {
    last = last || k == kMostRounds - 1 || (k == 1 && hopeless);
    const bool spread_moved = release.last_move > kSpreadMoved && questions.left() > kLeastLeft;
    if (facts.clips() && !facts.sigma && (k == 0 || spread_moved)) {
      release.spread = residual_spread(facts, release.stand_in, at, Look::last, &release.spread, questions);
    }
    const double left = questions.left();
    const PlanPoint point{facts, release.stand_in, release.frame.matrix, at, release.spread};
    BoundsPlan plan = plan_bounds(point, questions, left);
    if (!release.rounds.empty() && alike(plan, release.rounds.back().plan)) plan = release.rounds.back().plan;
    const LastShares shares = last_shares(release, plan, questions);
    const double share = last ? left - shares.all() : left * share_of_round(release, plan);
    release.rounds.push_back(ask_round(facts, release.frame.matrix, at, plan, share, questions));
    const Position weights = part_weights(release.stand_in, release.frame.matrix, at, plan, facts);
    release.weighed = release.stand_in.weighted(weights);
    release.pooled = pool(release.rounds, release.frame, release.stand_in, weights);
    if (facts.link == Link::identity && !release.frame.resolved) {
      const double unweighted = release.rows * clipped_normal(plan.clip / std::sqrt(plan.dispersion)).slope;
      release.pooled.square_level = std::max(release.pooled.square_level, unweighted);
    }
    PooledRelease still = release.pooled;  // had the mode not moved, and nothing been taken off
    still.information_variance = 0;
    const TakenOff known = taken_off(point, plan, release.pooled.information);
    const bool asks = last && shares.remainder > 0;
    put_back(known, asks ? ask_what_clips_take_off(release, point, shares, questions) : known, release);
    if (offset_is_off(facts, release.frame.matrix, release.pooled, release.prior.normal)) {
      release.pooled.spread += offset_score(release.frame.matrix, plan.dispersion * release.rows);
    }
    const NormalBase base = normal_base(release.pooled, release.frame.matrix, release.prior.normal);
    release.predictor_unit = predictor_unit(facts, plan.dispersion);
    release.last_move = base.mean.norm() / release.predictor_unit;
    release.predictor_sd = predictor_sd(base, release.predictor_unit);
    if (last) {
      look_around(release, point, base, shares, questions);
      return;
    }
    const NormalBase still_base = normal_base(still, release.frame.matrix, release.prior.normal);
    last = next_is_last(release, predictor_sd(still_base, release.predictor_unit));
    at = next_position(release, locating, questions);
  }
}

}  // namespace sotto
