// The command line program.
#include <fcntl.h>

#include <csignal>

#include "cli/run_program.hpp"
#include "cli/verbs.hpp"

namespace {

/// Else a file that is opened where standard error was closed would be sent what is said there. What is closed stays so to whoever
/// reads or writes it, but for standard error.
void open_standard_streams() {
  const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
  for (int stream = 0; stream <= 2; ++stream) {
    if (::fcntl(stream, F_GETFD) == -1) static_cast<void>(::open("/dev/null", modes[stream]));
  }
}

}  // namespace

int main(int argc, char** argv) {  // NOLINT(bugprone-exception-escape): of registering verbs
  open_standard_streams();
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error, like a full disk, and not the end
  CLI::App program("Bayesian inference under differential privacy", "sotto");
  program.set_version_flag("--version", sotto::cli::build_description());
  program.require_subcommand(1);
  int status = 0;
  // Verbs register themselves here.
  sotto::cli::add_account(program, status);
  sotto::cli::add_experiment(program, status);
  sotto::cli::add_privatize(program, status);
  sotto::cli::add_schema(program, status);
  sotto::cli::add_report(program, status);
  sotto::cli::add_diagnose(program, status);
  sotto::cli::add_predict(program, status);
  sotto::cli::add_plan(program, status);
  sotto::cli::add_fit(program, status);
  sotto::cli::add_density(program, status);
#ifdef SOTTO_WITH_RPC
  sotto::cli::add_serve(program, status);
  sotto::cli::add_keys(program, status);
#endif
  sotto::cli::add_man(program, status);
  sotto::cli::add_completion(program, status);
  return sotto::cli::run_program(program, argc, argv, status);
}
