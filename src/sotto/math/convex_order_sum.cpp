#include "sotto/math/convex_order_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace sotto {
namespace {

constexpr int kMantissa = 52;      // bits of a double's fraction
constexpr double kBinsPerSd = 20;  // about the mean, if no more bits tell bins apart than
constexpr int kMostBits = 16;
constexpr int kFewestBits = 12;
constexpr double kEvenlyWide = 3;  // standard deviations about the mean in which bins are evenly wide

struct Spread {
  double mean;
  double variance;
};

Spread spread_of(const PositiveLaw& law) {
  double mass = 0;
  double moment = 0;
  for (std::size_t i = 0; i < law.value.size(); ++i) {
    mass += law.mass[i];
    moment += law.mass[i] * law.value[i];
  }
  const double mean = moment / mass;
  double square = 0;
  for (std::size_t i = 0; i < law.value.size(); ++i)
    square += law.mass[i] * (law.value[i] - mean) * (law.value[i] - mean);
  return {mean, square / mass};
}

// Masses and first moments in bins 2^-bits wide, relatively: doubles that have so many bits of their fraction in common. 0 has a bin of
// its own.
class SumBins {
 public:
  SumBins(double least, double most, const Spread& spread)
      : spread_(spread),
        dropped_(kMantissa - std::clamp(static_cast<int>(std::ceil(std::log2(kBinsPerSd * spread.mean /
                                                                             std::sqrt(spread.variance)))),
                                        kFewestBits, kMostBits)),
        first_(bin_of(least)),
        mass_(bin_of(most) - first_ + 2, 0.0),
        moment_(mass_.size(), 0.0) {}

  void add(double value, double mass) {
    const std::size_t i = value > 0 ? bin_of(value) - first_ + 1 : 0;
    mass_[i] += mass;
    moment_[i] += mass * value;
  }

  [[nodiscard]] PositiveLaw joined(ConvexOrder side, std::size_t points) const {
    PositiveLaw law;
    const auto put = [&](double value, double mass) {
      if (!(mass > 0)) return;
      if (!law.value.empty() && value <= law.value.back()) {
        law.mass.back() += mass;
        return;
      }
      law.value.push_back(value);
      law.mass.push_back(mass);
    };
    put(0, mass_.front());
    const std::vector<std::size_t> ends = ends_of_groups(points);
    double carried = 0;  // of the group before, at this one's start
    for (std::size_t g = 0; g + 1 < ends.size(); ++g) {
      double mass = 0;
      double moment = 0;
      for (std::size_t i = ends[g]; i < ends[g + 1]; ++i) {
        mass += mass_[i];
        moment += moment_[i];
      }
      const double low = start_of(first_ + ends[g] - 1);
      const double high = start_of(first_ + ends[g + 1] - 1);
      const double up = mass > 0 ? std::clamp((moment - low * mass) / (high - low), 0.0, mass) : 0;
      if (side == ConvexOrder::above) {
        put(low, carried + mass - up);
        carried = up;
        if (g + 2 == ends.size()) put(high, up);
      } else if (mass > 0) {
        put(std::clamp(moment / mass, low, high), mass);
      }
    }
    return law;
  }

 private:
  [[nodiscard]] std::uint64_t bin_of(double value) const {
    return std::bit_cast<std::uint64_t>(value) >> dropped_;
  }
  [[nodiscard]] double start_of(std::uint64_t bin) const { return std::bit_cast<double>(bin << dropped_); }

  // Evenly wide about the mean, ever wider away from it, and nowhere wider than evenly in the logarithm.
  [[nodiscard]] std::vector<std::size_t> ends_of_groups(std::size_t points) const {
    const double mean = spread_.mean;
    const double width = std::max(kEvenlyWide * std::sqrt(spread_.variance), 1e-12 * mean);
    const double least = start_of(first_);
    const double most = start_of(first_ + mass_.size() - 1);
    std::vector<std::size_t> ends{1, mass_.size()};
    const double half = std::floor(static_cast<double>(points) / 2);
    const double from = std::asinh((least - mean) / width);
    const double to = std::asinh((most - mean) / width);
    for (double i = 1; i < half; ++i) {
      const double value = std::clamp(mean + width * std::sinh(from + (to - from) * i / half), least, most);
      ends.push_back(bin_of(value) - first_ + 1);
      ends.push_back(1 + static_cast<std::size_t>(static_cast<double>(mass_.size() - 1) * i / half));
    }
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    return ends;
  }

  Spread spread_;
  int dropped_;
  std::uint64_t first_;
  std::vector<double> mass_;
  std::vector<double> moment_;
};

PositiveLaw pair_sum(const PositiveLaw& a, const PositiveLaw& b, ConvexOrder side, std::size_t points) {
  const auto least = [](const PositiveLaw& law) {
    return *std::find_if(law.value.begin(), law.value.end(), [](double x) { return x > 0; });
  };
  const Spread one = spread_of(a);
  const Spread other = spread_of(b);
  SumBins bins(std::min(least(a), least(b)), a.value.back() + b.value.back(),
               {one.mean + other.mean, one.variance + other.variance});
  for (std::size_t i = 0; i < a.value.size(); ++i) {
    for (std::size_t j = 0; j < b.value.size(); ++j) bins.add(a.value[i] + b.value[j], a.mass[i] * b.mass[j]);
  }
  return bins.joined(side, points);
}

}  // namespace

PositiveLaw sum_law(const PositiveLaw& one, std::uint64_t times, ConvexOrder side, std::size_t points) {
  PositiveLaw sum{{0}, {1}};
  PositiveLaw power = one;
  for (bool first = true; times > 0; times /= 2) {
    if (times % 2 == 1) sum = first ? power : pair_sum(sum, power, side, points);
    if (times % 2 == 1) first = false;
    if (times > 1) power = pair_sum(power, power, side, points);
  }
  return sum;
}

}  // namespace sotto
