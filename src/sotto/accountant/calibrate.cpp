#include "sotto/accountant/calibrate.hpp"

#include <algorithm>
#include <cmath>
#include <variant>

#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

Event with_others(const Event& event, const Target& target) {
  return {CompositionEvent{{event, target.others}}, 1};
}

// Whether the accountant, asked for delta or for epsilon, says that it fits.
bool is_confirmed(const Event& event, const Target& target) {
  const Event all = with_others(event, target);
  try {
    if (!(account_delta(all, target.adjacency, target.epsilon, target.kind).upper <= target.delta.value()))
      return false;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
    return false;
  }
  try {
    return account_epsilon(all, target.adjacency, target.delta, target.kind).upper <= target.epsilon.value();
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
    return true;  // beyond its grids at this delta; the other question was answered
  }
}

// log of the upper bound of delta over the target's; infinite beyond the accountant's range.
double log_excess(const Event& event, const Target& target, UpperBound bound) {
  const Event all = with_others(event, target);
  try {
    const double delta = target.kind == BoundKind::tight
                             ? tight_delta_upper(all, target.adjacency, target.epsilon, bound)
                             : upper_delta(all, target.adjacency, target.epsilon, target.kind);
    if (target.delta.value() == 0) return delta == 0 ? -1 : HUGE_VAL;
    if (delta <= target.delta.value()) return std::min(std::log(delta / target.delta.value()), 0.0);
    return std::max(std::log(delta / target.delta.value()), 1e-300);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::configuration) return HUGE_VAL;  // does not fit
    throw;
  }
}

// Nothing that is calibrated mends what the others cost.
void check_others(const Target& target) {
  const auto* composed = std::get_if<CompositionEvent>(&target.others.mechanism);
  if (composed != nullptr && composed->parts.empty()) return;
  try {
    const double delta = account_delta(target.others, target.adjacency, target.epsilon, target.kind).upper;
    if (delta <= target.delta.value()) return;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
  }
  throw Error(ErrorCode::usage,
              "what is composed with it costs more than this epsilon and delta by itself: raise them, or "
              "leave some of it out");
}

// A place between two, where the line through their excesses crosses zero; the middle if that is no help.
struct Bracket {
  double low;  // does not fit
  double high;
  double low_excess;
  double high_excess;

  [[nodiscard]] double next(int round) const {
    const double share = low_excess / (low_excess - high_excess);
    const bool known = std::isfinite(low_excess) && std::isfinite(high_excess) && share > 0 && share < 1;
    if (!known || round % 4 == 3) return low + (high - low) / 2;
    // A little towards the far end, so that both ends move.
    const double lean = round % 2 == 0 ? 1e-3 : -1e-3;
    return low + (high - low) * std::clamp(share * (1 + lean), 1e-3, 1 - 1e-3);
  }
  void take(double place, double excess) {
    (excess <= 0 ? high : low) = place;
    (excess <= 0 ? high_excess : low_excess) = excess;
  }
};

}  // namespace

// What is found is searched for with the upper bound alone, at growing accuracy; what is returned is confirmed by the accountant.
std::uint64_t largest_count(const Event& mechanism, const Target& target) {
  const auto excess_at = [&](double count, UpperBound bound) {
    Event event = mechanism;
    event.count = static_cast<std::uint64_t>(count);
    return log_excess(event, target, bound);
  };
  constexpr auto most = static_cast<double>(kMostCount);
  // Places of the bracket are -log(count): the smaller the count, the better it fits.
  double fitting = 0;
  double failing = 1;
  Bracket bracket{0, HUGE_VAL, excess_at(1, UpperBound::first), -HUGE_VAL};
  while (bracket.low_excess <= 0) {
    fitting = failing;
    bracket.high = bracket.low;
    bracket.high_excess = bracket.low_excess;
    if (fitting >= most) return kMostCount;
    failing *= 4;
    bracket.low = -std::log(failing);
    bracket.low_excess = excess_at(failing, UpperBound::first);
  }
  if (fitting == 0) {
    check_others(target);
    return 0;
  }
  const auto narrow = [&](double width, UpperBound bound) {
    for (int round = 0; failing - fitting > std::max(1.0, width * fitting); ++round) {
      const double count = std::clamp(std::round(std::exp(-bracket.next(round))), fitting + 1, failing - 1);
      const double excess = excess_at(count, bound);
      (excess <= 0 ? fitting : failing) = count;
      bracket.take(-std::log(count), excess);
    }
  };
  narrow(1e-3, UpperBound::first);
  // A finer look may grant some more; what fitted fits.
  for (double step = std::max(1.0, std::floor(1e-4 * fitting));; step *= 8) {
    failing = fitting + step;
    bracket.low = -std::log(failing);
    bracket.low_excess = excess_at(failing, UpperBound::fine);
    if (bracket.low_excess > 0) break;
    fitting = failing;
    bracket.high = bracket.low;
    bracket.high_excess = bracket.low_excess;
  }
  narrow(1e-6, UpperBound::fine);
  for (double less = std::max(1.0, std::floor(1e-7 * fitting)); fitting > 0; less *= 4) {
    Event event = mechanism;
    event.count = static_cast<std::uint64_t>(fitting);
    if (is_confirmed(event, target)) break;
    fitting = std::max(0.0, fitting - less);
  }
  return static_cast<std::uint64_t>(fitting);
}

double smallest_noise(const Event& mechanism, const Target& target) {
  const auto excess_at = [&](double log_noise, UpperBound bound) {
    return log_excess(with_noise(mechanism, std::exp(log_noise)), target, bound);
  };
  const auto confirmed = [&](double noise) {
    for (double more = 1e-7; !is_confirmed(with_noise(mechanism, noise), target); more *= 4) {
      if (!(more < 1e3)) throw Error(ErrorCode::internal, "no noise confirms the one found");
      noise *= 1 + more;
    }
    return noise;
  };
  const double most = std::log(1e12);
  if (target.delta.value() == 0 && excess_at(most, UpperBound::first) > 0) {
    check_others(target);
    throw Error(ErrorCode::usage,
                "no sigma up to 1e12 fits at delta 0, where all releases must be epsilon-private, as those "
                "with Gaussian noise never are: give delta above 0, raise epsilon, or lower count");
  }
  const double least = std::log(1e-6);
  const double factor = std::log(3);
  Bracket bracket{0, 0, 0, excess_at(0, UpperBound::first)};
  if (bracket.high_excess <= 0) {
    do {
      bracket.low = bracket.high - factor;
      bracket.low_excess = excess_at(bracket.low, UpperBound::first);
      if (bracket.low_excess <= 0) bracket.take(bracket.low, bracket.low_excess);
    } while (bracket.low_excess <= 0 && bracket.low > least);
    if (bracket.low_excess <= 0) return confirmed(std::exp(bracket.high));
  } else {
    do {
      bracket.low = bracket.high;
      bracket.low_excess = bracket.high_excess;
      bracket.high += factor;
      if (bracket.high > most) {
        check_others(target);
        throw Error(ErrorCode::usage, "no sigma up to 1e12 fits: raise epsilon or delta, or lower count");
      }
      bracket.high_excess = excess_at(bracket.high, UpperBound::first);
    } while (bracket.high_excess > 0);
  }
  for (int round = 0; bracket.high - bracket.low > 1e-4; ++round) {
    const double place = bracket.next(round);
    bracket.take(place, excess_at(place, UpperBound::first));
  }
  // The finer bound is smaller: what fitted fits, a little less may too.
  bracket.high_excess = excess_at(bracket.high, UpperBound::fine);
  if (bracket.high_excess > 0) bracket.high_excess = -1e-300;  // the first look has proven that it fits
  bracket.low_excess = excess_at(bracket.low, UpperBound::fine);
  for (int round = 0; bracket.low_excess <= 0 && round < 8; ++round) {
    bracket.take(bracket.low, bracket.low_excess);
    bracket.low -= 1e-4 * (1 << round);
    bracket.low_excess = excess_at(bracket.low, UpperBound::fine);
  }
  for (int round = 0; bracket.high - bracket.low > 2e-7; ++round) {
    const double place = bracket.next(round);
    bracket.take(place, excess_at(place, UpperBound::fine));
  }
  return confirmed(std::exp(bracket.high));
}

}  // namespace sotto
