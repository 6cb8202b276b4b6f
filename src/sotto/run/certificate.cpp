#include "sotto/run/certificate.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/chi_squared.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace sotto {
namespace {

constexpr std::size_t kBins = 10;
constexpr double kFalseAlarm = 1e-3;
constexpr double kLimit = 0.05;  // of the one-sided confidence limit
constexpr double kShown = 0.7;   // of the truths, at least, where the promise is 0.9

double share_within(const std::vector<double>& ranks, double tail) {
  const auto within = std::count_if(ranks.begin(), ranks.end(),
                                    [tail](double rank) { return rank >= tail && rank <= 1 - tail; });
  return static_cast<double>(within) / static_cast<double>(ranks.size());
}

/// p-value of chi-squared.
double uniform(const std::vector<double>& ranks) {
  std::array<double, kBins> counts{};
  for (const double rank : ranks) counts[std::min(static_cast<std::size_t>(rank * kBins), kBins - 1)] += 1;
  const double expected = static_cast<double>(ranks.size()) / kBins;
  double sum = 0;
  for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(kBins - 1), sum));
}

}  // namespace

Certificate certify(const RehearsedBudget& budget) {
  Certificate certificate;
  certificate.epsilon = budget.epsilon;
  if (budget.parameters.empty()) {
    certificate.why = "No table gave draws: " + budget.why + ".";
    return certificate;
  }
  certificate.tables = budget.parameters.front().ranks.size();
  const double level = kFalseAlarm / (2 * static_cast<double>(budget.parameters.size()));
  certificate.holds = true;
  for (const RehearsedParameter& one : budget.parameters) {
    const auto n = static_cast<double>(one.ranks.size());
    const double held = std::round(share_within(one.ranks, 0.05) * n);
    const CertifiedParameter found{
        one.name, share_within(one.ranks, 0.25), held / n,
        boost::math::binomial_distribution<>::find_lower_bound_on_p(n, held, kLimit), uniform(one.ranks)};
    certificate.parameters.push_back(found);
    if (boost::math::cdf(boost::math::binomial(n, 0.9), held) < level) {
      certificate.why +=
          fmt::format("90 % intervals of {} held the truth in {:.0f} of {:.0f} tables. ", one.name, held, n);
    } else if (found.uniform < level) {
      certificate.why += fmt::format("Ranks of the truth among draws of {} are not even (p {:.1g}). ",
                                     one.name, found.uniform);
    }
  }
  certificate.holds = certificate.why.empty();
  if (certificate.holds) {
    const auto worst = std::min_element(certificate.parameters.begin(), certificate.parameters.end(),
                                        [](const auto& a, const auto& b) { return a.least < b.least; });
    certificate.shown = worst->least >= kShown;
    certificate.why = fmt::format(
        "{}with 95 % confidence the 90 % intervals of {}, the least, hold the truth in more than {:.0f} %.",
        certificate.shown ? "" : fmt::format("{} tables show little: ", certificate.tables), worst->name,
        std::floor(100 * worst->least));
    if (!certificate.shown) certificate.why += " More tables (--repeats) show more.";
  } else {
    certificate.why.pop_back();
  }
  return certificate;
}

nlohmann::ordered_json to_json(const Certificate& certificate) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const CertifiedParameter& one : certificate.parameters) {
    parameters[one.name] = {{"covered_50", one.half},
                            {"covered_90", one.ninety},
                            {"covered_90_at_least", one.least},
                            {"ranks_uniform_p", one.uniform}};
  }
  return {{"epsilon", certificate.epsilon}, {"tables", certificate.tables}, {"holds", certificate.holds},
          {"shown", certificate.shown},     {"why", certificate.why},       {"parameters", parameters}};
}

std::string certificate_table(const Certificate& certificate) {
  std::size_t width = 9;
  for (const CertifiedParameter& one : certificate.parameters) width = std::max(width, one.name.size());
  std::string text = fmt::format(
      "Certificate for epsilon {:g}, {} simulated tables\n{:{}}  50 %  90 %  at least  ranks even, p\n",
      certificate.epsilon, certificate.tables, "parameter", width);
  for (const CertifiedParameter& one : certificate.parameters) {
    text += fmt::format("{:{}}  {:4.0f}  {:4.0f}  {:8.0f}  {:13.2g}\n", one.name, width, 100 * one.half,
                        100 * one.ninety, std::floor(100 * one.least), one.uniform);
  }
  const char* verdict = !certificate.holds ? "DOES NOT HOLD" : certificate.shown ? "HOLDS" : "NOT REFUTED";
  return text + fmt::format("{}: {}\n", verdict, certificate.why);
}

}  // namespace sotto
