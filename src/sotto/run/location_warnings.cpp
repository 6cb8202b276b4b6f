#include "sotto/run/location_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/first_names.hpp"

namespace sotto {
namespace {

constexpr double kTellUnseen = 2;    // standard deviations of a mean
constexpr double kWarnUnseen = 3;    // likewise
constexpr double kHardlyAny = 5e-4;  // of the rows
constexpr double kNotAbout = 4;      // times the declared spread: so far they do not lie about this mean

/// One decimal below ten.
std::string percent(double share) { return fmt::format("{:.{}f} %", 100 * share, share < 0.095 ? 1 : 0); }

const char* declared(const ModelConfig& model) {
  return model.covariance.empty() ? "model.sd" : "model.covariance";
}

/// Rows that are not as the model declares them.
void tell_covariance(const LocationVerdict& verdict, const LocationRelease& release, const ModelConfig& model,
                     std::vector<std::string>& warnings) {
  const CovarianceVerdict& told = *verdict.covariance;
  if (const auto spread = spread_warning(told, release.clipped > 0.001, model)) warnings.push_back(*spread);
  if (!told.far) return;
  const std::string many = fmt::format(
      "About {} of the rows lie farther from the mean than {} lets {} lie", percent(told.far_share),
      declared(model), told.far_by_model < kHardlyAny ? "hardly any" : percent(told.far_by_model));
  if (verdict.far_shortened) {
    warnings.push_back(fmt::format(
        "{}. They were drawn in to {:.2g} standard deviations, so the mean is that of the rows so drawn in, "
        "which lies "
        "nearer to the bulk of them: look for wrong values, declare narrower bounds or a larger {}, take the "
        "logarithm, or a larger epsilon.",
        many, release.bound, declared(model)));
  } else {
    warnings.push_back(fmt::format(
        "{}. They count in full, and intervals, which take {} for granted, are too narrow for them: look for "
        "wrong values, or declare a larger one.",
        many, declared(model)));
  }
}

}  // namespace

std::optional<std::string> spread_warning(const CovarianceVerdict& told, bool drawn_in,
                                          const ModelConfig& model) {
  if (!told.other_spread) return std::nullopt;
  if (told.spread > kNotAbout)
    return fmt::format(
        "The rows lie more than {:g} times as far from the mean as {} foretells. Either a few rows very far "
        "out "
        "have moved the mean away from all others, or {} is much too small: look for wrong values, declare "
        "narrower bounds, or the spread that such values have.",
        kNotAbout, declared(model), declared(model));
  if (told.spread > 1)
    return fmt::format(
        "The rows' spread is about {:.2g} times what {} declares, by the half of them that lies nearest to "
        "the "
        "mean, so intervals are too narrow: declare the spread that such values have.",
        told.spread, declared(model));
  return fmt::format(
      "Half of the rows lie within {:.2g} times the distance from the mean that {} foretells. Was it "
      "declared "
      "too large, intervals are too wide: declare the spread that such values have. Are there long tails "
      "instead, as of money or time, {}take the logarithm.",
      told.spread, declared(model), drawn_in ? "the mean is pulled towards the bulk of the rows: " : "");
}

std::vector<std::string> location_warnings(const LocationVerdict& verdict, const LocationFacts& facts,
                                           const LocationRelease& release, const ModelConfig& model) {
  std::vector<std::string> warnings;
  const auto column = [&](Eigen::Index j) { return model.columns[static_cast<std::size_t>(j)]; };
  const auto names = [&](const std::vector<Eigen::Index>& all) {
    std::vector<std::string> named;
    named.reserve(all.size());
    for (const Eigen::Index j : all) named.push_back(column(j));
    return first_names(named);
  };
  /// Of a column's bounds, in its declared standard deviations.
  const auto width = [&](Eigen::Index j) {
    return facts.bounds[static_cast<std::size_t>(j)].width() / std::sqrt(facts.covariance(j, j));
  };
  const auto widest = [&](const std::vector<Eigen::Index>& all) {
    const Eigen::Index j = *std::ranges::max_element(all, {}, width);
    return fmt::format("narrower bounds (those of {} are {:.2g} of its standard deviations wide)", column(j),
                       width(j));
  };
  if (release.usable) {
    constexpr double kMost = 0.5;
    warnings.push_back(
        fmt::format("{}About {:.0f} % of the rows could be used: the others hold cells that are missing or "
                    "that the schema "
                    "cannot read; sotto schema --check tells the curator which.",
                    *release.usable < kMost ? "" : "Note: ", 100 * *release.usable));
  }
  if (!verdict.hidden.empty()) {
    warnings.push_back(fmt::format(
        "Little but the prior is left of {}: the noise, or too few rows, hide where the mean lies; take a "
        "larger epsilon, {} or fewer columns.",
        names(verdict.hidden), widest(verdict.hidden)));
  }
  if (verdict.rows_hidden) {
    warnings.emplace_back(
        "The noise hides how many rows there are, and with it how much wider intervals are than without it: "
        "take a "
        "larger epsilon, or declare adjacency \"substitute\" where the number of rows may be public.");
  }
  if (!verdict.by_noise.empty()) {
    const Eigen::Index worst = *std::ranges::max_element(
        verdict.by_noise, {}, [&](Eigen::Index j) { return verdict.sd_inflation[j]; });
    warnings.push_back(
        fmt::format("The noise, not the rows, decides how wide the intervals of {} are: up to {:.2g} times "
                    "as wide as without "
                    "it. Take a larger epsilon, more rows, {} or fewer columns.",
                    names(verdict.by_noise), verdict.sd_inflation[worst], widest(verdict.by_noise)));
  }
  for (const Eigen::Index j : verdict.beyond) {
    warnings.push_back(
        fmt::format("If the rows are normal with the declared spread, {:.2g} % of the values of {} lie "
                    "beyond its declared bounds "
                    "and were taken as the bound, which moved its mean by {:.1f} of its posterior's standard "
                    "deviations: declare wider bounds; "
                    "where no value can lie there, rows are not normal: take their logarithm. How many there "
                    "were was not "
                    "asked.",
                    100 * verdict.share_beyond[j], column(j), std::abs(verdict.pull[j])));
  }
  if (verdict.astray) {
    warnings.emplace_back(
        "The rows were clipped around a point that turned out to lie far from their mean, which bends the "
        "answer: take a larger epsilon, or narrower bounds.");
  }
  for (const Eigen::Index j : verdict.held) {
    warnings.push_back(fmt::format(
        "The prior holds {} back, which lies more than two of its standard deviations out: set a wider one, "
        "prior.default or prior.parameter.\"{}\".",
        column(j), column(j)));
  }
  if (verdict.covariance) tell_covariance(verdict, release, model, warnings);
  const bool drawn_in = release.clipped > 0.001 && !verdict.far_shortened;
  if (drawn_in && std::max(verdict.unseen_pull, verdict.unseen_far_pull) > kTellUnseen) {
    const bool warn = std::max(verdict.unseen_pull, verdict.unseen_far_pull) > kWarnUnseen;
    warnings.push_back(fmt::format(
        "{}Rows farther than {:.2g} standard deviations from the others were drawn in: the mean is that of "
        "rows so drawn in. Up "
        "to {} of the rows might lie there without being seen through the noise. They would move it by up to "
        "{:.0f} of its "
        "posterior's standard deviations, and the mean of all rows by up to {:.0f}, as far out as the "
        "declared bounds allow{}.",
        warn ? "" : "Note: ", release.bound, percent(verdict.covariance->unseen), verdict.unseen_pull,
        std::max(verdict.unseen_pull, verdict.unseen_far_pull),
        warn ? ": declare narrower bounds, take a larger epsilon, or see that there are none" : ""));
  } else if (drawn_in) {
    warnings.push_back(
        fmt::format("Note: rows farther than {:.2g} standard deviations from the others were drawn in, "
                    "{:.1g} % of them where the "
                    "model holds.",
                    release.bound, 100 * release.clipped));
  }
  return warnings;
}

}  // namespace sotto
