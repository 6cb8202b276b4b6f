#include "sotto/accountant/calibrate.hpp"

#include <cmath>
#include <optional>

namespace sotto {
namespace {

Event with_noise(const Event& mechanism, double noise) {
  Event event = mechanism;
  bool known = true;
  std::visit(
      [&]<class T>(T& e) {
        if constexpr (std::is_same_v<T, GaussianEvent> || std::is_same_v<T, DiscreteGaussianEvent>) {
          e.sigma = noise * e.sensitivity;
        } else if constexpr (std::is_same_v<T, LaplaceEvent>) {
          e.scale = noise * e.sensitivity;
        } else if constexpr (std::is_same_v<T, SubsampledGaussianEvent>) {
          e.sigma = noise * e.clip_norm;
        } else if constexpr (std::is_same_v<T, SubsampledLaplaceEvent>) {
          e.scale = noise * e.clip_norm;
        } else if constexpr (std::is_same_v<T, SubsampledPenaltyEvent>) {
          e.tau = noise;
        } else {
          known = false;
        }
      },
      event.mechanism);
  if (!known) throw Error(ErrorCode::usage, mechanism_name(mechanism) + " has no sigma to solve for");
  return event;
}

bool fits(const Event& event, const Target& target) {
  const Event all{CompositionEvent{{event, target.others}}, 1};
  try {
    return upper_delta(all, target.adjacency, target.epsilon, target.kind) <= target.delta.value();
  } catch (const Error& error) {
    if (error.code() == ErrorCode::configuration)
      return false;  // beyond the accountant's range: does not fit
    throw;
  }
}

}  // namespace

std::uint64_t largest_count(const Event& mechanism, const Target& target) {
  const auto at = [&](std::uint64_t count) {
    Event event = mechanism;
    event.count = count;
    return fits(event, target);
  };
  constexpr std::uint64_t most = 1ULL << 50;
  std::uint64_t low = 0;  // fits, or is nothing
  std::uint64_t high = 1;
  while (high <= most && at(high)) {
    low = high;
    high *= 2;
  }
  if (high > most) return most;
  while (high - low > 1) {
    const std::uint64_t middle = low + (high - low) / 2;
    (at(middle) ? low : high) = middle;
  }
  return low;
}

double smallest_noise(const Event& mechanism, const Target& target) {
  const auto at = [&](double noise) { return fits(with_noise(mechanism, noise), target); };
  double high = 1;
  while (!at(high)) {
    high *= 2;
    if (high > 1e12)
      throw Error(ErrorCode::usage, "no sigma up to 1e12 fits: raise epsilon or delta, or lower count");
  }
  double low = high / 2;
  while (low > 1e-6 && at(low)) {
    high = low;
    low /= 2;
  }
  while (high > low * (1 + 2e-7)) {
    const double middle = std::sqrt(low * high);
    (at(middle) ? high : low) = middle;
  }
  return high;
}

}  // namespace sotto
