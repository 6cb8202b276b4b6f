#include "sotto/posterior/once_sampler.hpp"

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <cmath>
#include <numbers>
#include <vector>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr int kSlices = 32;  // at first; twice as many as long as the chains still move together
constexpr int kMostSlices = 512;
constexpr double kStill = 3;  // standard errors of the mean log density
constexpr int kFits = 3;      // of the base to the chains, each after a few slices
constexpr int kSlicesOfFit = 8;
constexpr Eigen::Index kLeastChains = 50;
constexpr Eigen::Index kChainsPerDimension = 10;  // a covariance of as many is right to a third
constexpr Eigen::Index kMostFitted = 1000;        // chains, of more dimensions than a hundred
constexpr double kBaseFreedom = 5;                // of the t distribution slices are taken around
constexpr double kStretch = 2;                    // of the log radius
constexpr int kMostShrinks = 60;

using Densities = Eigen::ArrayXd;

/// The target's log density in the coordinates psi = U' phi in which the score's spread is diagonal, and a t distribution
/// around which slices are taken: any is right, a near one is fast. Densities need linear images of a point alone; images of
/// points on a line or an ellipse are combined from those of what spans it.
class Target {
 public:
  explicit Target(const PositionTarget& target)
      : release_(target.release),
        frame_(target.frame),
        displacement_(target.displacement),
        prior_(target.prior),
        sigma_(target.sigma) {
    const auto& [release, frame, displacement, prior, sigma, residuals, edgeworth] = target;
    const NormalBase base = normal_base(release, frame, prior.normal);
    const Spectrum spread(release.spread);
    rotation_ = spread.vectors();
    const Matrix back = rotation_.transpose();
    spread_ = spread.values().cwiseMax(0).array() + release.score_variance;
    information_ = back * release.information * rotation_;
    score_ = back * release.score;
    columns_ = back * displacement.columns();
    weighted_columns_ = information_ * columns_;

    const Matrix to_theta = frame.transpose() * rotation_;
    const Spectrum precision(prior.normal.precision);
    const Matrix root =
        precision.values().cwiseMax(0).cwiseSqrt().asDiagonal() * precision.vectors().transpose();
    const auto& [straight, pull, deviation, predictors] = displacement.images();
    const Matrix turned = back * straight * to_theta;
    const Matrix turned_pull = back * pull * to_theta;
    const Eigen::Index d = frame.rows();
    predictors_ = predictors.rows();
    const Eigen::Index positions = prior.ratio ? d : 0;
    residuals_ = sigma ? d : 0;
    if (edgeworth) {
      const Position psi = back * base.mean;
      const Eigen::ArrayXd variance = spread_ + release.information_variance / 2 * psi.squaredNorm();
      edgeworth_ = edgeworth->turned(rotation_, variance.inverse());
    }
    const Matrix of_edgeworth = edgeworth_ ? edgeworth_->images() : Matrix(0, d);
    bends_ = of_edgeworth.rows();
    const Matrix residuals_of_psi = sigma ? Matrix(residuals.turn * rotation_) : Matrix(0, d);
    image_of_psi_.resize(kPredictors * d + predictors_ + residuals_ + bends_ + positions, d);
    image_of_psi_ << Matrix::Identity(d, d), root * to_theta, turned, information_ * turned, turned_pull,
        information_ * turned_pull, deviation * to_theta, predictors * to_theta, residuals_of_psi,
        of_edgeworth, to_theta.topRows(positions);
    image_of_anchor_.resize(image_of_psi_.rows());
    const Position origin = back * displacement.origin();
    const Position anchor_pull = back * (pull * release.anchor);
    image_of_anchor_ << Position::Zero(d), root * (release.anchor - prior.normal.location), -origin,
        -information_ * origin, anchor_pull, information_ * anchor_pull, deviation * release.anchor,
        predictors * release.anchor, residuals.from.head(residuals_), Position::Zero(bends_),
        release.anchor.head(positions);
    set_base(back * base.mean, back * base.covariance * rotation_);
  }

  void set_base(const Position& centre, const Matrix& covariance) {
    const Eigen::Index d = centre.size();
    const Matrix root = Cholesky(covariance).lower();
    image_of_standard_.resize(d + image_of_psi_.rows(), d);
    image_of_standard_ << Matrix::Identity(d, d), image_of_psi_ * root;
    image_of_mean_ = image_of_anchor_ + image_of_psi_ * centre;
    const Matrix to_theta = frame_.transpose() * (rotation_ * root);
    const Matrix back = inverse(to_theta);
    deviations_.clear();
    for (const Matrix& part : prior_.deviations) {
      deviations_.push_back({back * (part * position(centre)), back * part * to_theta});
    }
  }

  /// Images, as of `images`, of what a group's deviations are of a point.
  [[nodiscard]] std::size_t groups() const { return deviations_.size(); }
  template <class Image>
  [[nodiscard]] Position deviations(std::size_t group, const Image& image) const {
    const auto& [constant, linear] = deviations_[group];
    return image_of_standard_ * (constant + linear * image.head(dim()));
  }
  [[nodiscard]] double free_deviations(std::size_t group) const {
    return prior_.deviations[group].diagonal().sum();
  }

  /// Of mean + root z, one column a point: z, then what densities need of psi, less the mean's.
  [[nodiscard]] Matrix images(const Matrix& z) const { return image_of_standard_ * z; }
  [[nodiscard]] Eigen::Index dim() const { return spread_.size(); }
  [[nodiscard]] Matrix points(const Matrix& images) const {
    return images.middleRows(dim(), dim()).colwise() + image_of_mean_.head(dim());
  }
  [[nodiscard]] Position position(const Position& psi) const {
    return release_.anchor + frame_.transpose() * (rotation_ * psi);
  }

  /// Log density of the base, less a constant.
  template <class Image>
  [[nodiscard]] double base(const Image& image) const {
    const auto d = static_cast<double>(dim());
    return -(kBaseFreedom + d) / 2 * std::log1p(image.head(dim()).squaredNorm() / kBaseFreedom);
  }

  /// Log density of the target, less a constant, by Sherman and Morrison's formula: the score's covariance is diagonal plus
  /// v / 2 h h'.
  template <class Image>
  [[nodiscard]] double operator()(const Image& image) const {
    const Eigen::Index d = dim();
    const Position own = image.tail(image.size() - d) + image_of_mean_;
    const auto part = [&](Part k) { return own.segment(k * d, d); };
    const auto [mean, slope] =
        displacement_.averages(own.segment(kPredictors * d, predictors_), part(kDeviation).squaredNorm());
    const Eigen::ArrayXd h = part(kStraight) + slope * part(kPull) + columns_ * mean;
    const Eigen::ArrayXd r =
        score_ - part(kWeightedStraight) - slope * part(kWeightedPull) - weighted_columns_ * mean;
    const double v = release_.information_variance / 2;
    const Eigen::ArrayXd variance = spread_ + v * h.square().sum();
    const Eigen::ArrayXd inverse = variance.inverse();
    const double hh = (h.square() * inverse).sum();
    const double rh = (r * h * inverse).sum();
    const double rr = (r.square() * inverse).sum();
    double logs = 0;
    double product = 1;
    for (const double a : variance) {
      product *= a;
      if (product > 1e200 || product < 1e-200) {
        logs += std::log(product);
        product = 1;
      }
    }
    logs += std::log(product);
    const double rank = 1 + v * hh;
    double value = -0.5 * (logs + std::log(rank) + rr - v * rh * rh / rank + part(kPrior).squaredNorm());
    if (edgeworth_) {
      const Position w = inverse * (r - v * rh / rank * h);
      value += (*edgeworth_)(own.segment(kPredictors * d + predictors_ + residuals_, bends_), part(kPsi), w);
    }
    if (prior_.ratio) value += prior_.ratio(own.tail(d));
    if (sigma_)
      value += sigma_->log_density(own.segment(kPredictors * d + predictors_, residuals_).squaredNorm());
    return value;
  }

 private:
  /// What densities need of psi, dim numbers each; `weighted`: times the information. Behind them are predictors, one for each part,
  /// where sigma is unknown what adds to residuals at the anchor, what an Edgeworth expansion needs, and where the prior is not normal
  /// the position.
  enum Part : Eigen::Index {
    kPsi,
    kPrior,
    kStraight,
    kWeightedStraight,
    kPull,
    kWeightedPull,
    kDeviation,
    kPredictors
  };

  struct Affine {
    Position constant;
    Matrix linear;
  };
  const PooledRelease& release_;
  const Matrix& frame_;
  const Displacement& displacement_;
  const ResolvedPrior& prior_;
  const std::optional<SigmaPosterior>& sigma_;
  std::optional<Edgeworth> edgeworth_;
  Eigen::Index predictors_ = 0, residuals_ = 0, bends_ = 0;
  std::vector<Affine> deviations_;
  Matrix rotation_, information_, columns_, weighted_columns_, image_of_psi_, image_of_standard_;
  Position score_, image_of_anchor_, image_of_mean_;
  Eigen::ArrayXd spread_;
};

Matrix normals(Eigen::Index rows, Eigen::Index cols, ChainRng& rng) {
  Matrix z(rows, cols);
  for (Eigen::Index k = 0; k < z.size(); ++k) z.data()[k] = rng.normal();
  return z;
}

/// A slice in one dimension: shrinks a bracket around 0, where the chain is, until a point inside is as dense as a uniform
/// part of the density there. `density(a)` fills `candidate`.
/// Source     [N03, Sections 4 and 8]
template <class Density>
void shrink(double now, double width, ChainRng& rng, const Density& density) {
  const double level = now + std::log1p(-rng.uniform());
  double high = width * rng.uniform();
  double low = high - width;
  for (int step = 0; step < kMostShrinks; ++step) {
    const double a = low + (high - low) * rng.uniform();
    if (density(a) >= level) return;
    (a < 0 ? low : high) = a;
  }
  (void)density(0);
}

/// One elliptical slice of every chain, then one along the ray from the base's mean: where noise hides the information,
/// tails are long, and one along all sizes of each group's deviations: where they are small, only small steps of the others are
/// taken. A t distribution is a normal one whose scale is drawn: given the point, an inverse gamma.
/// Source     [NMA14, Section 3]
void slice(const Target& target, Matrix& images, ChainRng& rng) {
  const Eigen::Index d = target.dim();
  const auto dim = static_cast<double>(d);
  const Matrix others = target.images(normals(d, images.cols(), rng));
  boost::random::gamma_distribution<double> gamma((kBaseFreedom + dim) / 2);
  Position from, candidate;
  for (Eigen::Index k = 0; k < images.cols(); ++k) {
    from = images.col(k);
    const double scale = std::sqrt((kBaseFreedom + from.head(d).squaredNorm()) / 2 / gamma(rng));
    shrink(target(from) - target.base(from), 2 * std::numbers::pi, rng, [&](double a) {
      candidate = std::cos(a) * from + (std::sin(a) * scale) * others.col(k);
      return target(candidate) - target.base(candidate);
    });
    from = candidate;
    shrink(target(from), kStretch, rng, [&](double a) {
      candidate = std::exp(a) * from;
      return target(candidate) + dim * a;
    });
    for (std::size_t g = 0; g < target.groups(); ++g) {
      from = candidate;
      const Position deviations = target.deviations(g, from);
      shrink(target(from), kStretch, rng, [&](double a) {
        candidate = from + std::expm1(a) * deviations;
        return target(candidate) + target.free_deviations(g) * a;
      });
    }
    images.col(k) = candidate;
  }
}

Densities densities(const Target& target, const Matrix& images) {
  Densities values(images.cols());
  for (Eigen::Index k = 0; k < values.size(); ++k) values[k] = target(images.col(k));
  return values;
}

/// Slices until the chains' mean log density stays where it was half way.
bool settle(const Target& target, Matrix& images, ChainRng& rng) {
  Densities values = densities(target, images);
  for (int slices = kSlices / 2; slices < kMostSlices; slices *= 2) {
    const Densities before = values;
    for (int s = 0; s < slices; ++s) slice(target, images, rng);
    values = densities(target, images);
    const double error2 =
        ((values - values.mean()).square().mean() + (before - before.mean()).square().mean()) /
        static_cast<double>(values.size());
    const double move = values.mean() - before.mean();
    if (slices >= kSlices && move * move <= kStill * kStill * error2) return true;
  }
  return false;
}

}  // namespace

/// The fixed point of normal_base, where it begins, does not see its target's tails.
PositionBase fit_base(const PositionTarget& of, Eigen::Index least, ChainRng& rng) {
  Target target(of);
  const Eigen::Index chains =
      std::max({least, std::min(kChainsPerDimension * target.dim(), kMostFitted), 2 * target.dim()});
  Matrix images = target.images(normals(target.dim(), chains, rng));
  PositionBase base;
  for (int fit = 0; fit < kFits; ++fit) {
    for (int s = 0; s < kSlicesOfFit; ++s) slice(target, images, rng);
    const Matrix points = target.points(images);
    base.mean = points.rowwise().mean();
    const Matrix off = points.colwise() - base.mean;
    base.covariance = off * off.transpose() / static_cast<double>(chains);
    target.set_base(base.mean, base.covariance);
    images = target.images(Cholesky(base.covariance).half_solve(off));
  }
  return base;
}

DrawnPositions draw_positions(const PositionTarget& of, const PositionBase& base, Eigen::Index draws,
                              ChainRng& rng) {
  Target target(of);
  target.set_base(base.mean, base.covariance);
  // Few chains could not tell whether they move together.
  Matrix images = target.images(normals(target.dim(), std::max(draws, kLeastChains), rng));
  DrawnPositions drawn{Matrix(draws, target.dim()), settle(target, images, rng)};
  const Matrix points = target.points(images.leftCols(draws));
  for (Eigen::Index k = 0; k < draws; ++k) {
    drawn.positions.row(k) = target.position(points.col(k)).transpose();
  }
  return drawn;
}

}  // namespace sotto
