// The only way a value crosses the wall.
#pragma once

#include <concepts>
#include <utility>

namespace sotto {

template <class T>
class Released;
struct NoisyGradient;
struct NoisyRatio;
struct NoisyJoint;

/// Two releases as one: what is computed from releases is free.
[[nodiscard]] Released<NoisyJoint> join(Released<NoisyGradient> gradient, Released<NoisyRatio> ratio);

/// A value that left the curator's side with noise on it, paid for by a receipt. Everything computed from it
/// is free. Only the mechanisms named below can make one from rows, and VerifiedAnswers from what another
/// process made; ReleasedForTests is defined by tests alone. The type guards
/// against mistakes, not against a programmer who defines a class of that name.
template <class T>
class Released {
 public:
  [[nodiscard]] const T& value() const& { return value_; }
  [[nodiscard]] T&& value() && { return std::move(value_); }

  /// Post-processing: the sum of releases is a release.
  friend Released operator+(const Released& a, const Released& b) requires requires(const T& t) {
    { t + t } -> std::same_as<T>;
  }
  { return Released(a.value_ + b.value_); }

 private:
  friend class NoiseMechanism;
  friend class Privatiser;
  friend class VerifiedAnswers;  // made by an owner elsewhere, who signed it
  friend class ReleasedForTests;
  friend Released<NoisyJoint> join(Released<NoisyGradient> gradient, Released<NoisyRatio> ratio);
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

}  // namespace sotto
