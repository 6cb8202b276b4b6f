// The command line program: parses, dispatches to a verb, maps errors to exit statuses.
#include <fmt/core.h>
#include <sysexits.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"

namespace {

int exit_status(sotto::ErrorCode code) {
  using sotto::ErrorCode;
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

}  // namespace

int main(int argc, char** argv) {
  CLI::App program("Bayesian inference under differential privacy", "sotto");
  program.set_version_flag("--version", "sotto 0.1.0");
  program.require_subcommand(1);
  int status = 0;
  // Verbs register themselves here.
  sotto::cli::add_account(program, status);
  sotto::cli::add_experiment(program, status);
  sotto::cli::add_privatize(program, status);
  sotto::cli::add_schema(program, status);
  sotto::cli::add_report(program, status);
  sotto::cli::add_diagnose(program, status);
  sotto::cli::add_fit(program, status);
  sotto::cli::add_density(program, status);
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return program.exit(error);
    fmt::print(stderr, "sotto: {} (see sotto --help)\n", error.what());
    return EX_USAGE;
  } catch (const sotto::Error& error) {
    fmt::print(stderr, "sotto: {}\n", error.what());
    return exit_status(error.code());
  } catch (const std::exception&) {
    // What a library says of an exception may quote a cell, so it is not passed on.
    fmt::print(stderr, "sotto: internal error: run it in a debugger to see where\n");
    return EX_SOFTWARE;
  }
  return status;
}
