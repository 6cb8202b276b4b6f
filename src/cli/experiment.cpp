// sotto experiment: reruns a published experiment.
#include <fmt/core.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/run/dp_hmc_experiment.hpp"

namespace sotto::cli {
namespace {

struct Options {
  std::string name;
  std::string out;
  DpHmcExperiment experiment;
  bool json = false;
};

constexpr const char* kHeader =
    "problem,method,epsilon,repeat,steps,acceptance,mmd,mean_error,sd_ratio,spent_epsilon";

std::string csv_line(const DpHmcOutcome& o) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{}", o.problem, o.method, o.epsilon, o.repeat, o.steps,
                     o.acceptance, o.mmd, o.mean_error, o.sd_ratio, o.spent_epsilon);
}

void run(Options& options) {
  if (options.name != "dp-hmc") throw Error(ErrorCode::usage, "the experiments are: dp-hmc");
  std::error_code failed;
  std::filesystem::create_directories(options.out, failed);
  const std::string path = options.out + "/table.csv";
  std::ofstream table(path);
  if (!table) throw Error(ErrorCode::cannot_create, "cannot create " + path + ": choose another --out");
  table << kHeader << '\n';
  if (!options.json) {
    fmt::print("{:8} {:13} {:>7} {:>6} {:>9} {:>7} {:>8} {:>10} {:>8}\n", "problem", "method", "epsilon",
               "repeat", "steps", "accept", "mmd", "mean_error", "sd_ratio");
  }
  const auto outcomes = run_dp_hmc_experiment(options.experiment, [&](const DpHmcOutcome& o) {
    table << csv_line(o) << std::endl;  // flushed: a long run can be watched
    if (options.json) return;
    fmt::print("{:8} {:13} {:7} {:6} {:9} {:7.3f} {:8.4f} {:10.3f} {:8.3f}\n", o.problem, o.method, o.epsilon,
               o.repeat, o.steps, o.acceptance, o.mmd, o.mean_error, o.sd_ratio);
    std::fflush(stdout);
  });
  if (!table) throw Error(ErrorCode::io, "writing " + path + " failed: is the disk full?");
  if (!options.json) return;
  nlohmann::json result = {
      {"experiment", options.name}, {"table", path}, {"outcomes", nlohmann::json::array()}};
  for (const DpHmcOutcome& o : outcomes) {
    result["outcomes"].push_back({{"problem", o.problem},
                                  {"method", o.method},
                                  {"epsilon", o.epsilon},
                                  {"repeat", o.repeat},
                                  {"steps", o.steps},
                                  {"acceptance", o.acceptance},
                                  {"mmd", o.mmd},
                                  {"mean_error", o.mean_error},
                                  {"sd_ratio", o.sd_ratio},
                                  {"spent_epsilon", o.spent_epsilon}});
  }
  fmt::print("{}\n", result.dump());
}

}  // namespace

void add_experiment(CLI::App& program, int&) {
  auto options = std::make_shared<Options>();
  DpHmcExperiment& experiment = options->experiment;
  CLI::App* verb = program.add_subcommand(
      "experiment", "Rerun a published experiment on synthetic data, with its published tuning");
  verb->add_option("name", options->name, "dp-hmc: distance from the true posterior per method and epsilon")
      ->required();
  verb->add_option("--out", options->out, "directory for table.csv")->required();
  verb->add_option("--rows", experiment.rows, "rows of the synthetic data")
      ->capture_default_str()
      ->check(CLI::Range(100, 100000000));
  verb->add_option("--epsilon", experiment.epsilons, "budgets; delta is 0.1 / rows")->capture_default_str();
  verb->add_option("--repeats", experiment.repeats, "runs of each combination")->capture_default_str();
  verb->add_option("--problem", experiment.problems, "banana, normal")->capture_default_str();
  verb->add_option("--method", experiment.methods, "penalty, hmc, hmc-friction, sgld, sgnht")
      ->capture_default_str();
  verb->add_option("--most-steps", experiment.most_steps, "of each chain; 0: what the budget buys")
      ->capture_default_str();
  verb->add_option("--seed", experiment.seed, "of chains and of the (not private) noise")
      ->capture_default_str();
  verb->add_option("--threads", experiment.threads, "threads of a pass over the rows")->capture_default_str();
  verb->add_flag("--json", options->json, "print one JSON object");
  verb->footer(
      "Example: sotto experiment dp-hmc --out results --epsilon 4 --problem banana\n"
      "Tuning, clip bounds and starting points are the published ones, chosen with the data in view.");
  verb->callback([options] { run(*options); });
}

}  // namespace sotto::cli
