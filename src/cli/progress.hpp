// A line on the terminal that tells how far a run is; nothing at all where standard error is not a terminal.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sotto::cli {

/// What the line says. `width` is that of the terminal in columns; the bar takes what the text leaves.
/// `fraction` and `budget` lie in [0, 1]; no budget is shown of what costs none. Without a useful estimate (fraction 0) no
/// remaining time is given.
[[nodiscard]] std::string progress_line(std::string_view phase, double fraction, std::optional<double> budget,
                                        double elapsed_seconds, int width);

/// For a run of many equal parts, lines to write where standard error is no terminal: an estimate of the time that is left once a
/// hundredth is done, and one at each quarter.
class QuarterLines {
 public:
  /// Empty where there is nothing to write.
  [[nodiscard]] std::string update(std::string_view phase, double fraction, double elapsed_seconds);

 private:
  double next_ = 0.01;
};

/// Draws the line at most ten times a second and wipes it when it ends. Not thread safe.
class Progress {
 public:
  /// Silent unless standard error is a terminal that can move its cursor; `quiet` silences it there too.
  explicit Progress(bool quiet = false);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  /// `phase` is e.g. "warmup" or "sampling"; `fraction` is how much of all steps is done, `budget` of the budget spent.
  void update(std::string_view phase, double fraction, std::optional<double> budget = std::nullopt);
  /// Where standard error is no terminal, lines of its own instead.
  void update_by_quarters(std::string_view phase, double fraction);
  /// Takes the line away, for something else to be printed.
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  QuarterLines quarters_;
  bool shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace sotto::cli
