// Mechanisms as cells of outputs and their probabilities under two neighbouring data sets: all that the sweep's second method knows.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>
#include <vector>

namespace sotto {

constexpr int kCells = 500;

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
inline Range delta_of(const Cells& cells, double epsilon) {
  const double u = std::exp(epsilon);
  Range range;
  for (const Cell& c : cells) {
    range.low += std::max(c.p - u * c.q, 0.0);
    range.high += c.p * std::max(1 - u * c.least, 0.0);
  }
  return range;
}
inline Range delta_of(const Cells& first, const Cells& second, double epsilon) {
  const double u = std::exp(epsilon);
  Range range;
  for (const Cell& a : first) {
    for (const Cell& b : second) {
      range.low += std::max(a.p * b.p - u * a.q * b.q, 0.0);
      const double least =
          std::min(a.least, 1e150) * std::min(b.least, 1e150);  // either may be infinite, the other 0
      range.high += a.p * b.p * std::max(1 - u * least, 0.0);
    }
  }
  return range;
}

inline Cells reversed(Cells cells) {
  for (Cell& c : cells) c = {c.q, c.p, 1 / c.most, 1 / c.least};
  return cells;
}

// Cells of a line; the likelihood ratio is monotone in each, and the distribution functions are known.
using OnLine = std::function<double(double)>;
inline Cells on_line(double reach, double shift, int count, const OnLine& p_above, const OnLine& q_above,
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
inline Cells mixture(bool gaussian, double shift, double r, double s, int count) {
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

// Gaussian noise of scale 1 on the sum over a batch, of which no more than `largest` rows are kept, at random: so many other rows contribute
// -shift each, and one +shift, or it is exchanged for one like the others, or not there. Nothing is said about how little is lost.
inline Cells truncated_batches(double shift, double rate, int others, int largest, bool exchanged) {
  std::vector<std::array<double, 3>> parts;  // centre, and its weights for both data sets
  double weight = std::pow(1 - rate, others);
  for (int drawn = 0; drawn <= others; ++drawn) {
    const double kept = std::min(1.0, static_cast<double>(largest) / (drawn + 1)) * rate;
    const double alone = -shift * std::min(drawn, largest);
    const double with_one_less = -shift * std::min(drawn, largest - 1);
    parts.push_back({alone, weight * (1 - kept), exchanged ? weight * (1 - kept) : weight});
    parts.push_back({with_one_less + shift, weight * kept, 0});
    if (exchanged) parts.push_back({with_one_less - shift, 0, weight * kept});
    weight *= static_cast<double>(others - drawn) / (drawn + 1) * rate / (1 - rate);
  }
  const double reach = 9 + shift * (others + 1);
  Cells cells;
  for (int i = 0; i < kCells; ++i) {
    const double left = i == 0 ? -HUGE_VAL : reach * (2.0 * i / kCells - 1);
    const double right = i + 1 == kCells ? HUGE_VAL : reach * (2.0 * (i + 1) / kCells - 1);
    Cell cell{0, 0, 0, 1e300};
    for (const auto& [centre, p, q] : parts) {
      const double mass =
          std::max(std::erfc((left - centre) / std::sqrt(2.0)) - std::erfc((right - centre) / std::sqrt(2.0)),
                   0.0) /
          2;
      cell.p += p * mass;
      cell.q += q * mass;
    }
    cells.push_back(cell);
  }
  return cells;
}

// Noise of scale 1 on two sums, to one of which, drawn at random, the row adds `shift`. Squares of outputs.
inline Cells two_bins(double shift) {
  constexpr int lines = 80;
  const double reach = 8 + shift;
  const auto place = [&](int i) {
    return i == 0 ? -HUGE_VAL : i == lines ? HUGE_VAL : reach * (2.0 * i / lines - 1);
  };
  const auto mass = [&](int i, double centre) {
    const auto above = [&](double x) { return std::erfc((x - centre) / std::sqrt(2.0)) / 2; };
    return std::max(above(place(i)) - above(place(i + 1)), 0.0);
  };
  const auto ratio = [&](double x) { return std::exp(shift * x - shift * shift / 2); };
  Cells cells;
  for (int i = 0; i < lines; ++i) {
    for (int j = 0; j < lines; ++j) {
      const double p = (mass(i, shift) * mass(j, 0) + mass(i, 0) * mass(j, shift)) / 2;
      const double least = (ratio(place(i)) + ratio(place(j))) / 2;  // p over q, of monotone ratios
      const double most = (ratio(place(i + 1)) + ratio(place(j + 1))) / 2;
      cells.push_back({p, mass(i, 0) * mass(j, 0), 1 / std::min(most, 1e300), 1 / std::max(least, 1e-300)});
    }
  }
  return cells;
}

inline Cells answers(const std::vector<std::pair<double, double>>& probabilities) {
  Cells cells;
  for (const auto& [p, q] : probabilities) {
    const double ratio = p > 0 ? q / p : 1e300;
    cells.push_back({p, q, ratio, ratio});
  }
  return cells;
}

// So many answers of one bit, each right with this probability: how many were.
inline Cells binomial(double right, std::size_t count) {
  std::vector<std::pair<double, double>> table;
  const auto n = static_cast<double>(count);
  for (double k = 0; k <= n; ++k) {
    const double ways = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
    const auto of = [&](double hits) {
      return std::exp(ways + hits * std::log(right) + (n - hits) * std::log1p(-right));
    };
    table.emplace_back(of(k), of(n - k));
  }
  return answers(table);
}

// How many of so many users answer 1 by randomised response: one holds 1, or 0 as all others do. One user after the other.
inline Cells shuffled_answers(double epsilon, std::size_t users) {
  const double lie = 1 / (1 + std::exp(epsilon));
  const auto one_more = [](const std::vector<double>& of, double yes) {
    std::vector<double> next(of.size() + 1, 0.0);
    for (std::size_t i = 0; i < of.size(); ++i) {
      next[i] += of[i] * (1 - yes);
      next[i + 1] += of[i] * yes;
    }
    return next;
  };
  std::vector<double> others{1};
  for (std::size_t i = 1; i < users; ++i) others = one_more(others, lie);
  const std::vector<double> with = one_more(others, 1 - lie);
  const std::vector<double> without = one_more(others, lie);
  std::vector<std::pair<double, double>> table;
  for (std::size_t i = 0; i <= users; ++i) table.emplace_back(with[i], without[i]);
  return answers(table);
}

// Probability that a query this far above the threshold is found above it: Laplace noise of these scales on the threshold and on
// the query, Simpson's rule between the kinks.
inline double above_threshold(double threshold, double query, double away) {
  const auto integrand = [&](double z) {
    const double far = std::exp(-std::abs(z - away) / query) / 2;
    return std::exp(-std::abs(z) / threshold) / (2 * threshold) * (z > away ? far : 1 - far);
  };
  const auto simpson = [&](double from, double to) {
    constexpr int pieces = 2000;
    const double h = (to - from) / pieces;
    double sum = 0;
    for (int i = 0; i < pieces; ++i) {
      const double left = from + h * i;
      sum += integrand(left + 1e-9 * h) + 4 * integrand(left + h / 2) + integrand(left + h - 1e-9 * h);
    }
    return sum * h / 6;
  };
  const double reach = 40 * threshold;
  return simpson(-reach, 0) + simpson(0, away) + simpson(away, away + reach);
}

// A batch whose variance noise completes to 2: all rows have log ratio 0, but one has plus or minus the bound. With probability
// `rate` it is in the batch, moves the sum to plus or minus `centre` and spends `spread` of the noise's variance. What all
// other rows might lose is not seen: nothing is said about how little is lost.
inline Cells variance_completed(double rate, double centre, double spread) {
  const auto below = [&](double x, double sign) {
    return (1 - rate) * std::erfc(-x / 2) / 2 +
           rate * std::erfc(-(x - sign * centre) / std::sqrt(2 * (2 - spread))) / 2;
  };
  Cells cells;
  for (int i = 0; i <= kCells; ++i) {
    const double left = -14 + 28.0 * i / kCells;
    const double right = i < kCells ? left + 28.0 / kCells : HUGE_VAL;
    const auto mass = [&](double sign) { return below(right, sign) - below(left, sign); };
    cells.push_back({std::max(mass(1), 0.0), std::max(mass(-1), 0.0), 0, 1e300});
  }
  return cells;
}

}  // namespace sotto
