#include "sotto/posterior/once_release.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/posterior/normal_design.hpp"

namespace sotto {
namespace {

constexpr double kFirstWidth = 1.2;
constexpr double kHeadroom = 1.3;       // of the information bound over a typical row
constexpr double kInformationLoss = 3;  // weight of the information's noise against the score's in the split
constexpr double kGuessDoubt = 0.4;     // relative error of the stand-in design's information, besides noise

template <class Noisy, class Asked>
Noisy ask(QueryInterface& interface, const Asked& query) {
  const Query asked = query;
  std::vector<Answer> answers = interface.answer(std::span(&asked, 1));
  if (auto* released = std::get_if<Released<Noisy>>(&answers.at(0))) return std::move(*released).value();
  const auto* refusal = std::get_if<QueryStatus>(&answers[0]);
  if (refusal != nullptr && *refusal == QueryStatus::budget) {
    throw Error(ErrorCode::budget, "the privacy budget does not cover release-once: lower its cost");
  }
  throw Error(ErrorCode::configuration, "release-once: a position went out of range; use a narrower prior");
}

/// Bounds of a weighting at which rows of |z|^2 = dim, with the typical residual and variance, are `width` times below.
Weighting weighting_at(Position at, Matrix frame, double width, double residual, double variance) {
  const double length2 = static_cast<double>(at.size()) * width * width;
  return {std::move(at), std::move(frame), residual * std::sqrt(length2), variance * length2};
}

/// What is left of a noisy positive semidefinite matrix.
struct Shrunk {
  Matrix matrix;
  double caution;  ///< mean eigenvalue less its noise's standard deviation, over the mean eigenvalue
  double least;    ///< smallest eigenvalue
  double keep;     ///< 1 - how far it was shrunk
};

/// Shrinks a noisy positive semidefinite matrix towards a multiple of the identity, as far as its noise demands, and keeps
/// its eigenvalues positive.
/// Source     positive-part James-Stein [JS61] for the matrix minus its mean eigenvalue
Shrunk shrink(const Matrix& noisy, double variance) {
  const auto d = static_cast<double>(noisy.rows());
  const double noise = std::sqrt(variance / d);
  const double level = std::max(noisy.trace() / d, noise);
  const Matrix shape = noisy - level * Matrix::Identity(noisy.rows(), noisy.cols());
  const double keep = std::max(0.0, 1 - variance * d * (d + 1) / 2 / shape.squaredNorm());
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(level * Matrix::Identity(noisy.rows(), noisy.cols()) +
                                                     keep * shape);
  const Position values = solver.eigenvalues().cwiseMax(0.02 * level);
  return {solver.eigenvectors() * values.asDiagonal() * solver.eigenvectors().transpose(),
          std::max(0.05, 1 - noise / level), values.minCoeff(), keep};
}

/// Where the posterior given one score is highest, as far as the stand-in design knows: damped Newton steps.
/// score ~ N(expected(theta) - expected(from), information + noise).
Position find_mode(const NormalDesign& design, const OnceSettings& settings, const Position& score,
                   const Matrix& noise, const Position& from) {
  const Position start = design.expected(settings.mean, from);
  const Position precision = settings.prior.sd.array().square().inverse();
  const Eigen::LLT<Matrix> weight(design.information(settings.mean, from) + noise);
  const auto cost = [&](const Position& theta) {
    const Position miss = score + start - design.expected(settings.mean, theta);
    const Position off = theta - settings.prior.mean;
    return miss.dot(weight.solve(miss)) + precision.dot(off.cwiseProduct(off));
  };
  Position theta = from;
  double best = cost(theta);
  double damping = 0;
  for (int step = 0; step < 60; ++step) {
    const Matrix slope = design.information(settings.mean, theta);
    const Position miss = score + start - design.expected(settings.mean, theta);
    Matrix curvature = slope * weight.solve(slope);
    curvature.diagonal() += precision;
    curvature.diagonal() *= 1 + damping;
    const Position pull = slope * weight.solve(miss) + precision.cwiseProduct(settings.prior.mean - theta);
    const Position candidate = theta + curvature.ldlt().solve(pull);
    const double value = cost(candidate);
    if (value < best) {
      const bool converged = best - value < 1e-9;
      theta = candidate;
      best = value;
      damping = damping < 1e-3 ? 0 : damping / 4;
      if (converged) break;
    } else {
      damping = std::max(1e-2, 4 * damping);
    }
  }
  return theta;
}

/// Variances of the last releases' noise at width 1 and the whole cost, over the information.
struct LastNoise {
  double score;        ///< grows with the width's square
  double information;  ///< as it enters the posterior; grows with the width's fourth power
  /// Of both, when the cost is split best between them.
  [[nodiscard]] double at(double width) const {
    const double sum = std::sqrt(score) * width + std::sqrt(information) * width * width;
    return sum * sum;
  }
};

/// The largest width that costs little more variance than the best: noise grows with it, lost weight falls. Rows that keep
/// their weight keep the answer where it would be without weights, also where the model does not hold.
/// Computes   max width with v(width) <= min v + kSpare, v = 1 + noise(width) / c^2 + 0.35 (1 - c), c = 1 - exp(-3 t - t^2) / 4,
///            t = width - 1, the mean weight
/// Source     a fit to box covariates (docs/release-once.md); any width is valid
double choose_width(const LastNoise& noise) {
  constexpr double kSpare = 0.07;
  constexpr double kLeast = 0.95, kStep = 0.05;
  constexpr int kSteps = 42;
  const auto width = [](int i) { return kLeast + kStep * i; };
  const auto variance = [&](int i) {
    const double t = width(i) - 1;
    const double c = 1 - std::exp(-3 * t - t * t) / 4;
    return 1 + noise.at(width(i)) / (c * c) + 0.35 * (1 - c);
  };
  double least = HUGE_VAL;
  for (int i = 0; i < kSteps; ++i) least = std::min(least, variance(i));
  int chosen = kSteps - 1;
  while (variance(chosen) > least + kSpare) --chosen;
  return width(chosen);
}

void check(const OnceSettings& s) {
  const Eigen::Index d = s.column_scale.size();
  if (d == 0 || s.prior.mean.size() != d || s.prior.sd.size() != d || !(s.column_scale.array() > 0).all() ||
      !(s.prior.sd.array() > 0).all() || !(s.cost.value() > 0) || !(s.residual > 0) || !(s.width >= 0)) {
    throw Error(ErrorCode::configuration,
                "release-once: scales, prior widths and cost must be positive and of equal length");
  }
}

/// How the last releases look: bounds, and their split of the cost.
struct LastPlan {
  double residual, variance, width;
  double information;  ///< fraction of the cost; the score takes the rest
};

/// `guess`: information about the position in the frame, from `rows` rows; `cost`: of score and information together.
LastPlan plan_last(const OnceSettings& settings, const Matrix& guess, double rows, Rho cost) {
  const auto d = static_cast<double>(guess.rows());
  const double level = guess.trace() / d;
  const double variance = level / rows;  // of a typical response
  LastPlan plan{settings.residual, kHeadroom * variance, 1, 0};
  if (settings.mean.link == Link::logit) plan.variance = std::min(0.25, plan.variance);
  // The information's relative error enters the posterior through its largest eigenvalue, sqrt(2 d) entries' worth.
  const double entry = std::sqrt(2.0) * plan.variance * d / level;
  const LastNoise noise{4 * d * plan.residual * plan.residual / (2 * cost.value()) / level,
                        kInformationLoss * 2 * d * entry * entry / (2 * cost.value())};
  plan.width = settings.width > 0 ? settings.width : choose_width(noise);
  const double odds = std::sqrt(noise.information / noise.score) * plan.width;
  plan.information = std::clamp(odds / (1 + odds), 0.05, 0.4);
  return plan;
}

}  // namespace

OnceRelease release_once(const OnceSettings& settings, QueryInterface& interface) {
  check(settings);
  const OnceShares& share = settings.shares;
  const double unit =
      settings.cost.value() / (share.first_information + share.first_score + share.second_score + share.last);
  const auto cost = [&](double part) { return Rho(part * unit); };

  // At zero, in coordinates scaled by public guesses: the covariates' moments, and a first position.
  const Position zero = Position::Zero(settings.column_scale.size());
  const Matrix guess = settings.column_scale.cwiseInverse().asDiagonal();
  const Matrix unscale = settings.column_scale.asDiagonal();
  const double variance_at_zero = settings.mean.moments(0, 0)[1];
  const Weighting rough = weighting_at(zero, guess, kFirstWidth, settings.residual, variance_at_zero);
  const auto shape = ask<NoisyInformation>(interface, InformationQuery{rough, cost(share.first_information)});
  const auto first = ask<NoisyScore>(interface, ScoreQuery{rough, cost(share.first_score)});
  const Shrunk shrunk = shrink(shape.value, shape.variance);
  const Matrix moments = unscale * shrunk.matrix * unscale / variance_at_zero;
  const double rows = std::max({shape.rows, std::sqrt(shape.rows_variance), 1.0});
  const NormalDesign design = NormalDesign::from_moments(moments, settings.intercept, rows);
  const Position second =
      find_mode(design, settings, unscale * first.value, first.variance * unscale * unscale, zero);

  // There, in coordinates in which covariates have unit moments: every direction gets the same relative noise.
  const Matrix root = Eigen::LLT<Matrix>(moments / rows).matrixL();
  const Matrix frame = root.triangularView<Eigen::Lower>().solve(Matrix::Identity(root.rows(), root.cols()));
  const auto guessed_information = [&](const Position& at) {
    return Matrix(frame * design.information(settings.mean, at) * frame.transpose());
  };
  const LastPlan plan = plan_last(settings, guessed_information(second), rows, cost(share.last));
  const auto nearer = ask<NoisyScore>(
      interface, ScoreQuery{weighting_at(second, frame, plan.width, plan.residual, plan.variance),
                            cost(share.second_score)});
  const Position third =
      find_mode(design, settings, root * nearer.value, nearer.variance * root * root.transpose(), second);

  const Weighting last = weighting_at(third, frame, plan.width, plan.residual, plan.variance);
  const auto information =
      ask<NoisyInformation>(interface, InformationQuery{last, cost(share.last * plan.information)});
  const auto score = ask<NoisyScore>(interface, ScoreQuery{last, cost(share.last * (1 - plan.information))});

  // Both scores measure the same maximum likelihood point; pool them, and the anchors likewise.
  const double weight = nearer.variance / (nearer.variance + score.variance);
  const double doubt = shape.variance / (shrunk.least * shrunk.least) + kGuessDoubt * kGuessDoubt;
  return {weight * third + (1 - weight) * second,
          frame,
          weight * score.value + (1 - weight) * nearer.value,
          nearer.variance * score.variance / (nearer.variance + score.variance),
          information.value,
          information.variance,
          information.squares,
          shrunk.caution * guessed_information(third),
          std::max(static_cast<double>(zero.size()) + 1, shrunk.keep * 2 / doubt),
          rows,
          plan.width};
}

}  // namespace sotto
