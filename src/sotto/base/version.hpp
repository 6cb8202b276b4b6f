// The version of this library, from its build description.
#pragma once

namespace sotto {

/// "MAJOR.MINOR.PATCH"
[[nodiscard]] const char* version();

}  // namespace sotto
