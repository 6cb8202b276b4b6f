// The status with which the program ends.
#pragma once

#include "sotto/base/error.hpp"

namespace sotto::cli {

/// After an error: of sysexits.h, and 130 where the user asked to stop.
[[nodiscard]] int exit_status(ErrorCode code);

}  // namespace sotto::cli
