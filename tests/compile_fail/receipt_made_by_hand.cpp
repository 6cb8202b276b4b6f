// EXPECT: private
// Only a budget makes receipts.
#include "sotto/ledger/budget.hpp"

#ifdef FAIL
sotto::Receipt forge() { return sotto::Receipt(sotto::Charge{}); }
#else
sotto::Receipt bought(sotto::Budget& budget) { return *budget.spend(sotto::Charge{}); }
#endif
