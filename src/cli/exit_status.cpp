#include "cli/exit_status.hpp"

#include <sysexits.h>

#include <system_error>

namespace sotto::cli {

int exit_status(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return EX_USAGE;
    case ErrorCode::data:
      return EX_DATAERR;
    case ErrorCode::no_input:
      return EX_NOINPUT;
    case ErrorCode::unavailable:
      return EX_UNAVAILABLE;
    case ErrorCode::internal:
      return EX_SOFTWARE;
    case ErrorCode::cannot_create:
      return EX_CANTCREAT;
    case ErrorCode::io:
      return EX_IOERR;
    case ErrorCode::budget:
      return EX_TEMPFAIL;
    case ErrorCode::configuration:
      return EX_CONFIG;
    case ErrorCode::interrupted:
      return 130;
  }
  return EX_SOFTWARE;
}

Error error_of(const std::filesystem::filesystem_error& refused) {
  if (refused.code() == std::errc::filename_too_long)
    return {ErrorCode::usage, "a path, or a name in it, is too long"};
  return {ErrorCode::io, "the file system refuses: " + refused.code().message()};
}

}  // namespace sotto::cli
