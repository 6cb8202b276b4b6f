// sotto density: from released values to a density with bands and clusters.
#include <fmt/core.h>

#include <memory>

#include "cli/verbs.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/density_directory.hpp"

namespace sotto::cli {
namespace {

struct Options {
  std::filesystem::path data;
  std::filesystem::path channel_file;
  std::filesystem::path out;
  std::string column;
  DensitySettings settings;
  bool not_private = false;
  double lower = 0;
  double upper = 0;
  bool json = false;
};

const Column& find_column(const ChannelFile& file, const std::string& name) {
  if (name.empty() && file.columns.size() == 1) return file.columns[0];
  for (const Column& column : file.columns) {
    if (column.settings.name == name) return column;
  }
  throw Error(ErrorCode::usage, name.empty()
                                    ? "the file has several columns: name one with --column"
                                    : fmt::format("the channel description has no column '{}'", name));
}

DensityReport from_release(const Options& options) {
  std::filesystem::path path = options.channel_file;
  if (path.empty()) {
    path = options.data;
    path += ".channel.toml";
  }
  DensityReport report;
  report.channel = read_channel_file(path);
  const Column& column = find_column(*report.channel, options.column);
  report.column = column.settings.name;
  report.channel_name = column.settings.channel;
  report.rows = report.channel->rows;
  const PrivatisedColumn released = read_privatised(options.data, *report.channel, column);
  report.result = estimate_density(column, released, report.rows, options.settings);
  return report;
}

DensityReport from_confidential(const Options& options) {
  if (options.column.empty()) throw Error(ErrorCode::usage, "name the column with --column");
  ColumnSettings settings;
  settings.name = options.column;
  settings.lower = options.lower;
  settings.upper = options.upper;
  const Grid domain({options.lower, options.upper});  // refuses bounds out of order
  DensityReport report;
  report.column = options.column;
  report.channel_name = "none";
  std::vector<double> data;
  const std::vector<std::vector<std::string>> cells = read_csv_cells(options.data, {options.column});
  for (const std::string& cell : cells[0]) data.push_back(decode_number(cell, missing_value(settings)));
  if (data.empty()) throw Error(ErrorCode::data, fmt::format("'{}' has no rows", options.data.string()));
  report.rows = data.size();
  report.result = estimate_density_not_private(std::move(data), domain.domain(), options.settings);
  return report;
}

void density(const Options& options) {
  DensityReport report = options.not_private ? from_confidential(options) : from_release(options);
  report.settings = options.settings;
  write_density(options.out, report);
  const nlohmann::json summary = density_summary(report);
  if (options.json) {
    fmt::print("{}\n", summary.dump());
    return;
  }
  if (options.not_private) fmt::print("NOT PRIVATE: computed from confidential data\n");
  fmt::print(
      "{}\nHellinger distance from the prior: {:.3f}\nmean number of clusters: {:.2f} (algorithm {})\n{}\n",
      report.result.verdict, report.result.hellinger, summary["mean_clusters"].get<double>(),
      report.result.algorithm, (options.out / "report.html").string());
}

}  // namespace

void add_density(CLI::App& program, int&) {
  auto options = std::make_shared<Options>();
  CLI::App* verb = program.add_subcommand("density", "Density and clusters of a privatised column");
  verb->add_option("data", options->data, "CSV file written by `sotto privatize`")->required();
  auto* channel_file = verb->add_option("--channel-file", options->channel_file,
                                        "Public description of the noise (default: DATA.channel.toml)");
  verb->add_option("--column", options->column, "Column, where the file has several");
  DensitySettings& s = options->settings;
  verb->add_option("--kernel", s.kernel, "Mixture kernel: normal (truncated to the bounds) or beta")
      ->capture_default_str();
  verb->add_option("--algorithm", s.algorithm,
                   "auto, neal5, neal8, slice; after Gaussian noise also neal2, neal3, split-merge")
      ->capture_default_str();
  verb->add_option("--concentration", s.concentration, "Of the Dirichlet process")->capture_default_str();
  verb->add_flag("--concentration-prior", s.concentration_prior, "Gamma(2, 2) prior on the concentration");
  verb->add_option("--chains", s.chains, "Independent chains")->capture_default_str();
  verb->add_option("--warmup", s.warmup, "Sweeps to discard")->capture_default_str();
  verb->add_option("--draws", s.draws, "Draws to keep per chain")->capture_default_str();
  verb->add_option("--thin", s.thin, "Sweeps per draw")->capture_default_str();
  verb->add_option("--threads", s.threads, "Chains that run at a time")->capture_default_str();
  verb->add_option("--seed", s.seed, "Seed of the chains (it cannot change the release)")
      ->capture_default_str();
  verb->add_option("--grid", s.grid_points, "Points of the density")->capture_default_str();
  verb->add_option("--level", s.level, "Level of the bands")->capture_default_str();
  verb->add_flag("--not-private", options->not_private,
                 "DATA is confidential: use it as it is, for comparison only")
      ->excludes(channel_file);
  verb->add_option("--lower", options->lower, "Bounds of confidential data");
  verb->add_option("--upper", options->upper, "Bounds of confidential data");
  verb->add_option("--out", options->out, "Directory to write")->required();
  verb->add_flag("--json", options->json, "Print one JSON object");
  verb->footer("Example: sotto density z.csv --channel-file z.csv.channel.toml --out results");
  verb->callback([=] { density(*options); });
}

}  // namespace sotto::cli
