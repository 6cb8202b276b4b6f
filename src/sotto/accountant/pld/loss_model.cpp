#include "sotto/accountant/pld/loss_model.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

constexpr double kRound = 1e-14;

// Groups neighbouring atoms; steers only.
LossSketch sketch_of(const DiscretePld& grid) {
  LossSketch sketch;
  const std::size_t group = grid.mass.size() / 300 + 1;
  for (std::size_t start = 0; start < grid.mass.size(); start += group) {
    double mass = 0;
    double loss = 0;
    for (std::size_t i = start; i < std::min(start + group, grid.mass.size()); ++i) {
      mass += grid.mass[i];
      loss += grid.mass[i] * grid.loss(i);
    }
    if (!(mass > 1e-290)) continue;
    sketch.loss.push_back(loss / mass);
    sketch.mass.push_back(mass);
  }
  return sketch;
}

LossPart lattice_part(DiscretePld grid, std::uint64_t count) {
  LossPart part;
  part.sketch = sketch_of(grid);
  part.lattice = std::move(grid);
  part.count = count;
  return part;
}

LossPart pair_part(const DominatingPair& pair, std::uint64_t count) {
  LossPart part;
  part.pair = pair;
  part.count = count;
  return part;
}

// Adds one kind of step to a model.
class Builder {
 public:
  Builder(LossModel& model, std::uint64_t count, Side side) : model_(model), count_(count), side_(side) {}

  void operator()(const NoLoss&) {}
  void operator()(const GaussianLoss& loss) {
    const auto count = static_cast<double>(count_);
    model_.rho += loss.ratio * loss.ratio / 2 * count * (side_ == Side::upper ? 1 + kRound : 1 - kRound);
    model_.slack += loss.slack * count * (1 + kRound);
  }
  void operator()(const PairLoss& loss) {
    const DominatingPair pair(loss.noise, loss.scale, loss.shift, loss.r, loss.s);
    model_.parts.push_back(pair_part(loss.mirrored ? DominatingPair::mirrored(pair) : pair, count_));
  }
  void operator()(const LatticeLoss& loss) {
    model_.parts.push_back(
        lattice_part({loss.offset, loss.step, loss.first, loss.mass, loss.infinite, kLatticeMargin}, count_));
  }

 private:
  LossModel& model_;
  std::uint64_t count_;
  Side side_;
};

// A Gaussian total is split into copies of moderate cost, each a continuous pair.
void add_gaussian_part(LossModel& model, Side side) {
  if (model.parts.empty() || !(model.rho > 0)) return;
  const double copies = std::max(1.0, std::ceil(model.rho / 8));
  const double each = model.rho / copies * (side == Side::upper ? 1 + kRound : 1 - kRound);
  if (!(copies < 1e15))
    throw Error(ErrorCode::configuration, "the Gaussian part's noise is too small: raise sigma");
  model.parts.push_back(
      pair_part(DominatingPair(DominatingPair::Noise::gaussian, 1 / std::sqrt(2 * each), 1, 1, 0),
                static_cast<std::uint64_t>(copies)));
}

}  // namespace

namespace {

// Rounded up, and by nothing where the result is exact.
double sum_up(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  const double error = (a - (sum - part)) + (b - part);
  return error > 0 ? std::nextafter(sum, HUGE_VAL) : sum;
}
double product_up(double a, double b) {
  const double product = a * b;
  return std::fma(a, b, -product) > 0 ? std::nextafter(product, HUGE_VAL) : product;
}

// Basic composition: exact arithmetic matters where a budget of pure epsilon is to be used up.
double total_pure_epsilon(const std::vector<Event>& leaves, Adjacency adjacency) {
  double total = 0;
  for (const Event& leaf : leaves) {
    const View<double> each = pure_epsilon_view(leaf, adjacency);
    if (!each.is_known()) return HUGE_VAL;
    total = sum_up(total, product_up(each.value(), static_cast<double>(leaf.count)));
  }
  return total;
}

}  // namespace

std::vector<LossModel> loss_models(const std::vector<Event>& leaves, Adjacency adjacency, Side side) {
  LossModel forward;
  LossModel reverse;
  bool two = false;
  for (const Event& leaf : leaves) {
    const View<LossView> view = loss_view(leaf, adjacency, side);
    const LossView& losses = view.value();
    std::visit(Builder(forward, leaf.count, side), losses.forward);
    std::visit(Builder(reverse, leaf.count, side), losses.reverse.value_or(losses.forward));
    two = two || losses.reverse.has_value();
  }
  forward.pure_epsilon = reverse.pure_epsilon = total_pure_epsilon(leaves, adjacency);
  std::vector<LossModel> models;
  models.push_back(std::move(forward));
  if (two) models.push_back(std::move(reverse));
  for (LossModel& model : models) add_gaussian_part(model, side);
  return models;
}

}  // namespace sotto
