#include "sotto/kernel/correction.hpp"

#include "sotto/base/error.hpp"

namespace sotto {

Correction::Correction(double variance) : entry_(nullptr) {
  for (const Entry& entry : table()) {
    if (entry.variance == variance) entry_ = &entry;
  }
  if (entry_ == nullptr) {
    throw Error(ErrorCode::configuration,
                "the noise variance of a Barker test must be 0.5, 1, 1.5, 1.75, 2 or 2.5");
  }
}

}  // namespace sotto
