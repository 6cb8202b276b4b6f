// sotto account: the calculator.
#include "sotto/accountant/account.hpp"

#include <fmt/core.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/verbs.hpp"
#include "sotto/accountant/calibrate.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto::cli {
namespace {

struct AccountOptions {
  std::vector<std::string> mechanisms;
  double epsilon = -1;
  double delta = -1;
  std::string bound = "tight";
  std::string adjacency = "substitute";
  std::string solve;
  double accuracy = kUsualWidth;
  bool json = false;
  std::FILE* out = stdout;
};

BoundKind bound_kind(const std::string& name) {
  if (name == "rdp") return BoundKind::rdp;
  if (name == "zcdp") return BoundKind::zcdp;
  if (name == "advanced") return BoundKind::advanced;
  return BoundKind::tight;
}

// JSON has no infinity; null stands for it.
nlohmann::json number(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr); }

void solve(const AccountOptions& options, const std::vector<Event>& events) {
  Target target{Epsilon(options.epsilon), Delta(options.delta)};
  target.adjacency = options.adjacency == "substitute" ? Adjacency::substitute : Adjacency::add_remove;
  target.kind = bound_kind(options.bound);
  target.others.mechanism = CompositionEvent{{events.begin() + 1, events.end()}};
  if (options.solve == "count") {
    const std::uint64_t count = largest_count(events.front(), target);
    if (options.json)
      fmt::print(options.out, "{}\n", nlohmann::json{{"count", count}}.dump());
    else
      fmt::print(options.out, "count {}\n", count);
  } else {
    const double sigma = smallest_noise(events.front(), target);
    if (options.json)
      fmt::print(options.out, "{}\n", nlohmann::json{{"sigma", sigma}}.dump());
    else
      fmt::print(options.out, "sigma {}\n", sigma);
  }
}

void report(const AccountOptions& options, const Event& event, bool by_delta) {
  const Adjacency adjacency =
      options.adjacency == "substitute" ? Adjacency::substitute : Adjacency::add_remove;
  const BoundKind kind = bound_kind(options.bound);
  Bounds epsilon{options.epsilon, options.epsilon};
  Bounds delta{options.delta, options.delta};
  if (by_delta)
    epsilon = account_epsilon(event, adjacency, Delta(options.delta), kind, options.accuracy);
  else
    delta = account_delta(event, adjacency, Epsilon(options.epsilon), kind, options.accuracy);
  const Bounds& found = by_delta ? epsilon : delta;
  if (kind == BoundKind::tight && options.accuracy < kUsualWidth &&
      !(found.upper - found.lower <= options.accuracy * found.upper)) {
    fmt::print(stderr, "the bounds stay {:.1e} apart, relatively: nothing finer is known here\n",
               (found.upper - found.lower) / found.upper);
  }
  if (!options.json) {
    if (by_delta)
      fmt::print(options.out, "epsilon {} at delta {}\n", epsilon.upper, delta.upper);
    else
      fmt::print(options.out, "delta {} at epsilon {}\n", delta.upper, epsilon.upper);
    return;
  }
  const std::optional<double> rho = concentrated_rho(event, adjacency);
  const nlohmann::json out{{"epsilon", number(epsilon.upper)},
                           {"epsilon_lower", number(epsilon.lower)},
                           {"epsilon_upper", number(epsilon.upper)},
                           {"delta", delta.upper},
                           {"delta_lower", delta.lower},
                           {"delta_upper", delta.upper},
                           {"rho", rho ? number(*rho) : nlohmann::json(nullptr)},
                           {"bound", options.bound},
                           {"adjacency", options.adjacency}};
  fmt::print(options.out, "{}\n", out.dump());
}

void account(const AccountOptions& options, bool by_delta, bool by_epsilon) {
  if (by_delta && !(options.delta >= 0 && options.delta <= 1)) {
    throw Error(ErrorCode::usage, "--delta must lie in [0, 1]");
  }
  if (by_epsilon && !(options.epsilon >= 0)) throw Error(ErrorCode::usage, "--epsilon must be a number >= 0");
  std::vector<Event> events;
  for (std::size_t i = 0; i < options.mechanisms.size(); ++i) {
    // When sigma is asked for it need not be given.
    const bool solved_for = i == 0 && options.solve == "sigma";
    events.push_back(solved_for ? parse_event_without_noise(options.mechanisms[i])
                                : parse_event(options.mechanisms[i]));
  }
  if (!options.solve.empty()) {
    if (!by_delta || !by_epsilon) throw Error(ErrorCode::usage, "--solve needs both --epsilon and --delta");
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
  verb->add_option("--mechanism", options->mechanisms,
                   "NAME:key=value,...; count=N composes it with itself; several are composed together.\n" +
                       event_grammar() +
                       "sigma and scale are in units of the sensitivity; where rows are sampled, of what one "
                       "row may contribute.\n"
                       "sampling: poisson or without-replacement. probability: of a random answer instead of "
                       "the true one.\n"
                       "What the tight bound cannot prove it refuses: --bound rdp may know it")
      ->required()
      ->take_all()
      ->allow_extra_args(false);
  auto* delta = verb->add_option("--delta", options->delta, "Compute epsilon for this delta");
  auto* epsilon = verb->add_option("--epsilon", options->epsilon, "Compute delta for this epsilon");
  verb->add_option("--bound", options->bound, "Which accountant")
      ->check(CLI::IsMember({"tight", "rdp", "zcdp", "advanced"}))
      ->capture_default_str();
  verb->add_option("--adjacency", options->adjacency,
                   "Neighbours: one row exchanged, or one row more or less")
      ->check(CLI::IsMember({"substitute", "add-remove"}))
      ->capture_default_str();
  verb->add_option(
          "--solve", options->solve,
          "With --epsilon and --delta: the largest count, or the smallest sigma, of the first mechanism")
      ->check(CLI::IsMember({"sigma", "count"}));
  verb->add_option("--accuracy", options->accuracy,
                   "How far apart, relatively, both tight bounds may be; 1e-6 takes some seconds")
      ->check(CLI::Range(kLeastWidth, 1.0))
      ->capture_default_str();
  verb->add_flag("--json", options->json, "Print one JSON object, with bounds on both sides");
  verb->footer(
      "Example: sotto account --mechanism subsampled-gaussian:sigma=4,rate=0.01,count=10000 "
      "--adjacency add-remove --epsilon 1 --json");
  verb->callback([=] { account(*options, delta->count() > 0, epsilon->count() > 0); });
}

}  // namespace sotto::cli
