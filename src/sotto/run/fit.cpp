#include "sotto/run/fit.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <exception>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/base/version.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/owner/answer_keeper.hpp"
#include "sotto/release/kept_answers.hpp"
#include "sotto/run/fit_without_privacy.hpp"
#include "sotto/run/method.hpp"
#include "sotto/run/method_choice.hpp"
#include "sotto/run/once.hpp"
#include "sotto/run/pilot.hpp"
#include "sotto/run/run_length.hpp"
#include "sotto/run/run_plan.hpp"
#include "sotto/run/schema_json.hpp"

namespace sotto {
namespace {

constexpr double kNoLimit =
    std::numeric_limits<double>::infinity();  // of what steps may cost without privacy

/// In the place of what a configuration leaves to the method.
void state_length(const ChainSettings& settings, RunRecord& record) {
  nlohmann::ordered_json& stated = record.manifest.configuration["method"];
  stated["draws"] = settings.draws;
  stated["warmup"] = settings.warmup;
  stated["thin"] = settings.thin;
}

/// In the place of what a configuration says of model and priors.
void state_own_model(const PublicProblem& problem, nlohmann::ordered_json& configuration) {
  const nlohmann::ordered_json power = configuration["model"]["likelihood_power"];
  configuration["model"] = {
      {"family", "own"}, {"parameters", problem.parameters}, {"likelihood_power", power}};
  nlohmann::ordered_json& priors = configuration["prior"] = nlohmann::ordered_json::object();
  for (const PriorDescription& prior : problem.prior_descriptions)
    priors[prior.parameter] = prior.distribution;
}

std::string trust_model(const Problem& problem) {
  if (problem.public_info.own) {
    return "the curator who holds the rows, runs this program and wrote the model, in which a row's log "
           "density follows from that row alone, and so does whether the model's code fails on it";
  }
  if (problem.owners.empty()) return "the curator who holds the rows and runs this program";
  const std::size_t elsewhere = problem.public_info.owner_promises.size();
  const std::size_t all = problem.owners.size();
  if (elsewhere == all) {
    return fmt::format(
        "{} holds its rows in a process of its own, and adds noise of its own to what they answer; who runs "
        "this "
        "program sees noisy answers alone",
        all == 1 ? "the owner" : fmt::format("each of {} owners", all));
  }
  if (elsewhere > 0) {
    return fmt::format(
        "each of {} owners adds noise of its own to what its rows answer; {} of them hold{} their rows in "
        "processes of their own, and the curator who runs this program holds the rows of the others",
        all, elsewhere, elsewhere == 1 ? "s" : "");
  }
  return fmt::format(
      "each of {} owners adds noise of its own to what its rows answer; here the curator who runs this "
      "program "
      "holds the rows of all",
      problem.owners.size());
}

PrivacyStatement statement(const Budget& budget, const Problem& problem, const EntropySource& entropy) {
  const std::vector<OwnerPromise>& elsewhere = problem.public_info.owner_promises;
  bool is_private = entropy.is_private();
  for (const OwnerPromise& owner : elsewhere) is_private = is_private && owner.noise_is_private;
  const bool all_elsewhere = !elsewhere.empty() && elsewhere.size() == problem.owners.size();
  const std::string source = all_elsewhere ? elsewhere.front().noise_source : entropy.name();
  PrivacyStatement stated =
      statement_of(budget.spending(), problem.unit.adjacency, problem.public_info.privacy_unit,
                   trust_model(problem), source, is_private);
  stated.owners = elsewhere;
  return stated;
}

constexpr const char* kHiddenByNoise =
    "The noise hides where the posterior lies from the first noisy release, where the chains start: take a "
    "larger "
    "epsilon, "
    "fewer columns or narrower bounds.";

constexpr const char* kOneStart =
    "Note: all chains begin at the position of [start], so R-hat does not tell of chains that have hardly "
    "moved.";

constexpr const char* kAlike =
    "Note: the model takes a person's rows as independent of each other: where they are alike beyond what "
    "the "
    "formula says, intervals are too narrow; model one row a person, a mean or a sum, where that may matter.";

constexpr const char* kSpreadTaken =
    "Note: {} takes rows to vary as the model says, which sets how far batches of them heat the chain: where "
    "they vary more its intervals are too wide, where less, or where errors have long tails, too narrow, up "
    "to several times, and its draws do not tell. release-once and the penalty methods do not take it so.";

/// Beyond it sgnht's standard deviations were a twentieth to an eighth too small (docs/sgld.md).
constexpr double kLongestStep = 0.15;
constexpr const char* kLongSteps =
    "Steps of {:g} are long for sgnht: its standard deviations may be a tenth too small. Leave "
    "method.step_size "
    "out, or make it {:g} or less.";

/// A millionth is kept for the slack of discreteness.
Rho cost_of_release_once(const Budget& untouched) { return Rho(untouched.left().value() * (1 - 1e-6)); }

/// All that release-once's questions follow from, beside its answers.
nlohmann::ordered_json what_is_asked(const FitConfig& config, const Problem& problem) {
  const nlohmann::ordered_json all = to_json(config);
  nlohmann::ordered_json fit = {{"version", version()},
                                {"model", all.at("model")},
                                {"prior", all.at("prior")},
                                {"epsilon", *config.epsilon},
                                {"delta", *config.delta},
                                {"schema", problem.public_info.declaration},
                                {"owners", problem.public_info.owners},
                                {"rows", nullptr}};
  if (problem.public_info.rows) fit["rows"] = *problem.public_info.rows;
  return fit;
}

void refuse_another_fit(const nlohmann::ordered_json& kept, const nlohmann::ordered_json& asked) {
  const std::map<std::string, const char*> words{
      {"version", "version of this program"}, {"owners", "number of owners"}, {"rows", "number of rows"}};
  for (const auto& [key, value] : asked.items()) {
    const auto before = kept.value(key, nlohmann::ordered_json());
    if (before == value) continue;
    const auto word = words.find(key);
    refuse(fmt::format(
        "the releases are of a fit with another {}{}: say what was said then, or make a fit of its own",
        word == words.end() ? key : word->second,
        before.is_number() && value.is_number()
            ? fmt::format(" ({} then, {} now)", before.dump(), value.dump())
            : ""));
  }
}

/// What is known before anything is asked.
RunRecord record_of(const Method& method, const FitConfig& config, const Problem& problem) {
  RunRecord record;
  record.title = problem.public_info.title;
  if (problem.unit.is_row) record.rows = problem.public_info.rows;
  record.model = problem.public_info.model;
  record.effects = problem.public_info.effects;
  record.curves = problem.public_info.curves;
  record.ratio = problem.public_info.ratio;
  record.method = method.name;
  record.priors = problem.public_info.prior_descriptions;
  record.warnings = problem.public_info.warnings;
  record.manifest.versions = current_versions();
  record.manifest.configuration = to_json(config);
  record.manifest.configuration["method"]["name"] = method.name;
  state_length(run_length(method, config, problem, nullptr, Rho(config.not_private ? kNoLimit : 0)), record);
  if (method.run == nullptr) record.manifest.configuration["method"]["warmup"] = 0;
  if (problem.public_info.own) state_own_model(problem.public_info, record.manifest.configuration);
  if (!problem.public_info.schema.columns.empty())
    record.manifest.schema = to_json(problem.public_info.schema);
  record.manifest.started = utc_now();
  return record;
}

/// Of what is declared and promised.
void warn(const Method& method, const FitConfig& config, const Problem& problem, RunRecord& record) {
  if (std::string unread = unread_settings(method, config); !unread.empty())
    record.warnings.push_back(std::move(unread));
  if (problem.public_info.chosen_start) record.warnings.emplace_back(kOneStart);
  const Glm* regression = problem.model.as<Glm>();  // yes and no vary in one way alone
  const bool logistic = regression != nullptr && link_of(regression->family()) == Link::logit;
  if (method.regime == QueryRegime::batches && !logistic &&
      (regression != nullptr || is_location(config.model)))
    record.warnings.push_back(fmt::format(kSpreadTaken, method.name));
  if (method.name == "sgnht" && config.method.step_size > kLongestStep)
    record.warnings.push_back(fmt::format(kLongSteps, config.method.step_size, kLongestStep));
  if (problem.unit.table_rows() > 1) {
    const bool allowed = method.run == nullptr && problem.unit.side_by_side;
    if (!allowed) record.warnings.emplace_back(kAlike);
  }
  if (!config.not_private) {
    for (std::string& sentence : promise_warnings(*config.epsilon, *config.delta, problem.public_info.rows)) {
      record.warnings.push_back(std::move(sentence));
    }
  }
}

/// Of all chains; none where the parameter is not reported, or has no draws.
std::optional<Position> all_draws(const RunRecord& record, const std::string& parameter) {
  const auto found = std::ranges::find(record.draws.parameters, parameter);
  if (found == record.draws.parameters.end()) return std::nullopt;
  const auto column = static_cast<Eigen::Index>(found - record.draws.parameters.begin());
  std::vector<double> all;
  for (const Chain& chain : record.draws.chains) {
    const Position draws = chain.draws.col(column);
    all.insert(all.end(), draws.begin(), draws.end());
  }
  if (all.empty()) return std::nullopt;
  return Eigen::Map<const Position>(all.data(), static_cast<Eigen::Index>(all.size()));
}

/// What `tell` says of priors and draws of what is reported, where it says anything.
template <class Tell>
std::string of_priors(const RunRecord& record, const Tell& tell) {
  std::vector<std::string> all;
  for (const PriorDescription& prior : record.priors) {
    const std::optional<Position> draws = all_draws(record, prior.parameter);
    std::string told = draws ? tell(prior, *draws) : std::string();
    if (!told.empty()) all.push_back(std::move(told));
  }
  return fmt::format("{}", fmt::join(all, ", "));
}

/// Of a chain: what its draws and its priors disagree on. Release-once has priors on the scale of released spreads, and says more.
void warn_of_priors(RunRecord& record) {
  constexpr double kFarOut = 2;  // the prior's standard deviations
  const std::string held = of_priors(record, [](const PriorDescription& prior, const Position& draws) {
    const double out = std::abs(draws.mean() - prior.mean) / prior.sd;
    return out > kFarOut ? fmt::format("{} ({:.1f})", prior.parameter, out) : std::string();
  });
  if (held.empty()) return;
  record.warnings.push_back(fmt::format(
      "The prior holds back {}: in brackets how many of its standard deviations out the answer lies, "
      "which is between what it says and what the data say. Declare bounds nearer to what columns hold, "
      "on whose scale default priors are, or set wider priors ([prior]).",
      held));
}

/// Of sgld, which takes all that the posterior is curved by to be the rows' (run/method.cpp).
void warn_of_priors_in_batches(RunRecord& record) {
  constexpr double kPart = 0.1;  // of a parameter's precision
  const std::string held = of_priors(record, [](const PriorDescription& prior, const Position& draws) {
    const double variance = (draws.array() - draws.mean()).square().mean();
    return variance > kPart * prior.sd * prior.sd ? prior.parameter : std::string();
  });
  if (held.empty()) return;
  record.warnings.push_back(fmt::format(
      "sgld takes all that the posterior is curved by to be the rows', and of {} part is the prior's: its "
      "intervals there are too narrow, by up to a third. release-once and the penalty methods do not take it "
      "so.",
      held));
}

/// Draws and the method's warnings into the record.
void spend(const Method& method, const FitConfig& config, const Problem& problem, Budget& budget,
           EntropySource& entropy, const FitProgress& progress, const Prospects& prospects,
           RunRecord& record) {
  ChainSettings settings = run_length(method, config, problem, nullptr, budget.left());
  const Progress report = [&](std::size_t done, std::size_t total) {
    return !progress || progress(done, total, budget.spent_epsilon(budget.delta()).value());
  };
  const std::size_t steps = steps_in_all(settings, config.method.chains);
  const auto wanted = [&] {
    if (!report(0, steps))
      throw Error(ErrorCode::interrupted, "stopped before the first draw; nothing was spent");
  };
  RunPlan run_plan = make_run_plan(regime_of(method, problem), config, problem, steps, budget, entropy,
                                   method.looks, wanted);
  if (budget.entries().empty()) wanted();
  record.draws.parameters = problem.public_info.parameters;
  if (method.run == nullptr) {
    AnswerKeeper keeper(*run_plan.interface, what_is_asked(config, problem));
    run_release_once(config, problem, settings.draws, keeper, cost_of_release_once(budget), report, record,
                     prospects.rows);
    record.kept = keeper.kept();
    return;
  }
  std::optional<Pilot> pilot;
  if (run_plan.look_cost.value() > 0) {
    pilot = look(config, problem, *run_plan.interface, run_plan.look_cost, [&] { return report(0, steps); });
    if (pilot->noise_dominates) record.warnings.emplace_back(kHiddenByNoise);
    tell(*pilot, record);
  }
  const bool unpaid = run_plan.steps_cost.value() > 0;
  if (unpaid) {
    settings = run_length(method, config, problem, pilot ? &*pilot : nullptr, run_plan.steps_cost);
    share_among(steps_in_all(settings, config.method.chains), run_plan);
    state_length(settings, record);
  }
  if (pilot && !pilot->noise_dominates && (unpaid || method.regime == QueryRegime::batch_ratios)) {
    const Rho cost(unpaid ? run_plan.steps_cost.value()
                          : run_plan.step_budget.step_cost.value() * static_cast<double>(steps));
    const ForetoldDraws foretold = draws_for(cost, method, config, problem.public_info, *pilot, settings);
    if (std::isfinite(foretold.of_budget))
      record.manifest.configuration["look"]["effective_draws"] = foretold.of_run;
    if (prospects.draws && (unpaid || config.rehearsal)) prospects.draws(foretold.of_budget);
  }
  record.draws.chains = method.run({config.method, problem.public_info, settings, run_plan.step_budget,
                                    *run_plan.interface, report, pilot ? &*pilot : nullptr});
  problem.public_info.groups.complete(record.draws, problem.public_info.group_scales, config.method.seed);
}

}  // namespace

RunRecord fit(const FitConfig& config, const Problem& problem, EntropySource& entropy,
              const FitProgress& progress, const BookingWriter& writer, const Prospects& prospects) {
  const auto clock = [] { return std::chrono::steady_clock::now(); };
  const auto seconds = [](auto span) { return std::chrono::duration<double>(span).count(); };
  const auto begin = clock();
  check_fit_config(config);
  const Method& method = resolve_method(config, problem);
  RunRecord record = record_of(method, config, problem);

  if (config.not_private) {
    const Progress watched = [&](std::size_t done, std::size_t total) {
      return !progress || progress(done, total, std::numeric_limits<double>::infinity());
    };
    run_without_privacy(method, config, problem, watched, record);
    record.privacy = not_private_statement();
  } else {
    check_promise(*config.delta, problem.public_info.rows);
    Budget budget(Epsilon(*config.epsilon), Delta(*config.delta), writer);
    if (!(budget.left().value() > 0)) {
      throw Error(*config.delta > 0 ? ErrorCode::budget : ErrorCode::configuration,
                  *config.delta > 0 ? "this epsilon and delta allow no release at all: raise delta or epsilon"
                                    : "with delta = 0 no release is possible: all noise here is Gaussian; "
                                      "take a delta well below one "
                                      "over the number of rows, 1e-6 for instance");
    }
    try {
      spend(method, config, problem, budget, entropy, progress, prospects, record);
    } catch (const Error& error) {
      if (budget.entries().empty()) throw;
      throw PaidError(error, statement(budget, problem, entropy));
    } catch (const std::exception&) {
      if (budget.entries().empty()) throw;
      // What a library says of an exception may quote a cell, so it is not passed on.
      throw PaidError(Error(ErrorCode::io, "the run could not be finished: give it more memory"),
                      statement(budget, problem, entropy));
    }
    record.privacy = statement(budget, problem, entropy);
  }
  warn(method, config, problem, record);
  if (method.run != nullptr && !is_categorical(config.model)) warn_of_priors(record);
  if (method.name == "sgld") warn_of_priors_in_batches(record);
  if (method.approximation != nullptr) {
    std::string sentence = method.approximation(config);
    if (!sentence.empty()) record.privacy.approximations.push_back(std::move(sentence));
  }
  // How long a run takes depends on the rows.
  record.privacy.times_published = config.timing;
  if (config.timing)
    record.manifest.wall_seconds = record.manifest.sampling_seconds = seconds(clock() - begin);
  return record;
}

RunRecord fit_again(const FitConfig& config, const Problem& problem, const KeptAnswers& kept,
                    const FitProgress& progress) {
  check_fit_config(config);
  const Method& method = resolve_method(config, problem);
  if (method.run != nullptr)
    refuse(fmt::format("{} asks at every step, so more of its draws cost budget: only release-once goes on",
                       method.name));
  refuse_another_fit(kept.fit, what_is_asked(config, problem));
  RunRecord record = record_of(method, config, problem);
  const Budget budget(Epsilon(*config.epsilon), Delta(*config.delta));
  const double spent = *config.epsilon;
  AnswersAgain answers(kept);
  record.draws.parameters = problem.public_info.parameters;
  const std::size_t draws = config.method.draws > 0 ? config.method.draws : method.draws;
  run_release_once(
      config, problem, draws, answers, cost_of_release_once(budget),
      [&](std::size_t done, std::size_t total) { return !progress || progress(done, total, spent); }, record);
  record.kept = kept;
  warn(method, config, problem, record);
  return record;
}

}  // namespace sotto
