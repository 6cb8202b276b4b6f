#include "sotto_io/density_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sotto/base/error.hpp"
#include "sotto/base/first_names.hpp"
#include "sotto/diagnostics/sequences.hpp"
#include "sotto/mixture/density_estimate.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto_io/density_report.hpp"
#include "sotto_io/run_directory.hpp"

namespace sotto {
namespace {

std::vector<double> draws_of(const Draws& draws, const std::string& parameter) {
  const auto at = std::find(draws.parameters.begin(), draws.parameters.end(), parameter);
  if (at == draws.parameters.end())
    throw Error(ErrorCode::data, fmt::format("the chain files have no {}", parameter));
  return pooled(draws, at - draws.parameters.begin());
}

/// Draws that were made with the same seed are not alike by their places then.
void shuffle(std::vector<double>& values, ChainRng& rng) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[rng.below(i)]);
}

QuantityDifference difference(const std::string& text, std::vector<double> own, std::vector<double> others,
                              double level, ChainRng& rng) {
  shuffle(own, rng);
  shuffle(others, rng);
  own.resize(std::min(own.size(), others.size()));
  QuantityDifference d{text};
  const auto n = static_cast<double>(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) {
    own[i] -= others[i];
    d.mean += own[i] / n;
  }
  d.positive = static_cast<double>(std::count_if(own.begin(), own.end(), [](double x) { return x > 0; })) / n;
  for (const double x : own) d.sd += (x - d.mean) * (x - d.mean) / (n - 1);
  d.sd = std::sqrt(d.sd);
  d.lower = mixture::quantile_of(own, (1 - level) / 2);
  d.upper = mixture::quantile_of(own, (1 + level) / 2);
  return d;
}

/// What of the other run its differences inherit. `summary`: its own.
std::vector<std::string> told_of(const nlohmann::ordered_json& summary, const DensityReport& report,
                                 const std::filesystem::path& other) {
  std::vector<std::string> sentences;
  for (const auto& column : summary.value("columns", nlohmann::ordered_json::array())) {
    const std::string verdict = column.value("verdict", "");
    if (verdict.starts_with("No verdict"))
      sentences.push_back(fmt::format("{}Of the other run, in {}: {} The differences are no better.",
                                      report.differences_are_private ? "" : "NOT PRIVATE: ", other.string(),
                                      verdict));
  }
  const auto is_own = [&](const std::string& name) {
    return std::ranges::any_of(report.result.columns, [&](const auto& own) { return own.name == name; });
  };
  for (const auto& column : summary.value("columns", nlohmann::ordered_json::array())) {
    const std::string name = column.value("name", "");
    if (!is_own(name))
      sentences.push_back(
          fmt::format("The other run is of the column '{}', which is none of this run's: the differences are "
                      "those of two "
                      "columns, not of two groups.",
                      name));
  }
  const std::string kernel = summary.value("kernel", "");
  if (kernel != report.result.kernel)
    sentences.push_back(fmt::format(
        "The other run is of another kernel, {} and not {}: the differences are those of the models too.",
        kernel, report.result.kernel));
  return sentences;
}

Error no_summary(const std::filesystem::path& run) {
  return {ErrorCode::data,
          fmt::format("'{}' is no summary of sotto density", (run / "summary.json").string())};
}

// As it is asked for of a single column, whatever that is called: "P(hours > 40)" of hours is "P(x>40)", "mean(hours)" is "mean".
std::string plain(std::string text, const std::string& only_column) {
  std::erase(text, ' ');
  std::string name = only_column;
  std::erase(name, ' ');
  const auto ends = [&](std::size_t at) {
    return at >= text.size() || std::string("<>=,)").find(text[at]) != std::string::npos;
  };
  for (std::size_t at = 0; !name.empty() && (at = text.find(name, at)) != std::string::npos; ++at) {
    const bool begins = at > 0 && (text[at - 1] == '(' || text[at - 1] == '<' || text[at - 1] == '=');
    if (!begins || !ends(at + name.size())) continue;
    text.replace(at, name.size(), "x");
    break;
  }
  if (const std::size_t at = text.find("(x)"); at != std::string::npos) text.erase(at, 3);
  if (const std::size_t at = text.find("(x,"); at != std::string::npos) text.erase(at + 1, 2);
  return text;
}

// Of a run of one column its name, else nothing.
std::string only_column(const nlohmann::ordered_json& summary) {
  const auto columns = summary.value("columns", nlohmann::ordered_json::array());
  return columns.size() == 1 ? columns[0].value("name", "") : "";
}

}  // namespace

std::filesystem::path check_other_group(const DensitySettings& settings, const std::filesystem::path& other) {
  if (settings.quantities.empty())
    throw Error(ErrorCode::usage, "--against needs a --quantity that the other run has too");
  if (!std::filesystem::is_directory(other))
    throw Error(ErrorCode::no_input,
                fmt::format("--against {}: name the directory that another sotto density wrote (its --out)",
                            other.string()));
  const nlohmann::ordered_json summary = read_json_file(other / "summary.json");
  // The column of this run is taken to be called as theirs, until it is known.
  const auto asked = [&](const nlohmann::ordered_json& theirs) {
    return std::ranges::any_of(settings.quantities, [&](const std::string& own) {
      return plain(theirs.value("quantity", ""), only_column(summary)) == plain(own, only_column(summary));
    });
  };
  try {
    if (std::ranges::any_of(summary.value("quantities", nlohmann::ordered_json::array()), asked))
      return other / "summary.json";
  } catch (const nlohmann::json::exception&) {
    throw no_summary(other);
  }
  throw Error(
      ErrorCode::usage,
      fmt::format("--against: this run and that in '{}' have no --quantity in common", other.string()));
}

void compare_quantities(DensityReport& report, const std::filesystem::path& other) {
  const nlohmann::ordered_json summary = read_json_file(other / "summary.json");
  const Draws draws = read_draws(other);
  ChainRng rng(report.settings.seed, 0xd1ff);
  try {
    const std::vector<std::string> own_release = release_of(report);
    if (!own_release.empty() && summary.value("release", std::vector<std::string>()) == own_release)
      throw Error(ErrorCode::usage,
                  fmt::format("--against: the run in '{}' is of this very release, not of another group's",
                              other.string()));
    const std::string column = report.result.columns.size() == 1 ? report.result.columns[0].name : "";
    const auto theirs = summary.value("quantities", nlohmann::ordered_json::array());
    std::vector<std::string> alone;
    for (const QuantityEstimate& own : report.result.quantities) {
      const auto found = std::ranges::find_if(theirs, [&](const nlohmann::ordered_json& other_quantity) {
        return plain(other_quantity.at("quantity").get<std::string>(), only_column(summary)) ==
               plain(own.text, column);
      });
      if (found == theirs.end()) {
        alone.push_back(own.text);
        continue;
      }
      report.differences.push_back(difference(own.text, draws_of(report.result.draws, own.parameter),
                                              draws_of(draws, found->at("parameter").get<std::string>()),
                                              report.settings.level, rng));
    }
    report.differences_are_private = summary.value("private", false);
    report.of_the_other = told_of(summary, report, other);
    if (!alone.empty())
      report.of_the_other.push_back(fmt::format(
          "The other run was not asked for {}: there is no difference of it.", first_names(alone)));
  } catch (const nlohmann::json::exception&) {
    throw no_summary(other);
  }
}

}  // namespace sotto
