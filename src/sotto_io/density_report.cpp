#include "sotto_io/density_report.hpp"

#include <fmt/format.h>

namespace sotto {

std::string point_name(const DensityReport& report, std::size_t column, Eigen::Index x) {
  const std::vector<std::string>& levels = report.levels[column];
  return levels.empty() ? fmt::format("{:.10g}", report.result.columns[column].grid[x])
                        : levels[static_cast<std::size_t>(x)];
}

}  // namespace sotto
