// sotto density: from released values to a density with bands and clusters.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "cli/confidential.hpp"
#include "cli/exit_status.hpp"
#include "cli/interruption.hpp"
#include "cli/one_of.hpp"
#include "cli/progress.hpp"
#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto_io/density_directory.hpp"
#include "sotto_io/density_run.hpp"
#include "sotto_io/run_directory.hpp"

namespace sotto::cli {
namespace {

struct DensityOptions {
  std::filesystem::path data;
  std::filesystem::path channel_file;
  std::filesystem::path out;
  std::vector<std::string> columns;
  std::filesystem::path compare;
  std::filesystem::path against;
  DensitySettings settings;
  std::string concentration_prior;  ///< "true" where the flag stands alone
  bool not_private = false;
  Interval bounds{0, 0};
  bool json = false;
};

/// An option that the rest of the line leaves without effect is refused, never passed over. Errors: usage.
void needs(const CLI::Option* given, bool has_effect, const char* what) {
  if (given->count() > 0 && !has_effect)
    throw Error(ErrorCode::usage, fmt::format("{} has no effect here: it is of {}", given->get_name(), what));
}

std::filesystem::path channel_file(const DensityOptions& options) {
  if (!options.channel_file.empty()) return options.channel_file;
  return channel_file_beside(options.data);
}

/// Of `--concentration-prior`: shape and rate, separated by a comma. Errors: usage.
std::optional<mixture::ConcentrationPrior> concentration_prior(const std::string& text) {
  if (text.empty() || text == "false") return std::nullopt;
  mixture::ConcentrationPrior prior;
  if (text == "true") return prior;
  char more = 0;
  if (std::sscanf(text.c_str(), "%lf,%lf%c", &prior.shape, &prior.rate, &more) != 2)
    throw Error(ErrorCode::usage,
                fmt::format("--concentration-prior: '{}' is no shape and rate; write as in 2,2", text));
  return prior;
}

/// Draws the line, and ends the run with what was drawn once a signal has come.
class Watch {
 public:
  Watch() { note_signals(); }
  [[nodiscard]] SweepProgress progress() {
    return [this](std::size_t done, std::size_t total) {
      if (first_total_ == 0) first_total_ = total;
      line_.update(total == first_total_ ? "density" : "density, drawing on as the chains have not mixed",
                   static_cast<double>(done) / static_cast<double>(total));
      return !interrupted();
    };
  }

 private:
  Progress line_;
  std::size_t first_total_ = 0;
};

DensityReport report_of(const DensityOptions& options) {
  const RecordReader records = records_of(options.data);
  if (!options.not_private)
    return density_of_release(records, read_channel_file(channel_file(options)), options.columns,
                              options.settings, Watch().progress());
  return density_of_confidential(records, options.columns, options.bounds, options.settings,
                                 Watch().progress());
}

void say_shares(const DensityReport& report) {
  for (std::size_t c = 0; c < report.levels.size(); ++c) {
    if (report.levels[c].empty()) continue;
    const ColumnDensity& column = report.result.columns[c];
    for (Eigen::Index x = 0; x < column.grid.size(); ++x) {
      fmt::print("{} {}: {:.3f} ({:g} % interval {:.3f} to {:.3f})\n", column.name, point_name(report, c, x),
                 column.bands.mean[x], 100 * report.settings.level, column.bands.lower[x],
                 column.bands.upper[x]);
    }
  }
}

void density(const DensityOptions& options, int& status) {
  hold_rows();  // labels to compare with are rows too, and so may be what is taken for a release
  if (!std::filesystem::exists(options.data))
    throw Error(ErrorCode::no_input, fmt::format("there is no file {}", options.data.string()));
  std::vector<std::filesystem::path> inputs{options.data, channel_file(options)};
  if (!options.compare.empty()) inputs.push_back(partition_file(options.compare));
  if (!options.compare.empty() && !std::filesystem::exists(inputs.back()))
    throw Error(ErrorCode::no_input, fmt::format("--compare: there is no file {}", inputs.back().string()));
  if (!options.compare.empty() && !options.not_private)
    check_compared(read_channel_file(channel_file(options)), options.compare);
  if (!options.against.empty()) inputs.push_back(check_other_group(options.settings, options.against));
  check_run_directory(options.out, inputs, false);
  DensityReport report = report_of(options);
  if (!options.compare.empty()) compare_partitions(report, options.compare);
  if (!options.against.empty()) compare_quantities(report, options.against);
  write_density(options.out, report);
  const nlohmann::json summary = density_summary(report);
  for (const auto& column : summary["columns"])
    remark(stderr, "sotto: {}: {}\n", column["name"].get<std::string>(),
           column["verdict"].get<std::string>());
  for (const auto& warning : summary["warnings"]) remark(stderr, "sotto: {}\n", warning.get<std::string>());
  if (ended_early(report)) {
    status = exit_status(ErrorCode::interrupted);
    remark(stderr, "sotto: stopped early; {} draws are kept in {}\n", report.result.synthetic[0].size(),
           options.out.string());
  }
  if (options.json) {
    fmt::print("{}\n", summary.dump());
    return;
  }
  if (options.not_private) fmt::print("NOT PRIVATE: computed from confidential data\n");
  if (report.nothing_to_compare && !report.agreement_is_private)
    fmt::print("NOT PRIVATE: so are summary.json and report.html, which tell of the other partition\n");
  if (report.agreement) {
    fmt::print(
        "adjusted Rand index with the {}: {:.3f} of the one partition; of the {:g} % of the draws' "
        "partitions "
        "in the middle {:.3f} to {:.3f}{}\n",
        report.with_labels ? "labels" : "other run", *report.agreement, 100 * report.settings.level,
        report.agreement_lower, report.agreement_upper,
        report.agreement_is_private ? "" : " (NOT PRIVATE: so are summary.json and report.html)");
  }
  say_shares(report);
  for (const QuantityEstimate& q : report.result.quantities)
    fmt::print("{}\n", sentence(q, report.settings.level));
  for (const QuantityDifference& d : report.differences)
    fmt::print("{}{}\n", sentence(d, report.settings.level),
               report.differences_are_private ? "" : " (NOT PRIVATE: so are summary.json and report.html)");
  for (const std::string& sentence : illegal_cells(report)) fmt::print("{}\n", sentence);
  fmt::print("mean number of clusters: {:.2f} (algorithm {})\n{}\n", summary["mean_clusters"].get<double>(),
             report.result.algorithm, (options.out / "report.html").string());
}

}  // namespace

void add_density(CLI::App& program, int& status) {
  auto options = std::make_shared<DensityOptions>();
  CLI::App* verb = program.add_subcommand("density", "Density and clusters of a privatised column");
  verb->add_option("data", options->data, "CSV (or Parquet) file written by `sotto privatize`")->required();
  auto* channel_file = verb->add_option("--channel-file", options->channel_file,
                                        "Public description of the noise (default: DATA.channel.toml)");
  verb->add_option(
          "--column", options->columns,
          "Column, where the file has several; two to four, separated by commas, are estimated jointly")
      ->delimiter(',');
  DensitySettings& s = options->settings;
  verb->add_option("--kernel", s.kernel,
                   "Mixture kernel: normal (truncated to the bounds), beta, poisson (counts), rounded-normal "
                   "(counts that may vary less), categorical; auto: "
                   "categorical after randomised response, else normal")
      ->type_name(in_braces(kernel_names()))
      ->capture_default_str();
  verb->add_option(
          "--algorithm", s.algorithm,
          "neal5, slice and blocked-gibbs take every kernel; metropolis and neal8 all but beta, of rows "
          "that were released one by one; neal3 and split-merge the categorical kernel. One kernel is one "
          "model, whatever the algorithm")
      ->type_name(in_braces(algorithm_names()))
      ->capture_default_str();
  verb->add_option("--quantity", s.quantities,
                   "What else to estimate, with an interval; may be repeated: 'P(x > 30)' (<, <=, >=; = of "
                   "counts and categories), 'P(20 < x <= 40)', 'q(0.9)' (a quantile), 'mean'; of several "
                   "columns 'P(age > 30)', "
                   "'q(age, 0.9)', 'mean(age)'")
      ->allow_extra_args(false);
  verb->add_option("--mixing", s.mixing, "Prior on the mixing measure")
      ->type_name(in_braces(mixing_names()))
      ->capture_default_str();
  auto* concentration =
      verb->add_option(
              "--concentration", s.concentration,
              "Of the Dirichlet process; strength of Pitman-Yor; Dirichlet parameter of the finite mixture")
          ->capture_default_str();
  verb->add_flag(
      "--concentration-prior", options->concentration_prior,
      "Gamma prior on the concentration: (2, 2), or of your own as in --concentration-prior=3,1 (shape, "
      "rate)");
  verb->add_option(
      "--base", s.base,
      "Numbers of the base measure in the place of those from the bounds, as in 'shape=3, rate=3'. "
      "normal: mean, precision, shape, rate (normal-inverse-gamma); beta: shape_a, rate_a, shape_b, "
      "rate_b; poisson: shape, rate; categorical: weight");
  verb->add_option("--imputations", s.imputations,
                   "neal5: confidential values imputed per row (m), where rows were released one by one")
      ->capture_default_str();
  auto* discount = verb->add_option("--discount", s.discount, "pitman-yor: in [0, 1)")->capture_default_str();
  auto* components =
      verb->add_option("--components", s.components, "finite: expected number of components, > 1")
          ->capture_default_str();
  verb->add_option("--chains", s.chains, "Independent chains")->capture_default_str();
  auto* warmup = verb->add_option("--warmup", s.warmup, "Sweeps to discard")->capture_default_str();
  auto* draws = verb->add_option("--draws", s.draws, "Draws to keep per chain")->capture_default_str();
  auto* thin =
      verb->add_option("--thin", s.thin,
                       "Sweeps per draw. Where neither this nor --warmup or --draws is given, chains whose "
                       "R-hat is above 1.05 go on, to 80 sweeps per draw at the most")
          ->capture_default_str();
  verb->add_option("--threads", s.threads, "Chains that run at a time")->capture_default_str();
  verb->add_option("--seed", s.seed, "Seed of the chains (it cannot change the release)")
      ->capture_default_str();
  verb->add_option("--grid", s.grid_points, "Points of the density")->capture_default_str();
  verb->add_option("--level", s.level, "Level of the bands")->capture_default_str();
  verb->add_option("--compare", options->compare,
                   "Directory of another run on the same rows, or a CSV file of one column of labels: print "
                   "the adjusted Rand "
                   "index of the two partitions");
  verb->add_option(
      "--against", options->against,
      "Directory of a run on the release of another group of people: tell how far quantities differ");
  verb->add_flag("--not-private", options->not_private,
                 "DATA is confidential: use it as it is, for comparison only")
      ->excludes(channel_file);
  auto* lower = verb->add_option("--lower", options->bounds.lower, "Bounds of confidential data");
  auto* upper = verb->add_option("--upper", options->bounds.upper, "Bounds of confidential data");
  verb->add_option("--out", options->out, "Directory to write")->required();
  verb->add_flag("--json", options->json, "Print one JSON object");
  verb->footer("Example: sotto density z.csv --channel-file z.csv.channel.toml --out results");
  verb->callback([=, &status] {
    if (warmup->count() + draws->count() + thin->count() == 0) options->settings.lengthenings = kLengthenings;
    needs(discount, options->settings.mixing == "pitman-yor", "--mixing pitman-yor");
    needs(components, options->settings.mixing == "finite", "--mixing finite");
    for (const CLI::Option* bound : {lower, upper})
      needs(bound, options->not_private, "--not-private; a release's bounds stand in its channel file");
    options->settings.concentration_prior = concentration_prior(options->concentration_prior);
    needs(concentration, !options->settings.concentration_prior,
          "a fixed concentration: --concentration-prior draws it");
    density(*options, status);
  });
}

}  // namespace sotto::cli
