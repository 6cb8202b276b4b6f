// EXPECT: could not convert|cannot convert|no known conversion|no viable conversion|no matching (function|constructor)|invalid initialization
// A bare number is no Epsilon.
#include "sotto/ledger/budget.hpp"

sotto::Budget budget() {
#ifdef FAIL
  return sotto::Budget(1.0, sotto::Delta(1e-6));
#else
  return sotto::Budget(sotto::Epsilon(1.0), sotto::Delta(1e-6));
#endif
}
