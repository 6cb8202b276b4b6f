// Ctrl-C in a long call.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>

namespace sotto::python {

/// Lets Python's signal handlers run now and then. What one of them raises ends the run with what was drawn.
class Interruption {
 public:
  [[nodiscard]] bool came();
  /// What Python raised elsewhere, as if a signal handler had.
  void take(nanobind::python_error&& raised);
  /// Ctrl-C was answered by the end of the run; anything else goes its way.
  void pass_on();

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point last_ = Clock::now();
  std::optional<nanobind::python_error> raised_;
};

}  // namespace sotto::python
