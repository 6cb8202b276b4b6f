// The settings of the DP-HMC paper's runs. They were found by looking at the private data without charge
// (erratum E17): for this comparison only.
#pragma once

#include <vector>

#include "sotto/base/position.hpp"

namespace sotto {

/// Costs are 1 / (2 tau^2 rows). Clip bounds are per unit of distance for ratios, norms for gradients.
struct Published {
  struct {
    double tau, proposal_sd, ratio_clip;
  } penalty;
  struct {
    double ratio_tau, gradient_tau, step_size;
    int steps;
    double ratio_clip, gradient_clip;
  } hmc;
  struct Langevin {
    double batch, clip, step_size;  ///< the step is divided by the number of rows
    double diffusion = 0;
  } sgld, sgnht;
};

[[nodiscard]] inline Published published_banana() {
  return {.penalty = {0.17, 0.06, 0.15},
          .hmc = {0.1, 0.55, 0.006, 25, 0.1, 0.05},
          .sgld = {1000, 0.2, 1},
          .sgnht = {1000, 0.2, 100, 50}};
}

[[nodiscard]] inline Published published_normal() {
  return {.penalty = {0.05, 0.0007, 10},
          .hmc = {0.1, 0.25, 0.00015, 12, 6, 10},
          .sgld = {1000, 15, 0.008},
          .sgnht = {1000, 12, 0.2, 30}};
}

/// The settings of the paper's clipping runs, without noise.
struct PublishedClipping {
  std::vector<double> bounds;  ///< of ratios, per unit of distance
  double proposal_sd, walk_steps;
  double step_size;
  int leapfrog_steps;
  double hmc_steps, gradient_clip;
};

[[nodiscard]] inline PublishedClipping published_banana_clipping() {
  return {{0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.5, 1, 10}, 0.3, 12000, 0.01, 100, 1000, 10};
}

[[nodiscard]] inline PublishedClipping published_normal_clipping() {
  return {{0.1, 0.2, 1, 5, 10, 15, 20, 50, 100}, 0.0007, 25000, 0.0005, 12, 1000, 100};
}

/// Covariance of a row of the ten-dimensional normal problem: a random rotation of gamma(1/2) variances,
/// condition number 377.
[[nodiscard]] inline Matrix published_covariance() {
  Matrix covariance(10, 10);
  covariance << 0.9059993382618485, -0.29852380313101, 0.5244587422236123, -0.6462521446273772,
      -0.6476638444002163, 0.1164351918235519, 0.2428409887905802, -0.3532961968973052, 0.6739760942207214,
      0.4539635541622855, -0.29852380313101, 0.4686082776313724, -0.3443765756804636, 0.2144353256700617,
      0.3718489441922945, -0.3077240778744745, -0.09528216569351922, 0.23298462558838, -0.4306420010718556,
      -0.2657959116572147, 0.5244587422236123, -0.3443765756804636, 0.7821929037747926, -0.6356526533639901,
      -0.8210103103390185, 0.09136162797179059, 0.2453931479549267, -0.420917951117888, 0.7526456689151757,
      0.5546289931461614, -0.6462521446273772, 0.2144353256700617, -0.6356526533639901, 0.9355265593647311,
      0.7121201732363363, -0.05163128818604686, -0.1942759206731365, 0.3208892280706893, -0.8994142867746947,
      -0.2572305502584608, -0.6476638444002163, 0.3718489441922945, -0.8210103103390185, 0.7121201732363363,
      1.085077027506909, -0.2065509576841591, -0.1123075868807363, 0.4822134397161764, -0.8523601129131864,
      -0.6663634771147874, 0.1164351918235519, -0.3077240778744745, 0.09136162797179059, -0.05163128818604686,
      -0.2065509576841591, 0.600248804673898, -0.1633515669938025, 0.05603041008649454, 0.086129484887463,
      0.0117180970245474, 0.2428409887905802, -0.09528216569351922, 0.2453931479549267, -0.1942759206731365,
      -0.1123075868807363, -0.1633515669938025, 0.3545889751661163, -0.06313239180741977, 0.1239409525792403,
      0.1121130855937863, -0.3532961968973052, 0.23298462558838, -0.420917951117888, 0.3208892280706893,
      0.4822134397161764, 0.05603041008649454, -0.06313239180741977, 0.5259457347521288, -0.5919349935524023,
      -0.5440344407021097, 0.6739760942207214, -0.4306420010718556, 0.7526456689151757, -0.8994142867746947,
      -0.8523601129131864, 0.086129484887463, 0.1239409525792403, -0.5919349935524023, 1.359659370071785,
      0.4072492971505915, 0.4539635541622855, -0.2657959116572147, 0.5546289931461614, -0.2572305502584608,
      -0.6663634771147874, 0.0117180970245474, 0.1121130855937863, -0.5440344407021097, 0.4072492971505915,
      0.904229493098325;
  return covariance;
}

}  // namespace sotto
