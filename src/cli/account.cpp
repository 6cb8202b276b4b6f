// sotto account: the calculator.
#include <fmt/core.h>

#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/one_of.hpp"
#include "cli/remark.hpp"
#include "cli/verbs.hpp"
#include "sotto/accountant/cost.hpp"
#include "sotto/event/kinds.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/privacy_statement.hpp"

namespace sotto::cli {
namespace {

struct AccountOptions {
  std::vector<std::string> mechanisms;
  std::string event;
  CostQuestion question;
  std::string solve;
  bool json = false;
  std::FILE* out = stdout;
};

// What stands behind an answer, in words.
std::string terms(const CostQuestion& question, const std::string& by) {
  const std::string group = question.group > 1 ? fmt::format(", groups of {} rows", question.group) : "";
  const std::string least = question.bound != by ? fmt::format(", here by {}", by) : "";
  return fmt::format("upper bound: {}{}; adjacency: {}{}", question.bound, least, question.adjacency, group);
}

/// What the first mechanism calls its noise, where it is given: on the command line, or as JSON.
std::string noise_key(const AccountOptions& options, const Event& event) {
  if (!options.mechanisms.empty() && options.mechanisms.front().starts_with("dp-sgd")) return "noise";
  std::string key = "sigma";
  std::visit(
      [&]<class E>(const E&) {
        if constexpr (HasNoise<E>) {
          each_field<E>([&](const auto& field) {
            if constexpr (std::is_same_v<decltype(field.member), double E::*>) {
              if (field.member != E::noise().noise) return;
              key = options.mechanisms.empty() || field.spec == nullptr ? field.json : field.spec;
            }
          });
        }
      },
      event.mechanism);
  return key;
}

void solve(const AccountOptions& options, const std::vector<Event>& events) {
  const CostQuestion& question = options.question;
  const Target target = target_of(question, {events.begin() + 1, events.end()});
  nlohmann::json out{{"adjacency", question.adjacency}, {"bound", question.bound}};
  std::string found;
  if (options.solve == "count") {
    const std::uint64_t count = largest_count(events.front(), target);
    out["count"] = count;
    found = fmt::format("count {}", count);
    if (count == 0) remark(stderr, "sotto: Not even one fits: nothing may be released.\n");
    if (count == kMostCount) remark(stderr, "sotto: More than {} may fit: the search ends there.\n", count);
  } else {
    const double sigma = smallest_noise(events.front(), target);
    const std::string key = noise_key(options, events.front());
    out[key] = sigma;
    found = fmt::format("{} {}", key, format_upwards(sigma));
  }
  if (options.json)
    fmt::print(options.out, "{}\n", out.dump());
  else
    fmt::print(options.out, "{}\nfits epsilon {} at delta {} ({})\n", found, *question.epsilon,
               *question.delta, terms(question, question.bound));
}

void report(const AccountOptions& options, const std::vector<Event>& events) {
  Cost cost = cost_of(events, options.question);
  for (std::string& sentence : bound_warnings(cost.epsilon.upper, options.question.delta.value_or(0)))
    cost.warnings.push_back(std::move(sentence));
  for (const std::string& sentence : cost.warnings) remark(stderr, "sotto: {}\n", sentence);
  if (options.json) {
    fmt::print(options.out, "{}\n", cost_json(cost, options.question).dump());
    return;
  }
  const double epsilon = cost.epsilon.upper;
  const double delta = cost.delta.upper;
  const std::string answer = options.question.delta
                                 ? fmt::format("epsilon {} at delta {}", format_upwards(epsilon), delta)
                                 : fmt::format("delta {} at epsilon {}", format_upwards(delta), epsilon);
  fmt::print(options.out, "{} ({})\n", answer, terms(options.question, name_of(cost.by)));
  for (const ErrorTradeoff& point : cost.trade_off)
    fmt::print(options.out, "alpha {} beta {}\n", point.alpha, point.beta);
}

Event event_from_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::no_input, "--event: cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  try {
    return event_from_text(text.str());
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("--event {}: {}", path, error.what()));
  }
}

std::vector<Event> events_of(const AccountOptions& options) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < options.mechanisms.size(); ++i) {
    // When sigma is asked for it need not be given.
    const bool solved_for = i == 0 && !options.solve.empty() && options.solve != "count";
    events.push_back(solved_for ? parse_event_without_noise(options.mechanisms[i])
                                : parse_event(options.mechanisms[i]));
  }
  if (!options.event.empty()) events.push_back(event_from_file(options.event));
  if (events.empty()) throw Error(ErrorCode::usage, "say what is released: --mechanism SPEC or --event FILE");
  return events;
}

void account(const AccountOptions& options) {
  const std::vector<Event> events = events_of(options);
  if (options.solve.empty()) return report(options, events);
  if (options.question.group > 1 || options.question.trade_off > 0)
    throw Error(ErrorCode::usage, "--solve goes without --group and --trade-off");
  if (options.solve == "count" && !options.mechanisms.empty() &&
      options.mechanisms.front().starts_with("dp-sgd"))
    throw Error(ErrorCode::usage,
                "a count of dp-sgd would be one of steps: solve for sigma, or take subsampled-gaussian");
  solve(options, events);
}

}  // namespace

void add_account(CLI::App& program, int&, std::FILE* out) {
  auto options = std::make_shared<AccountOptions>();
  options->out = out;
  CostQuestion& question = options->question;
  CLI::App* verb =
      program.add_subcommand("account", "What releases cost: epsilon for delta, or delta for epsilon");
  verb->add_option(
          "--mechanism", options->mechanisms,
          "What is released, NAME:key=value,...; count=N repeats it. Repeat --mechanism for a job of several "
          "kinds, in "
          "any order, each chosen with knowledge of the answers before:\n" +
              event_grammar() +
              "sigma and scale: noise over the most that one neighbour changes the answer (its sensitivity; "
              "L1 for "
              "laplace). In subsampled-..., over the norm that one row is clipped to: adjacency and sampling "
              "then "
              "decide the sensitivity, so that the same sigma costs more under substitute.\n"
              "discrete-gaussian: grid is the sensitivity in grid steps, dim the number of coordinates. "
              "sampling: poisson "
              "or without-replacement (rate = batch / rows). probability: of a random answer instead of the "
              "true one. "
              "exponential-mechanism: draws with weight e^(epsilon u / 2), u in units of its sensitivity. "
              "sparse-vector: Laplace scales of the threshold's and the queries' noise, the number of "
              "answers \"above\" "
              "after which it ends, and monotone=1 where one row moves all queries the same way. "
              "matrix: noise on C x, sigma over the clip norm; strategy=1/.5/.25 is the first column of C, "
              "and a row takes "
              "part so many times, so many steps apart. "
              "shuffled: answers of so many users in random order, each epsilon-private by itself. "
              "truncated-poisson: Poisson batches of at most `largest` rows out of at most `rows`; of more, "
              "which ones are kept does not depend on what they hold. "
              "random-allocation: every row is in one of so many steps, drawn at random; count is that of "
              "epochs. "
              "zcdp, gdp, approximate, renyi, pure: guarantees as somebody else gives them; "
              "renyi:orders=2/4/8,costs=.1/.2/.4.\n"
              "What a bound cannot prove it refuses and says which may know it")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option(
          "--event", options->event,
          "The same, or more, in a FILE: a tree of events in JSON, as `event` of --json shows it. There "
          "every key is "
          "written, sensitivity or clip_norm too, and sigma and scale are in the same units as these")
      ->type_name("FILE");
  verb->add_option("--group", question.group,
                   "Price what a group of so many rows, at most 2^20, together may suffer")
      ->capture_default_str();
  verb->add_option("--delta", question.delta, "Compute epsilon for this delta");
  verb->add_option("--epsilon", question.epsilon, "Compute delta for this epsilon");
  verb->add_option(
          "--bound", question.bound,
          "Which accountant. What is printed is an upper bound: the truth is never larger, so that a promise "
          "made with it holds; how much smaller it may be is told by the lower bounds of --json. tight takes "
          "the least of loss distributions, rdp and zcdp, as far as they take the events, and says whose it "
          "is")
      ->check(one_of({"tight", "rdp", "zcdp", "advanced"}))
      ->capture_default_str();
  verb->add_option(
          "--adjacency", question.adjacency,
          "Neighbours: one row exchanged, or one row more or less. An epsilon means nothing without it")
      ->check(one_of({"substitute", "add-remove"}))
      ->capture_default_str();
  verb->add_option(
          "--solve", options->solve,
          "With --epsilon and --delta: the largest count, or the smallest noise (sigma, scale or noise, "
          "as the mechanism calls it), of the first mechanism; the others stay as they are. The same "
          "call with the answer put in confirms it")
      ->check(one_of({"sigma", "scale", "noise", "count"}));
  verb->add_option("--accuracy", question.accuracy,
                   "How far apart, relatively, both tight bounds may be, 1e-7 to 1; 1e-6 takes up to some "
                   "seconds for a kind of "
                   "event, and where nothing so narrow is known that is said")
      ->capture_default_str();
  verb->add_option("--trade-off", question.trade_off,
                   "Also so many points, 2 to 10000, of the trade-off function: no test of level alpha that "
                   "tells two neighbours "
                   "apart has a type II error below beta");
  verb->add_flag(
      "--json", options->json,
      "Print one JSON object, with bounds on both sides. rho: the total of zero-concentrated privacy, null "
      "where none is proven; of sampled jobs it is the cost without sampling, which is true but large. "
      "gdp_mu: "
      "of Gaussian differential privacy, where all noise is continuous Gaussian and nothing is sampled");
  verb->footer(
      "Examples: sotto account --mechanism subsampled-gaussian:sigma=4,rate=0.01,count=10000 "
      "--adjacency add-remove --epsilon 1 --json\n"
      "          sotto account --mechanism dp-sgd:noise=1.1,rows=60000,batch=256,epochs=15 --mechanism "
      "laplace:scale=10 --adjacency add-remove --delta 1e-5");
  verb->callback([options] { account(*options); });
}

}  // namespace sotto::cli
