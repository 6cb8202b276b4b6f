#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <cmath>

#include "sotto/posterior/group_laws.hpp"

namespace sotto {
namespace {

constexpr double kGroupDispersions[] = {0, .1, .2, .4, .7, 1.1, 1.8, 3, 6};
constexpr double kGroupLogSds[] = {.5, .7, 1, 1.3, 1.7, 2.2};
constexpr double kGroupShapes[] = {.5, .65, .8};
constexpr int kGroupQuantiles = 7;
constexpr std::array<std::pair<double, double>, 3> kPlaces{{{-1.2247, .3}, {0, .4}, {1.2247, .3}}};
constexpr double kNearestMove = -3, kFarthestMove = 6;
constexpr int kBisections = 24;

class CountGroupLaw : public GroupLaw {
 public:
  CountGroupLaw(const CountEffect& effect, const BoundsPlan& plan) : parts_(parts_of(effect)), plan_(plan) {}

  [[nodiscard]] Position shares(const GroupRows& rows, const Position& edges, double move) const override {
    const boost::math::normal normal;
    const Eigen::Index bins = edges.size() - 1;
    Position below = Position::Zero(edges.size());
    for (int q = 0; q < kGroupQuantiles; ++q) {
      const double fitted =
          count_mean(rows.predictor + rows.sd * quantile(normal, (q + 0.5) / kGroupQuantiles));
      for (Eigen::Index j = 1; j < bins; ++j) {
        below[j] +=
            cumulative_probability(parts_, fitted * std::exp(move), std::ceil(edges[j] * fitted) - 1) /
            kGroupQuantiles;
      }
    }
    below[bins] = 1;
    return (below.tail(bins) - below.head(bins)).cwiseMax(0);
  }

  [[nodiscard]] double true_move(const GroupRows& rows, double clip, double shift) const override {
    struct Place {
      double weight, mean, low, high;
    };
    std::array<Place, kPlaces.size()> places{};
    double found = 0;
    for (std::size_t k = 0; k < places.size(); ++k) {
      const double mean = count_mean(rows.predictor + rows.sd * kPlaces[k].first);
      const double reach = clip * std::max(1.0, std::sqrt(mean + plan_.count_dispersion * mean * mean));
      places[k] = {kPlaces[k].second, mean, std::max(mean - reach, 0.0), mean + reach};
      const ClippedCount planned =
          clipped_count({mean, plan_.count_dispersion}, places[k].low, places[k].high);
      found += places[k].weight * (planned.mean + planned.slope * shift);
    }
    double near = kNearestMove;
    double far = kFarthestMove;
    for (int i = 0; i < kBisections; ++i) {
      const double middle = (near + far) / 2;
      double sum = 0;
      for (const auto& [weight, mean, low, high] : places)
        sum += weight * clipped_mean(parts_, mean * std::exp(middle), low, high);
      (sum < found ? near : far) = middle;
    }
    return (near + far) / 2;
  }

 private:
  std::vector<CountPart> parts_;
  const BoundsPlan& plan_;
};

}  // namespace

GroupLawList count_laws(const PlanPoint& point, const BoundsPlan& plan) {
  GroupLawList laws;
  const auto add = [&](const CountEffect& effect) {
    laws.push_back(std::make_unique<CountGroupLaw>(effect, plan));
  };
  const auto& effects = point.spread.effects;
  add(effects.empty() ? CountEffect{.dispersion = plan.count_dispersion}
                      : std::ranges::max_element(effects, {}, &LikelyEffect::probability)->effect);
  for (const double dispersion : kGroupDispersions) add({.dispersion = dispersion});
  for (const double log_sd : kGroupLogSds) add({.log_sd = log_sd});
  for (const double shape : kGroupShapes) add({.weibull_shape = shape});
  return laws;
}

}  // namespace sotto
