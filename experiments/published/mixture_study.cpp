#include "experiments/published/mixture_study.hpp"

#include <array>
#include <cmath>

#include "sotto/mixture/density_estimate.hpp"
#include "sotto/mixture/kernel/beta_kernel.hpp"
#include "sotto/mixture/kernel/truncated_normal_kernel.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

// The donors' intervals of the paper are not public. In their place: days from a blood sample to death, of the first 100 residents of
// Olmsted County in the table `flchain` who died 90 to 1998 days after it, so that the logarithms lie in the published domain.
// Table: R package survival 3.5-3, LGPL.
constexpr std::array kDays = {
    1281, 115,  1039, 1355, 372, 1326, 1046, 667,  1286, 1626, 1914, 874,  91,   1903, 312,  371, 1521,
    691,  1584, 283,  590,  702, 227,  997,  553,  1754, 225,  322,  704,  881,  897,  500,  262, 1960,
    937,  1079, 1298, 455,  567, 687,  630,  387,  663,  1817, 899,  598,  266,  673,  1207, 335, 108,
    191,  705,  1126, 1069, 110, 213,  1457, 436,  750,  984,  1210, 267,  877,  692,  1874, 921, 391,
    670,  420,  681,  392,  233, 975,  1261, 839,  124,  797,  340,  718,  1883, 271,  1856, 130, 1216,
    1163, 1330, 114,  398,  419, 568,  1271, 1107, 231,  1881, 282,  1928, 1021, 1577, 230};
static_assert(kDays.size() == 100);

const Interval kLogDays{4.49, 7.6};

/// The components, on the domain.
std::vector<mixture::TruncatedNormalKernel::Parameter> normal_components(
    const mixture::TruncatedNormalKernel& kernel) {
  return {kernel.complete({.mean = -5}), kernel.complete({.mean = 0}), kernel.complete({.mean = 5})};
}

mixture::TruncatedNormalKernel normal_law() { return {mixture::NormalInverseGamma{}, Interval{-10, 10}}; }

std::vector<mixture::BetaParameter> beta_components() {
  std::vector<mixture::BetaParameter> all;
  for (const auto& [a, b] : {std::pair{5.0, 50.0}, std::pair{50.0, 50.0}, std::pair{50.0, 5.0}})
    all.push_back({a, b, std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b)});
  return all;
}

template <class Kernel, class Components>
StudyData simulate(const Kernel& kernel, const Components& components, Interval domain, std::size_t rows,
                   std::uint64_t seed) {
  StudyData data{.y = {}, .groups = {}, .domain = domain};
  ChainRng rng(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t group = rng.below(components.size());
    data.groups.push_back(static_cast<int>(group));
    data.y.push_back(kernel.draw(components[group], rng));
  }
  return data;
}

template <class Kernel, class Components>
Position density_of(const Kernel& kernel, const Components& components, const Position& grid) {
  Position density(grid.size());
  mixture::density_on_grid(
      kernel,
      {std::vector<double>(components.size(), 1 / static_cast<double>(components.size())), components}, grid,
      density);
  return density;
}

}  // namespace

std::vector<double> waiting_days() { return {kDays.begin(), kDays.end()}; }

StudyData simulate_study(const std::string& name, std::size_t rows, std::uint64_t seed) {
  if (name == "normals") {
    const auto kernel = normal_law();
    return simulate(kernel, normal_components(kernel), kernel.domain(), rows, seed);
  }
  if (name == "betas") return simulate(mixture::BetaKernel({}), beta_components(), {0, 1}, rows, seed);
  StudyData data{.y = waiting_days(), .groups = {}, .domain = kLogDays};
  for (double& y : data.y) y = std::log(y);
  return data;
}

Position study_grid(const std::string& name) {
  if (name == "normals") return mixture::even_grid({-15, 15}, 301);
  if (name == "betas") return mixture::even_grid({0, 1}, 201);
  return mixture::even_grid({kLogDays.lower - 2, kLogDays.upper + 2}, 285);
}

Position true_density(const std::string& name) {
  const Position grid = study_grid(name);
  if (name == "betas") return density_of(mixture::BetaKernel({}), beta_components(), grid);
  // The mass that truncation takes away is 2e-7.
  const mixture::NormalKernel kernel{mixture::NormalInverseGamma{}};
  const std::vector<mixture::NormalParameter> components = {{.mean = -5}, {.mean = 0}, {.mean = 5}};
  return density_of(kernel, components, grid);
}

mixture::NormalInverseGamma study_base(const std::string& name, const std::vector<double>& z) {
  mixture::NormalInverseGamma base{.mean = 0, .precision = 0.1, .shape = 3, .rate = 3};
  if (name != "waiting-times") return base;
  const Eigen::Map<const Position> values(z.data(), static_cast<Eigen::Index>(z.size()));
  base.mean = values.mean();
  const double expected = (values.array() - base.mean).square().sum() / static_cast<double>(z.size() - 1) / 2;
  // E = rate / (shape - 1), variance = E^2 / (shape - 2) = 1/2
  base.shape = 2 + 2 * expected * expected;
  base.rate = expected * (base.shape - 1);
  return base;
}

}  // namespace sotto
