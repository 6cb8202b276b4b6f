#include "sotto/run/rehearsal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/hopeless.hpp"
#include "sotto/run/method_choice.hpp"

namespace sotto {
namespace {

constexpr double kWithoutNoise = 1e5;  // epsilon
constexpr double kFewDraws = 100;      // effective ones

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// One fit of one table: its summary, or why there is none.
struct Outcome {
  std::vector<ParameterSummary> summary;
  std::vector<double> ranks;  // of what the rows were made from
  std::string hopeless;       // why, or empty
  std::string warning;        // of a chain's method itself, or empty
};

/// Shares of the draws below the truth.
std::vector<double> ranks(const Draws& draws, const Position& truth) {
  std::vector<double> below(draws.parameters.size(), 0.0);
  double all = 0;
  for (const Chain& chain : draws.chains) {
    all += static_cast<double>(chain.draws.rows());
    for (std::size_t j = 0; j < below.size(); ++j) {
      const auto column = static_cast<Eigen::Index>(j);
      below[j] += static_cast<double>((chain.draws.col(column).array() < truth[column]).count());
    }
  }
  for (double& share : below) share /= std::max(all, 1.0);
  return below;
}

Outcome outcome_of(FitConfig config, double epsilon, const MadeUpProblem& table, EntropySource& entropy,
                   const FitProgress& progress) {
  config.epsilon = epsilon;
  const Prospects prospects{.draws = [&](double draws) {
    const std::optional<Hopeless> found = few_draws(draws, table.problem);
    if (found && !config.force) throw Error(ErrorCode::budget, found->why);
  }};
  try {
    const RunRecord record = fit(config, table.problem, entropy, progress, {}, prospects);
    std::vector<ParameterSummary> summary = summarise(record.draws);
    const std::optional<Hopeless> found = hopeless(record, summary);
    const auto warning = std::ranges::find_if(
        record.warnings, [](const std::string& sentence) { return !sentence.starts_with("Note:"); });
    return {std::move(summary), ranks(record.draws, table.truth), found ? found->why : std::string(),
            record.markov_chain && warning != record.warnings.end() ? *warning : std::string()};
  } catch (const Error& error) {
    if (error.code() != ErrorCode::budget) throw;
    return {{}, {}, error.what(), {}};
  }
}

/// Over the repeats that gave draws. `without_noise`: one per repeat.
std::vector<RehearsedParameter> over_repeats(const std::vector<Outcome>& outcomes,
                                             const std::vector<Outcome>& without_noise,
                                             const std::vector<Position>& truths) {
  std::vector<RehearsedParameter> parameters;
  for (std::size_t j = 0; j < without_noise.front().summary.size(); ++j) {
    std::vector<double> sd, inflation, ess, ranks;
    double covered = 0;
    for (std::size_t r = 0; r < outcomes.size(); ++r) {
      if (outcomes[r].summary.empty()) continue;
      const ParameterSummary& one = outcomes[r].summary[j];
      const double truth = truths[r][static_cast<Eigen::Index>(j)];
      sd.push_back(one.sd);
      inflation.push_back(one.sd / without_noise[r].summary[j].sd);
      ess.push_back(one.ess_bulk);
      ranks.push_back(outcomes[r].ranks[j]);
      covered += one.q05 <= truth && truth <= one.q95 ? 1 : 0;
    }
    if (sd.empty()) return {};
    parameters.push_back({without_noise.front().summary[j].parameter, median(sd), median(inflation),
                          median(ess), covered / static_cast<double>(sd.size()), std::move(ranks)});
  }
  return parameters;
}

/// `effects`: of a mixed model those parameters, which come first, that are no deviations of its groups: these are many, and as
/// much the prior's as the rows'.
void judge(const std::vector<Outcome>& outcomes, std::size_t effects, RehearsedBudget& budget) {
  const auto fails = [](const Outcome& outcome) { return !outcome.hopeless.empty(); };
  if (2 * std::ranges::count_if(outcomes, fails) > static_cast<std::ptrdiff_t>(outcomes.size())) {
    budget.prospect = Prospect::hopeless;
    budget.why = std::ranges::find_if(outcomes, fails)->hopeless;
  }
  if (budget.parameters.empty()) return;
  const auto by_inflation = [](const auto& a, const auto& b) { return a.sd_inflation < b.sd_inflation; };
  const auto judged = std::span(budget.parameters).first(std::min(effects, budget.parameters.size()));
  const auto worst = std::ranges::max_element(judged, by_inflation);
  const auto fewest = std::min_element(budget.parameters.begin(), budget.parameters.end(),
                                       [](const auto& a, const auto& b) { return a.ess < b.ess; });
  std::vector<double> inflations;
  for (const RehearsedParameter& one : judged) inflations.push_back(one.sd_inflation);
  const double most = median(inflations);
  const bool few_draws = !(fewest->ess >= kFewDraws);
  const std::string widths =
      few_draws ? fmt::format("{} has {:.0f} effective draws", fewest->name, fewest->ess)
                : fmt::format("intervals are {:.1f} times as wide as without noise, those of {} {:.1f} times",
                              most, worst->name, worst->sd_inflation);
  budget.why = budget.why.empty() ? widths : budget.why + "; " + widths;
  if (budget.prospect == Prospect::hopeless) return;
  if (few_draws || most > kPoor || worst->sd_inflation > kVeryPoor) budget.prospect = Prospect::poor;
  const auto warns = [](const Outcome& outcome) { return !outcome.warning.empty(); };
  if (2 * std::ranges::count_if(outcomes, warns) <= static_cast<std::ptrdiff_t>(outcomes.size())) return;
  budget.prospect = Prospect::poor;
  budget.why =
      fmt::format("the fit warns: {} {}", std::ranges::find_if(outcomes, warns)->warning, budget.why);
}

/// Of a regression's columns, those of which the schema expects nothing.
std::string spread_evenly(const FitConfig& config, const Schema& schema) {
  std::vector<std::string> even;
  for (const std::string& name : columns_of_right_side(config, schema)) {
    const ExpectedValues& expected = schema.column(name).expected;
    if (!expected.mean && expected.shares.empty()) even.push_back(name);
  }
  if (even.empty()) return {};
  return fmt::format(
      " It expects nothing of {}: numbers are even over their bounds then, and levels equally likely; real "
      "ones are narrower, and rare levels rarer, which widens intervals: say expected_mean and expected_sd, "
      "or expected_shares.",
      fmt::join(even, ", "));
}

std::string caveat_of(const FitConfig& config, const Schema& schema, const MadeUpRows& made) {
  if (made.like != nullptr)
    return "The table that rows are like is taken as public: nothing here protects its rows.";
  if (is_location(config.model)) {
    return "Rows were simulated as normal with the declared covariance, about means in the middle half of "
           "the bounds; where real ones are not, the fit says so.";
  }
  return fmt::format(
      "Columns were simulated as independent, and as the schema expects them.{} Columns that are alike widen "
      "intervals too: a public table with such columns shows it (like). How rare the outcome is says "
      "response_mean, or the schema's expected_mean of it.",
      spread_evenly(config, schema));
}

}  // namespace

const char* name_of(Prospect prospect) {
  switch (prospect) {
    case Prospect::good:
      return "good";
    case Prospect::poor:
      return "poor";
    case Prospect::hopeless:
      return "hopeless";
  }
  return "";
}

Rehearsal rehearse(const FitConfig& config, const Schema& schema, MadeUpRows made,
                   std::vector<double> epsilons, std::size_t repeats, EntropySource& entropy,
                   const std::function<bool(double)>& progress) {
  if (epsilons.empty() && config.epsilon)
    epsilons = {*config.epsilon / 2, *config.epsilon, *config.epsilon * 2};
  if (made.rows == 0 && made.like != nullptr) made.rows = made.like->rows();
  if (epsilons.empty() || repeats == 0) refuse("a plan needs an epsilon and at least one repeat");
  FitConfig quiet = config;
  quiet.compare_not_private = quiet.not_private = false;
  FitConfig reference = quiet;
  reference.method = MethodConfig{};
  reference.start.clear();
  reference.method.chains = 1;
  reference.method.draws = 2000;
  std::vector<Outcome> without_noise;
  std::vector<Position> truths;
  std::vector<std::vector<Outcome>> outcomes(epsilons.size());
  Rehearsal rehearsal;
  rehearsal.caveat = caveat_of(config, schema, made);
  rehearsal.rows = made.rows;
  rehearsal.repeats = repeats;
  rehearsal.delta = config.delta.value_or(0);
  const auto fits = static_cast<double>(repeats * (epsilons.size() + 1));
  double fitted = 0;
  bool stopped = false;
  const auto told = [&](double share) {
    stopped = stopped || (progress && !progress((fitted + share) / fits));
    return !stopped;
  };
  const auto watched = [&](std::size_t done, std::size_t total, double) {
    return told(static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1)));
  };
  const auto outcome = [&](const FitConfig& of, double epsilon, const MadeUpProblem& table) {
    Outcome one;
    try {
      one = outcome_of(of, epsilon, table, entropy, watched);
    } catch (const Error&) {
      if (!stopped) throw;
    }
    ++fitted;
    if (!told(0)) throw Error(ErrorCode::interrupted, "stopped: nothing was spent");
    return one;
  };
  std::size_t effects = 0;
  for (std::size_t r = 0; r < repeats; ++r, ++made.seed) {
    MadeUpProblem table = make_up(quiet, schema, made);
    rehearsal.model = table.problem.public_info.model;
    rehearsal.privacy_unit = table.problem.public_info.privacy_unit;
    rehearsal.adjacency = table.problem.unit.adjacency;
    const PublicProblem& known = table.problem.public_info;
    effects = 0;
    for (std::size_t j = 0; j < known.parameters.size(); ++j)
      effects += known.groups.has(static_cast<Eigen::Index>(j)) ? 0 : 1;
    truths.push_back(table.truth);
    const auto start = std::exchange(table.problem.public_info.chosen_start, std::nullopt);
    without_noise.push_back(outcome(reference, kWithoutNoise, table));
    table.problem.public_info.chosen_start = start;
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      outcomes[e].push_back(outcome(quiet, epsilons[e], table));
    }
    const Method& method = resolve_method(quiet, table.problem);
    rehearsal.method = method.name;
    rehearsal.unread = unread_settings(method, quiet);
  }
  rehearsal.without_noise = over_repeats(without_noise, without_noise, truths);
  for (std::size_t e = 0; e < epsilons.size(); ++e) {
    RehearsedBudget budget;
    budget.epsilon = epsilons[e];
    budget.parameters = over_repeats(outcomes[e], without_noise, truths);
    judge(outcomes[e], effects, budget);
    rehearsal.budgets.push_back(std::move(budget));
  }
  return rehearsal;
}

}  // namespace sotto
