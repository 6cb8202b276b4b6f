// The status with which the program ends.
#pragma once

#include <filesystem>

#include "sotto/base/error.hpp"

namespace sotto::cli {

/// After an error: of sysexits.h, and 130 where the user asked to stop.
[[nodiscard]] int exit_status(ErrorCode code);

/// What a file system refused, without the path: usage where that is too long, else io.
[[nodiscard]] Error error_of(const std::filesystem::filesystem_error& refused);

}  // namespace sotto::cli
