#include "sotto/accountant/pld/tilted_loss.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "sotto/accountant/pld/lower_polygon.hpp"
#include "sotto/base/error.hpp"

namespace sotto {
namespace {

constexpr std::int64_t kMostRegridded = 1 << 22;

// mass e^exponent, where the product may be moderate but the exponential too large.
double scaled(double mass, double exponent) {
  return exponent < 600 ? mass * std::exp(exponent) : std::exp(std::log(mass) + exponent);
}

}  // namespace

TiltedLoss tilted(const DiscretePld& grid, double tilt) {
  TiltedLoss loss{.offset = grid.offset, .step = grid.step, .first = grid.first, .mass = grid.mass};
  loss.infinite = grid.infinite;
  loss.margin = grid.margin;
  double top = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) top = std::max(top, std::log(grid.mass[i]) + tilt * grid.loss(i));
  }
  double sum = 0;
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) sum += scaled(grid.mass[i], tilt * grid.loss(i) - top);
  }
  loss.log_scale = top + std::log(sum);
  for (std::size_t i = 0; i < grid.mass.size(); ++i) {
    if (grid.mass[i] > 0) loss.mass[i] = scaled(grid.mass[i], tilt * grid.loss(i) - loss.log_scale);
  }
  const double largest = std::max(std::abs(grid.loss(0)), std::abs(grid.loss(grid.mass.size() - 1)));
  loss.log_error = 8 * kUnit * (tilt * largest + std::abs(loss.log_scale));
  return loss;
}

void take_to_grid(TiltedLoss& out, const std::vector<LossAtom>& atoms, double tilt) {
  double lowest = HUGE_VAL;
  double highest = -HUGE_VAL;
  for (const auto& [loss, mass] : atoms) {
    if (!(mass > 0)) continue;
    lowest = std::min(lowest, loss);
    highest = std::max(highest, loss);
  }
  if (!(lowest <= highest)) {
    out.mass.assign(1, 0.0);
    return;
  }
  const auto place = [&](double l) {
    return static_cast<std::int64_t>(std::round((l - out.offset) / out.step));
  };
  const double largest = std::max(std::abs(lowest), std::abs(highest));
  if (!(largest / out.step < kMostIndex))
    throw Error(ErrorCode::configuration, "losses of very different size: account them apart");
  const std::int64_t last = place(highest);
  // What is far below the rest is left out. A polygon of few points may have to come down below the lowest.
  out.first = std::max(place(lowest), last - kMostRegridded) - 2;
  std::vector<LossBin> bins(static_cast<std::size_t>(last - out.first) + 1);
  for (const auto& [loss, tilted_mass] : atoms) {
    if (!(tilted_mass > 0) || place(loss) < out.first) continue;
    const std::int64_t index = place(loss);
    const double away = loss - out.offset - static_cast<double>(index) * out.step;
    LossBin& bin = bins[static_cast<std::size_t>(index - out.first)];
    const double mass = tilted_mass * std::exp(-tilt * away);
    bin.mass += mass;
    bin.excess -= mass * std::expm1(kGridMargin * out.step - away);
  }
  out.mass = lower_polygon(std::move(bins), out.step, tilt);
  out.first -= 1;
}

TiltedLoss regrid(const TiltedLoss& loss, double step, double tilt, Side side) {
  // The heaviest mass lies on the grid: an atom between two points costs the lower side a share of a step.
  const auto heaviest = std::max_element(loss.mass.begin(), loss.mass.end()) - loss.mass.begin();
  const double offset = loss.loss(static_cast<std::size_t>(heaviest));
  TiltedLoss out{.offset = offset, .step = step, .first = 0, .mass = {}};
  out.log_scale = loss.log_scale;
  out.log_error = loss.log_error;
  out.infinite = loss.infinite;
  out.missing = loss.missing;
  out.margin = loss.margin * loss.step / step + kGridMargin;
  out.log_error += 8 * kUnit * tilt * (std::abs(loss.loss(0)) + std::abs(loss.loss(loss.mass.size() - 1)));
  if (side == Side::lower) {
    std::vector<LossAtom> atoms;
    atoms.reserve(loss.mass.size());
    for (std::size_t k = 0; k < loss.mass.size(); ++k)
      atoms.push_back({loss.loss(k), loss.mass[k] - loss.noise});
    take_to_grid(out, atoms, tilt);
    return out;
  }
  const auto place = [&](double l) { return static_cast<std::int64_t>(std::floor((l - offset) / step)); };
  const double largest = std::max(std::abs(loss.loss(0)), std::abs(loss.loss(loss.mass.size() - 1)));
  if (!(largest / step < kMostIndex))
    throw Error(ErrorCode::configuration, "losses of very different size: account them apart");
  const std::int64_t last = place(loss.loss(loss.mass.size() - 1));
  out.first = std::max(place(loss.loss(0)), last - kMostRegridded);
  out.mass.assign(static_cast<std::size_t>(last - out.first) + 2, 0.0);
  for (std::size_t k = 0; k < loss.mass.size(); ++k) {
    const double l = loss.loss(k);
    const double mass = loss.mass[k] + loss.noise;
    const std::int64_t index = place(l);
    if (index < out.first) {  // far below the rest: moved up
      if (mass > 0) out.mass[0] += mass * std::exp(tilt * (out.loss(0) - l));
      continue;
    }
    const auto i = static_cast<std::size_t>(index - out.first);
    const double away = l - offset - static_cast<double>(index) * step;
    const double up = std::clamp(std::expm1(-away) / std::expm1(-step) + kGridMargin, 0.0, 1.0);
    out.mass[i] += mass * (1 - up) * std::exp(-tilt * away);
    out.mass[i + 1] += mass * up * std::exp(tilt * (step - away));
  }
  return out;
}

}  // namespace sotto
