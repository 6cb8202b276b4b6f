#include "sotto/diagnostics/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/mmd.hpp"

namespace sotto {
namespace {

constexpr Eigen::Index kMostCompared = 4000;

/// Of all chains, shape (draws, names): the columns of these names.
Matrix columns_of(const Draws& draws, const std::vector<std::string>& names, const char* whose) {
  Eigen::Index rows = 0;
  for (const Chain& chain : draws.chains) rows += chain.draws.rows();
  Matrix all(rows, static_cast<Eigen::Index>(names.size()));
  for (std::size_t j = 0; j < names.size(); ++j) {
    const auto found = std::find(draws.parameters.begin(), draws.parameters.end(), names[j]);
    if (found == draws.parameters.end())
      throw Error(ErrorCode::data, fmt::format("the {} have no parameter {}", whose, names[j]));
    Eigen::Index at = 0;
    for (const Chain& chain : draws.chains) {
      all.col(static_cast<Eigen::Index>(j)).segment(at, chain.draws.rows()) =
          chain.draws.col(found - draws.parameters.begin());
      at += chain.draws.rows();
    }
  }
  if (rows < 2) throw Error(ErrorCode::data, fmt::format("the {} are fewer than two", whose));
  if (!all.allFinite())
    throw Error(ErrorCode::data, fmt::format("some of the {} are no finite numbers", whose));
  return all;
}

Position sd_of(const Matrix& x) {
  return (x.rowwise() - x.colwise().mean()).colwise().norm() / std::sqrt(static_cast<double>(x.rows() - 1));
}

Matrix at_most(const Matrix& x, Eigen::Index rows) {
  if (x.rows() <= rows) return x;
  Matrix some(rows, x.cols());
  for (Eigen::Index i = 0; i < rows; ++i) some.row(i) = x.row(i * x.rows() / rows);
  return some;
}

}  // namespace

DrawsComparison compare(const Draws& draws, const Draws& reference) {
  const Matrix x = columns_of(draws, draws.parameters, "draws");
  const Matrix y = columns_of(reference, draws.parameters, "reference's draws");
  const Position scale = sd_of(y);
  const Position spread = sd_of(x);
  const Position error = x.colwise().mean() - y.colwise().mean();
  DrawsComparison result;
  for (Eigen::Index j = 0; j < scale.size(); ++j) {
    const std::string& name = draws.parameters[static_cast<std::size_t>(j)];
    if (!(scale[j] > 0))
      throw Error(ErrorCode::data, fmt::format("the reference's draws of {} do not vary", name));
    result.parameters.push_back({name, error[j] / scale[j], spread[j] / scale[j]});
  }
  const Matrix inverse_scale = scale.cwiseInverse().asDiagonal();
  const Matrix some = at_most(x, kMostCompared) * inverse_scale;
  const Matrix others = at_most(y, kMostCompared) * inverse_scale;
  result.draws = static_cast<std::size_t>(some.rows());
  result.reference = static_cast<std::size_t>(others.rows());
  result.mmd = std::sqrt(std::abs(mmd_squared(some, others, median_distance(some, others))));
  return result;
}

}  // namespace sotto
