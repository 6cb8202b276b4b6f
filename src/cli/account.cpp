// sotto account: the calculator.
#include "sotto/accountant/account.hpp"

#include <fmt/core.h>

#include <cmath>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "cli/verbs.hpp"
#include "sotto/accountant/calibrate.hpp"
#include "sotto/accountant/curve.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto::cli {
namespace {

struct AccountOptions {
  std::vector<std::string> mechanisms;
  std::string event;
  std::uint64_t group = 1;
  double epsilon = -1;
  double delta = -1;
  std::string bound = "tight";
  std::string adjacency = "substitute";
  std::string solve;
  double accuracy = kUsualWidth;
  int trade_off = 0;
  bool json = false;
  std::FILE* out = stdout;

  [[nodiscard]] Adjacency adjacent() const {
    return adjacency == "substitute" ? Adjacency::substitute : Adjacency::add_remove;
  }
};

constexpr std::pair<const char*, BoundKind> kBounds[] = {{"tight", BoundKind::tight},
                                                         {"rdp", BoundKind::rdp},
                                                         {"zcdp", BoundKind::zcdp},
                                                         {"advanced", BoundKind::advanced}};

BoundKind bound_kind(const std::string& name) {
  for (const auto& [known, kind] : kBounds) {
    if (name == known) return kind;
  }
  throw Error(ErrorCode::internal, "unknown bound");
}
const char* bound_name(BoundKind kind) {
  for (const auto& [name, known] : kBounds) {
    if (kind == known) return name;
  }
  return "";
}

// JSON has no infinity; null stands for it.
nlohmann::json number(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); }
nlohmann::json number(const std::optional<double>& x) { return x ? number(*x) : nlohmann::json(nullptr); }

// What stands behind an answer, in words.
std::string terms(const AccountOptions& options, BoundKind by) {
  const std::string group = options.group > 1 ? fmt::format(", groups of {} rows", options.group) : "";
  const std::string least =
      bound_kind(options.bound) != by ? fmt::format(", here by {}", bound_name(by)) : "";
  return fmt::format("upper bound: {}{}; adjacency: {}{}", options.bound, least, options.adjacency, group);
}

void solve(const AccountOptions& options, const std::vector<Event>& events) {
  Target target{Epsilon(options.epsilon), Delta(options.delta)};
  target.adjacency = options.adjacent();
  target.kind = bound_kind(options.bound);
  target.others.mechanism = CompositionEvent{{events.begin() + 1, events.end()}};
  nlohmann::json out{{"adjacency", options.adjacency}, {"bound", options.bound}};
  std::string found;
  if (options.solve == "count") {
    const std::uint64_t count = largest_count(events.front(), target);
    out["count"] = count;
    found = fmt::format("count {}", count);
  } else {
    const double sigma = smallest_noise(events.front(), target);
    out["sigma"] = sigma;
    found = fmt::format("sigma {}", sigma);
  }
  if (options.json)
    fmt::print(options.out, "{}\n", out.dump());
  else
    fmt::print(options.out, "{}\nfits epsilon {} at delta {} ({})\n", found, options.epsilon, options.delta,
               terms(options, target.kind));
}

nlohmann::json trade_off_points(const AccountOptions& options, const Event& event) {
  if (bound_kind(options.bound) != BoundKind::tight)
    throw Error(ErrorCode::usage, "--trade-off is told by the tight bound only");
  nlohmann::json points = nlohmann::json::array();
  for (const ErrorTradeoff& point : trade_off(event_curve(event, options.adjacent()), options.trade_off))
    points.push_back({point.alpha, point.beta});
  return points;
}

void report(const AccountOptions& options, const Event& event, bool by_delta) {
  const BoundKind kind = bound_kind(options.bound);
  Bounds epsilon{options.epsilon, options.epsilon};
  Bounds delta{options.delta, options.delta};
  if (by_delta)
    epsilon = account_epsilon(event, options.adjacent(), Delta(options.delta), kind, options.accuracy);
  else
    delta = account_delta(event, options.adjacent(), Epsilon(options.epsilon), kind, options.accuracy);
  const Bounds& found = by_delta ? epsilon : delta;
  if (kind == BoundKind::tight && options.accuracy < kUsualWidth &&
      !(found.upper - found.lower <= options.accuracy * found.upper)) {
    fmt::print(stderr, "the bounds stay {:.1e} apart, relatively: nothing finer is known here\n",
               (found.upper - found.lower) / found.upper);
  }
  nlohmann::json points;
  if (options.trade_off > 0) points = trade_off_points(options, event);
  if (!options.json) {
    const std::string answer = by_delta ? fmt::format("epsilon {} at delta {}", epsilon.upper, delta.upper)
                                        : fmt::format("delta {} at epsilon {}", delta.upper, epsilon.upper);
    fmt::print(options.out, "{} ({})\n", answer, terms(options, found.by));
    for (const auto& point : points)
      fmt::print(options.out, "alpha {} beta {}\n", point.at(0).get<double>(), point.at(1).get<double>());
    return;
  }
  nlohmann::json out{{"epsilon", number(epsilon.upper)},
                     {"epsilon_lower", number(epsilon.lower)},
                     {"epsilon_upper", number(epsilon.upper)},
                     {"delta", delta.upper},
                     {"delta_lower", delta.lower},
                     {"delta_upper", delta.upper},
                     {"rho", number(concentrated_rho(event, options.adjacent()))},
                     {"gdp_mu", number(gaussian_mu(event, options.adjacent()))},
                     {"bound", options.bound},
                     {"bound_by", bound_name(found.by)},
                     {"adjacency", options.adjacency},
                     {"event", nlohmann::json::parse(event_text(event))}};
  if (options.group > 1) out["group"] = options.group;
  if (options.trade_off > 0) out["trade_off"] = std::move(points);
  fmt::print(options.out, "{}\n", out.dump());
}

Event event_from_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorCode::no_input, "--event: cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return event_from_text(text.str());
}

std::vector<Event> events_of(const AccountOptions& options) {
  std::vector<Event> events;
  for (std::size_t i = 0; i < options.mechanisms.size(); ++i) {
    // When sigma is asked for it need not be given.
    const bool solved_for = i == 0 && options.solve == "sigma";
    events.push_back(solved_for ? parse_event_without_noise(options.mechanisms[i])
                                : parse_event(options.mechanisms[i]));
  }
  if (!options.event.empty()) events.push_back(event_from_file(options.event));
  if (events.empty()) throw Error(ErrorCode::usage, "say what is released: --mechanism SPEC or --event FILE");
  for (Event& event : events) event = group_event(event, options.group);
  return events;
}

void account(const AccountOptions& options, bool by_delta, bool by_epsilon) {
  if (by_delta && !(options.delta >= 0 && options.delta <= 1)) {
    throw Error(ErrorCode::usage, "--delta must lie in [0, 1]");
  }
  if (by_epsilon && !(options.epsilon >= 0)) throw Error(ErrorCode::usage, "--epsilon must be a number >= 0");
  std::vector<Event> events = events_of(options);
  if (!options.solve.empty()) {
    if (!by_delta || !by_epsilon) throw Error(ErrorCode::usage, "--solve needs both --epsilon and --delta");
    if (options.group > 1 || options.trade_off > 0)
      throw Error(ErrorCode::usage, "--solve goes without --group and --trade-off");
    if (options.solve == "count" && !options.mechanisms.empty() &&
        options.mechanisms.front().starts_with("dp-sgd"))
      throw Error(ErrorCode::usage,
                  "a count of dp-sgd would be one of steps: solve for sigma, or take subsampled-gaussian");
    return solve(options, events);
  }
  if (by_delta == by_epsilon) throw Error(ErrorCode::usage, "give either --delta or --epsilon");
  const Event all{CompositionEvent{std::move(events)}, 1};
  report(options, all, by_delta);
}

}  // namespace

void add_account(CLI::App& program, int&, std::FILE* out) {
  auto options = std::make_shared<AccountOptions>();
  options->out = out;
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
              "zcdp, approximate, renyi, pure: guarantees as somebody else gives them; "
              "renyi:orders=2/4/8,costs=.1/.2/.4.\n"
              "What a bound cannot prove it refuses and says which may know it")
      ->take_all()
      ->allow_extra_args(false);
  verb->add_option("--event", options->event,
                   "The same as a tree in JSON, as the library writes it and --json prints it");
  verb->add_option("--group", options->group, "Price what a group of so many rows together may suffer")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 20))
      ->capture_default_str();
  auto* delta = verb->add_option("--delta", options->delta, "Compute epsilon for this delta");
  auto* epsilon = verb->add_option("--epsilon", options->epsilon, "Compute delta for this epsilon");
  verb->add_option(
          "--bound", options->bound,
          "Which accountant. What is printed is an upper bound: the truth is never larger, so that a promise "
          "made with it holds; how much smaller it may be is told by the lower bounds of --json. tight takes "
          "the least of loss distributions, rdp and zcdp, and says whose it is")
      ->check(CLI::IsMember({"tight", "rdp", "zcdp", "advanced"}))
      ->capture_default_str();
  verb->add_option(
          "--adjacency", options->adjacency,
          "Neighbours: one row exchanged, or one row more or less. An epsilon means nothing without it")
      ->check(CLI::IsMember({"substitute", "add-remove"}))
      ->capture_default_str();
  verb->add_option("--solve", options->solve,
                   "With --epsilon and --delta: the largest count, or the smallest sigma, of the first "
                   "mechanism; the others "
                   "stay as they are. The same call with the answer put in confirms it")
      ->check(CLI::IsMember({"sigma", "count"}));
  verb->add_option(
          "--accuracy", options->accuracy,
          "How far apart, relatively, both tight bounds may be; 1e-6 takes up to some seconds for a kind of "
          "event, and where nothing so narrow is known that is said")
      ->check(CLI::Range(kLeastWidth, 1.0))
      ->capture_default_str();
  verb->add_option(
          "--trade-off", options->trade_off,
          "Also so many points of the trade-off function: no test of level alpha that tells two neighbours "
          "apart has a type II error below beta")
      ->check(CLI::Range(2, 10000));
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
  verb->callback([=] { account(*options, delta->count() > 0, epsilon->count() > 0); });
}

}  // namespace sotto::cli
