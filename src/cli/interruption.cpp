#include "cli/interruption.hpp"

#include <csignal>

namespace sotto::cli {
namespace {

volatile std::sig_atomic_t signalled = 0;

}  // namespace

void note_signals() {
  struct sigaction action = {};
  action.sa_handler = [](int) { signalled = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  struct sigaction hangup = {};
  sigaction(SIGHUP, nullptr, &hangup);
  if (hangup.sa_handler != SIG_IGN) sigaction(SIGHUP, &action, nullptr);
}

bool interrupted() { return signalled != 0; }

}  // namespace sotto::cli
