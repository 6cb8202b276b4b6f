// sotto account: the calculator.
#include "cli/verbs.hpp"

namespace sotto::cli {

void add_account(CLI::App& program, int& status) {
  (void)status;
  program.add_subcommand("account", "What releases cost: epsilon for delta, or delta for epsilon");
}

}  // namespace sotto::cli
