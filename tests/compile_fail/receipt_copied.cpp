// EXPECT: deleted
// A receipt pays for one release.
#include "sotto/ledger/budget.hpp"

sotto::Receipt twice(sotto::Receipt& receipt) {
#ifdef FAIL
  return receipt;
#else
  return std::move(receipt);
#endif
}
