#include "sotto/accountant/pld/large_losses.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "sotto/math/log_expm1.hpp"

namespace sotto {

double LargeLosses::total() const { return std::accumulate(mass.begin(), mass.end(), infinite); }

std::vector<double> bin_ends(double low, double high, std::size_t points) {
  std::vector<double> ends(points);
  const double first = log_expm1(low);
  const double last = log_expm1(high);
  for (std::size_t i = 0; i < points; ++i) {
    const double y = first + (last - first) * static_cast<double>(i) / static_cast<double>(points - 1);
    ends[i] = y > 30 ? y : std::log1p(std::exp(y));
  }
  ends.front() = low;
  return ends;
}

LargeLosses large_losses(const DominatingPair& pair, const std::vector<double>& ends, Side side) {
  LargeLosses large;
  DominatingPair::Cut low = pair.cut(ends.front());
  if (side == Side::upper) {
    large.loss = ends;
    large.mass.assign(ends.size(), 0.0);
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const DominatingPair::Cut high = pair.cut(ends[i]);
      const LossBin bin = excess_over(pair.between(low, high), ends[i - 1], 1);
      const double up = std::clamp(-bin.excess / std::expm1(ends[i - 1] - ends[i]), 0.0, bin.mass);
      large.mass[i - 1] += bin.mass - up;
      large.mass[i] += up;
      low = high;
    }
    large.infinite = pair.between(low, pair.cut_above_everything()).p + 1e-300;
    return large;
  }
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const DominatingPair::Cut high = pair.cut(ends[i]);
    const PairMass mass = pair.between(low, high);
    low = high;
    const double ratio = (mass.difference - mass.difference_error) / (mass.q + mass.q_error);
    if (!(mass.p > 1e-290) || !(ratio > 0)) continue;
    large.loss.push_back(std::min(std::log1p(ratio), ends[i]));
    large.mass.push_back(mass.p);
  }
  return large;
}

LargeLosses sum_of(const LargeLosses& a, const LargeLosses& b, const std::vector<double>& ends, Side side) {
  const std::size_t bins = ends.size();
  std::vector<double> p(bins, 0.0);     // in (ends[i - 1], ends[i]]
  std::vector<double> less(bins, 0.0);  // p (1 - e^(ends[i - 1] - loss)): p - q e^ends[i - 1]
  double above = 0;
  for (std::size_t i = 0; i < a.loss.size(); ++i) {
    std::size_t bin = 1;
    for (std::size_t j = 0; j < b.loss.size(); ++j) {
      const double loss = a.loss[i] + b.loss[j];
      const double mass = a.mass[i] * b.mass[j];
      while (bin < bins && ends[bin] < loss) ++bin;
      if (bin == bins) {
        above += mass;
        continue;
      }
      p[bin] += mass;
      less[bin] -= mass * std::expm1(ends[bin - 1] - loss);
    }
  }
  LargeLosses sum;
  if (side == Side::upper) {
    sum.loss = ends;
    sum.mass.assign(bins, 0.0);
    for (std::size_t i = 1; i < bins; ++i) {
      const double up = std::clamp(-less[i] / std::expm1(ends[i - 1] - ends[i]), 0.0, p[i]);
      sum.mass[i - 1] += p[i] - up;
      sum.mass[i] += up;
    }
    sum.infinite = above + a.infinite * b.total() + b.infinite * a.total();
    return sum;
  }
  for (std::size_t i = 1; i < bins; ++i) {
    if (!(p[i] > 1e-290)) continue;
    // q = (p - less) e^-ends[i - 1], so log(p / q) = ends[i - 1] - log(1 - less / p).
    const double share = std::clamp(less[i] / p[i], 0.0, -std::expm1(ends[i - 1] - ends[i]));
    sum.loss.push_back(ends[i - 1] - std::log1p(-share));
    sum.mass.push_back(p[i]);
  }
  return sum;
}

}  // namespace sotto
