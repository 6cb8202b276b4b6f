// EXPECT: private
// A value that no mechanism released cannot be dressed up as one that was.
#include "sotto/release/released.hpp"

sotto::Released<double> forge() {
#ifdef FAIL
  return sotto::Released<double>(0.5);
#else
  throw 0;
#endif
}
