#include "sotto/run/hopeless.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/made_up_rows.hpp"
#include "sotto/run/method_choice.hpp"

namespace sotto {
namespace {

constexpr std::size_t kWide = 100;   // parameters
constexpr double kFewestDraws = 30;  // effective, of all chains together: R-hat is above 1.1 (docs/walks.md)
constexpr std::size_t kIndependentChains =
    2;  // of release-once: whether it tells anything follows from few draws
constexpr const char* kOtherwise =
    "sotto plan tells what budgets buy, and --force (privacy.force) fits nevertheless";

/// A sparing of columns helps where there are more than so many parameters.
constexpr std::size_t kFew = 3;

std::string fewer_columns(const std::vector<std::string>& parameters) {
  return parameters.size() > kFew ? "fewer columns or " : "";
}

std::string in_place_of_chains(const std::vector<std::string>& parameters) {
  return fewer_columns(parameters) + "the method release-once";
}

bool rehearsed(const FitConfig& config, const Problem& problem) {
  const PublicProblem& known = problem.public_info;
  return !config.not_private && !config.force && !known.own && problem.owners.empty();
}

/// The mean of responses in a table; none: that which the schema expects, or the usual one.
std::optional<double> mean_in(int table, const FitConfig& config, const Problem& problem) {
  const Glm* regression = problem.model.as<Glm>();
  if (table == 0 || regression == nullptr || link_of(regression->family()) != Link::log ||
      problem.public_info.steps || expected_mean(config, problem.public_info.schema))
    return std::nullopt;
  const double most = regression->response().upper;
  return table == 1 ? most / 4 : std::sqrt(most);
}

std::optional<MadeUpProblem> made_up(const FitConfig& config, const Schema& schema, const MadeUpRows& rows) {
  try {
    return make_up(config, schema, rows);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
    return std::nullopt;
  }
}

std::optional<Hopeless> hopeless(const FitConfig& config, const MadeUpProblem& table, EntropySource& entropy,
                                 const std::function<bool(double)>& progress) {
  bool stopped = false;
  const auto watched = [&](std::size_t done, std::size_t total, double) {
    const double share = static_cast<double>(done) / static_cast<double>(std::max<std::size_t>(total, 1));
    stopped = stopped || (progress && !progress(share));
    return !stopped;
  };
  std::optional<Hopeless> found;
  const Prospects prospects{.draws = [&](double draws) {
    found = few_draws(draws, table.problem);
    if (found) throw Error(ErrorCode::budget, "few draws");
  }};
  try {
    const RunRecord record = fit(config, table.problem, entropy, watched, {}, prospects);
    found = record.draws.chains.empty() ? hopeless(record, {}) : hopeless(record, summarise(record.draws));
  } catch (const PaidError&) {
    if (!found) found = Hopeless{"the budget ends before there is a draw", "fewer draws"};
  } catch (const Error&) {
    found.reset();  // what is wrong before anything is paid for, the fit itself will say
  }
  if (stopped) {
    const bool unpaid = table.problem.public_info.rows.has_value();  // else their count was
    throw Error(ErrorCode::interrupted,
                unpaid ? "stopped: nothing was spent" : "stopped before the first draw");
  }
  return found;
}

std::string in_place_of_it(const Hopeless& found, const FitConfig& config, const Problem& problem) {
  constexpr double kNoMoreHelps = 20;  // epsilon
  const std::string unread = unread_settings(resolve_method(config, problem), config);
  return fmt::format("{}{}; {}{}{}", *config.epsilon < kNoMoreHelps ? "Take a larger epsilon, or " : "Take ",
                     found.advice, kOtherwise, unread.empty() ? "" : ". ", unread);
}

/// Of such chains no verdict can be had: rows need not be made up to know that.
void refuse_short_chains(const FitConfig& config, const Problem& problem) {
  const bool chain = resolve_method(config, problem).run != nullptr;
  const std::size_t draws = config.method.draws;
  if (!chain || draws == 0 || draws >= kShortChain || config.not_private || config.force) return;
  throw Error(
      ErrorCode::budget,
      fmt::format("this fit would give no answer: nothing tells whether chains of {} draws have found "
                  "the posterior; nothing was spent. Take {} draws a chain or more (method.draws), or "
                  "--force (privacy.force) to fit nevertheless",
                  draws, kShortChain));
}

/// How many tables are made up, and how many of them must tell nothing.
struct Trials {
  int tables, needed;
};

/// Those of counts have different means, unless the schema expects one. What one table says of release-once's noise the next says too, but near the limit; of wide
/// designs, which take long, one is enough.
Trials trials(const FitConfig& config, const Problem& problem, bool chain) {
  if (mean_in(1, config, problem)) return {3, 3};
  if (chain) return {3, 2};
  return problem.public_info.parameters.size() > kWide ? Trials{1, 1} : Trials{2, 2};
}

/// Why most of them tell nothing; none where they tell something, or cannot be made up.
std::optional<Hopeless> of_made_up_tables(double rows, const FitConfig& config, const Problem& problem,
                                          EntropySource& entropy,
                                          const std::function<bool(double)>& progress) {
  FitConfig quiet = config;
  quiet.compare_not_private = false;
  quiet.rehearsal = true;
  const bool chain = resolve_method(config, problem).run != nullptr;
  if (!chain) {
    quiet.method.chains = std::min(config.method.chains, kIndependentChains);
    quiet.method.draws = config.method.draws == 0 ? kShortChain : std::min(config.method.draws, kShortChain);
  }
  const double count = std::clamp(std::round(rows), 1.0, static_cast<double>(kMostMadeUpRows));
  MadeUpRows made{.rows = static_cast<std::size_t>(count), .seed = config.method.seed};
  std::optional<Hopeless> last;
  const auto [tables, needed] = trials(config, problem, chain);
  for (int table = 0, agree = 0; agree < needed; ++table, ++made.seed) {
    if (tables - table < needed - agree) return std::nullopt;
    made.response_mean = mean_in(table, config, problem);
    const std::optional<MadeUpProblem> made_up_rows = made_up(quiet, problem.public_info.schema, made);
    if (!made_up_rows) return std::nullopt;
    const std::optional<Hopeless> found = hopeless(quiet, *made_up_rows, entropy, progress);
    if (!found) continue;
    last = found;
    ++agree;
  }
  return last;
}

}  // namespace

std::optional<Hopeless> hopeless(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  const std::string fewer = fewer_columns(record.draws.parameters);
  if (noise_dominates(record)) return Hopeless{"the noise dominates", fewer + "more rows"};
  if (no_answer(record, summary).empty()) return std::nullopt;
  if (!record.markov_chain)
    return Hopeless{"the search for the posterior does not settle", fewer + "more rows"};
  if (std::ranges::any_of(record.draws.chains,
                          [](const Chain& chain) { return chain.stop == StopReason::diverged; }))
    return Hopeless{"a chain runs away", "a smaller method.step_size, other starts, or another method"};
  const bool short_chains = std::ranges::any_of(record.draws.chains, [](const Chain& chain) {
    return chain.draws.rows() < static_cast<Eigen::Index>(kShortChain);
  });
  if (short_chains)
    return Hopeless{fmt::format("chains have fewer than {} draws", kShortChain),
                    fmt::format("{} draws a chain or more", kShortChain)};
  return Hopeless{"the chains do not converge", in_place_of_chains(record.draws.parameters)};
}

std::optional<Hopeless> few_draws(double draws, const Problem& problem) {
  if (draws >= kFewestDraws) return std::nullopt;
  const std::string bought = draws < 1 ? "less than one effective draw"
                                       : fmt::format("about {:.0f} effective draws", std::floor(draws));
  return Hopeless{
      fmt::format("the budget buys {} of all chains together, however many steps they take", bought),
      in_place_of_chains(problem.public_info.parameters)};
}

void refuse_few_draws(double draws, const FitConfig& config, const Problem& problem) {
  if (config.force) return;
  if (const auto found = few_draws(draws, problem)) {
    throw Error(
        ErrorCode::budget,
        fmt::format("this chain would give no answer: by the look at the rows that it begins with, what "
                    "is left of {}; only that look was paid for. {}",
                    found->why, in_place_of_it(*found, config, problem)));
  }
}

void refuse_hopeless(const FitConfig& config, const Problem& problem, EntropySource& entropy,
                     const std::function<bool(double)>& progress) {
  refuse_short_chains(config, problem);
  const std::optional<double> rows = problem.public_info.rows;
  if (!rows || !rehearsed(config, problem)) return;
  if (const auto found = of_made_up_tables(*rows, config, problem, entropy, progress)) {
    throw Error(ErrorCode::budget,
                fmt::format("this fit would give no answer: of made-up rows of this design, as many as the "
                            "table has, {}; nothing was spent. {}",
                            found->why, in_place_of_it(*found, config, problem)));
  }
}

void refuse_hopeless_of(double rows, const FitConfig& config, const Problem& problem, EntropySource& entropy,
                        const std::function<bool(double)>& progress) {
  if (!problem.unit.is_row || !rehearsed(config, problem)) return;
  if (const auto found = of_made_up_tables(rows, config, problem, entropy, progress)) {
    throw Error(ErrorCode::budget,
                fmt::format("this fit would give no answer: of made-up rows of this design, as many as a "
                            "noisy count of the table's says, {}; nothing but that count was paid for. {}",
                            found->why, in_place_of_it(*found, config, problem)));
  }
}

}  // namespace sotto
