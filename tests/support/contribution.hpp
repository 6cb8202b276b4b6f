// The integers that rows add to a question's sum: what enters the mechanism.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <variant>
#include <vector>

#include "sotto/measurement/measurement.hpp"
#include "support/exact_sum_for_tests.hpp"

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

/// The same of a statistic that is found in its own way.
[[nodiscard]] inline Eigen::VectorX<long double> contribution(const Measurement& part, const Rows& rows,
                                                              EntropySource& entropy) {
  const ExactSum sum = std::get<OwnPass>(part.pass)(rows, entropy);
  Eigen::VectorX<long double> vector(static_cast<Eigen::Index>(sum.size()));
  for (std::size_t i = 0; i < sum.size(); ++i)
    vector[static_cast<Eigen::Index>(i)] = static_cast<long double>(ExactSumForTests::entry(sum, i));
  return vector;
}

}  // namespace sotto
