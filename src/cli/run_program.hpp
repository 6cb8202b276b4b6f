// Runs a command line and maps what goes wrong to one line and an exit status.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>

namespace sotto::cli {

/// Parses, lets the chosen verb work, and returns the exit status (sysexits): `status` when nothing is thrown.
int run_program(CLI::App& program, int argc, const char* const* argv, const int& status,
                std::FILE* err = stderr);

}  // namespace sotto::cli
