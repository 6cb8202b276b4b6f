// EXPECT: could not convert|cannot convert|no known conversion|no viable conversion|no matching (function|constructor)|invalid initialization
// A Delta never stands where an Epsilon is meant.
#include "sotto/ledger/budget.hpp"

sotto::Budget budget(sotto::Epsilon epsilon, sotto::Delta delta) {
#ifdef FAIL
  return sotto::Budget(delta, epsilon);
#else
  return sotto::Budget(epsilon, delta);
#endif
}
