#include "sotto/measurement/measurement.hpp"

#include "sotto/base/error.hpp"

namespace sotto {

void OwnerContext::check_position(const Position& at) const {
  if (at.size() != model.dim())
    throw Error(ErrorCode::configuration, "a question's position must have one coordinate per coefficient");
}

}  // namespace sotto
