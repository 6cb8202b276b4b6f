#include "sotto/accountant/pld/single_step.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// P - e^epsilon Q of the outputs with losses above epsilon.
double pair_delta(const DominatingPair& pair, double epsilon, double sign) {
  const PairMass above = pair.between(pair.cut(epsilon), pair.cut_above_everything());
  if (epsilon > kLargestLoss) {
    return sign > 0 ? (above.p + above.difference_error + above.q_error) * (1 + 1e-11) : 0;
  }
  const double rise = std::expm1(epsilon);
  // Nothing is lost by a cut that is off by a rounding error: the integrand is zero there.
  const double error = above.difference_error + rise * above.q_error + 1e-11 * above.difference + 1e-300;
  return above.difference - rise * above.q + sign * error;
}

// The largest loss may have an atom, and is rounded.
double moved_for_rounding(const DominatingPair& pair, double epsilon, double sign) {
  const double largest = std::isfinite(pair.max_loss()) ? pair.max_loss() : 0;
  return std::max(epsilon - sign * 1e-14 * (largest + epsilon), 0.0);
}

double lattice_delta(const DiscretePld& lattice, double epsilon, double sign) {
  const double largest = std::abs(lattice.loss(0)) + std::abs(lattice.loss(lattice.mass.size() - 1));
  const double moved = epsilon - sign * 1e-14 * (largest + epsilon);
  long double sum = 0;
  for (std::size_t i = 0; i < lattice.mass.size(); ++i) {
    if (lattice.loss(i) > moved) sum -= lattice.mass[i] * std::expm1(moved - lattice.loss(i));
  }
  return static_cast<double>(sum) * (1 + sign * 1e-11) + (sign > 0 ? lattice.infinite : 0);
}

}  // namespace

double largest_loss(const LossModel& model) {
  double total = 0;
  for (const LossPart& part : model.parts) {
    const double largest =
        part.pair ? part.pair->max_loss() : part.lattice.loss(part.lattice.mass.size() - 1);
    if (!part.pair && part.lattice.infinite > 0) return model.pure_epsilon;
    total += static_cast<double>(part.count) * largest;
  }
  return std::min(total * (1 + 1e-12), model.pure_epsilon);
}

double one_step_delta(const LossPart& part, double epsilon, Side side) {
  const double sign = side == Side::upper ? 1 : -1;
  const double delta = part.pair ? pair_delta(*part.pair, moved_for_rounding(*part.pair, epsilon, sign), sign)
                                 : lattice_delta(part.lattice, epsilon, sign);
  if (std::isnan(delta)) return side == Side::upper ? 1 : 0;
  return std::clamp(delta, 0.0, 1.0);
}

}  // namespace sotto
