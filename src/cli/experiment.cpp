// sotto experiment: reruns a published experiment.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/verbs.hpp"
#include "experiments/published/clipping_experiment.hpp"
#include "experiments/published/dp_hmc_experiment.hpp"
#include "sotto/base/error.hpp"

namespace sotto::cli {
namespace {

struct ExperimentOptions {
  std::string name;
  std::string out;
  DpHmcExperiment dp_hmc;
  ClippingExperiment clipping;
  std::size_t rows = 100000;
  std::size_t repeats = 1;
  std::vector<std::string> problems, methods;
  std::uint64_t seed = 1;
  int threads = 1;
  bool json = false;
};

using Line = nlohmann::ordered_json;

void add_distance(Line& line, const Distance& distance) {
  line["mmd"] = distance.mmd;
  line["mean_error"] = distance.mean_error;
  line["sd_ratio"] = distance.sd_ratio;
}

Line line_of(const DpHmcOutcome& o) {
  Line line = {{"problem", o.problem}, {"method", o.method}, {"epsilon", o.epsilon},
               {"repeat", o.repeat},   {"steps", o.steps},   {"acceptance", o.acceptance}};
  add_distance(line, o.distance);
  line["spent_epsilon"] = o.spent_epsilon;
  return line;
}

Line line_of(const ClippingOutcome& o) {
  Line line = {{"problem", o.problem},       {"method", o.method}, {"bound", o.bound},
               {"repeat", o.repeat},         {"steps", o.steps},   {"acceptance", o.acceptance},
               {"clipped", o.clipped_share}, {"rhat", o.rhat}};
  add_distance(line, o.distance);
  return line;
}

/// table.csv, flushed line by line so that a long run can be watched; and the same for people, or as JSON at the end.
class PaperTable {
 public:
  PaperTable(const std::string& directory, bool json) : path_(directory + "/table.csv"), json_(json) {
    std::error_code failed;
    std::filesystem::create_directories(directory, failed);
    file_.open(path_);
    if (!file_) throw Error(ErrorCode::cannot_create, "cannot create " + path_ + ": choose another --out");
  }

  void add(const Line& line) {
    std::string header, csv, columns, text;
    for (const auto& [key, value] : line.items()) {
      const std::string cell = value.is_string() ? value.get<std::string>() : value.dump();
      header += (header.empty() ? "" : ",") + key;
      csv += (csv.empty() ? "" : ",") + cell;
      columns += fmt::format("{:>13}", key);
      text += value.is_number_float() ? fmt::format("{:13.4g}", value.get<double>())
                                      : fmt::format("{:>13}", cell);
    }
    if (lines_.empty()) file_ << header << '\n';
    if (lines_.empty() && !json_) fmt::print("{}\n", columns);
    file_ << csv << std::endl;
    if (!file_) throw Error(ErrorCode::io, "writing " + path_ + " failed: is the disk full?");
    if (!json_) fmt::print("{}\n", text);
    std::fflush(stdout);
    lines_.push_back(line);
  }

  void finish(const std::string& experiment) const {
    if (!json_) return;
    const Line result = {{"experiment", experiment}, {"table", path_}, {"outcomes", lines_}};
    fmt::print("{}\n", result.dump());
  }

 private:
  std::string path_;
  bool json_;
  std::ofstream file_;
  std::vector<Line> lines_;
};

/// One block a problem: a line per method, a column per epsilon, each cell the mean MMD over the repeats and, where there
/// are several, their standard deviation.
void print_mmd(const DpHmcExperiment& experiment, const std::vector<DpHmcOutcome>& outcomes) {
  for (const std::string& problem : experiment.problems) {
    fmt::print("\nMMD, {}, {} repeat{}\n{:<14}", problem, experiment.repeats,
               experiment.repeats == 1 ? "" : "s", "epsilon");
    for (const double epsilon : experiment.epsilons) fmt::print("{:>16g}", epsilon);
    for (const std::string& method : experiment.methods) {
      fmt::print("\n{:<14}", method);
      for (const double epsilon : experiment.epsilons) {
        double count = 0, sum = 0, squares = 0;
        for (const DpHmcOutcome& o : outcomes) {
          if (o.problem != problem || o.method != method || o.epsilon != epsilon) continue;
          count += 1;
          sum += o.distance.mmd;
          squares += o.distance.mmd * o.distance.mmd;
        }
        const double mean = sum / count;
        const double spread = std::sqrt(std::max(0.0, (squares - sum * mean) / (count - 1)));
        fmt::print("{:>16}",
                   count > 1 ? fmt::format("{:.2f} +- {:.2f}", mean, spread) : fmt::format("{:.2f}", mean));
      }
    }
    fmt::print("\n");
  }
}

/// What both experiments share.
template <class Experiment>
Experiment with_common(Experiment experiment, const ExperimentOptions& options) {
  experiment.rows = options.rows;
  experiment.repeats = options.repeats;
  experiment.seed = options.seed;
  experiment.threads = options.threads;
  if (!options.problems.empty()) experiment.problems = options.problems;
  if (!options.methods.empty()) experiment.methods = options.methods;
  return experiment;
}

void run(const ExperimentOptions& options) {
  if (options.name != "dp-hmc" && options.name != "clipping")
    throw Error(ErrorCode::usage, "the experiments are: dp-hmc, clipping");
  PaperTable table(options.out, options.json);
  const auto done = [&](const auto& outcome) { table.add(line_of(outcome)); };
  if (options.name == "dp-hmc") {
    const DpHmcExperiment experiment = with_common(options.dp_hmc, options);
    const std::vector<DpHmcOutcome> outcomes = run_dp_hmc_experiment(experiment, done);
    if (!options.json) print_mmd(experiment, outcomes);
  } else {
    run_clipping_experiment(with_common(options.clipping, options), done);
  }
  table.finish(options.name);
}

}  // namespace

void add_experiment(CLI::App& program, int&) {
  auto options = std::make_shared<ExperimentOptions>();
  CLI::App* verb = program.add_subcommand(
      "experiment", "Rerun a published experiment on synthetic data, with its published tuning");
  verb->add_option(
          "name", options->name,
          "dp-hmc: distance from the true posterior per method and epsilon; clipping: per clip bound, "
          "without noise")
      ->required();
  verb->add_option("--out", options->out, "directory for table.csv")->required();
  verb->add_option("--rows", options->rows, "rows of the synthetic data")
      ->capture_default_str()
      ->check(CLI::Range(100, 100000000));
  verb->add_option("--repeats", options->repeats, "runs of each combination")->capture_default_str();
  verb->add_option("--problem", options->problems, "banana, normal (default both)");
  verb->add_option("--method", options->methods,
                   "dp-hmc: penalty, barker, hmc, hmc-friction, sgld, sgnht, and auto, which is sotto fit at "
                   "its defaults; "
                   "clipping: metropolis, hmc, barker (default all)");
  verb->add_option("--epsilon", options->dp_hmc.epsilons, "dp-hmc: budgets; delta is 0.1 / rows")
      ->capture_default_str();
  verb->add_option("--half-width", options->dp_hmc.half_width,
                   "dp-hmc, auto: of declared bounds, in a column's standard deviations from its true mean")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 1e6));
  verb->add_option("--most-steps", options->dp_hmc.most_steps,
                   "dp-hmc: of each chain; 0: what the budget buys")
      ->capture_default_str();
  verb->add_option("--bound", options->clipping.bounds, "clipping: bounds (default: the published ones)");
  verb->add_option("--share", options->clipping.share, "clipping: of the published number of steps")
      ->capture_default_str()
      ->check(CLI::Range(0.0001, 1000.0));
  verb->add_option("--seed", options->seed, "of chains and of the (not private) noise")
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "threads of a pass over the rows")->capture_default_str();
  verb->add_flag("--json", options->json, "print one JSON object");
  verb->footer(
      "Example: sotto experiment dp-hmc --out results --epsilon 4 --problem banana\n"
      "Tuning, clip bounds and starting points are the published ones, chosen with the data in view.");
  verb->callback([options] { run(*options); });
}

}  // namespace sotto::cli
