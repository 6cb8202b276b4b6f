// What `fit` and `plan` are told: a configuration, and options that override it.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sotto/run/fit_config.hpp"

namespace sotto::cli {

struct FitOptions {
  std::string config;
  std::vector<std::string> set;
  std::string data, schema, formula, family, method, out, resume, owners;
  std::vector<double> cuts;
  std::optional<double> epsilon;
  double delta = 0;
  std::size_t chains = 0, draws = 0, warmup = 0;
  std::uint64_t seed = 0;
  int threads = 0;
  bool not_private = false;
  bool force = false;
  bool overwrite = false;
  bool timing = false;
  bool json = false;
};

/// Adds the options that both verbs have: all but --epsilon and those of the output.
void add_fit_options(CLI::App& verb, FitOptions& options);

/// What the options say, as `parse_fit_config` takes overrides.
[[nodiscard]] std::vector<std::string> overrides(const FitOptions& options, const CLI::App& verb);

/// Options say what configuration keys say; --set comes last and wins. Errors: no_input, and those of parse_fit_config.
[[nodiscard]] FitConfig configuration(const FitOptions& options, const CLI::App& verb);

/// Paths in a configuration are relative to the configuration, paths given as options to the working directory.
[[nodiscard]] std::filesystem::path resolved(const std::string& path, bool option, const FitOptions& options);

}  // namespace sotto::cli
