#include "sotto/posterior/location_release.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/math/decomposition.hpp"
#include "sotto/math/shortened_normal.hpp"
#include "sotto/posterior/paid_questions.hpp"
#include "sotto/posterior/usable_rows.hpp"

namespace sotto {
namespace {

constexpr double kMostClipped = 0.01;  // of the rows, by the model
constexpr double kFarFromBelief =
    1e-6;                              // probability that a belief's point is farther off than a look's bound
constexpr double kLittleNoise = 5e-4;  // variance of the noise over that of the rows' own sum
constexpr double kWorthALook = 1 - kLittleNoise;  // of the answer's variance without one
constexpr double kUnsettled =
    1.25;  // of the variance: what shortens rows far out and cannot be reached out for them is liked less
constexpr double kCountEntry = 1.0 / 3;  // of the bound on a row's deviation
constexpr double kBlindLook = 0.025;     // of the cost: the first, where the number of rows is private
constexpr double kLookShares[] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.3};  // of the cost
constexpr double kForLengths = 0.15;                                 // of the cost
constexpr double kLeastLast = 0.3;                                   // of the cost
constexpr int kMostLooks = 6;
constexpr double kBendOfSd = 0.1;  // what is left of clipping's bend, in the posterior's standard deviations
constexpr double kNear =
    0.5;  // of rows' standard deviations: the mean, for lengths from it to tell of their covariance
constexpr double kManyBeyond = 3;  // standard deviations of a count
constexpr Eigen::Index kMostEdges = 40;

/// A question's point and frame, and the largest length of a row in it.
struct Reach {
  Position at;
  Matrix frame;
  double bound;
  bool of_all = false;  ///< no legal row is longer
};

/// What looks tell of the mean of the rows, as they are in the table.
struct Belief {
  Position at;
  Matrix covariance;
  double rows, rows_sd;  ///< their number, and what of it noise leaves unknown
  bool looked = false;
};

/// A sum with noise of standard deviation `noise_sd`.
struct Answered {
  Position sum;
  double noise_sd;
  double rows, rows_sd;
};

/// A last question.
struct Sum {
  Reach reach;
  ShortenedNormal moments;  ///< of its clipping; no row's: {1, 1, 0}
  double
      variance;  ///< of the rows' number times their mean, in units of their covariance, summed over its axes
  bool clips = false;  ///< rows beyond the bound are shortened, however few the model puts there
};

class Releasing {
 public:
  Releasing(const LocationFacts& facts, PaidQuestions& questions)
      : facts_(facts),
        questions_(questions),
        dim_(facts.covariance.rows()),
        precision_(Cholesky(facts.covariance).inverse()),
        own_frame_(Cholesky(facts.covariance).half_solve(Matrix::Identity(dim_, dim_))) {
    middle_.resize(dim_);
    half_.resize(dim_);
    for (Eigen::Index j = 0; j < dim_; ++j) {
      const Interval& bounds = facts.bounds[static_cast<std::size_t>(j)];
      middle_[j] = bounds.lower + bounds.width() / 2;
      half_[j] = std::max(bounds.upper - middle_[j], middle_[j] - bounds.lower);
    }
  }

  LocationRelease operator()() {
    Belief belief{middle_, half_.cwiseAbs2().asDiagonal(), facts_.rows.value_or(1),
                  facts_.rows ? 0 : HUGE_VAL};
    if (!facts_.rows && clipping_may_pay()) belief = look(belief, kBlindLook);
    while (looks_ < kMostLooks && known(belief)) {
      const double share = best_look(belief);
      if (share == 0) break;
      belief = look(belief, share);
    }
    const bool near = !known(belief) || is_near(best_sum(belief, questions_.left()), belief.rows);
    Sum sum = best_sum(belief, questions_.left() - (near ? kForLengths : 0));
    std::optional<ReleasedLengths> lengths;
    if (near && sum.clips) {
      lengths = ask_lengths(belief.at);
      reach_out(*lengths, belief.rows, sum);
    }
    LocationRelease release = last(sum, questions_.left() - (near && !lengths ? kForLengths : 0));
    if (near && !lengths) lengths = ask_lengths(mean_of(release));
    release.lengths = std::move(lengths);
    if (facts_.rows) release.usable = not_all_usable(usable_.number(), *facts_.rows);
    return release;
  }

 private:
  /// Else nothing is known of the number of rows.
  [[nodiscard]] static bool known(const Belief& belief) { return std::isfinite(belief.rows_sd); }

  /// No legal row is longer: each column adds its half width over its own scale. Of all scales, these give the least noise
  /// in units of the rows' covariance, summed over its axes.
  [[nodiscard]] Reach whole_box() const {
    const Position scale = (half_.array() / precision_.diagonal().array().sqrt()).sqrt();
    const double length = std::sqrt((half_.array() * precision_.diagonal().array().sqrt()).sum());
    return {middle_, scale.cwiseInverse().asDiagonal(), length * (1 + 0x1p-40), true};
  }
  /// Rows scattered about a mean that is believed to lie somewhere: as they would look from the belief's point.
  [[nodiscard]] Reach around(const Belief& belief) const {
    const Matrix scatter = facts_.covariance + belief.covariance;
    return {belief.at, Cholesky(scatter).half_solve(Matrix::Identity(dim_, dim_)),
            normal_length(static_cast<int>(dim_), kFarFromBelief), false};
  }
  /// Of the two, that with less noise.
  [[nodiscard]] Reach unclipped(const Belief& belief) const {
    Reach box = whole_box();
    Reach near = around(belief);
    return belief.looked && noise_of(near, 1) < noise_of(box, 1) ? near : box;
  }

  /// Per unit of the bound, of a sum for this share of the cost.
  [[nodiscard]] double unit_noise(double share) const {
    // A row of a table may be exchanged for one with a missing cell, which counts in nothing: that is less than 2.
    const double exchanged = facts_.unit.adjacency == Adjacency::substitute ? 2 : std::hypot(1, kCountEntry);
    return questions_.noise_sd(
        static_cast<double>(facts_.unit.rows_per_unit) * exchanged * std::sqrt(facts_.owners), share);
  }
  /// Variance of a sum's noise in units of the rows' covariance, summed over its axes.
  [[nodiscard]] double noise_of(const Reach& reach, double share) const {
    const Matrix back = inverse(reach.frame);
    return precision_.cwiseProduct(back * back.transpose()).sum() *
           std::pow(reach.bound * unit_noise(share), 2);
  }
  [[nodiscard]] bool clipping_may_pay() const {
    const Reach least{middle_, own_frame_, normal_length(static_cast<int>(dim_), kMostClipped), false};
    return noise_of(least, 1 - kBlindLook) < kWorthALook * noise_of(whole_box(), 1);
  }

  /// How far the rows' mean may lie from the belief's point, in their standard deviations, and with it that of the model.
  [[nodiscard]] double distance(const Belief& belief) const {
    return 1.5 * std::sqrt(precision_.cwiseProduct(belief.covariance).sum() +
                           static_cast<double>(dim_) / belief.rows);
  }
  /// Near enough for the bend of clipping's mean to be a small part of the answer's standard deviation.
  [[nodiscard]] bool settled(const Belief& belief, double share) const {
    const double noise = unit_noise(share) * normal_length(static_cast<int>(dim_), kMostClipped);
    return distance(belief) <=
           std::cbrt(kBendOfSd / kShortenedNormalBend * std::sqrt(belief.rows + noise * noise) / belief.rows);
  }
  [[nodiscard]] Sum best_sum(const Belief& belief, double share) const {
    const double d = static_cast<double>(dim_);
    Reach plain = unclipped(belief);
    const double variance = (d * belief.rows + noise_of(plain, share)) * (plain.of_all ? 1 : kUnsettled);
    Sum sum{std::move(plain), {1, 1, 0}, variance};
    if (!known(belief) || !settled(belief, share)) return sum;
    const double harmless = std::sqrt(kLittleNoise * belief.rows) / unit_noise(share);
    const double bound = std::max(normal_length(static_cast<int>(dim_), kMostClipped), harmless);
    const Reach reach{belief.at, own_frame_, bound, false};
    const ShortenedNormal moments = shortened_normal(static_cast<int>(dim_), bound);
    const double clipped =
        (d * belief.rows * moments.variance + noise_of(reach, share)) / (moments.slope * moments.slope);
    if (clipped < variance) return {reach, moments, clipped, true};
    return sum;
  }
  [[nodiscard]] bool is_near(const Sum& sum, double rows) const {
    return std::sqrt(sum.variance / static_cast<double>(dim_)) < kNear * rows;
  }

  /// What a look's noise leaves unknown.
  [[nodiscard]] Belief after(Belief belief, const Reach& reach, double noise_sd) const {
    const Matrix weight = reach.frame.transpose() * reach.frame * std::pow(belief.rows / noise_sd, 2);
    belief.covariance = Cholesky(Cholesky(belief.covariance).inverse() + weight).inverse();
    belief.looked = true;
    return belief;
  }
  /// The share of the cost that looks shall have, one after the other; 0: another is not worth its cost.
  [[nodiscard]] double best_look(const Belief& belief) const {
    double best = kWorthALook * best_sum(belief, questions_.left()).variance;
    double chosen = 0;
    for (const double share : kLookShares) {
      Belief later = belief;
      double left = questions_.left();
      for (int looks = looks_; looks < kMostLooks && left - share >= kLeastLast; ++looks) {
        const Reach reach = unclipped(later);
        later = after(later, reach, reach.bound * unit_noise(share));
        left -= share;
        const double variance = best_sum(later, left).variance;
        if (variance < best) {
          best = variance;
          chosen = share;
        }
      }
    }
    return chosen;
  }
  Belief look(const Belief& belief, double share) {
    const Reach reach = unclipped(belief);
    const Answered found = ask(reach, share);
    ++looks_;
    Belief told = belief;
    told.rows = std::max({found.rows, found.rows_sd, 1.0});  // hidden rows are as good as few
    told.rows_sd = found.rows_sd;
    const Matrix weight = reach.frame.transpose() * reach.frame * std::pow(told.rows / found.noise_sd, 2);
    told = after(std::move(told), reach, found.noise_sd);
    const Position seen = reach.at + inverse(reach.frame) * found.sum / told.rows;
    told.at = belief.at + told.covariance * weight * (seen - belief.at);
    return told;
  }

  /// No legal row lies farther from another.
  [[nodiscard]] double farthest() const { return 2 * (own_frame_.cwiseAbs() * half_).norm(); }

  /// Beyond a sum's bound, where the model puts one in a hundred, or beyond one of the farther edges, where it puts none.
  [[nodiscard]] static bool many_beyond(const ReleasedLengths& lengths, double rows) {
    const Eigen::Index bins = lengths.counts.size();
    for (Eigen::Index k = 2; k < bins; ++k) {
      const double expected = k == 2 ? kMostClipped * rows : 0;
      const double sd = std::sqrt(static_cast<double>(bins - k) * std::pow(lengths.noise_sd, 2) + expected);
      if (lengths.counts.tail(bins - k).sum() - expected > kManyBeyond * sd) return true;
    }
    return false;
  }

  /// Where many more rows lie beyond a sum's bound than the model puts there, a longer one: noise is weighed against what the rows
  /// beyond it would lose, as if all lay on one side.
  void reach_out(const ReleasedLengths& lengths, double rows, Sum& sum) const {
    const Eigen::Index bins = lengths.counts.size();
    if (!many_beyond(lengths, rows)) return;
    const double noise = std::sqrt(static_cast<double>(dim_)) * unit_noise(questions_.left());
    const auto edge = [&](Eigen::Index k) { return k < bins ? lengths.edges[k] : farthest(); };
    double least = HUGE_VAL;
    for (Eigen::Index k = 2; k <= bins; ++k) {
      const double bound = std::max(edge(k), sum.reach.bound);
      double lost = 0;
      for (Eigen::Index b = k; b < bins; ++b) {
        const double length = edge(b + 1);
        if (lengths.counts[b] > kManyBeyond * lengths.noise_sd)
          lost += lengths.counts[b] * std::max(0.0, length - bound);
      }
      const double error = std::hypot(bound * noise, lost);
      if (error >= least) continue;
      least = error;
      sum.reach.bound = bound;
    }
    sum.moments = shortened_normal(static_cast<int>(dim_), sum.reach.bound);
  }

  LocationRelease last(const Sum& sum, double share) {
    const Reach& reach = sum.reach;
    Answered found = ask(reach, share);
    const Matrix frame = reach.frame;
    return {.at = reach.at,
            .frame = frame,
            .sum = std::move(found.sum),
            .slope = sum.moments.slope,
            .spread = sum.moments.variance * frame * facts_.covariance * frame.transpose(),
            .noise = found.noise_sd * found.noise_sd,
            .rows = found.rows,
            .rows_sd = found.rows_sd,
            .bound = reach.of_all ? HUGE_VAL : reach.bound,
            .clipped = sum.moments.share,
            .looks = static_cast<std::size_t>(looks_)};
  }
  /// Roughly, within the bounds.
  [[nodiscard]] Position mean_of(const LocationRelease& release) const {
    const double rows = std::max({release.rows, release.rows_sd, 1.0});
    const Position mean = release.at + inverse(release.frame) * release.sum / (release.slope * rows);
    return mean.cwiseMax(middle_ - half_).cwiseMin(middle_ + half_);
  }

  Answered ask(const Reach& reach, double share) {
    const double count = kCountEntry * reach.bound;
    const auto noisy = questions_.ask<NoisyVector>(
        ClippedDeviationsQuery{reach.at, reach.frame, reach.bound, count, questions_.pay(share)});
    const double sd = std::sqrt(noisy.variance);
    usable_.add({noisy.value.segment(dim_, 1) / count, std::pow(sd / count, 2)});
    const NoisyVector rows = facts_.rows ? usable_.of(*facts_.rows) : usable_.number();
    return {noisy.value.head(dim_), sd, rows.value[0], std::sqrt(rows.variance)};
  }

  ReleasedLengths ask_lengths(const Position& at) {
    std::vector<double> edges{0, normal_length(static_cast<int>(dim_), 0.5)};
    for (double edge = normal_length(static_cast<int>(dim_), kMostClipped);
         edges.size() < 3 || (edge < farthest() && static_cast<Eigen::Index>(edges.size()) < kMostEdges);
         edge *= 2)
      edges.push_back(edge);
    Position all = Eigen::Map<const Position>(edges.data(), static_cast<Eigen::Index>(edges.size()));
    const auto noisy =
        questions_.ask<NoisyVector>(DeviationLengthsQuery{at, own_frame_, all, questions_.pay(kForLengths)});
    return {at, all, noisy.value, std::sqrt(noisy.variance)};
  }

  const LocationFacts& facts_;
  PaidQuestions& questions_;
  Eigen::Index dim_;
  Matrix precision_;
  Matrix own_frame_;        ///< rows' covariance is the identity in it
  Position middle_, half_;  ///< of the bounds
  UsableRows usable_;
  int looks_ = 0;
};

}  // namespace

LocationRelease release_location(const LocationFacts& facts, QueryInterface& owner, Rho cost,
                                 std::function<bool()> go_on) {
  PaidQuestions questions(owner, cost, std::move(go_on));
  return Releasing(facts, questions)();
}

}  // namespace sotto
