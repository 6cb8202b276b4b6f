#include "sotto/posterior/displacement.hpp"

#include <cstddef>

#include "sotto/math/decomposition.hpp"

namespace sotto {
namespace {

constexpr double kFlattest = 1e-3;  // of S, over its largest

Matrix pseudo_inverse(const Matrix& matrix) {
  const Spectrum spectrum(matrix);
  const double largest = spectrum.values()[matrix.rows() - 1];
  return spectrum.with(spectrum.values().cwiseMax(kFlattest * largest).cwiseInverse());
}

}  // namespace

Displacement::Displacement(const StandIn& stand_in, const Matrix& frame, const Position& anchor)
    : stand_in_(stand_in), anchor_(anchor) {
  const Eigen::Index d = anchor.size();
  images_.straight = inverse(frame.transpose());
  images_.pull = images_.deviation = Matrix::Zero(d, d);
  images_.predictors.resize(0, d);
  columns_.resize(d, 0);
  origin_ = Position::Zero(d);
  if (stand_in.link() == Link::identity) return;

  back_ = pseudo_inverse(frame * stand_in.slope(anchor) * frame.transpose()) * frame;
  images_.straight -= back_ * stand_in.derivative(anchor);
  images_.pull = stand_in.rows() * back_ * stand_in.within();
  const Spectrum within(stand_in.within());
  images_.deviation = within.values().cwiseMax(0).cwiseSqrt().asDiagonal() * within.vectors().transpose();
  const auto parts = static_cast<Eigen::Index>(stand_in.parts().size());
  images_.predictors.resize(parts, d);
  columns_.resize(d, parts);
  for (Eigen::Index k = 0; k < parts; ++k) {
    const Part& part = stand_in.parts()[static_cast<std::size_t>(k)];
    images_.predictors.row(k) = part.mean.transpose();
    columns_.col(k) = stand_in.rows() * part.share * (back_ * part.mean);
  }
  origin_ = back_ * stand_in.expected(anchor);
}

Displacement::Averages Displacement::averages(const Position& predictors, double variance) const {
  Averages result{Position(predictors.size()), 0};
  for (Eigen::Index k = 0; k < predictors.size(); ++k) {
    const auto h = stand_in_.averages(predictors[k], variance);
    result.mean[k] = h[0];
    result.slope += stand_in_.parts()[static_cast<std::size_t>(k)].share * h[1];
  }
  return result;
}

Displacement::Averages Displacement::averages_at(const Position& at) const {
  return averages(images_.predictors * at, (images_.deviation * at).squaredNorm());
}

Position Displacement::growth() const {
  const Position predictors = images_.predictors * anchor_;
  const double variance = (images_.deviation * anchor_).squaredNorm();
  Position sum = Position::Zero(anchor_.size());
  for (Eigen::Index k = 0; k < predictors.size(); ++k) {
    const Part& part = stand_in_.parts()[static_cast<std::size_t>(k)];
    const auto h = stand_in_.averages(predictors[k], variance);
    sum += part.share * (h[2] * part.mean + h[3] * (stand_in_.within() * anchor_));
  }
  return predictors.size() > 0 ? Position(sum / averages(predictors, variance).slope) : sum;
}

Position Displacement::operator()(const Position& at) const {
  const auto [mean, slope] = averages_at(at);
  return images_.straight * (at - anchor_) + columns_ * mean - origin_ + slope * (images_.pull * at);
}

Matrix Displacement::derivative(const Position& at) const {
  if (back_.size() == 0) return images_.straight;
  return images_.straight + back_ * stand_in_.derivative(at);
}

}  // namespace sotto
