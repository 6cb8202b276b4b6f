// The only way a value crosses the wall.
#pragma once

#include <concepts>
#include <utility>

namespace sotto {

template <class T>
class Released;

/// Several releases as one: what is computed from releases is free.
template <class Joint, class... Parts>
[[nodiscard]] Released<Joint> join(Released<Parts>... parts);

/// A value that left the curator's side with noise on it, paid for by a receipt. Everything computed from it
/// is free. Only the mechanisms named below can make one from rows; the list is closed.
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
  friend class ReleasedForTests;
  template <class Joint, class... Parts>
  friend Released<Joint> join(Released<Parts>... parts);
  explicit Released(T value) : value_(std::move(value)) {}
  T value_;
};

template <class Joint, class... Parts>
Released<Joint> join(Released<Parts>... parts) {
  return Released<Joint>(Joint{std::move(parts).value()...});
}

}  // namespace sotto
