// EXPECT: deleted
// What was booked together is paid out once.
#include "sotto/ledger/budget.hpp"

sotto::PrecomposedBudget twice(sotto::PrecomposedBudget& budget) {
#ifdef FAIL
  return budget;
#else
  return std::move(budget);
#endif
}
