// How far quantities of two groups of people differ, from the estimates of two releases.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto {

struct DensityReport;
struct DensitySettings;

/// Of this run's quantity less that of the other run.
struct QuantityDifference {
  std::string text;
  double mean = 0, sd = 0;
  double lower = 0, upper = 0;  ///< of the settings' level
  double positive = 0;          ///< posterior probability that it is above 0
};

/// The summary that a run against `other` will read, before anything is drawn. Errors: usage where the settings ask for no quantity;
/// no_input, data as below.
std::filesystem::path check_other_group(const DensitySettings& settings, const std::filesystem::path& other);

/// Notes the differences of all quantities that both runs asked for. Rows of the one are of other people than those of the other, and each release has
/// noise of its own: posteriors are independent, so draws are paired at random.
/// Errors: no_input, data where the directory holds no estimate; usage where it is of the same release.
void compare_quantities(DensityReport& report, const std::filesystem::path& other);

}  // namespace sotto
