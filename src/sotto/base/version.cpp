#include "sotto/base/version.hpp"

namespace sotto {

const char* version() { return SOTTO_VERSION; }

}  // namespace sotto
