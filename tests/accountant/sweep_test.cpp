// Two thousand jobs drawn at random, of every kind of event: what each accountant says against a second method, which knows
// outputs and their probabilities only. A price is never below what some mechanism of the kind is seen to lose, a lower bound
// never above what the described one can lose.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "sotto/accountant/account.hpp"

namespace sotto {
namespace {

// A set of outputs: its probability under both data sets, and the least and largest e^-loss within.
struct Cell {
  double p, q, least, most;
};
using Cells = std::vector<Cell>;

// What of a mechanism's outputs is told: nothing more than which cell they lie in, or all within it.
struct Range {
  double low = 0;
  double high = 0;
};
Range delta_of(const Cells& cells, double epsilon) {
  const double u = std::exp(epsilon);
  Range range;
  for (const Cell& c : cells) {
    range.low += std::max(c.p - u * c.q, 0.0);
    range.high += c.p * std::max(1 - u * c.least, 0.0);
  }
  return range;
}
Range delta_of(const Cells& first, const Cells& second, double epsilon) {
  const double u = std::exp(epsilon);
  Range range;
  for (const Cell& a : first) {
    for (const Cell& b : second) {
      range.low += std::max(a.p * b.p - u * a.q * b.q, 0.0);
      range.high += a.p * b.p * std::max(1 - u * a.least * b.least, 0.0);
    }
  }
  return range;
}

Cells reversed(Cells cells) {
  for (Cell& c : cells) c = {c.q, c.p, 1 / c.most, 1 / c.least};
  return cells;
}

// Cells of a line; the likelihood ratio is monotone in each, and the distribution functions are known.
using OnLine = std::function<double(double)>;
Cells on_line(double reach, double shift, int count, const OnLine& p_above, const OnLine& q_above,
              const OnLine& p_below, const OnLine& q_below, const OnLine& density_ratio) {
  Cells cells;
  double left = -reach - shift;
  const double step = 2 * (reach + shift) / count;
  cells.push_back({p_below(left), q_below(left), density_ratio(left), 1e300});
  for (int i = 0; i < count; ++i) {
    const double right = left + step;
    const auto mass = [&](const OnLine& above, const OnLine& below) {
      return std::max(left > 0 ? above(left) - above(right) : below(right) - below(left), 0.0);
    };
    const double a = density_ratio(left);
    const double b = density_ratio(right);
    cells.push_back({mass(p_above, p_below), mass(q_above, q_below), std::min(a, b), std::max(a, b)});
    left = right;
  }
  cells.push_back({p_above(left), q_above(left), 0, density_ratio(left)});
  return cells;
}

// (1 - r) f(x) + r f(x - shift) against (1 - s) f(x) + s f(x + shift), f of scale 1.
Cells mixture(bool gaussian, double shift, double r, double s, int count) {
  const OnLine above = [gaussian](double x) {
    if (gaussian) return std::erfc(x / std::sqrt(2.0)) / 2;
    return x > 0 ? std::exp(-x) / 2 : 1 - std::exp(x) / 2;
  };
  const OnLine below = [above](double x) { return above(-x); };
  const OnLine log_density = [gaussian](double x) { return gaussian ? -x * x / 2 : -std::abs(x); };
  const auto mixed = [](const OnLine& f, double weight, double moved) -> OnLine {
    return [=](double x) { return (1 - weight) * f(x) + weight * f(x - moved); };
  };
  const OnLine ratio = [=](double x) {
    const auto against = [&](double weight, double moved) {
      return 1 - weight + weight * std::exp(log_density(x - moved) - log_density(x));
    };
    return against(s, -shift) / against(r, shift);
  };
  return on_line(gaussian ? 9 : 26, shift, count, mixed(above, r, shift), mixed(above, s, -shift),
                 mixed(below, r, shift), mixed(below, s, -shift), ratio);
}

Cells answers(const std::vector<std::pair<double, double>>& probabilities) {
  Cells cells;
  for (const auto& [p, q] : probabilities) {
    const double ratio = p > 0 ? q / p : 1e300;
    cells.push_back({p, q, ratio, ratio});
  }
  return cells;
}

// One job of one step: how to write it, and the outputs of one mechanism of the kind, for the two data sets either way round.
struct Job {
  std::string spec;
  Cells forward;
  Cells reverse;
  bool one_adjacency = false;  // substitute only
};

class OutputDraw {
 public:
  explicit OutputDraw(std::uint64_t seed) : rng_(seed) {}
  double between(double low, double high) {
    return low * std::exp(std::uniform_real_distribution<double>(0, 1)(rng_) * std::log(high / low));
  }
  std::size_t below(std::size_t n) { return rng_() % n; }

 private:
  std::mt19937_64 rng_;
};

std::string text(double x) {
  char out[32];
  std::snprintf(out, sizeof out, "%.6g", x);
  return out;
}

constexpr int kCells = 500;
constexpr std::size_t kSweepKinds = 14;

Job draw_job(OutputDraw& d, std::size_t kind, Adjacency adjacency) {
  const bool substitute = adjacency == Adjacency::substitute;
  const auto both_ways = [](std::string spec, Cells cells) {
    return Job{std::move(spec), cells, reversed(cells)};
  };
  switch (kind) {
    case 0: {
      const std::string sigma = text(d.between(0.3, 20));
      return both_ways("gaussian:sigma=" + sigma, mixture(true, 1 / std::stod(sigma), 1, 0, kCells));
    }
    case 1: {
      const std::string scale = text(d.between(0.2, 20));
      return both_ways("laplace:scale=" + scale, mixture(false, 1 / std::stod(scale), 1, 0, kCells));
    }
    case 2:
    case 3: {
      const std::string noise = text(d.between(0.5, 10));
      const std::string rate = text(d.between(1e-3, 1));
      const double shift = 1 / std::stod(noise);
      const double q = std::stod(rate);
      const std::string spec = kind == 2 ? "subsampled-gaussian:sigma=" : "subsampled-laplace:scale=";
      return both_ways(spec + noise + ",rate=" + rate,
                       mixture(kind == 2, shift, q, substitute ? q : 0, kCells));
    }
    case 4:
    case 5: {  // all others contribute the opposite of the exchanged row
      const std::string noise = text(d.between(0.5, 10));
      const std::string rate = text(d.between(1e-2, 0.9));
      const std::string spec = kind == 4 ? "subsampled-gaussian:sigma=" : "subsampled-laplace:scale=";
      Job job = both_ways(spec + noise + ",rate=" + rate + ",sampling=without-replacement",
                          mixture(kind == 4, 2 / std::stod(noise), std::stod(rate), 0, kCells));
      job.one_adjacency = true;
      return job;
    }
    case 6: {
      const std::string share = text(d.between(0.02, 1));
      const std::size_t levels = 2 + d.below(6);
      const double other = std::stod(share) / static_cast<double>(levels);
      const double same = 1 - std::stod(share) + other;
      std::vector<std::pair<double, double>> table{{same, other}, {other, same}};
      for (std::size_t i = 2; i < levels; ++i) table.emplace_back(other, other);
      Job job = both_ways("randomized-response:probability=" + share + ",levels=" + std::to_string(levels),
                          answers(table));
      job.one_adjacency = true;
      return job;
    }
    case 7:
    case 8:
    case 9: {
      const std::string epsilon = text(d.between(0.01, 4));
      const double e = std::stod(epsilon);
      if (kind == 8) {  // two answers, of which one row turns the better into the worse
        const double high = 1 / (1 + std::exp(-e / 2));
        return both_ways("exponential-mechanism:epsilon=" + epsilon,
                         answers({{high, 1 - high}, {1 - high, high}}));
      }
      const double high = 1 / (1 + std::exp(-e));
      if (kind == 7)
        return both_ways("pure:epsilon=" + epsilon, answers({{high, 1 - high}, {1 - high, high}}));
      const std::string delta = text(d.between(1e-8, 1e-2));
      const double rest = 1 - std::stod(delta);
      return both_ways("approximate:epsilon=" + epsilon + ",delta=" + delta,
                       answers({{std::stod(delta), 0},
                                {rest * high, rest * (1 - high)},
                                {rest * (1 - high), rest * high},
                                {0, std::stod(delta)}}));
    }
    case 10: {  // two counts that one row moves from -1 to +1 apart
      const std::string scale = text(d.between(0.5, 20));
      const double t = 1 / std::stod(scale);
      const double loser = (2 + t) * std::exp(-t) / 4;
      return both_ways("report-noisy-max:scale=" + scale, answers({{1 - loser, loser}, {loser, 1 - loser}}));
    }
    case 11:
    case 12: {  // a Gaussian mechanism has these costs
      const std::string rho = text(d.between(1e-3, 2));
      const double shift = std::sqrt(2 * std::stod(rho));
      if (kind == 11) return both_ways("zcdp:rho=" + rho, mixture(true, shift, 1, 0, kCells));
      std::string orders;
      std::string costs;
      for (const double order : {1.5, 2.0, 4.0, 8.0, 32.0, 100.0}) {
        orders += (orders.empty() ? "" : "/") + text(order);
        costs += (costs.empty() ? "" : "/") + text(1.00001 * order * std::stod(rho));
      }
      return both_ways("renyi:orders=" + orders + ",costs=" + costs, mixture(true, shift, 1, 0, kCells));
    }
    default: {
      const std::size_t sensitivity = 1 + d.below(6);
      const std::string ratio = text(d.between(0.5, 8));
      const auto size = static_cast<double>(sensitivity);
      const double sigma = std::stod(ratio) * size;
      std::vector<std::pair<double, double>> table;
      double total = 0;
      const auto weight = [&](double j) { return std::exp(-j * j / (2 * sigma * sigma)); };
      const double reach = std::ceil(9 * sigma + size);
      for (double j = -2 * reach; j <= 2 * reach; ++j) total += weight(j);
      for (double j = -reach; j <= reach; ++j)
        table.emplace_back(weight(j - size) / total, weight(j) / total);
      return both_ways("discrete-gaussian:sigma=" + ratio + ",grid=" + std::to_string(sensitivity) +
                           ",dim=" + std::to_string(1 + d.below(4)),
                       answers(table));
    }
  }
}

// delta of the worse direction.
Range truth_of(const std::vector<Job>& jobs, double epsilon) {
  Range forward;
  Range reverse;
  if (jobs.size() == 1) {
    forward = delta_of(jobs[0].forward, epsilon);
    reverse = delta_of(jobs[0].reverse, epsilon);
  } else {
    forward = delta_of(jobs[0].forward, jobs[1].forward, epsilon);
    reverse = delta_of(jobs[0].reverse, jobs[1].reverse, epsilon);
  }
  return {std::max(forward.low, reverse.low), std::max(forward.high, reverse.high)};
}

constexpr double kRounding = 1e-12;  // of sums over cells; their tails below 1e-18 are left out

TEST(Sweep, two_thousand_jobs_against_sums_over_outputs) {
  OutputDraw d(20261123);
  std::map<std::string, int> answered;
  int sharp = 0;
  for (int i = 0; i < 2000; ++i) {
    const bool substitute = d.below(2) == 0;
    const Adjacency adjacency = substitute ? Adjacency::substitute : Adjacency::add_remove;
    std::vector<Job> jobs{draw_job(d, d.below(kSweepKinds), adjacency)};
    if (d.below(8) == 0)
      jobs.push_back(d.below(2) == 0 ? jobs[0] : draw_job(d, d.below(kSweepKinds), adjacency));
    Event event{CompositionEvent{}, 1};
    for (const Job& job : jobs)
      std::get<CompositionEvent>(event.mechanism).parts.push_back(parse_event(job.spec));
    const double epsilon = d.below(5) == 0 ? 0 : d.between(0.01, 4);
    SCOPED_TRACE(nlohmann::json(event).dump() + (substitute ? " substitute" : " add_remove") + " epsilon " +
                 std::to_string(epsilon));
    const Range truth = truth_of(jobs, epsilon);
    for (const BoundKind kind : {BoundKind::tight, BoundKind::rdp, BoundKind::zcdp, BoundKind::advanced}) {
      Bounds bounds;
      try {
        bounds = kind == BoundKind::tight ? account_delta(event, adjacency, Epsilon(epsilon), kind)
                                          : Bounds{0, upper_delta(event, adjacency, Epsilon(epsilon), kind)};
      } catch (const Error& error) {
        ASSERT_EQ(error.code(), ErrorCode::usage) << error.what();
        continue;
      }
      ++answered[std::to_string(static_cast<int>(kind))];
      ASSERT_GE(bounds.upper, truth.low * (1 - kRounding) - kRounding);
      ASSERT_LE(bounds.lower, truth.high * (1 + kRounding) + kRounding);
      ASSERT_LE(bounds.lower, bounds.upper);
      if (kind == BoundKind::tight && bounds.upper < 1.03 * truth.low) ++sharp;
    }
    const bool refused = !substitute && (jobs[0].one_adjacency || jobs.back().one_adjacency);
    if (!refused) continue;
    EXPECT_THROW((void)account_delta(event, adjacency, Epsilon(epsilon), BoundKind::tight), Error);
  }
  // Enough was asked, and most of it where the second method sees 3 % of delta.
  EXPECT_GT(answered["0"], 1400);
  EXPECT_GT(answered["1"], 1400);
  EXPECT_GT(answered["2"], 1400);
  EXPECT_GT(answered["3"], 500);
  EXPECT_GT(sharp, 800);
}

}  // namespace
}  // namespace sotto
