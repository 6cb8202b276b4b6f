// The data of the paper on mixtures of privatised data: two simulations, and a public stand-in for its waiting times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/position.hpp"
#include "sotto/mixture/kernel/normal_kernel.hpp"

namespace sotto {

struct StudyData {
  std::vector<double> y;
  std::vector<int> groups;  ///< the component each came from; empty where there is none
  Interval domain;          ///< as declared to the mechanism
};

/// `name`: normals (three, sd 1, truncated to [-10, 10]); betas ((5, 50), (50, 50), (50, 5)); waiting-times (always the same 100).
/// Source     [BFR24, sections 4.1, 4.2 and 6]
[[nodiscard]] StudyData simulate_study(const std::string& name, std::size_t rows, std::uint64_t seed);

/// Where densities of these data are computed.
[[nodiscard]] Position study_grid(const std::string& name);

/// The density that normals and betas are drawn from, on the grid.
[[nodiscard]] Position true_density(const std::string& name);

/// The base measure of normal kernels: as printed for normals; for waiting times set by the releases: their mean, half their
/// variance for the expected variance, whose own variance is 1/2.
[[nodiscard]] mixture::NormalInverseGamma study_base(const std::string& name, const std::vector<double>& z);

/// Days, of 100 people.
[[nodiscard]] std::vector<double> waiting_days();

}  // namespace sotto
