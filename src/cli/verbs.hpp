// The verbs of the program: one file each, registered in main.cpp.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

namespace sotto::cli {

// Each adds its subcommand. The callback of a subcommand does the work and throws sotto::Error on failure;
// `status` is what the process exits with when nothing is thrown.
void add_account(CLI::App& program, int& status, std::FILE* out = stdout);
void add_experiment(CLI::App& program, int& status);
void add_privatize(CLI::App& program, int& status);
void add_schema(CLI::App& program, int& status);
void add_report(CLI::App& program, int& status);
void add_diagnose(CLI::App& program, int& status);
void add_fit(CLI::App& program, int& status);
void add_predict(CLI::App& program, int& status);
void add_plan(CLI::App& program, int& status);
void add_density(CLI::App& program, int& status);
void add_serve(CLI::App& program, int& status);
void add_keys(CLI::App& program, int& status);
void add_man(CLI::App& program, int& status);
void add_completion(CLI::App& program, int& status);

/// Version, commit, compiler, and the vector instructions that are used here.
[[nodiscard]] std::string build_description();

}  // namespace sotto::cli
