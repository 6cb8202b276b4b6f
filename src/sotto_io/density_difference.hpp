// How far quantities of two groups of people differ, from the estimates of two releases.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace sotto {

struct DensityReport;

/// Of this run's quantity less that of the other run.
struct QuantityDifference {
  std::string text;
  double mean = 0, sd = 0;
  double lower = 0, upper = 0;  ///< of the settings' level
  double positive = 0;          ///< posterior probability that it is above 0
};

/// Notes the differences of all quantities that both runs asked for. Rows of the one are of other people than those of the other, and each release has
/// noise of its own: posteriors are independent, so draws are paired at random.
/// Errors: no_input, data where the directory holds no estimate; usage where no quantity is common, or it is this run's own directory.
void compare_quantities(DensityReport& report, const std::filesystem::path& other);

}  // namespace sotto
