// The integers that rows add to a question's sum: what enters the mechanism.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <variant>
#include <vector>

#include "sotto/measurement/measurement.hpp"

namespace sotto {

[[nodiscard]] inline Eigen::VectorX<long double> contribution(const Measurement& part, const Rows& rows) {
  const auto& pass = std::get<RowPass>(part.pass);
  std::vector<std::int64_t> sums(pass.entries);
  pass.add(rows, 0, rows.tiles(), sums);
  Eigen::VectorX<long double> vector(static_cast<Eigen::Index>(sums.size()));
  for (std::size_t i = 0; i < sums.size(); ++i)
    vector[static_cast<Eigen::Index>(i)] = static_cast<long double>(sums[i]);
  return vector;
}

}  // namespace sotto
