// sotto plan: what a privacy budget buys, on made-up rows, before any row is read.
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cli/confidential.hpp"
#include "cli/fit_options.hpp"
#include "cli/interruption.hpp"
#include "cli/progress.hpp"
#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy.hpp"
#include "sotto/report/privacy_statement.hpp"
#include "sotto/run/certificate.hpp"
#include "sotto/run/rehearsal_report.hpp"
#include "sotto_io/schema_toml.hpp"
#include "sotto_io/table_file.hpp"

namespace sotto::cli {
namespace {

struct PlanOptions {
  FitOptions fit;
  std::vector<double> epsilons;
  std::size_t rows = 0;
  std::size_t repeats = 3;
  std::optional<double> response_mean;
  std::string like;
  bool certify = false;
};

void print(const Rehearsal& rehearsal, const PlanOptions& options) {
  fmt::print("{}, {}: {} simulated rows{}, {} repeats; rows of the data were not read\n\n{}", rehearsal.model,
             rehearsal.method, rehearsal.rows, options.like.empty() ? "" : " like those of " + options.like,
             rehearsal.repeats, rehearsal_table(rehearsal));
}

void run_plan(PlanOptions& options, const CLI::App& verb) {
  if (!options.epsilons.empty()) options.fit.epsilon = options.epsilons.front();
  const FitConfig config = configuration(options.fit, verb);
  const Schema schema = read_schema(resolved(config.schema, verb.count("--schema") > 0, options.fit));
  std::optional<Table> like;
  if (!options.like.empty()) {
    const std::filesystem::path data = resolved(config.data, verb.count("--data") > 0, options.fit);
    std::error_code unknown;
    if (!config.data.empty() && std::filesystem::equivalent(options.like, data, unknown)) {
      refuse(
          "--like must name a public table, and this is the data's own: nothing protects its rows in a plan");
    }
    hold_rows();
    like = read_table(options.like, schema.select(columns_of_right_side(config, schema)));
  }
  if (options.certify && verb.count("--repeats") == 0) options.repeats = kTablesOfCertificate;
  SystemEntropy entropy;
  note_signals();
  Progress line;
  if (options.certify) remark(stderr, "sotto: plan: {} simulated tables are fitted\n", options.repeats);
  const Rehearsal rehearsal = rehearse(
      config, schema, {options.rows, options.response_mean, like ? &*like : nullptr, config.method.seed},
      options.epsilons, options.repeats, entropy, [&](double done) {
        if (options.certify) {
          line.update_by_quarters("plan", done);
        } else {
          line.update("plan", done);
        }
        return !interrupted();
      });
  double most = 0;
  for (const RehearsedBudget& budget : rehearsal.budgets) most = std::max(most, budget.epsilon);
  for (const std::string& sentence : promise_warnings(most, rehearsal.delta, {}))
    remark(stderr, "sotto: {}\n", sentence);
  if (options.fit.json) {
    nlohmann::ordered_json json = to_json(rehearsal);
    if (options.certify) {
      json["certificates"] = nlohmann::ordered_json::array();
      for (const RehearsedBudget& budget : rehearsal.budgets)
        json["certificates"].push_back(to_json(certify(budget)));
    }
    fmt::print("{}\n", json.dump());
    return;
  }
  print(rehearsal, options);
  if (!options.certify) return;
  for (const RehearsedBudget& budget : rehearsal.budgets)
    fmt::print("\n{}", certificate_table(certify(budget)));
}

}  // namespace

void add_plan(CLI::App& program, int& /*status*/) {
  auto options = std::make_shared<PlanOptions>();
  CLI::App* verb = program.add_subcommand(
      "plan", "What a privacy budget buys: the fit on simulated rows, before any row is read");
  add_fit_options(*verb, options->fit);
  verb->add_option(
          "--epsilon", options->epsilons,
          "privacy budgets to compare, e.g. 0.5,1,2 (default: the configuration's, half and twice of it)")
      ->delimiter(',')
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--rows", options->rows, "number of rows, or a public guess (default: that of --like)");
  verb->add_option("--repeats", options->repeats,
                   "simulated tables; from 20 on, how often intervals held the truth is told (default 3)")
      ->check(CLI::Range(1, 10000));
  verb->add_option(
      "--response-mean", options->response_mean,
      "a public guess: share of ones or of events, mean count, mean (default: a half, one, the middle)");
  verb->add_option("--like", options->like, "PUBLIC table whose columns the simulated rows are drawn from");
  verb->add_flag("--certify", options->certify,
                 "fit 100 simulated tables (or --repeats) and tell whether intervals hold what they promise");
  verb->add_flag("--json", options->fit.json, "print one JSON object");
  verb->footer(
      "Example:\n  sotto plan examples/randhie.toml --rows 20000 --epsilon 0.3,1,3 --response-mean 0.7\n"
      "  sotto plan examples/randhie.toml --rows 20000 --epsilon 1 --certify");
  verb->callback([options, verb] { run_plan(*options, *verb); });
}

}  // namespace sotto::cli
