// EXPECT: deleted
// What a budget has paid for, no copy of it pays for again.
#include "sotto/ledger/budget.hpp"

sotto::Rho left(sotto::Budget& budget) {
#ifdef FAIL
  sotto::Budget copy = budget;
  return copy.left();
#else
  return budget.left();
#endif
}
