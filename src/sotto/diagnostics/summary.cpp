#include "sotto/diagnostics/summary.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sotto/base/first_names.hpp"
#include "sotto/diagnostics/effective_sample_size.hpp"
#include "sotto/diagnostics/monte_carlo_error.hpp"
#include "sotto/diagnostics/rhat.hpp"
#include "sotto/diagnostics/sequences.hpp"

namespace sotto {
namespace {

ParameterSummary summarise_one(const Draws& draws, std::size_t index) {
  const auto parameter = static_cast<Eigen::Index>(index);
  const Matrix x = sequences(draws, parameter);
  std::vector<double> all = pooled(draws, parameter);
  const Eigen::Map<const Eigen::VectorXd> values(all.data(), static_cast<Eigen::Index>(all.size()));
  const double none = std::numeric_limits<double>::quiet_NaN();
  const double mean = all.empty() ? none : values.mean();
  const bool alike = !all.empty() && (values.array() == values[0]).all();  // the mean of such rounds
  const double sd =
      all.size() < 2 ? none
      : alike        ? 0
              : std::sqrt((values.array() - mean).square().sum() / static_cast<double>(all.size() - 1));
  ParameterSummary line{draws.parameters.at(index),
                        mean,
                        sd,
                        mcse_mean(x),
                        mcse_sd(x),
                        none,
                        none,
                        none,
                        ess_bulk(x),
                        ess_tail(x),
                        rhat(x)};
  if (!all.empty() && values.allFinite()) {
    std::sort(all.begin(), all.end());
    line.q05 = quantile_of_sorted(all, 0.05);
    line.q50 = quantile_of_sorted(all, 0.50);
    line.q95 = quantile_of_sorted(all, 0.95);
  }
  return line;
}

std::size_t shortest_chain(const Draws& draws) {
  std::size_t shortest = std::numeric_limits<std::size_t>::max();
  for (const Chain& chain : draws.chains)
    shortest = std::min(shortest, static_cast<std::size_t>(chain.draws.rows()));
  return draws.chains.empty() ? 0 : shortest;
}

bool any_ended(const Draws& draws, StopReason reason) {
  return std::any_of(draws.chains.begin(), draws.chains.end(),
                     [reason](const Chain& chain) { return chain.stop == reason; });
}

/// What is to be said of chains that ended before their time.
std::vector<std::string> endings(const Draws& draws) {
  if (any_ended(draws, StopReason::diverged)) {
    return {
        "A chain ran away, to where responses and priors allow no posterior, and the run was ended there: "
        "these draws are not the posterior's; choose another method, a smaller method.step_size, or, where "
        "[start] "
        "says where chains begin, a nearer one."};
  }
  if (any_ended(draws, StopReason::budget_spent)) {
    return {fmt::format("The budget ended before the chains did, after {} draws of the shortest.",
                        shortest_chain(draws))};
  }
  if (any_ended(draws, StopReason::interrupted)) {
    return {fmt::format("The run was stopped before its end, after {} draws of the shortest chain.",
                        shortest_chain(draws))};
  }
  return {};
}

bool stands_still(const Draws& draws, const std::string& parameter) {
  const auto column = std::ranges::find(draws.parameters, parameter) - draws.parameters.begin();
  return std::ranges::all_of(draws.chains, [&](const Chain& chain) {
    return (chain.draws.col(column).array() == chain.draws(0, column)).all();
  });
}

}  // namespace

std::vector<ParameterSummary> summarise(const Draws& draws) {
  std::vector<ParameterSummary> summary;
  for (std::size_t i = 0; i < draws.parameters.size(); ++i) summary.push_back(summarise_one(draws, i));
  return summary;
}

Verdict rhat_verdict(double rhat) {
  if (std::isnan(rhat)) return Verdict::unknown;
  return rhat > kRhatLimit ? Verdict::poor : Verdict::good;
}

Verdict ess_verdict(double ess, std::size_t chains) {
  if (std::isnan(ess)) return Verdict::unknown;
  return ess < kEssPerChain * static_cast<double>(chains) ? Verdict::poor : Verdict::good;
}

std::vector<std::string> warnings(const Draws& draws, const std::vector<ParameterSummary>& summary,
                                  bool markov_chain) {
  std::vector<std::string> sentences = endings(draws);
  if (shortest_chain(draws) == 0) {
    sentences.emplace_back(
        "There are no draws in at least one chain: the budget did not pay for a single step after warmup.");
    return sentences;
  }
  std::vector<std::string> unknown;
  std::vector<std::string> still;
  std::vector<std::string> apart;
  std::vector<std::string> few;
  bool far = false;
  for (const ParameterSummary& line : summary) {
    if (std::isnan(line.rhat)) {
      unknown.push_back(line.parameter);
    } else if (stands_still(draws, line.parameter)) {
      still.push_back(line.parameter);
      continue;
    }
    far = far || line.rhat > kRhatApart;
    if (rhat_verdict(line.rhat) == Verdict::poor)
      apart.push_back(fmt::format("{} ({:.3f})", line.parameter, std::ceil(1000 * line.rhat - 1e-6) / 1000));
    const double ess = std::min(line.ess_bulk, line.ess_tail);
    if (ess_verdict(ess, draws.chains.size()) == Verdict::poor)
      few.push_back(fmt::format("{} ({:.0f})", line.parameter, ess));
  }
  if (!unknown.empty()) {
    sentences.push_back("Nothing can be said of " + first_names(unknown) +
                        ": the draws are constant, not finite, or fewer than four a chain.");
  }
  const std::size_t shortest = shortest_chain(draws);
  if (!markov_chain) {
    const std::size_t all = shortest * draws.chains.size();
    if (static_cast<double>(all) < kEssPerChain * static_cast<double>(draws.chains.size())) {
      sentences.push_back(fmt::format(
          "There are {} draws in all: the ends of intervals are known roughly only. sotto fit "
          "--resume DIR --draws 1000 draws anew from the same releases, which costs no more privacy.",
          all));
    }
    return sentences;
  }
  if (shortest < kShortChain) {
    std::string text = fmt::format(
        "The shortest chain has {} draws. With chains that short, R-hat and ESS say little", shortest);
    if (const auto nested = short_chain_rhat(draws))
      text += fmt::format("; nested R-hat over the chains is {:.2f}", *nested);
    sentences.push_back(
        text +
        ". Do not take the intervals at face value; of regressions and means, release-once draws without "
        "limit.");
  }
  if (!still.empty()) {
    sentences.push_back(
        fmt::format("No chain moves in {}: no step was accepted, and draws say where chains began, nothing "
                    "else. Take shorter steps "
                    "(method.step_size), or release-once for a regression or means.",
                    first_names(still)));
  }
  if (!apart.empty()) {
    sentences.push_back(
        fmt::format("The chains have not mixed{}: R-hat is above {} for {}. Where draws cost budget, take a "
                    "larger epsilon for the next run or, for a regression or means, release-once; elsewhere "
                    "take more draws.",
                    far ? "" : " well", kRhatLimit, first_names(apart)));
  }
  if (!few.empty()) {
    sentences.push_back(
        fmt::format("Fewer than {:.0f} effective draws for {}: means and intervals are rough.",
                    kEssPerChain * static_cast<double>(draws.chains.size()), first_names(few)));
  }
  return sentences;
}

bool converged(const Draws& draws, const std::vector<ParameterSummary>& summary) {
  return !any_ended(draws, StopReason::diverged) && shortest_chain(draws) >= kShortChain &&
         std::ranges::all_of(summary, [](const auto& line) { return line.rhat <= kRhatApart; });
}

std::optional<double> short_chain_rhat(const Draws& draws) {
  if (draws.chains.size() < 2) return std::nullopt;
  std::vector<std::size_t> group(draws.chains.size());
  std::iota(group.begin(), group.end(), std::size_t{0});
  std::optional<double> greatest;
  for (std::size_t i = 0; i < draws.parameters.size(); ++i) {
    const double value = nested_rhat(sequences(draws, static_cast<Eigen::Index>(i)), group);
    if (!std::isnan(value) && (!greatest || value > *greatest)) greatest = value;
  }
  return greatest;
}

}  // namespace sotto
