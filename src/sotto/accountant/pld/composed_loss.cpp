#include "sotto/accountant/pld/composed_loss.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <utility>

#include "sotto/math/fourier.hpp"

namespace sotto {
namespace {

constexpr double kTrimmed = 1.06;     // of a power of two: so wide windows lose their ends
constexpr double kForgotten = 1e-10;  // of what may lie outside a window, the mass of one of its points
constexpr double kTrimmedLoss = 1e3;  // how much more may lie outside then

// log sum_i mass_i e^(rate loss_i), rounded up.
double log_moment(const TiltedLoss& loss, double rate) {
  const double top = rate * loss.loss(rate > 0 ? loss.mass.size() - 1 : 0);
  double sum = 0;
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    if (loss.mass[i] > 0) sum += loss.mass[i] * std::exp(rate * loss.loss(i) - top);
  }
  if (sum < 1e-280) {  // all of it far below the topmost loss: start again from the largest term
    double largest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < loss.mass.size(); ++i) {
      if (loss.mass[i] > 0) largest = std::max(largest, std::log(loss.mass[i]) + rate * loss.loss(i));
    }
    sum = 0;
    for (std::size_t i = 0; i < loss.mass.size(); ++i) {
      if (loss.mass[i] > 0) sum += std::exp(std::log(loss.mass[i]) + rate * loss.loss(i) - largest);
    }
    return largest + std::log(sum);
  }
  return top + std::log(sum);
}

// Bound on the tilted probability of sums beyond `edge`: above it for rate > 0, below it for rate < 0.
double chernoff(const std::vector<TiltedPower>& parts, double edge, double rate) {
  double extreme = 0;
  double exponent = -rate * edge;
  double size = std::abs(rate * edge);
  for (const TiltedPower& part : parts) {
    const auto k = static_cast<double>(part.count);
    extreme += k * part.loss.loss(rate > 0 ? part.loss.mass.size() - 1 : 0);
    const double moment = k * log_moment(part.loss, rate);
    exponent += moment;
    size += std::abs(moment);
  }
  if (rate * (edge - extreme) > 0) return 0;
  return std::min(1.0, std::exp(exponent + 1e-9 * size));
}

// Groups of neighbours, none too heavy, nor too wide for its distance to the heaviest mass; `coarse` times as wide for one
// part out of many. Steers only.
LossSketch sketch_of(const TiltedLoss& loss, std::size_t coarse) {
  LossSketch sketch;
  const auto peak =
      static_cast<std::size_t>(std::max_element(loss.mass.begin(), loss.mass.end()) - loss.mass.begin());
  double mass = 0;
  double mean = 0;
  std::size_t length = 0;
  const auto close = [&] {
    if (mass > 1e-290) {
      sketch.loss.push_back(mean / mass);
      sketch.mass.push_back(mass);
    }
    mass = mean = 0;
    length = 0;
  };
  for (std::size_t i = 0; i < loss.mass.size(); ++i) {
    const std::size_t away = i > peak ? i - peak : peak - i;
    const std::size_t longest = 1 + coarse * std::min(away / 64, loss.mass.size() / 500);
    if (length >= longest || mass + loss.mass[i] > 2e-3 * static_cast<double>(coarse)) close();
    mass += loss.mass[i];
    mean += loss.mass[i] * loss.loss(i);
    ++length;
  }
  close();
  return sketch;
}

// |z|, never too small by more than a few units in the last place; std::abs is several times slower.
double modulus(std::complex<double> z) { return std::sqrt(std::norm(z)) + 1e-150; }

std::complex<double> power(std::complex<double> z, std::uint64_t n) {
  std::complex<double> result = 1;
  for (; n > 0; n >>= 1) {
    if (n & 1)
      result = {result.real() * z.real() - result.imag() * z.imag(),
                result.real() * z.imag() + result.imag() * z.real()};
    z = {z.real() * z.real() - z.imag() * z.imag(), 2 * z.real() * z.imag()};
  }
  return result;
}

// z^n for z = 1 + w, with a bound on its error where w is off by `error`. Near 1 the error is one of w, not of z.
struct Power {
  std::complex<double> value;
  double modulus;  // bound on |z|^n
  double error;
};

Power power_of(std::complex<double> w, double error, std::uint64_t n) {
  const std::complex<double> z = 1.0 + w;
  const auto k = static_cast<double>(n);
  const double size = modulus(w);
  if (size < 0.5) {
    const double log_modulus = std::log1p(2 * w.real() + std::norm(w)) / 2;
    const double angle = k * std::atan2(w.imag(), z.real());
    const double bound = std::exp(k * log_modulus + 2 * k * error);
    const double slack = bound * (k * (2 * error + 16 * kUnit * size) + 16 * kUnit);
    return {std::polar(std::exp(k * log_modulus), angle), bound, slack};
  }
  const double largest = modulus(z) + error;
  const double bound = std::exp(k * std::log(largest));
  return {power(z, n), bound, k * bound / largest * (error + 8 * kUnit * largest)};
}

// Multiplies `product` by the power of one part's transform; `error` follows the error of every coefficient. The heaviest
// mass is moved to index 0 and transformed exactly: where it is nearly everything, errors are those of the rest. Returns
// the index, modulo the size, that has become 0.
std::uint64_t multiply(std::vector<std::complex<double>>& product, std::vector<double>& error,
                       const TiltedPower& part, std::size_t size) {
  const auto& mass = part.loss.mass;
  const std::size_t mask = size - 1;
  const auto heaviest = static_cast<std::size_t>(std::max_element(mass.begin(), mass.end()) - mass.begin());
  std::vector<double> folded(size, 0.0);
  double rest = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) {
    if (i == heaviest) continue;
    folded[(i - heaviest) & mask] += mass[i];
    rest += mass[i];
  }
  const std::vector<std::complex<double>> transform = real_to_complex(folded);
  const double here = fourier_error(size) * rest + 1e-300;
  const double atom = mass[heaviest] - 1;
  const double negligible = std::exp(-90 / static_cast<double>(part.count));
  for (std::size_t j = 0; j < product.size(); ++j) {
    if (product[j] == 0.0 && error[j] == 0) continue;
    const std::complex<double> w = atom + transform[j];
    const double old = modulus(product[j]);
    if (modulus(1.0 + w) + here < negligible) {
      error[j] = (old + error[j]) * 1e-39;
      product[j] = 0;
      continue;
    }
    const Power power = power_of(w, here + 2 * kUnit * modulus(w), part.count);
    product[j] = {product[j].real() * power.value.real() - product[j].imag() * power.value.imag(),
                  product[j].real() * power.value.imag() + product[j].imag() * power.value.real()};
    error[j] = error[j] * power.modulus + (old + error[j]) * power.error + 8 * kUnit * old * power.modulus;
  }
  return part.count * static_cast<std::uint64_t>(part.loss.first + static_cast<std::int64_t>(heaviest));
}

}  // namespace

std::optional<TiltedLoss> compose(const std::vector<TiltedPower>& parts, double tilt, double exponent,
                                  double most_points, Side side) {
  TiltedLoss sum;
  sum.step = parts.front().loss.step;
  double count = 0;
  double missing = 0;
  double log_total = 0;  // of the product of the parts' totals, where these are above 1
  double moved = 0;      // by rounding, in steps
  double lowest = 0;     // no sum lies outside [lowest, highest], in steps
  double highest = 0;
  Cumulant cumulant;
  const std::size_t coarse = std::clamp<std::size_t>(parts.size(), 1, 10);
  for (const TiltedPower& part : parts) {
    const auto k = static_cast<double>(part.count);
    count += k;
    sum.offset += k * part.loss.offset;
    sum.log_scale += k * part.loss.log_scale;
    sum.log_error += k * (part.loss.log_error + 8 * kUnit * std::abs(part.loss.log_scale));
    sum.infinite += k * part.loss.infinite;
    missing += k * part.loss.missing;
    const double total = std::accumulate(part.loss.mass.begin(), part.loss.mass.end(), part.loss.missing);
    log_total += k * std::log(std::max(total, 1.0));
    moved += k * part.loss.margin;
    lowest += k * static_cast<double>(part.loss.first);
    highest +=
        k * static_cast<double>(part.loss.first + static_cast<std::int64_t>(part.loss.mass.size()) - 1);
    cumulant.add(sketch_of(part.loss, coarse), k);
  }
  const LossWindow window = window_around(cumulant, 0, exponent);
  const auto place = [&](double l) { return (l - sum.offset) / sum.step; };
  double begin = std::clamp(std::floor(place(window.low)) - 1, lowest, highest);
  double end = std::max(std::min(highest, std::ceil(place(window.high)) + 1), begin) + 1;
  const double nearly = 8 + 0.02 * (end - begin);  // the window's ends are known roughly only
  if (begin - lowest < nearly) begin = lowest;
  if (highest + 1 - end < nearly) end = highest + 1;
  const auto at = [&](double index) { return sum.offset + index * sum.step; };
  const auto outside = [&] {
    return chernoff(parts, at(end), window.rate_above) + chernoff(parts, at(begin - 1), window.rate_below);
  };
  if (outside() > 1e3 * std::exp(-exponent) && highest + 1 - lowest <= most_points) {
    begin = lowest;
    end = highest + 1;
  }
  // Twice as many points for a window that is a little too wide would be wasted, unless something lies at its ends.
  const double fits = std::bit_floor(static_cast<std::size_t>(std::clamp(end - begin, 1.0, 0x1p40)));
  const bool at_an_end = begin == lowest || end == highest + 1;
  if (!at_an_end && fits >= 4096 && end - begin < kTrimmed * fits) {
    const double whole_begin = std::exchange(begin, begin + std::floor((end - begin - fits) / 2));
    const double whole_end = std::exchange(end, begin + fits);
    if (!(outside() < kTrimmedLoss * std::exp(-exponent))) {
      begin = whole_begin;
      end = whole_end;
    }
  }
  if (!(end - begin <= most_points && std::abs(begin) < kMostIndex)) return std::nullopt;
  const std::size_t size = std::bit_ceil(static_cast<std::size_t>(std::max(end - begin, 64.0)));
  sum.first = static_cast<std::int64_t>(begin);
  std::vector<std::complex<double>> product(size / 2 + 1, 1.0);
  std::vector<double> error(size / 2 + 1, 0.0);
  std::uint64_t zero = 0;
  for (const TiltedPower& part : parts) zero += multiply(product, error, part, size);
  // By Parseval's equation: the errors of the coefficients, then those of the inverse transform.
  double squares = 0;
  double error_squares = 0;
  for (std::size_t j = 0; j < product.size(); ++j) {
    const double twice = j == 0 || j == size / 2 ? 1 : 2;
    squares += twice * std::norm(product[j]);
    error_squares += twice * error[j] * error[j];
  }
  const auto n = static_cast<double>(size);
  sum.noise = (std::sqrt(error_squares / n) + fourier_error(size) * std::sqrt(squares / n)) * 1.01;
  const std::vector<double> circular = complex_to_real(product, size);
  sum.mass.resize(static_cast<std::size_t>(end - begin));
  for (std::size_t i = 0; i < sum.mass.size(); ++i) {
    const auto index = (static_cast<std::uint64_t>(sum.first) + i - zero) & (size - 1);
    sum.mass[i] = std::max(circular[index], 0.0);
  }
  sum.missing = missing * 1.01 * std::exp(log_total) + outside();
  // Rounding of losses and masses of the single steps, outward.
  const double margin = side == Side::upper ? 1 : -1;
  const double largest = std::abs(sum.loss(0)) + std::abs(sum.loss(sum.mass.size() - 1));
  const double shift = margin * (moved * sum.step + 1e-14 * (std::abs(sum.offset) + largest));
  sum.offset += shift;
  sum.log_scale += tilt * shift + margin * count * kMassMargin;  // a loss moves with its untilted probability
  return sum;
}

std::optional<TiltedLoss> compose_seen_roughly(const std::vector<TiltedLoss>& parts, double step, double tilt,
                                               double exponent, double most_points) {
  std::vector<TiltedPower> under_p;
  std::vector<TiltedPower> under_q;
  TiltedLoss out{.offset = 0, .step = step, .first = 0, .mass = {}};
  for (const TiltedLoss& part : parts) {
    const auto place = [&](std::size_t k) {
      return static_cast<std::int64_t>(std::round(part.loss(k) / step));
    };
    const double largest = std::max(std::abs(part.loss(0)), std::abs(part.loss(part.mass.size() - 1)));
    if (!(largest / step < kMostIndex)) return std::nullopt;
    TiltedLoss p{.offset = 0, .step = step, .first = place(0), .mass = {}};
    p.mass.assign(static_cast<std::size_t>(place(part.mass.size() - 1) - p.first) + 1, 0.0);
    p.missing = part.missing;
    TiltedLoss q = p;
    for (std::size_t k = 0; k < part.mass.size(); ++k) {
      if (!(part.mass[k] > part.noise)) continue;
      const auto i = static_cast<std::size_t>(place(k) - p.first);
      const double away = part.loss(k) - p.loss(i);
      const double mass = (part.mass[k] - part.noise) * std::exp(-tilt * away);
      p.mass[i] += mass;
      q.mass[i] += mass * std::exp(-away);
    }
    out.log_scale += part.log_scale - kMassMargin;
    out.log_error += part.log_error + 8 * kUnit * (tilt * largest + std::abs(part.log_scale) + 8);
    out.margin += part.margin * part.step / step + kGridMargin + 8 * kUnit * (8 + largest) / step;
    under_p.push_back({std::move(p), 1});
    under_q.push_back({std::move(q), 1});
  }
  const auto p = compose(under_p, 0, exponent, most_points, Side::lower);
  const auto q = compose(under_q, 0, exponent, most_points, Side::upper);
  if (!p || !q) return std::nullopt;
  out.missing = p->missing;
  // Places where both are known; what is known of P alone is left out.
  const std::int64_t first = std::max(p->first, q->first);
  const std::int64_t end = std::min(p->first + static_cast<std::int64_t>(p->mass.size()),
                                    q->first + static_cast<std::int64_t>(q->mass.size()));
  std::vector<LossAtom> atoms;
  for (std::int64_t i = first; i < end; ++i) {
    const double here = static_cast<double>(i) * step;
    const double mass = p->mass[static_cast<std::size_t>(i - p->first)] - p->noise;
    if (!(mass > 0)) continue;
    const double away = std::log(mass / (q->mass[static_cast<std::size_t>(i - q->first)] + q->noise));
    // What is mostly noise, and far below for that: without it the curve is lower, and the grid shorter.
    const double tilted_mass = mass * std::exp(tilt * away);
    if (!(tilted_mass > kForgotten * std::exp(-exponent))) continue;
    atoms.push_back({here + away, tilted_mass});
  }
  if (atoms.empty()) return std::nullopt;
  out.offset = std::ranges::max_element(atoms, {}, &LossAtom::mass)->loss;
  take_to_grid(out, atoms, tilt);
  return out;
}

}  // namespace sotto
