#include "sotto/accountant/advanced.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sotto {

double advanced_epsilon(const Event& event, Adjacency adjacency, double delta) {
  const std::vector<Event> leaves = flatten(event);
  if (leaves.empty() || delta >= 1) return 0;
  if (leaves.size() > 1) throw Error(ErrorCode::usage, "--bound advanced takes one mechanism, repeated");
  const Event& leaf = leaves.front();
  const auto k = static_cast<double>(leaf.count);
  double step = 0;
  const View<double> pure = pure_epsilon_view(leaf, adjacency);
  const View<LossView> loss = loss_view(leaf, adjacency, Side::upper);
  const auto* gaussian = loss.is_known() ? std::get_if<GaussianLoss>(&loss.value().forward) : nullptr;
  double basic = std::numeric_limits<double>::infinity();
  if (pure.is_known()) {
    step = pure.value();
    basic = step * k;
  } else if (gaussian != nullptr && gaussian->slack == 0) {
    step = gaussian->ratio * std::sqrt(2 * std::log(1.25 * 2 * k / delta));
    // Basic composition needs no share of delta of its own.
    const double alone = gaussian->ratio * std::sqrt(2 * std::log(1.25 * k / delta));
    if (alone <= 1) basic = alone * k;
    if (step > 1) return basic;
  } else {
    throw Error(ErrorCode::usage,
                "--bound advanced takes gaussian noise and epsilon-private mechanisms: use --bound tight");
  }
  if (!(delta > 0)) return basic * (1 + 1e-12);
  const double advanced = std::sqrt(2 * k * std::log(2 / delta)) * step + k * step * std::expm1(step);
  return std::min(advanced, basic) * (1 + 1e-12);
}

double advanced_delta(const Event& event, Adjacency adjacency, double epsilon) {
  // advanced_epsilon decreases in delta: bisect in log delta.
  double low = -700;
  double high = 0;
  if (advanced_epsilon(event, adjacency, std::exp(low)) <= epsilon) return std::exp(low);
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (advanced_epsilon(event, adjacency, std::exp(middle)) <= epsilon ? high : low) = middle;
  }
  return std::min(1.0, std::exp(high));
}

}  // namespace sotto
