#include "cli/interruption.hpp"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace sotto::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

/// Calls nothing that a handler may not call.
void note(int signal) {
  constexpr std::string_view kStopping =
      "sotto: stopping: what was done so far is being written; a third signal ends at once and without it\n";
  signalled = signalled + 1;
  if (signalled == 2) static_cast<void>(!::write(STDERR_FILENO, kStopping.data(), kStopping.size()));
  if (signalled < 3) return;
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

}  // namespace

void note_signals() {
  struct sigaction action = {};
  action.sa_handler = note;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return signalled != 0; }

}  // namespace sotto::cli
