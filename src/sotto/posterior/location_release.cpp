#include "sotto/posterior/location_release.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/math/decomposition.hpp"
#include "sotto/math/shortened_normal.hpp"
#include "sotto/posterior/paid_questions.hpp"

namespace sotto {
namespace {

constexpr double kMostClipped = 0.01;  // of the rows, by the model
constexpr double kFarFromBelief =
    1e-6;                              // probability that a belief's point is farther off than a look's bound
constexpr double kLittleNoise = 5e-4;  // variance of the noise over that of the rows' own sum
constexpr double kWorthALook = 0.8;    // of the noise's variance without one
constexpr double kCountEntry = 1.0 / 3;  // of the bound on a row's deviation
constexpr double kLeastLook = 0.005;     // of the cost
constexpr double kMostLook = 0.05;       // likewise
constexpr int kMostLooks = 6;
constexpr double kBendOfSd = 0.1;  // what is left of clipping's bend, in the posterior's standard deviations

/// A question's frame and the largest length of a row in it.
struct Reach {
  Matrix frame;
  double bound;
};

/// What looks tell of the mean of the rows, as they are in the table.
struct Belief {
  Position at;
  Matrix covariance;
  double rows;
};

/// A sum with noise of standard deviation `noise_sd`.
struct Answered {
  Position sum;
  double noise_sd;
  double rows, rows_sd;
};

class Releasing {
 public:
  Releasing(const LocationFacts& facts, PaidQuestions& questions)
      : facts_(facts),
        questions_(questions),
        dim_(facts.covariance.rows()),
        precision_(Cholesky(facts.covariance).inverse()) {
    middle_.resize(dim_);
    half_.resize(dim_);
    for (Eigen::Index j = 0; j < dim_; ++j) {
      const Interval& bounds = facts.bounds[static_cast<std::size_t>(j)];
      middle_[j] = bounds.lower + bounds.width() / 2;
      half_[j] = std::max(bounds.upper - middle_[j], middle_[j] - bounds.lower);
    }
  }

  LocationRelease operator()() {
    Belief belief{middle_, half_.cwiseAbs2().asDiagonal(), facts_.rows.value_or(1)};
    if (!looks_pay()) return unclipped();
    while (looks_ < kMostLooks && !settled(belief)) {
      const double before = distance(belief);
      belief = look(belief);
      ++looks_;
      if (distance(belief) > before / 2) break;  // the noise lets it come no nearer
    }
    return settled(belief) ? clipped(belief) : unclipped();
  }

 private:
  /// No legal row is longer: each column adds its half width over its own scale. Of all scales, these give the least noise
  /// in units of the rows' covariance, summed over its axes.
  [[nodiscard]] Reach whole_box() const {
    const Position scale = (half_.array() / precision_.diagonal().array().sqrt()).sqrt();
    const double length = std::sqrt((half_.array() * precision_.diagonal().array().sqrt()).sum());
    return {scale.cwiseInverse().asDiagonal(), length * (1 + 0x1p-40)};
  }
  /// Rows scattered about a mean that is believed to lie somewhere: as they would look from the belief's point.
  [[nodiscard]] Reach around(const Belief& belief) const {
    const Matrix scatter = facts_.covariance + belief.covariance;
    return {Cholesky(scatter).half_solve(Matrix::Identity(dim_, dim_)),
            normal_length(static_cast<int>(dim_), kFarFromBelief)};
  }

  /// Per unit of the bound, of a sum for this share of the cost.
  [[nodiscard]] double unit_noise(double share) const {
    const double exchanged = facts_.unit.adjacency == Adjacency::substitute ? 2 : 1;
    return questions_.noise_sd(
        static_cast<double>(facts_.unit.rows_per_unit) * exchanged * std::sqrt(facts_.owners), share);
  }
  /// Of the noise of unclipped rows in units of their covariance, summed over its axes.
  [[nodiscard]] double noise_of_box() const {
    return std::pow((half_.array() * precision_.diagonal().array().sqrt()).sum() * unit_noise(1), 2);
  }
  [[nodiscard]] bool looks_pay() const {
    const double d = static_cast<double>(dim_);
    if (facts_.rows && noise_of_box() < kLittleNoise * d * *facts_.rows) return false;
    const double bound = normal_length(static_cast<int>(dim_), kMostClipped);
    return d * std::pow(bound * unit_noise(1 - kMostLook), 2) < kWorthALook * noise_of_box();
  }

  /// How far the rows' mean may lie from the belief's point, in their standard deviations, and with it that of the model.
  [[nodiscard]] double distance(const Belief& belief) const {
    return 1.5 * std::sqrt(precision_.cwiseProduct(belief.covariance).sum() +
                           static_cast<double>(dim_) / belief.rows);
  }
  [[nodiscard]] bool settled(const Belief& belief) const { return distance(belief) <= wanted(belief.rows); }
  /// The distance at which the bend of clipping's mean is a small part of the answer's standard deviation.
  [[nodiscard]] double wanted(double rows) const {
    const double noise = unit_noise(questions_.left()) * normal_length(static_cast<int>(dim_), kMostClipped);
    return std::cbrt(kBendOfSd / kShortenedNormalBend * std::sqrt(rows + noise * noise) / rows);
  }

  Belief look(const Belief& belief) {
    const Reach reach = looks_ == 0 ? whole_box() : around(belief);
    const Matrix back = inverse(reach.frame);
    // Of the noise of the whole cost, per row, in units of the rows' covariance.
    const double error = precision_.cwiseProduct(back * back.transpose()).sum() *
                         std::pow(reach.bound * unit_noise(1) / belief.rows, 2);
    const double target = wanted(belief.rows) / 3;
    const bool blind = looks_ == 0 && !facts_.rows;
    const double share = blind ? kMostLook / 2 : std::clamp(error / (target * target), kLeastLook, kMostLook);
    const Answered found = ask(reach, belief.at, share);
    // Hidden rows are as good as few.
    const double rows = std::max({found.rows, found.rows_sd, 1.0});
    const Matrix weight = reach.frame.transpose() * reach.frame * std::pow(rows / found.noise_sd, 2);
    const Matrix covariance = Cholesky(Cholesky(belief.covariance).inverse() + weight).inverse();
    return {belief.at + covariance * weight * (back * found.sum / rows), covariance, rows};
  }

  LocationRelease clipped(const Belief& belief) {
    const double least = normal_length(static_cast<int>(dim_), kMostClipped);
    const double harmless = std::sqrt(kLittleNoise * belief.rows) / unit_noise(questions_.left());
    const Reach reach{Cholesky(facts_.covariance).half_solve(Matrix::Identity(dim_, dim_)),
                      std::max(least, harmless)};
    const ShortenedNormal moments = shortened_normal(static_cast<int>(dim_), reach.bound);
    return last(reach, belief.at, moments.slope, moments.variance * Matrix::Identity(dim_, dim_),
                moments.share);
  }
  LocationRelease unclipped() {
    const Reach reach = whole_box();
    return last(reach, middle_, 1, reach.frame * facts_.covariance * reach.frame.transpose(), 0);
  }

  LocationRelease last(const Reach& reach, const Position& at, double slope, Matrix spread, double clipped) {
    Answered found = ask(reach, at, questions_.left());
    return {.at = at,
            .frame = reach.frame,
            .sum = std::move(found.sum),
            .slope = slope,
            .spread = std::move(spread),
            .noise = found.noise_sd * found.noise_sd,
            .rows = found.rows,
            .rows_sd = found.rows_sd,
            .clipped = clipped,
            .looks = static_cast<std::size_t>(looks_)};
  }

  Answered ask(const Reach& reach, const Position& at, double share) {
    const double count = facts_.rows ? 0 : kCountEntry * reach.bound;
    const auto noisy = questions_.ask<NoisyVector>(
        ClippedDeviationsQuery{at, reach.frame, reach.bound, count, questions_.pay(share)});
    const double sd = std::sqrt(noisy.variance);
    if (facts_.rows) return {noisy.value, sd, *facts_.rows, 0};
    return {noisy.value.head(dim_), sd, noisy.value[dim_] / count, sd / count};
  }

  const LocationFacts& facts_;
  PaidQuestions& questions_;
  Eigen::Index dim_;
  Matrix precision_;
  Position middle_, half_;  ///< of the bounds
  int looks_ = 0;
};

}  // namespace

LocationRelease release_location(const LocationFacts& facts, QueryInterface& owner, Rho cost,
                                 std::function<bool()> go_on) {
  PaidQuestions questions(owner, cost, std::move(go_on));
  return Releasing(facts, questions)();
}

}  // namespace sotto
