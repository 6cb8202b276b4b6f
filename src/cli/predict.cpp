// sotto predict: what a finished fit says of new rows.
#include <fmt/core.h>

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/confidential.hpp"
#include "cli/one_of.hpp"
#include "cli/progress.hpp"
#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/channel_file.hpp"
#include "sotto_io/output_guard.hpp"
#include "sotto_io/prediction_run.hpp"
#include "sotto_io/result_files.hpp"
#include "sotto_io/run_directory.hpp"
#include "sotto_io/schema_toml.hpp"

namespace sotto::cli {
namespace {

struct PredictOptions {
  std::string directory;
  std::string rows;
  std::string schema;
  std::string out;
  std::string quantity = "mean";
  PredictionSettings settings;
  bool nevertheless = false;
  bool overwrite = false;
  bool json = false;
};

/// The tables and the schema that the run's manifest names, as far as it is one: no predictions take their place.
std::vector<std::filesystem::path> inputs_of_run(const std::filesystem::path& directory) {
  const std::filesystem::path manifest = directory / "manifest.json";
  if (!std::filesystem::is_regular_file(manifest)) return {};
  const auto told = nlohmann::json::parse(read_whole_file(manifest), nullptr, false).flatten();
  std::vector<std::filesystem::path> files;
  for (const auto& [key, value] : told.items()) {
    const bool owner = key.starts_with("/configuration/owner/") && key.ends_with("/file");
    if (value.is_string() && (owner || key.starts_with("/configuration/data/")))
      files.emplace_back(value.get<std::string>());
  }
  return files;
}

/// Neither the new rows nor any result of a fit, this one or another that stands where the file will, nor a released file or its
/// description; and a plain file, if any.
void check_output(const PredictOptions& options) {
  if (options.out.empty()) return;
  require_plain_file(options.out, "without --out predictions go to standard output");
  const std::vector<std::filesystem::path> outputs{options.out};
  std::vector<std::filesystem::path> inputs = standing_results(options.directory);
  inputs.push_back(charges_file(options.directory));
  const std::filesystem::path folder = std::filesystem::absolute(options.out).parent_path();
  for (const std::filesystem::path& result : standing_results(folder)) inputs.push_back(result);
  inputs.push_back(charges_file(folder));
  for (const std::filesystem::path& input : inputs_of_run(options.directory)) inputs.push_back(input);
  if (is_of_release(options.out)) inputs.emplace_back(options.out);
  inputs.emplace_back(options.rows);
  inputs.emplace_back(options.schema);
  refuse_overwriting_inputs(outputs, inputs);
  if (!options.overwrite && std::filesystem::exists(options.out))
    throw Error(ErrorCode::cannot_create,
                fmt::format("{} exists: choose another --out, or add --overwrite", options.out));
}

void predict_rows(PredictOptions options, bool seeded) {
  const bool of_response = options.quantity == "response";
  if (seeded && !of_response)
    throw Error(ErrorCode::usage, "--seed has no effect here: it is of --quantity response");
  options.settings.quantity = of_response ? PredictedQuantity::response : PredictedQuantity::mean;
  check_output(options);
  std::optional<Schema> declared;
  if (!options.schema.empty()) declared = read_schema(options.schema);
  hold_rows();
  Progress line;
  const PredictionRun run =
      predictions_of(options.directory, records_of(options.rows), options.settings, options.nevertheless,
                     declared, [&](double done) {
                       line.update("prediction", done);
                       return true;  // a signal ends the program: nothing is written before all is done
                     });
  line.wipe();
  if (!options.out.empty()) write_whole_file(options.out, to_csv(run));
  for (const std::string& sentence : run.warnings) remark(stderr, "sotto: {}\n", sentence);
  remark(stderr, "sotto: {}\n", kPredictionsAreOfTheRows);
  if (options.json) {
    nlohmann::ordered_json json = to_json(run, options.out.empty());
    if (!options.out.empty()) json["out"] = options.out;
    fmt::print("{}\n", json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (options.out.empty()) {
    fmt::print("{}", to_csv(run));
  } else {
    fmt::print("{}{}\n", options.out, run.draws_are_private ? "" : " (NOT PRIVATE)");
  }
}

}  // namespace

void add_predict(CLI::App& program, int& /*status*/) {
  auto options = std::make_shared<PredictOptions>();
  CLI::App* verb = program.add_subcommand("predict", "Predict new rows by the draws of a finished fit");
  verb->add_option("DIR", options->directory, "output directory of a fit of a regression")->required();
  verb->add_option("--rows", options->rows,
                   "CSV (.csv, .tsv) or Parquet table of new rows, with the columns of the formula's right "
                   "side; it is read as "
                   "it is, without noise, so predictions are as confidential as it is")
      ->required();
  verb->add_option("--quantity", options->quantity,
                   "mean: of the response of such a row (default); response: a new one, drawn from the "
                   "family. Of ordered "
                   "categories mean is the probability of each, of times to an event that to live beyond "
                   "each cut and the end")
      ->check(one_of({"mean", "response"}));
  verb->add_option("--level", options->settings.level, "of the intervals (default 0.9)");
  CLI::Option* seed =
      verb->add_option("--seed", options->settings.seed, "of new responses, --quantity response (default 1)");
  verb->add_option("--out", options->out, "CSV file to write (default: standard output)");
  verb->add_flag("--overwrite", options->overwrite, "replace the file of --out, if one stands there");
  verb->add_option("--schema", options->schema,
                   "the fit's schema, for a DIR whose manifest.json does not say it (default: what it says)");
  verb->add_flag("--nevertheless", options->nevertheless,
                 "predict also where the fit's numbers must not be taken for an answer");
  verb->add_flag("--json", options->json, "print one JSON object (default: CSV)");
  verb->footer(
      "Draws are post-processing of what was released: predictions of public or made-up rows cost no "
      "privacy.\n"
      "Examples:\n  sotto predict out/visits --rows new.csv --out predictions.csv\n"
      "  sotto predict out/visits --rows new.csv --quantity response --level 0.95");
  verb->callback([options, seed] { predict_rows(*options, seed->count() > 0); });
}

}  // namespace sotto::cli
