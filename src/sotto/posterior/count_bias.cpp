#include "sotto/posterior/count_bias.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kPredictors = 16;
constexpr double kFewestPredictors = 4;     // of a part of the rows
constexpr double kFarthestPredictor = 2.5;  // standard deviations of the predictor
constexpr double kNotLikely = 1e-4;
constexpr double kFamilyDoubt = 0.15;  // of what is taken off: effects may be of another law

/// Over that of a typical residual: of rows whose largest residual is this, the mean weight.
double relative_weight(const BoundsPlan& plan, double largest) {
  return kept_weight(plan.width * plan.typical / largest) / kept_weight(plan.width);
}

/// At least 1.
double standard_deviation(const BoundsPlan& plan, double mean) {
  return std::max(1.0, std::sqrt(mean + plan.count_dispersion * mean * mean));
}

}  // namespace

template <class Value, class Of>
Value CountClip::mean_over_rows(const Of& of) const {
  const NormalPredictor all = stand_in.predictor(at);
  Value result = Value::Zero();
  for (const auto& [centre, sd, share] : stand_in.predictors(at)) {
    const double steps = std::max(std::round(kPredictors * share), kFewestPredictors);
    Value sum = Value::Zero();
    double weights = 0;
    for (double q = 0; q <= steps; ++q) {
      const double t = kFarthestPredictor * (2 * q / steps - 1);
      const double eta = centre + sd * t;
      const double mean = count_mean(eta);
      const double weight = std::exp(-t * t / 2);
      const double largest = plan.clip * standard_deviation(plan, mean);
      sum += weight * relative_weight(plan, largest) *
             of(mean, Eigen::Vector2d{1, (eta - all.mean) / std::max(all.sd, 1e-300)});
      weights += weight;
    }
    result += share * sum / weights;
  }
  return result;
}

Eigen::Vector2d CountClip::taken_off(double clip, const CountEffect& effect) const {
  const std::vector<CountPart> parts = parts_of(effect);
  return mean_over_rows<Eigen::Vector2d>(
      [&](double mean, const Eigen::Vector2d& predictor) -> Eigen::Vector2d {
        const double reach = clip * standard_deviation(plan, mean);
        const double low = std::max(mean - reach, 0.0);
        return (clipped_count({mean, subtracted}, low, mean + reach).mean -
                clipped_mean(parts, mean, low, mean + reach)) *
               predictor;
      });
}

Eigen::Matrix2d CountClip::information() const {
  return mean_over_rows<Eigen::Matrix2d>(
      [&](double mean, const Eigen::Vector2d& predictor) -> Eigen::Matrix2d {
        const double reach = plan.clip * standard_deviation(plan, mean);
        const double low = std::max(mean - reach, 0.0);
        return clipped_count({mean, plan.count_dispersion}, low, mean + reach).slope * predictor *
               predictor.transpose();
      });
}

ClipBias CountClip::bias(const std::vector<double>& clips, const std::vector<LikelyEffect>& likely) const {
  ClipBias bias(clips.size());
  for (const auto& [effect, probability] : likely) {
    if (probability < kNotLikely) continue;
    Position lost(bias.mean.size());
    for (std::size_t k = 0; k < clips.size(); ++k)
      lost.segment(static_cast<Eigen::Index>(2 * k), 2) = taken_off(clips[k], effect);
    bias.mean += probability * lost;
    bias.square += (1 + kFamilyDoubt * kFamilyDoubt) * probability * lost * lost.transpose();
  }
  return bias;
}

}  // namespace sotto
