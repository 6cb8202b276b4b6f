#include "sotto/posterior/grouped_residuals.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/group_laws.hpp"

namespace sotto {
namespace {

constexpr std::size_t kMostGroupings = 12;
constexpr double kRarest = 0.01;  // share of the rows: weights of groupings go by that of the smallest group
constexpr double kHalfMean = 0.798;  // of a standard normal's upper half
constexpr double kRatioEdges[] = {0, .15, .4, .75, 1.25, 2, 4, 10, 1e300};
constexpr double kSideEdges[] = {.4, .9, 1.6, 2.6, 4.2, 1e100};  // of normal residuals, in their scales
constexpr double kGroupSeen = 3;        // standard deviations of the noise on a group's rows
constexpr double kOwnLaw = 0.5;         // prior probability that a group has one, if any has
constexpr double kUnlikeNormal = 0.02;  // of the rows, times sqrt(p)
constexpr double kPlaceDoubt = 0.1;     // of a group's predictor
constexpr double kMoveStep = 0.1;       // of it, for a derivative
constexpr int kSameLaws = 2;            // of a group: those that say that it is like the others
constexpr double kLeastShareOfBin = 0.01;
constexpr double kLawDoubt = 0.5;  // of what a law takes off: the family may not hold

GroupRows the_rest(const GroupRows& rows, const StandIn& stand_in, const Position& at) {
  const double share = 1 - rows.share;
  const Position mean = (stand_in.mean() - rows.share * rows.mean) / share;
  return {share, mean, mean.dot(at), rows.sd};
}

/// Of the rows; those that are left have the last.
std::vector<double> shares_of(const Grouping& grouping, const OnceFacts& facts, const StandIn& stand_in) {
  constexpr double kLeastShare = 1e-6;
  std::vector<double> shares;
  double left = 1;
  for (const Eigen::Index j : grouping.columns) {
    const Interval range = facts.range[static_cast<std::size_t>(j)];
    const double share = facts.indicator[static_cast<std::size_t>(j)]
                             ? (stand_in.mean()[j] - range.lower) / range.width()
                             : 0.5;
    shares.push_back(std::clamp(share, kLeastShare, 1 - kLeastShare));
    left -= shares.back();
  }
  shares.push_back(std::max(left, kLeastShare));
  return shares;
}

std::vector<GroupRows> rows_of(const Grouping& grouping, const OnceFacts& facts, const StandIn& stand_in,
                               const Position& at) {
  const std::vector<double> shares = shares_of(grouping, facts, stand_in);
  const Matrix& covariance = stand_in.covariance();
  std::vector<GroupRows> groups;
  GroupRows last{shares.back(), stand_in.mean(), 0, 0};
  double within = std::pow(stand_in.predictor(at).sd, 2);
  for (std::size_t k = 0; k < grouping.columns.size(); ++k) {
    const Eigen::Index j = grouping.columns[k];
    const double variance = std::max(covariance(j, j), 1e-300);
    const bool level = facts.indicator[static_cast<std::size_t>(j)];
    const double apart = level ? facts.range[static_cast<std::size_t>(j)].upper - stand_in.mean()[j]
                               : kHalfMean * std::sqrt(variance);
    const Position mean = stand_in.mean() + covariance.col(j) * (apart / variance);
    groups.push_back({shares[k], mean, mean.dot(at), 0});
    within -= std::pow(covariance.col(j).dot(at), 2) / variance * (level ? 1 : kHalfMean * kHalfMean);
    last.mean -= shares[k] * mean;
  }
  last.mean /= last.share;
  last.predictor = last.mean.dot(at);
  groups.push_back(std::move(last));
  for (GroupRows& group : groups) group.sd = std::sqrt(std::max(within, 0.0));
  return groups;
}

/// Log density of cells that have these expectations, but for rows' noise of one direction.
double log_density(const Position& cells, const Position& expected, const Position& variance,
                   const Position& moved) {
  const Position miss = cells - expected;
  const double length = 1 + moved.cwiseAbs2().cwiseQuotient(variance).sum();
  const double along = miss.cwiseProduct(moved).cwiseQuotient(variance).sum();
  return -(miss.cwiseAbs2().cwiseQuotient(variance).sum() - along * along / length +
           variance.array().log().sum() + std::log(length)) /
         2;
}

struct GroupCells {
  Position counts;
  double variance;  // of each one's noise

  [[nodiscard]] double rows() const { return counts.sum(); }
};

/// What a group's cells say of its law: log densities, and the moves that clips hide, clip by clip, beyond what the rows' own law
/// hides. The first two are that of all rows, by the model and as the other rows have it.
struct GroupEvidence {
  std::vector<double> log_density;
  std::vector<Position> moves;
};

class Groups {
 public:
  Groups(const PlanPoint& point, const BoundsPlan& plan, const Position& edges,
         const std::vector<double>& clips, const NormalBase& mode)
      : point_(point), edges_(edges), clips_(clips), mode_(mode), move_(point.frame.transpose() * mode.mean) {
    const bool counts = point.facts.link == Link::log;
    laws_ = counts ? count_laws(point, plan) : normal_laws(plan);
    place_doubt_ = counts ? kPlaceDoubt : kPlaceDoubt * std::sqrt(plan.dispersion);
    known_ = Position::Zero(static_cast<Eigen::Index>(clips.size()));
    const Position skewed = point.spread.skewness.bias(clips).mean;
    for (Eigen::Index c = 0; c < known_.size(); ++c) known_[c] = skewed[2 * c];
    unit_rows_ = point.facts.mean_unit_rows();
  }

  [[nodiscard]] GroupEvidence evidence(const GroupRows& rows, const GroupCells& cells,
                                       const GroupCells& others) const {
    const double n = cells.rows();
    const double doubt = doubt_of(rows);
    GroupEvidence result;
    const auto add = [&](const Position& expected, const Placed& placed, Position variance) {
      variance += expected * (unit_rows_ + kUnlikeNormal * kUnlikeNormal * n);
      variance.array() += cells.variance;
      result.log_density.push_back(log_density(cells.counts, expected, variance, doubt * n * placed.slope));
    };
    const Position none = Position::Zero(cells.counts.size());
    const Placed alike = placed(*laws_.front(), rows);
    add(n * alike.shares, alike, none);
    const GroupRows rest = the_rest(rows, point_.stand_in, point_.at);
    const Position ratio = (n / std::max(others.rows(), 1.0)) * (alike.shares.array() + kLeastShareOfBin) /
                           (placed(*laws_.front(), rest).shares.array() + kLeastShareOfBin);
    const Position theirs = others.counts.cwiseMax(0);
    add(ratio.cwiseProduct(theirs), alike,
        ratio.cwiseAbs2().cwiseProduct(Position((unit_rows_ * theirs).array() + others.variance)));
    result.moves.assign(kSameLaws, Position::Zero(alike.move.size()));
    for (std::size_t k = 1; k < laws_.size(); ++k) {
      const Placed own = placed(*laws_[k], rows);
      add(n * own.shares, own, none);
      result.moves.emplace_back(own.move - alike.move - known_);
    }
    return result;
  }

 private:
  /// Of a group's predictor.
  [[nodiscard]] double doubt_of(const GroupRows& rows) const {
    const Position framed = point_.frame * rows.mean;
    return std::hypot(place_doubt_, std::sqrt(std::max(framed.dot(mode_.covariance * framed), 0.0)));
  }
  /// A law where the score says that its mean is: the move there by each clip, shares of the bins, and their slope by the move.
  struct Placed {
    Position move, shares, slope;
  };
  [[nodiscard]] Placed placed(const GroupLaw& law, const GroupRows& rows) const {
    Position move(static_cast<Eigen::Index>(clips_.size()));
    for (std::size_t c = 0; c < clips_.size(); ++c)
      move[static_cast<Eigen::Index>(c)] = law.true_move(rows, clips_[c], rows.mean.dot(move_));
    const double step = kMoveStep * place_doubt_;
    return {
        move, law.shares(rows, edges_, move[0]),
        (law.shares(rows, edges_, move[0] + step) - law.shares(rows, edges_, move[0] - step)) / (2 * step)};
  }

  const PlanPoint& point_;
  const Position& edges_;
  const std::vector<double>& clips_;
  const NormalBase& mode_;
  Position move_;   // of the coefficients to the mode
  Position known_;  // what skewness takes off all rows, clip by clip
  GroupLawList laws_;
  double place_doubt_ = 0;
  double unit_rows_ = 1;  // which may all be alike
};

/// Bins of each group, one column each.
Matrix counts_of(const Grouping& grouping, const GroupedResidualsQuery& query, const NoisyVector& answer,
                 Eigen::Index first) {
  return answer.value.segment(first, query.bins() * grouping.groups())
             .reshaped(query.bins(), grouping.groups()) /
         grouping.weight;
}

/// Adds what a group's own law adds: the log odds that it has one, and what clips then take off `column` by column.
void add(const GroupEvidence& laws, const Position& direction, GroupedLaws& sum) {
  const double best = *std::ranges::max_element(laws.log_density);
  // Either may lie far below the best, and their difference too.
  const auto [worse, better] = std::minmax(laws.log_density[0], laws.log_density[1]);
  const double same = better + std::log((1 + std::exp(worse - better)) / kSameLaws);
  const auto own = static_cast<double>(laws.log_density.size()) - kSameLaws;
  double total = 0;
  const Eigen::Index clips = laws.moves.front().size();
  Position mean = Position::Zero(clips);
  Matrix square = Matrix::Zero(clips, clips);
  for (std::size_t k = 0; k < laws.log_density.size(); ++k) {
    const double weight =
        (k < kSameLaws ? (1 - kOwnLaw) / kSameLaws : kOwnLaw / own) * std::exp(laws.log_density[k] - best);
    const Position& move = laws.moves[k];
    total += weight;
    mean += weight * move;
    square += (1 + kLawDoubt * kLawDoubt) * weight * move * move.transpose();
  }
  mean /= total;
  square /= total;
  sum.log_odds += std::log(total) + best - same;
  const Matrix covariance = square - mean * mean.transpose();
  const Eigen::Index d = direction.size();
  for (Eigen::Index a = 0; a < clips; ++a) {
    sum.more.mean.segment(a * d, d) += mean[a] * direction;
    for (Eigen::Index b = 0; b < clips; ++b)
      sum.more.covariance.block(a * d, b * d, d, d) += covariance(a, b) * direction * direction.transpose();
  }
}

/// One for every category, whose levels are its groups, and for every other column, which is cut at its mean; categories first.
std::vector<Grouping> groupings_of(const OnceFacts& facts, const StandIn& stand_in) {
  std::vector<Grouping> groupings;
  const auto middle = [&](Eigen::Index j) {
    const Interval range = facts.range[static_cast<std::size_t>(j)];
    return facts.indicator[static_cast<std::size_t>(j)] ? (range.lower + range.upper) / 2
                                                        : stand_in.mean()[j];
  };
  const auto add = [&](std::vector<Eigen::Index> columns) {
    Position cuts(static_cast<Eigen::Index>(columns.size()));
    for (std::size_t k = 0; k < columns.size(); ++k) cuts[static_cast<Eigen::Index>(k)] = middle(columns[k]);
    if (groupings.size() == kMostGroupings) return;
    Grouping grouping{std::move(columns), std::move(cuts)};
    double rarest = 1;
    for (const double share : shares_of(grouping, facts, stand_in)) rarest = std::min(rarest, share);
    grouping.weight = 1 / std::sqrt(std::max(rarest, kRarest));
    groupings.push_back(std::move(grouping));
  };
  std::vector<bool> taken(static_cast<std::size_t>(facts.dim()));
  for (const std::vector<Eigen::Index>& columns : facts.factors) {
    for (const Eigen::Index j : columns) taken[static_cast<std::size_t>(j)] = true;
    if (!facts.in_group(columns.front())) add(columns);
  }
  for (Eigen::Index j = facts.intercept ? 1 : 0; j < facts.unknown(); ++j) {
    const Interval range = facts.range[static_cast<std::size_t>(j)];
    if (!taken[static_cast<std::size_t>(j)] && !facts.in_group(j) && range.width() > 0) add({j});
  }
  return groupings;
}

}  // namespace

GroupedResidualsQuery grouped_residuals_query(const OnceFacts& facts, const StandIn& stand_in,
                                              const ResidualSpread& spread, const Position& at, Rho cost) {
  Position edges;
  if (facts.link == Link::log) {
    edges = Eigen::Map<const Position>(std::data(kRatioEdges), std::ssize(kRatioEdges));
  } else {
    const Eigen::Map<const Position> half(std::data(kSideEdges), std::ssize(kSideEdges));
    edges.resize(2 * half.size() + 1);
    edges << -half.reverse(), 0, half;
    edges *= facts.sigma.value_or(spread.scale);
  }
  return {at, std::move(edges), groupings_of(facts, stand_in), cost};
}

std::vector<GroupedLaws> laws_by_group(const PlanPoint& point, const BoundsPlan& plan,
                                       const GroupedResidualsQuery& query, const NoisyVector& answer,
                                       const std::vector<double>& clips, const PooledRelease& release,
                                       const NormalBase& mode) {
  const Eigen::Index d = point.facts.dim();
  const Matrix to_frame = inverse(point.frame.transpose());
  const Matrix of_moments = inverse(point.stand_in.moments());
  const Groups groups(point, plan, query.edges, clips, mode);
  const auto stacked = d * static_cast<Eigen::Index>(clips.size());
  std::vector<GroupedLaws> result;
  Eigen::Index first = 0;
  for (const Grouping& grouping : query.groupings) {
    GroupedLaws laws{0, {Position::Zero(stacked), Matrix::Zero(stacked, stacked)}};
    const std::vector<GroupRows> rows = rows_of(grouping, point.facts, point.stand_in, point.at);
    const double variance = answer.variance / (grouping.weight * grouping.weight);
    const Matrix counts = counts_of(grouping, query, answer, first);
    first += counts.size();
    for (Eigen::Index g = 0; g < grouping.groups(); ++g) {
      const GroupRows& group = rows[static_cast<std::size_t>(g)];
      const GroupCells cells{counts.col(g), variance};
      if (cells.rows() < kGroupSeen * std::sqrt(variance * static_cast<double>(query.bins()))) continue;
      const GroupCells others{counts.rowwise().sum() - cells.counts,
                              variance * static_cast<double>(grouping.groups() - 1)};
      const Position direction = release.information * (to_frame * (of_moments * (group.share * group.mean)));
      add(groups.evidence(group, cells, others), direction, laws);
    }
    result.push_back(std::move(laws));
  }
  return result;
}

}  // namespace sotto
