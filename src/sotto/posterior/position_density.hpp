// The density of positions given pooled releases, as slices ask for it.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "sotto/posterior/anchor_residuals.hpp"
#include "sotto/posterior/default_prior.hpp"
#include "sotto/posterior/displacement.hpp"
#include "sotto/posterior/edgeworth.hpp"
#include "sotto/posterior/pooled_release.hpp"
#include "sotto/posterior/sigma_posterior.hpp"

namespace sotto {

/// prior(theta) N(score; G h, spread + score_variance I + v / 2 (|h|^2 I + h h')), see PooledRelease; h is phi where the score is
/// linear, else bent as the stand-in says. Times what an Edgeworth expansion adds. Of normal responses of unknown sigma also the density of the residuals' released squares.
struct PositionTarget {
  const PooledRelease& release;
  const Matrix& frame;
  const Displacement& displacement;
  const ResolvedPrior& prior;
  const std::optional<SigmaPosterior>& sigma;
  const AnchorResiduals& residuals;  ///< where sigma is unknown
  const std::optional<Edgeworth>& edgeworth;
};

/// The target's log density in the coordinates psi = U' phi in which the score's spread is diagonal, and a t distribution
/// around which slices are taken: any is right, a near one is fast. Densities need linear images of a point alone; images of
/// points on a line or an ellipse are combined from those of what spans it.
class PositionDensity {
 public:
  static constexpr double kBaseFreedom = 5;  ///< of the t distribution
  using Image = Eigen::Ref<const Position>;

  /// What the target refers to is read as long as this lives.
  explicit PositionDensity(const PositionTarget& target);

  void set_base(const Position& centre, const Matrix& covariance);

  /// Images, as of `images`, of what a group's deviations are of a point.
  [[nodiscard]] std::size_t groups() const { return deviations_.size(); }
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
  [[nodiscard]] double base(const Image& image) const {
    const auto d = static_cast<double>(dim());
    return -(kBaseFreedom + d) / 2 * std::log1p(image.head(dim()).squaredNorm() / kBaseFreedom);
  }

  /// Log density of the target, less a constant, by Sherman and Morrison's formula: the score's covariance is diagonal plus
  /// v / 2 h h'.
  [[nodiscard]] double operator()(const Image& image) const;

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
  Eigen::ArrayXd spread_;  // without the score's noise
  Position growth_;        // of the spread's level, by psi
  double slope_at_anchor_ = 1, spread_of_precision_ = 0;
};

}  // namespace sotto
