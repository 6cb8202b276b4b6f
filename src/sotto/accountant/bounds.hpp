// A number known between two proven bounds.
#pragma once

#include <algorithm>
#include <limits>

namespace sotto {

enum class BoundKind {
  tight,  ///< privacy loss distributions, closed form for Gaussian releases; a simpler one's where that is less
  rdp,    ///< Renyi divergences, best order
  zcdp,      ///< zero-concentrated privacy
  advanced,  ///< advanced composition of (epsilon, delta) guarantees
};

/// lower <= truth <= upper, floating-point error included.
struct Bounds {
  double lower = 0;
  double upper = 0;
  BoundKind by = BoundKind::tight;  ///< whose upper bound it is
};

/// What is known of a number from several enclosures of it. Where they have nothing in common one of them is wrong, and nobody knows
/// which: then nothing is known any more, whatever follows.
/// Checked by tests/accountant/fail_closed_test.cpp: bounds_that_cross_are_no_bounds
class Narrowing {
 public:
  explicit Narrowing(const Bounds& known) : known_(known) {}
  void by(const Bounds& other) {
    if (contradicts_) return;
    known_ = {std::max(known_.lower, other.lower), std::min(known_.upper, other.upper), known_.by};
    contradicts_ = !(known_.lower <= known_.upper);
    if (contradicts_) known_ = {0, std::numeric_limits<double>::infinity(), known_.by};
  }
  [[nodiscard]] const Bounds& bounds() const { return known_; }

 private:
  Bounds known_;
  bool contradicts_ = false;
};

/// The relative distance of two bounds with which the accountants are content, and the least that can be asked for.
inline constexpr double kUsualWidth = 5e-4;
inline constexpr double kLeastWidth = 1e-7;

}  // namespace sotto
