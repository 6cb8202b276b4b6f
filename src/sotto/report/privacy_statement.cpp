#include "sotto/report/privacy_statement.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <variant>

#include "sotto/accountant/zcdp/gaussian.hpp"
#include "sotto/base/error.hpp"
#include "sotto/report/format_number.hpp"

namespace sotto {
namespace {

constexpr double kLargestEpsilon = 20;
constexpr double kLargestDelta = 1e-3;  // where the number of rows is not public

std::string promise(const PrivacyStatement& s) {
  const char* change = s.adjacency == Adjacency::substitute
                           ? "Had any one unit been exchanged for any other that the schema allows"
                           : "Had any one unit been added to the data or left out of them";
  return fmt::format(
      "The protected unit is {}. {}, every possible result of this run (draws, summaries and figures "
      "together, but not "
      "what is marked NOT PRIVATE) would have come out with nearly the same probability: larger by a factor "
      "of at most "
      "e^{} = {}, but for a part of total probability {}.",
      s.privacy_unit, change, format_at_most(s.epsilon), format_at_most(std::exp(s.epsilon)),
      format_at_most(s.delta));
}

/// What the promise comes to where neighbours are meant the other way: P(x in S) <= e^epsilon P(x' in S) + delta, twice.
std::string other_neighbours(const PrivacyStatement& s) {
  if (s.adjacency == Adjacency::substitute) {
    return fmt::format(
        "That is adjacency substitute, which protects what a unit's rows say, its attributes, at epsilon {}. "
        "How many units "
        "there are is not protected, so nothing is promised under add-remove, where one is added or left out "
        "and the "
        "number tells.",
        format_at_most(s.epsilon));
  }
  const double delta = (1 + std::exp(s.epsilon)) * s.delta;
  const std::string kept =
      delta < 1 ? fmt::format(
                      "is protected under substitute, as exchanging a unit is leaving one out and "
                      "adding one, at epsilon {} and delta {}",
                      format_at_most(2 * s.epsilon), format_at_most(delta))
                : std::string("is promised no protection under substitute at this epsilon");
  return fmt::format(
      "That is adjacency add-remove, which protects whether a unit takes part. What its rows say, its "
      "attributes, {}.",
      kept);
}

/// What the promise rests on beside noise, and what it is for several units: the definition, once for each.
std::string bounds_and_groups(const PrivacyStatement& s) {
  constexpr double kUnits = 3;
  const double delta = std::expm1(kUnits * s.epsilon) / std::expm1(s.epsilon) * s.delta;
  const std::string three =
      delta < 1
          ? fmt::format("for three of them the factor is at most {}, but for a part of total probability {}",
                        format_at_most(std::exp(kUnits * s.epsilon)), format_at_most(delta))
          : std::string("for three of them nothing is promised at this epsilon and delta");
  return fmt::format(
      "Bounds, levels and names of columns are taken as the schema declares them: where they were read off "
      "these very data "
      "the promise does not cover them. Nothing is left out because few units share it. Units of a small "
      "group, a family for "
      "instance, are protected less together than each by itself: {}.",
      three);
}

std::string attack(const PrivacyStatement& s) {
  return fmt::format(
      "Read as a test: an attacker who knows everything else and asks which of two such data sets was used, "
      "and who may "
      "be wrong about one of them in 1 % of cases, is right about the other in at most {} of cases (in at "
      "most {} when "
      "wrong in 5 %). Guessing alone gives 1 % and 5 %.",
      format_percent_at_most(best_true_positive_rate(s.curve, 0.01)),
      format_percent_at_most(best_true_positive_rate(s.curve, 0.05)));
}

ReleaseLine release_line(const LedgerEntry& entry) {
  const Charge& charge = entry.charge;
  ReleaseLine line{.query = charge.query,
                   .mechanism = charge.mechanism,
                   .sensitivity = {},
                   .noise_scale = {},
                   .grid = {},
                   .count = entry.count,
                   .rho = charge.rho.value(),
                   .slack = charge.slack,
                   .sampling_rate = {}};
  if (const auto* batch = std::get_if<SubsampledGaussianEvent>(&charge.event.mechanism))
    line.sampling_rate = batch->rate;
  if (charge.grid > 0) {
    line.sensitivity = charge.sensitivity * charge.grid;
    line.noise_scale = charge.noise_sd * charge.grid;
    line.grid = charge.grid;
  }
  return line;
}

}  // namespace

std::string adjacency_name(Adjacency adjacency) {
  return adjacency == Adjacency::substitute ? "substitute" : "add-remove";
}

PrivacyStatement statement_of(const Spending& spending, Adjacency adjacency, std::string privacy_unit,
                              std::string trust_model, std::string noise_source, bool noise_is_private) {
  PrivacyStatement statement;
  statement.is_private = noise_is_private;
  statement.epsilon = spending.epsilon.value();
  statement.delta = spending.delta.value();
  statement.rho = spending.rho.value();
  statement.slack = spending.slack;
  statement.spent_epsilon = spending.spent_epsilon(spending.delta).value();
  statement.adjacency = adjacency;
  statement.privacy_unit = std::move(privacy_unit);
  statement.trust_model = std::move(trust_model);
  statement.noise_source = std::move(noise_source);
  for (const LedgerEntry& entry : spending.entries) {
    statement.releases.push_back(release_line(entry));
  }
  // The guarantee is that of the filter's limits, of cost and of slack. What was charged may be less, but may
  // itself depend on earlier releases. What was precomposed is no Gaussian release: it has no such cost, and
  // its curve is known at this one point.
  if (spending.precomposed) {
    statement.rho = std::numeric_limits<double>::quiet_NaN();
    statement.curve = {{statement.epsilon, statement.delta}};
    return statement;
  }
  statement.curve = privacy_curve(spending.limit.value(), spending.limit_slack);
  return statement;
}

void check_promise(double delta, std::optional<double> known_rows) {
  constexpr double kFewestRows = 10;
  const double rows = known_rows.value_or(kFewestRows);
  if (delta * rows <= 1) return;
  if (!known_rows) {
    throw Error(ErrorCode::configuration,
                fmt::format("delta {:g} would let a whole table be published with that probability: take one "
                            "well below one over the number of rows, 1e-6 for instance",
                            delta));
  }
  throw Error(
      ErrorCode::configuration,
      fmt::format(
          "delta {:g} is above one over the {:g} rows: a promise with this delta would let whole rows be "
          "published; take {:.0e} or less",
          delta, rows, std::pow(10, std::floor(std::log10(0.1 / rows)))));
}

std::vector<std::string> promise_warnings(double epsilon, double delta, std::optional<double> rows) {
  std::vector<std::string> sentences;
  if (epsilon > kLargestEpsilon) {
    sentences.push_back(
        fmt::format("Epsilon {:g} promises next to nothing: an attacker may be all but certain whether a "
                    "person is in the data; 1 is a "
                    "budget one can defend in public.",
                    epsilon));
  }
  if (!rows && delta > kLargestDelta) {
    sentences.push_back(
        fmt::format("Delta {:g} is large: it belongs well below one over the number of rows, or whole rows "
                    "could be published; take "
                    "1e-6.",
                    delta));
  }
  return sentences;
}

std::vector<std::string> bound_warnings(double epsilon, double delta) {
  if (!std::isinf(epsilon)) return promise_warnings(epsilon, delta, {});
  return {
      "No epsilon is promised at so small a delta: of Gaussian noise none is at delta 0, and of a guarantee "
      "that holds but for a delta of its own none below it, or below those of several together. Ask with a "
      "larger one, still well below one over the number of rows. (Of Barker's test on batches of a few rows "
      "none may be known at all.)"};
}

PrivacyStatement not_private_statement() {
  PrivacyStatement statement;
  statement.privacy_unit = "none";
  statement.trust_model = "none";
  statement.noise_source = "none";
  return statement;
}

std::vector<CurvePoint> privacy_curve(double rho, double slack, double smallest_delta, std::size_t count) {
  std::vector<CurvePoint> curve;
  if (!(rho > 0) || !std::isfinite(rho)) return curve;
  const double largest = gaussian_epsilon(Rho(rho), Delta(smallest_delta)).value();
  for (std::size_t i = 0; i < count; ++i) {
    const double epsilon = largest * static_cast<double>(i) / static_cast<double>(count - 1);
    curve.push_back(
        {std::nextafter(epsilon + slack, HUGE_VAL), gaussian_delta(Rho(rho), Epsilon(epsilon)).value()});
  }
  return curve;
}

double best_true_positive_rate(const std::vector<CurvePoint>& curve, double false_positive_rate) {
  double best = 1;
  for (const auto& [epsilon, delta] : curve) {
    best = std::min(best, std::exp(epsilon) * false_positive_rate + delta);
    best = std::min(best, 1 - (1 - delta - false_positive_rate) * std::exp(-epsilon));
  }
  return std::max(best, false_positive_rate);
}

std::vector<TradeoffPoint> tradeoff_curve(const std::vector<CurvePoint>& curve, std::size_t count) {
  std::vector<TradeoffPoint> points;
  for (std::size_t i = 0; i < count; ++i) {
    const double rate = static_cast<double>(i) / static_cast<double>(count - 1);
    points.push_back({rate, best_true_positive_rate(curve, rate)});
  }
  return points;
}

std::string with_earlier(const PrivacyStatement& s) {
  if (s.earlier.count == 0) return {};
  const char* which = s.earlier.later ? "other" : "earlier";
  const std::string runs = s.earlier.count > 1 ? fmt::format("{} {} runs have", s.earlier.count, which)
                           : s.earlier.later   ? "Another run has"
                                               : "An earlier run has";
  if (!std::isfinite(s.earlier.epsilon)) {
    return fmt::format(
        "{} already released into this directory, and charges.jsonl does not say of all that they protected "
        "{} under {}, and at which epsilon: no figure covers those and this run together. Where one is to be "
        "quoted, let all runs protect the same, and keep charges.jsonl as it was written.",
        runs, s.privacy_unit, adjacency_name(s.adjacency));
  }
  return fmt::format(
      "{} already released into this directory, at epsilon {} (delta {}) in all, as charges.jsonl says: of a "
      "unit that was in all of them this run and those together promise no more than epsilon {} (delta {}). "
      "Quote that, also where only this run's results are kept.",
      runs, format_at_most(s.earlier.epsilon), format_at_most(s.earlier.delta),
      format_at_most(s.epsilon + s.earlier.epsilon), format_at_most(s.delta + s.earlier.delta));
}

std::string claim_on_time(const PrivacyStatement& s) {
  const std::string published =
      s.times_published
          ? "Durations stand in manifest.json and in the chains' files, because they were asked for. "
          : "No duration stands in these files, only when the run began. ";
  return published +
         "How long the run took, when its files were written and what the machine was seen to do meanwhile "
         "may depend on the "
         "rows and are outside the promise.";
}

std::vector<std::string> in_plain_words(const PrivacyStatement& s) {
  std::vector<std::string> words;
  if (!s.is_private) {
    words.emplace_back(
        "This run is NOT PRIVATE. Nothing here is protected: draws, summaries and figures may reveal single "
        "records. Do "
        "not publish them, nor pass them on to anybody who may not see the data.");
    if (!s.noise_source.empty() && s.noise_source != "none") {
      words.push_back("The noise came from: " + s.noise_source +
                      ". Noise that can be predicted or repeated protects nobody.");
    }
    return words;
  }
  words.push_back(promise(s));
  words.push_back(other_neighbours(s));
  if (!s.curve.empty()) {
    words.push_back(attack(s));
    if (best_true_positive_rate(s.curve, 0.01) > 0.5) {
      words.emplace_back(
          "That is a weak promise: such an attacker would more often than not find out. Spend less to "
          "protect more.");
    }
  }
  if (s.spent_epsilon < s.epsilon) {
    words.push_back(fmt::format("Of the promised epsilon = {}, the releases that were made cost {}{}.",
                                format_at_most(s.epsilon), format_at_most(s.spent_epsilon),
                                s.earlier.count > 0 ? "" : "; the promise is the number to quote"));
  }
  if (s.earlier.count > 0) words.push_back(with_earlier(s));
  if (!s.not_private_files.empty()) {
    words.emplace_back(
        "Beside this run stand results computed WITHOUT noise, in the folder not_private. They are outside "
        "this promise: "
        "remove that folder before you pass the directory on.");
  }
  words.emplace_back(
      "It holds against any attacker, with any knowledge from elsewhere and any computing power, and for "
      "whatever is "
      "computed from the results later.");
  words.push_back(
      "It does not promise that nothing is learned about a unit: what the data say about people in general "
      "is the purpose "
      "of the analysis, and may be true of a person whose data were never used. It does not cover other "
      "releases from "
      "the same data, whose costs add up, nor facts about more than one unit at once, for which the factor "
      "grows. It "
      "rests on this trust: " +
      s.trust_model + ".");
  words.push_back(bounds_and_groups(s));
  for (const OwnerPromise& owner : s.owners) {
    words.push_back(fmt::format(
        "The owner {} at {} says of its own table that all it ever answers, to whoever asks, stays within "
        "({:g}, {:g}); its answers carry its signature, and what it holds to is its own to keep.",
        owner.name, owner.address, owner.epsilon, owner.delta));
  }
  words.push_back(claim_on_time(s));
  return words;
}

}  // namespace sotto
