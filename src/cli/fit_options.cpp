#include "cli/fit_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/one_of.hpp"
#include "sotto/base/error.hpp"
#include "sotto/model/glm/family.hpp"
#include "sotto/run/config_override.hpp"
#include "sotto/run/method.hpp"
#include "sotto_io/covariance_file.hpp"

namespace sotto::cli {
namespace {

std::string read_text(const std::string& path) {
  std::error_code unknown;
  if (std::filesystem::is_directory(path, unknown))
    throw Error(ErrorCode::no_input, fmt::format("{} is a directory, not a configuration", path));
  std::ifstream file(path);
  if (!file) {
    const bool number = !path.empty() && path.find_first_not_of("0123456789.") == std::string::npos;
    throw Error(ErrorCode::no_input,
                fmt::format("cannot open the configuration {}{}", path,
                            number ? "; where it is one of several numbers, put commas between them, as in "
                                     "--epsilon 1,3"
                                   : ""));
  }
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// A TOML string: JSON's escapes are TOML's too.
std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

std::vector<std::string> family_words() {
  std::vector<std::string> words;
  for (const GlmFamily& family : families()) words.emplace_back(family_name(family));
  words.emplace_back("categorical");
  return words;
}

std::vector<std::string> method_words(bool for_study) {
  std::vector<std::string> words;
  for (const Method& method : methods()) {
    if (method.for_study == for_study) words.push_back(method.name);
  }
  if (!for_study) words.insert(words.begin(), "auto");
  return words;
}

}  // namespace

void add_fit_options(CLI::App& verb, FitOptions& options) {
  verb.add_option("CONFIG", options.config, "configuration file (TOML)");
  verb.add_option("--set", options.set,
                  "KEY=VALUE: overrides a key of the configuration, e.g. method.draws=500")
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("--data", options.data, "table: CSV or Parquet");
  verb.add_option("--schema", options.schema, "its declaration (sotto schema FILE writes a template)");
  verb.add_option("--formula", options.formula,
                  "e.g. 'y > 0 ~ age + C(region)'; a curve: poly(age, 3), bs(age, 5)");
  verb.add_option(
          "--family", options.family,
          "distribution of the response (default bernoulli); binomial, gaussian, survival, ordinal and "
          "Gamma are taken too")
      ->type_name(in_braces(family_words()));
  verb.add_option("--cuts", options.cuts,
                  "of Surv(time, event): where the hazard may change, e.g. 30,365 (default: nowhere)")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  verb.add_option("--delta", options.delta, "privacy budget; well below one over the number of rows");
  verb.add_option("--method", options.method,
                  fmt::format("default auto; docs/methods.md. For study, not private: {}",
                              fmt::join(method_words(true), ", ")))
      ->type_name(in_braces(method_words(false)));
  verb.add_option("--chains", options.chains, "number of chains, which share the budget (default 4)");
  verb.add_option("--draws", options.draws, "draws per chain (default: what suits the method)");
  verb.add_option(
      "--warmup", options.warmup,
      "warmup steps per chain (default: a quarter of the steps kept after a look at the rows, else as many)");
  verb.add_option("--seed", options.seed, "seed of the chains, never of the noise (default 1)");
  verb.add_option("--threads", options.threads, "threads for passes over the rows (default: all cores)");
}

std::vector<std::string> overrides(const FitOptions& options, const CLI::App& verb) {
  std::vector<std::string> keys;
  const auto override_with = [&](const char* option, const char* key, const std::string& value) {
    const CLI::Option* given = verb.get_option_no_throw(option);
    if (given != nullptr && given->count() > 0) keys.push_back(fmt::format("{}={}", key, value));
  };
  override_with("--formula", "model.formula", quoted(options.formula));
  override_with("--family", "model.family", quoted(options.family));
  override_with("--cuts", "model.cuts", fmt::format("[{:.17g}]", fmt::join(options.cuts, ", ")));
  if (options.epsilon) keys.push_back(fmt::format("privacy.epsilon={:.17g}", *options.epsilon));
  override_with("--delta", "privacy.delta", fmt::format("{:.17g}", options.delta));
  override_with("--method", "method.name", quoted(options.method));
  override_with("--chains", "method.chains", std::to_string(options.chains));
  override_with("--draws", "method.draws", std::to_string(options.draws));
  override_with("--warmup", "method.warmup", std::to_string(options.warmup));
  override_with("--seed", "method.seed", std::to_string(options.seed));
  override_with("--threads", "threads", std::to_string(options.threads));
  override_with("--out", "output.directory", quoted(options.out));
  override_with("--data", "data.file", quoted(options.data));
  override_with("--schema", "data.schema", quoted(options.schema));
  if (options.not_private) keys.emplace_back("privacy.not_private=true");
  if (options.force) keys.emplace_back("privacy.force=true");
  if (options.timing) keys.emplace_back("output.timing=true");
  keys.insert(keys.end(), options.set.begin(), options.set.end());
  refuse_said_twice(keys);
  return keys;
}

FitConfig configuration(const FitOptions& options, const CLI::App& verb) {
  const std::string ending = std::filesystem::path(options.config).extension().string();
  if (ending == ".csv" || ending == ".tsv" || ending == ".parquet") {
    throw Error(
        ErrorCode::usage,
        fmt::format("{} is a table, not a configuration: name it by --data, and its declaration by --schema",
                    options.config));
  }
  return parse_fit_config_in(std::filesystem::path(options.config).parent_path(),
                             options.config.empty() ? std::string() : read_text(options.config),
                             overrides(options, verb));
}

std::filesystem::path resolved(const std::string& path, bool option, const FitOptions& options) {
  return option ? std::filesystem::path(path) : std::filesystem::path(options.config).parent_path() / path;
}

}  // namespace sotto::cli
