#include <cmath>

#include "sotto/math/normal_probability.hpp"
#include "sotto/posterior/group_laws.hpp"

namespace sotto {
namespace {

constexpr double kSkewedLogSds[] = {.3, .6, 1, 1.4};
constexpr double kGroupSds[] = {.6, .8, 1, 1.25, 1.6, 2.2, 3.2};  // of all rows' standard deviation
constexpr double kNearlyNormal = 1e-3;
constexpr int kClipSteps = 64;
constexpr int kResidualBisections = 30;
constexpr double kFarthestResidual = 4;  // standard deviations of the law

/// Residuals of mean zero at true predictors: `sd` times a standardised log-normal to either side, or a normal.
class ResidualLaw : public GroupLaw {
 public:
  /// `log_sd`: of the log-normal, negative for one to the left; 0: normal.
  ResidualLaw(double sd, double log_sd) : sd_(sd), log_sd_(log_sd) {}

  [[nodiscard]] Position shares(const GroupRows&, const Position& edges, double move) const override {
    const Eigen::Index bins = edges.size() - 1;
    Position below = Position::Zero(edges.size());
    for (Eigen::Index j = 1; j < bins; ++j) below[j] = probability(edges[j] - move);
    below[bins] = 1;
    return (below.tail(bins) - below.head(bins)).cwiseMax(0);
  }

  [[nodiscard]] double true_move(const GroupRows&, double clip, double shift) const override {
    double near = shift - kFarthestResidual * sd_;
    double far = shift + kFarthestResidual * sd_;
    // A score that takes no skewness for granted finds a place where the mean of clipped residuals is zero.
    for (int i = 0; i < kResidualBisections; ++i) {
      const double middle = (near + far) / 2;
      (clipped_mean(middle - shift, clip) < 0 ? near : far) = middle;
    }
    return (near + far) / 2;
  }

 private:
  [[nodiscard]] double probability(double x) const {
    const double s = std::abs(log_sd_);
    if (s < kNearlyNormal) return normal_probability(x / sd_);
    const double spread = std::expm1(s * s);  // (exp(s z) - exp(s^2 / 2)) / sqrt(exp(s^2) spread)
    const double right = log_sd_ > 0 ? x : -x;
    const double y = std::exp(s * s / 2) * (1 + right / sd_ * std::sqrt(spread));
    const double below = y > 0 ? normal_probability(std::log(y) / s) : 0;
    return log_sd_ > 0 ? below : 1 - below;
  }
  /// E clip(R + move, -clip, clip) = clip - integral of P(R + move <= x), by Simpson's rule.
  [[nodiscard]] double clipped_mean(double move, double clip) const {
    const double step = 2 * clip / kClipSteps;
    double sum = 0;
    for (int i = 0; i <= kClipSteps; ++i) {
      const double weight = i == 0 || i == kClipSteps ? 1 : i % 2 == 1 ? 4 : 2;
      sum += weight * probability(-clip + i * step - move);
    }
    return clip - sum * step / 3;
  }

  double sd_, log_sd_;
};

}  // namespace

GroupLawList normal_laws(const BoundsPlan& plan) {
  GroupLawList laws;
  const double sd = std::sqrt(plan.dispersion);
  laws.push_back(std::make_unique<ResidualLaw>(sd, 0));
  for (const double times : kGroupSds) {
    laws.push_back(std::make_unique<ResidualLaw>(times * sd, 0));
    for (const double log_sd : kSkewedLogSds) {
      laws.push_back(std::make_unique<ResidualLaw>(times * sd, log_sd));
      laws.push_back(std::make_unique<ResidualLaw>(times * sd, -log_sd));
    }
  }
  return laws;
}

}  // namespace sotto
