#include "sotto/posterior/offset.hpp"

#include <cmath>
#include <utility>

namespace sotto {
namespace {

constexpr double kClearlyOff = 4;  // standard deviations
constexpr double kIgnored = 1e6;   // variances

}  // namespace

Position offset_alone(const OnceFacts& facts, const StandIn& stand_in) {
  Position at = Position::Zero(facts.dim());
  const Position constant = facts.constant();
  if (constant.size() > 0) at -= *facts.offset * stand_in.mean()[at.size() - 1] * constant;
  at[at.size() - 1] += *facts.offset;
  return at;
}

JointNormalPrior without_offset(const OnceFacts& facts, JointNormalPrior prior) {
  const Eigen::Index last = facts.dim() - 1;
  prior.precision(last, last) = 1 / (*facts.offset * *facts.offset);
  return prior;
}

bool offset_is_off(const OnceFacts& facts, const Matrix& frame, const PooledRelease& release,
                   const JointNormalPrior& prior) {
  if (!facts.offset) return false;
  const NormalBase base = normal_base(release, frame, without_offset(facts, prior));
  const Position to_last = frame.col(facts.dim() - 1);
  const double off = release.anchor[facts.dim() - 1] + to_last.dot(base.mean) - *facts.offset;
  return std::abs(off) > kClearlyOff * std::sqrt(to_last.dot(base.covariance * to_last));
}

bool offset_is_off(const OnceFacts& facts, const StandIn& stand_in, const Position& freely, double error) {
  const Eigen::Index last = facts.dim() - 1;
  return std::abs(freely[last] - *facts.offset) * std::sqrt(stand_in.covariance()(last, last)) >
         kClearlyOff * error;
}

Matrix offset_score(const Matrix& frame, double variance) {
  const Position direction = frame.col(frame.cols() - 1).normalized();
  return kIgnored * variance * direction * direction.transpose();
}

}  // namespace sotto
