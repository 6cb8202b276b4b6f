// How far a call is: on the terminal, in the notebook whose cell made it, and nowhere else.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <optional>
#include <string_view>

#include "cli/progress.hpp"
#include "python/interruption.hpp"

namespace sotto::python {

/// In a notebook a line that is there from the second second on, anew twice a second. The interpreter lock is taken where Python is
/// asked. For the thread of the call alone: a cell's output belongs to it, and Ctrl-C comes there.
class ShownProgress {
 public:
  /// What Python raises goes to `interruption`, which outlives this.
  explicit ShownProgress(Interruption& interruption);
  ~ShownProgress();
  ShownProgress(const ShownProgress&) = delete;
  ShownProgress& operator=(const ShownProgress&) = delete;
  /// As of cli::Progress.
  void update(std::string_view phase, double fraction, std::optional<double> budget = std::nullopt);

 private:
  using Clock = std::chrono::steady_clock;
  Interruption& interruption_;
  nanobind::object notebook_;  ///< a sotto.progress.NotebookLine; null where there is no notebook
  cli::Progress terminal_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_ = start_ + std::chrono::seconds(2);
};

}  // namespace sotto::python
