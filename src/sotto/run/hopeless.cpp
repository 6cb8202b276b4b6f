#include "sotto/run/hopeless.hpp"

#include <fmt/core.h>

#include <algorithm>

#include "sotto/base/error.hpp"
#include "sotto/run/made_up_rows.hpp"

namespace sotto {
namespace {

constexpr int kTables = 3;
constexpr int kAgree = 2;  // of them

bool rehearsed(const FitConfig& config, const Problem& problem) {
  const PublicProblem& known = problem.public_info;
  return !config.not_private && !config.force && !known.own && known.rows && problem.owners.empty();
}

std::optional<MadeUpProblem> made_up(const FitConfig& config, const Schema& schema, const MadeUpRows& rows) {
  try {
    return make_up(config, schema, rows);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
    return std::nullopt;
  }
}

/// Empty where the fit tells something.
std::string why_hopeless(const FitConfig& config, const MadeUpProblem& table, EntropySource& entropy,
                         const FitProgress& progress) {
  bool stopped = false;
  const auto watched = [&](std::size_t done, std::size_t total, double) {
    stopped = stopped || (progress && !progress(done, total, 0));
    return !stopped;
  };
  std::string why;
  try {
    const RunRecord record = fit(config, table.problem, entropy, watched);
    why = why_hopeless(record, summarise(record.draws));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::budget) throw;
    why = error.what();
  }
  if (stopped) throw Error(ErrorCode::interrupted, "stopped: nothing was spent");
  return why;
}

}  // namespace

std::string why_hopeless(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  const auto& settings = record.manifest.configuration;
  if (settings.contains("release_once") && settings["release_once"].value("noise_dominates", false))
    return "the noise dominates";
  if (no_answer(record, summary).empty()) return {};
  if (!record.markov_chain) return "the search for the posterior does not settle";
  const bool short_chains = std::ranges::any_of(record.draws.chains, [](const Chain& chain) {
    return chain.draws.rows() < static_cast<Eigen::Index>(kShortChain);
  });
  return short_chains ? fmt::format("chains have fewer than {} draws", kShortChain)
                      : "the chains do not converge";
}

void refuse_hopeless(const FitConfig& config, const Schema& schema, const Problem& problem,
                     EntropySource& entropy, const FitProgress& progress) {
  if (!rehearsed(config, problem)) return;
  FitConfig quiet = config;
  quiet.compare_not_private = false;
  MadeUpRows made{.rows = std::min(static_cast<std::size_t>(*problem.public_info.rows), kMostMadeUpRows),
                  .seed = config.method.seed};
  std::string why;
  for (int table = 0, hopeless = 0; hopeless < kAgree; ++table, ++made.seed) {
    if (kTables - table < kAgree - hopeless) return;
    const std::optional<MadeUpProblem> rows = made_up(quiet, schema, made);
    if (!rows) return;
    const std::string reason = why_hopeless(quiet, *rows, entropy, progress);
    if (reason.empty()) continue;
    why = reason;
    ++hopeless;
  }
  throw Error(
      ErrorCode::budget,
      fmt::format("this budget would give no answer: of made-up rows of this design, as many as the table "
                  "has, {}; nothing was spent. Take a larger epsilon, fewer columns or {}; sotto plan tells "
                  "what budgets buy, and --force (privacy.force) fits nevertheless",
                  why,
                  config.method.name == "auto" || config.method.name == "release-once"
                      ? "more rows"
                      : "the method release-once"));
}

}  // namespace sotto
