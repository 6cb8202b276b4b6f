#include "sotto/report/run_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <boost/version.hpp>
#include <chrono>
#include <ctime>

#include "sotto/base/version.hpp"

namespace sotto {

std::vector<std::pair<std::string, std::string>> current_versions() {
  return {{"sotto", version()},
          {"compiler", __VERSION__},
          {"eigen", fmt::format("{}.{}.{}", EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
          {"boost",
           fmt::format("{}.{}.{}", BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
          {"fmt", fmt::format("{}.{}.{}", FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
          {"nlohmann_json", fmt::format("{}.{}.{}", NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                                        NLOHMANN_JSON_VERSION_PATCH)}};
}

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec);
}

std::string made_by(const RunRecord& record) {
  for (const auto& [name, number] : record.manifest.versions) {
    if (name == "sotto") return "sotto " + number;
  }
  return "sotto";
}

std::string width_sentence(const RunRecord& record) {
  constexpr double kStandsOut = 1.5;  // times the median
  auto all = record.sd_inflation;
  const auto sigma = std::ranges::find(all, "sigma", [](const auto& one) { return one.first; });
  std::string of_sigma;
  if (sigma != all.end()) {
    of_sigma = fmt::format(
        "; that of sigma is about {:.1f} times as wide as that of so many normal residuals", sigma->second);
    all.erase(sigma);
  } else if (std::ranges::find(record.draws.parameters, "sigma") != record.draws.parameters.end()) {
    of_sigma = "; how much wider that of sigma is, is not known";
  }
  if (all.empty()) return {};
  std::ranges::sort(all, {}, [](const auto& one) { return one.second; });
  const double median = (all[(all.size() - 1) / 2].second + all[all.size() / 2].second) / 2;
  const auto& [widest, most] = all.back();
  const std::string others =
      most > kStandsOut * median ? fmt::format(", that of {} {:.1f} times", widest, most) : "";
  return fmt::format("Intervals are about {:.1f} times as wide as without noise{}{}.", median, others,
                     of_sigma);
}

bool noise_dominates(const RunRecord& record) {
  const auto& told = record.manifest.configuration;
  return told.contains("release_once") && told["release_once"].value("noise_dominates", false);
}

std::string no_answer(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  if (record.unreliable)
    return "NO ANSWER: the method's own checks say that these intervals must not be taken for one";
  if (record.markov_chain && !converged(record.draws, summary))
    return "NO ANSWER: the chains have not converged, so these draws must not be taken for the posterior";
  return {};
}

std::vector<std::string> all_warnings(const RunRecord& record, const std::vector<ParameterSummary>& summary) {
  std::vector<std::string> sentences = record.warnings;
  if (record.privacy.earlier.count > 0) sentences.push_back(with_earlier(record.privacy));
  for (std::string& sentence : warnings(record.draws, summary, record.markov_chain))
    sentences.push_back(std::move(sentence));
  return sentences;
}

}  // namespace sotto
