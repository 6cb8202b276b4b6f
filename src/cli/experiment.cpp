// sotto experiment: reruns a published experiment.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/interruption.hpp"
#include "cli/mixture_figures.hpp"
#include "cli/one_of.hpp"
#include "cli/paper_table.hpp"
#include "cli/progress.hpp"
#include "cli/remark.hpp"
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
  std::size_t repeats = 0;
  std::vector<double> epsilons;
  std::vector<std::string> problems, methods;
  double share = 1;
  int figure = 0;
  int table = 0;
  std::uint64_t seed = 1;
  int threads = 1;
  bool json = false;
};

void add_distance(TableLine& line, const Distance& distance) {
  line["mmd"] = distance.mmd;
  line["mean_error"] = distance.mean_error;
  line["sd_ratio"] = distance.sd_ratio;
}

TableLine line_of(const DpHmcOutcome& o) {
  TableLine line = {{"problem", o.problem}, {"method", o.method}, {"epsilon", o.epsilon},
                    {"repeat", o.repeat},   {"steps", o.steps},   {"acceptance", o.acceptance}};
  add_distance(line, o.distance);
  line["spent_epsilon"] = o.spent_epsilon;
  return line;
}

TableLine line_of(const ClippingOutcome& o) {
  TableLine line = {{"problem", o.problem},       {"method", o.method}, {"bound", o.bound},
                    {"repeat", o.repeat},         {"steps", o.steps},   {"acceptance", o.acceptance},
                    {"clipped", o.clipped_share}, {"rhat", o.rhat}};
  add_distance(line, o.distance);
  return line;
}

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
  experiment.repeats = std::max<std::size_t>(1, options.repeats);
  experiment.seed = options.seed;
  experiment.threads = options.threads;
  if (!options.problems.empty()) experiment.problems = options.problems;
  if (!options.methods.empty()) experiment.methods = options.methods;
  return experiment;
}

/// Of either of the experiments that move chains: false where it was stopped.
template <class Run>
bool with_progress(const ExperimentOptions& options, PaperTable& table, const Run& run) {
  note_signals();
  Progress line;
  run([&](const auto& outcome) { line.wipe(), table.add(line_of(outcome)); },
      [&](double share) {
        line.update(options.name, share);
        return !interrupted();
      });
  return !interrupted();
}

void refuse_unknown_methods(const std::vector<std::string>& given, const std::vector<std::string>& known) {
  for (const std::string& method : given) {
    if (const std::string wrong = none_of(method, known); !wrong.empty())
      throw Error(ErrorCode::usage, "--method " + wrong);
  }
}

/// Refuses options that belong to another experiment.
void refuse_foreign(const CLI::App& verb, const std::string& experiment,
                    std::initializer_list<const char*> foreign) {
  for (const char* option : foreign)
    if (verb.count(option) > 0)
      throw Error(ErrorCode::usage, fmt::format("the experiment {} takes no {}", experiment, option));
}

int run(const ExperimentOptions& options, const CLI::App& verb) {
  if (options.name == "mixtures") {
    refuse_foreign(verb, options.name, {"--rows", "--problem", "--half-width", "--most-steps", "--bound"});
    return run_mixture_figure({.figure = options.figure,
                               .table = options.table,
                               .out = options.out,
                               .epsilons = options.epsilons,
                               .algorithms = options.methods,
                               .share = options.share,
                               .repeats = options.repeats,
                               .seed = options.seed,
                               .threads = options.threads,
                               .json = options.json});
  }
  refuse_foreign(verb, options.name, {"--figure", "--table"});
  const bool of_hmc = options.name == "dp-hmc";
  refuse_unknown_methods(options.methods, of_hmc ? DpHmcExperiment{}.methods : ClippingExperiment{}.methods);
  PaperTable table(options.out, options.json);
  bool finished = true;
  if (of_hmc) {
    DpHmcExperiment experiment = with_common(options.dp_hmc, options);
    if (!options.epsilons.empty()) experiment.epsilons = options.epsilons;
    std::vector<DpHmcOutcome> outcomes;
    finished = with_progress(options, table, [&](const auto& done, const auto& go_on) {
      outcomes = run_dp_hmc_experiment(experiment, done, go_on);
    });
    if (finished && !options.json) print_mmd(experiment, outcomes);
  } else {
    ClippingExperiment experiment = with_common(options.clipping, options);
    experiment.share = options.share;
    finished = with_progress(options, table, [&](const auto& done, const auto& go_on) {
      run_clipping_experiment(experiment, done, go_on);
    });
  }
  table.finish(options.name);
  if (finished) return 0;
  remark(stderr, "sotto: stopped early; the runs that ended are in {}\n", options.out);
  return exit_status(ErrorCode::interrupted);
}

}  // namespace

void add_experiment(CLI::App& program, int& status) {
  auto options = std::make_shared<ExperimentOptions>();
  CLI::App* verb = program.add_subcommand(
      "experiment", "Rerun a published experiment on synthetic or public data, with its published tuning");
  verb->add_option(
          "name", options->name,
          "dp-hmc: distance from the true posterior per method and epsilon; clipping: per clip bound, "
          "without noise; mixtures: a figure or table on densities of privatised data")
      ->required()
      ->check(one_of({"dp-hmc", "clipping", "mixtures"}));
  verb->add_option("--out", options->out,
                   "directory for table.csv; mixtures: also report.html and curves.csv")
      ->required();
  verb->add_option("--rows", options->rows, "rows of the synthetic data")
      ->capture_default_str()
      ->check(CLI::Range(100, 100000000));
  verb->add_option("--figure", options->figure, "mixtures: 1 to 14");
  verb->add_option("--table", options->table, "mixtures: 1");
  verb->add_option("--repeats", options->repeats,
                   "runs of each combination (default 1; mixtures: as published)");
  verb->add_option("--problem", options->problems, "banana, normal (default both)")
      ->check(one_of({"banana", "normal"}));
  verb->add_option("--method", options->methods,
                   "dp-hmc: penalty, barker, hmc, hmc-friction, sgld, sgnht, and auto, which is sotto fit at "
                   "its defaults; "
                   "clipping: metropolis, hmc, barker; "
                   "mixtures: neal2, neal3, neal5, neal5-m5, neal5-same-prior, neal5-wide-prior, slice, "
                   "deconvolution, where "
                   "the figure has them (default all)");
  verb->add_option(
          "--epsilon", options->epsilons,
          "dp-hmc: budgets (default 2 4 8 12); delta is 0.1 / rows; mixtures: those of the figure to "
          "run (default all)")
      ->check(CLI::Range(1e-9, 1e6));
  verb->add_option("--half-width", options->dp_hmc.half_width,
                   "dp-hmc, auto: of declared bounds, in a column's standard deviations from its true mean")
      ->capture_default_str()
      ->check(CLI::Range(0.1, 1e6));
  verb->add_option("--most-steps", options->dp_hmc.most_steps,
                   "dp-hmc: of each chain; 0: what the budget buys")
      ->capture_default_str();
  verb->add_option("--bound", options->clipping.bounds, "clipping: bounds (default: the published ones)");
  verb->add_option("--share", options->share, "clipping, mixtures: of the published number of steps")
      ->capture_default_str()
      ->check(CLI::Range(0.0001, 1000.0));
  verb->add_option("--seed", options->seed, "of chains and of the (not private) noise")
      ->capture_default_str();
  verb->add_option("--threads", options->threads, "threads of a pass over the rows; mixtures: runs at a time")
      ->capture_default_str();
  verb->add_flag("--json", options->json, "print one JSON object");
  verb->footer(
      "Example: sotto experiment dp-hmc --out results --epsilon 4 --problem banana\n"
      "Tuning, clip bounds and starting points are the published ones, chosen with the data in view.");
  verb->callback([options, verb, &status] { status = run(*options, *verb); });
}

}  // namespace sotto::cli
