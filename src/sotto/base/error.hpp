// The one error type. Thrown while building objects or by the outside world, never because of a row's value.
#pragma once

#include <stdexcept>
#include <string>

namespace sotto {

/// The closed list of what can go wrong; the command line maps each to its exit status.
enum class ErrorCode {
  usage,          ///< the call itself is wrong
  data,           ///< a file's form (never a row's value) is not as declared
  no_input,       ///< an input file does not exist
  unavailable,    ///< a peer does not answer
  internal,       ///< a bug of ours
  cannot_create,  ///< an output cannot be created
  io,             ///< reading or writing failed
  budget,         ///< the privacy budget is spent, or the request was refused before any spend
  configuration,  ///< a setting is missing, unknown or out of range
  interrupted,    ///< the user asked to stop
};

/// One line that says what to change. No value of a row may ever be in it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

/// Refuses a setting; `message` says what to change.
[[noreturn]] inline void refuse(const std::string& message) {
  throw Error(ErrorCode::configuration, message);
}

}  // namespace sotto
