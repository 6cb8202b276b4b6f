#include "cli/progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "cli/remark.hpp"

namespace sotto::cli {
namespace {

std::string duration(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

int terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

/// It would show what moves the cursor as text.
bool is_dumb_terminal() {
  const char* kind = std::getenv("TERM");
  return kind != nullptr && std::string_view(kind) == "dumb";
}

double share(double x) { return x > 0 ? std::min(x, 1.0) : 0; }

}  // namespace

std::string progress_line(std::string_view phase, double fraction, std::optional<double> budget,
                          double elapsed_seconds, int width) {
  const double done = share(fraction);
  std::string text = fmt::format(" {:3.0f} %", 100 * done);
  if (budget) text += fmt::format("  budget {:.0f} %", 100 * share(*budget));
  if (done > 0.005 && done < 1) text += "  " + duration(elapsed_seconds * (1 - done) / done) + " left";
  const int room = width - 1 - static_cast<int>(phase.size() + text.size()) - 3;
  std::string line(phase);
  if (room >= 8) {
    const int cells = std::min(room, 40);
    const auto full = static_cast<std::size_t>(std::lround(done * cells));
    line += " [" + std::string(full, '#') + std::string(static_cast<std::size_t>(cells) - full, '.') + "]";
  }
  line += text;
  return line.substr(0, static_cast<std::size_t>(std::max(width - 1, 0)));
}

std::string QuarterLines::update(std::string_view phase, double fraction, double elapsed_seconds) {
  const double done = share(fraction);
  constexpr double kRounding = 1e-9;
  if (done + kRounding < next_ || done + kRounding >= 1) return {};
  next_ = std::floor(4 * (done + kRounding)) / 4 + 0.25;
  return fmt::format("{}: {:.0f} %, about {} left", phase, 100 * done,
                     duration(elapsed_seconds * (1 - done) / done));
}

Progress::Progress(bool quiet) : shown_(!quiet && ::isatty(STDERR_FILENO) == 1 && !is_dumb_terminal()) {}

Progress::~Progress() { wipe(); }

void Progress::wipe() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

void Progress::update_by_quarters(std::string_view phase, double fraction) {
  if (shown_) return update(phase, fraction);
  const double elapsed = std::chrono::duration<double>(Clock::now() - start_).count();
  const std::string line = quarters_.update(phase, fraction, elapsed);
  if (!line.empty()) remark(stderr, "sotto: {}\n", line);
}

void Progress::update(std::string_view phase, double fraction, std::optional<double> budget) {
  if (!shown_) return;
  const Clock::time_point now = Clock::now();
  if (drawn_ && now - last_ < std::chrono::milliseconds(100)) return;
  last_ = now;
  drawn_ = true;
  const double elapsed = std::chrono::duration<double>(now - start_).count();
  std::fputs(("\r\033[K" + progress_line(phase, fraction, budget, elapsed, terminal_width())).c_str(),
             stderr);
  std::fflush(stderr);
}

}  // namespace sotto::cli
