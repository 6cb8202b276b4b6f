// sotto privatize: noise on columns, once, for release.
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/confidential.hpp"
#include "cli/one_of.hpp"
#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto_io/column_release.hpp"

namespace sotto::cli {
namespace {

struct PrivatizeOptions {
  std::filesystem::path data;
  std::filesystem::path out;
  std::filesystem::path columns_file;
  ColumnSettings column;
  double epsilon = 0;
  double delta = 0;
  double rho = 0;
  bool keep_order = false;
  bool overwrite = false;
  bool json = false;
};

/// An option of the command, and the setting of a column that it is.
struct ColumnOption {
  CLI::Option* option;
  std::string_view key;
};

/// Every option that the channel needs is given, and none that it would ignore.
void check_options(const std::vector<ColumnOption>& options, const std::string& channel) {
  const std::span<const std::string_view> keys = channel_row(channel).keys;
  for (const ColumnOption& o : options) {
    const bool used = std::find(keys.begin(), keys.end(), o.key) != keys.end();
    if (!used && o.option->count() > 0)
      throw Error(ErrorCode::usage,
                  fmt::format("the channel {} has no {}: leave it out", channel, o.option->get_name()));
    const bool bound = o.key == "lower" || o.key == "upper";
    if (used && bound && o.option->count() == 0)
      throw Error(
          ErrorCode::configuration,
          "give the smallest and largest possible value with --lower and --upper, never taken from the data");
    if (used && o.key == "levels" && o.option->count() == 0)
      throw Error(ErrorCode::configuration, "name all categories with --levels");
  }
}

std::vector<std::string> channel_names() {
  std::vector<std::string> names;
  for (const ChannelRow& row : channel_table()) names.emplace_back(row.name);
  return names;
}

void privatize(const PrivatizeOptions& options, bool has_epsilon, bool has_delta, bool has_rho) {
  if (!options.columns_file.empty() && !std::filesystem::exists(options.columns_file))
    throw Error(
        ErrorCode::no_input,
        fmt::format("there is no file {}: --columns names a TOML file with a [[column]] table for each "
                    "column, --column a single one",
                    options.columns_file.string()));
  ColumnRelease release;
  release.columns =
      options.columns_file.empty() ? std::vector{options.column} : read_column_settings(options.columns_file);
  if (has_epsilon) release.target.epsilon = Epsilon(options.epsilon);
  if (has_delta) release.target.delta = Delta(options.delta);
  if (has_rho) release.target.rho = Rho(options.rho);
  release.out = options.out;
  release.inputs = {options.data, options.columns_file};
  if (options.keep_order) release.order = RowOrder::kept;
  release.overwrite = options.overwrite;
  hold_rows();
  SystemEntropy entropy;
  const ChannelFile file =
      release_columns(release, records_of(options.data), entropy,
                      [](const std::string& sentence) { remark(stderr, "sotto: {}\n", sentence); });

  const nlohmann::json report = release_summary(file, release);
  if (options.json) {
    fmt::print("{}\n", report.dump());
    return;
  }
  std::vector<std::string> names;
  for (const Column& column : file.columns) names.push_back(column.settings.name);
  // Said always, whatever the cells are: an error, or silence, that depends on them would tell of rows.
  fmt::print(
      "whatever the cells hold: one without a number counts as --missing says, values beyond the bounds "
      "as the bound, text that is none of the levels as the first one; `sotto schema --check DATA SCHEMA` "
      "counts such cells, for your eyes alone\n");
  fmt::print("{} rows privatised into {}, which holds {} and no other column\npublic description: {}\n",
             file.rows, options.out.string(), fmt::join(names, ", "),
             channel_file_beside(options.out).string());
  if (file.shuffled)
    fmt::print("rows were shuffled: those of the release are not in the table's order (--keep-order)\n");
  for (const Column& column : file.columns)
    fmt::print("{}: {}\n", column.settings.name,
               std::visit([](const auto& channel) { return channel.noise_in_words(); }, column.channel));
  if (report.contains("epsilon")) {
    fmt::print("guarantee for each row: epsilon {}, delta {}", options.epsilon, file.total.delta.value());
  } else {
    fmt::print("guarantee for each row: rho {} (zero-concentrated)", options.rho);
  }
  fmt::print("{}; a person of several rows pays for each\n",
             release.order == RowOrder::kept ? ", if the order of the rows tells nothing of them" : "");
  if (!file.earlier.empty()) {
    const Guarantee sum = with_earlier(file);
    fmt::print("with {} earlier release{} of this name, for a row that was in all of them: {}\n",
               file.earlier.size(), file.earlier.size() > 1 ? "s" : "", in_words(sum));
  }
}

}  // namespace

void add_privatize(CLI::App& program, int&) {
  auto options = std::make_shared<PrivatizeOptions>();
  CLI::App* verb = program.add_subcommand("privatize", "Put noise on columns of a table, for release");
  verb->add_option("data", options->data,
                   "CSV (.csv, .tsv) or Parquet (.parquet) file with the confidential column")
      ->required();
  ColumnSettings& column = options->column;
  auto* name = verb->add_option("--column", column.name, "Column to privatise");
  verb->add_option(
          "--channel", column.channel,
          "How: noise on each value, which each person may add at home, or a noisy histogram of all of "
          "them, which says far more at the same epsilon where one party holds all rows")
      ->check(one_of(channel_names()))
      ->capture_default_str();
  auto* lower =
      verb->add_option("--lower", column.lower,
                       "Smallest possible value, never taken from the data; what is smaller counts as it");
  auto* upper =
      verb->add_option("--upper", column.upper,
                       "Largest possible value, never taken from the data; what is larger counts as it");
  auto* missing = verb->add_option("--missing", column.missing,
                                   "What a cell without a number counts as: lower, middle, upper or a number")
                      ->capture_default_str();
  auto* levels = verb->add_option("--levels", column.levels,
                                  "randomized-response: all categories; other text counts as the first")
                     ->delimiter(',');
  auto* top_level =
      verb->add_option("--top-level", column.top_level, "wavelet: finest level")->capture_default_str();
  auto* printed =
      verb->add_flag("--printed-scale", column.printed_scale, "wavelet: the wider scale of the publication");
  auto* bins =
      verb->add_option("--bins", column.bins, "histograms: number of bins (0: by the number of rows)")
          ->capture_default_str();
  auto* draws = verb->add_option("--draws", column.draws,
                                 "smoothed-histogram: points to release (0: by the number of rows)")
                    ->capture_default_str();
  auto* steps = verb->add_option("--steps", column.steps, "laplace, gaussian: grid steps over the domain")
                    ->capture_default_str();
  const std::vector<ColumnOption> of_column = {
      {lower, "lower"},   {upper, "upper"},         {missing, "missing"},
      {levels, "levels"}, {top_level, "top_level"}, {printed, "printed_scale"},
      {bins, "bins"},     {draws, "draws"},         {steps, "steps"}};
  auto* columns = verb->add_option(
      "--columns", options->columns_file,
      "TOML file with a [[column]] table for each of several columns; the budget is split by their "
      "weights");
  columns->excludes(name);
  for (const ColumnOption& o : of_column) columns->excludes(o.option);
  auto* epsilon =
      verb->add_option("--epsilon", options->epsilon, "Privacy budget of a row, all columns together");
  auto* delta = verb->add_option("--delta", options->delta, "Failure probability (Gaussian noise only)")
                    ->needs(epsilon);
  auto* rho = verb->add_option("--rho", options->rho,
                               "Budget as zero-concentrated privacy, instead of epsilon and delta");
  rho->excludes(epsilon);
  verb->add_option(
          "--out", options->out,
          "CSV or Parquet file to write, by its name; FILE.channel.toml beside it describes the noise")
      ->required();
  verb->add_flag("--keep-order", options->keep_order,
                 "Release the rows in the order of the file; else they are shuffled, with the columns of "
                 "a row together");
  verb->add_flag("--overwrite", options->overwrite, "Replace files of that name; what they cost stays spent");
  verb->add_flag("--json", options->json, "Print one JSON object");
  verb->footer(
      "Example: sotto privatize survey.csv --column bmi --channel laplace --lower 10 --upper 60 --epsilon "
      "2 --out z.csv");
  verb->callback([=] {
    if (options->columns_file.empty() && options->column.name.empty()) {
      throw Error(ErrorCode::usage, "name the column with --column, or several with --columns");
    }
    if (options->columns_file.empty()) {
      check_options(of_column, options->column.channel);
    }
    privatize(*options, epsilon->count() > 0, delta->count() > 0, rho->count() > 0);
  });
}

}  // namespace sotto::cli
