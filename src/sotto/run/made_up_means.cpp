#include "sotto/run/made_up_means.hpp"

#include <algorithm>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

MadeUpProblem make_up_means(const FitConfig& config, const Schema& schema, const MadeUpRows& made) {
  if (made.rows == 0) refuse("a plan needs the number of rows, one at least: give --rows");
  if (made.response_mean || made.like != nullptr)
    refuse("rows of a normal mean are simulated from its covariance: drop --like and --response-mean");
  Table blank(schema.select(columns_read(config.model)));
  for (std::size_t i = 0; i < made.rows; ++i) blank.append_nothing();
  MadeUpProblem result{make_problem(config, blank), {}};
  const LocationModel& model = *result.problem.model.as<LocationModel>();
  const std::vector<Interval> bounds = model.bounds();
  ChainRng rng(made.seed);
  Position mean(model.dim());
  for (Eigen::Index j = 0; j < mean.size(); ++j) {
    const Interval& range = bounds[static_cast<std::size_t>(j)];
    mean[j] = range.lower + range.width() * (0.25 + 0.5 * rng.uniform());
  }
  const Matrix factor = Cholesky(inverse(model.precision())).lower();
  Matrix values(static_cast<Eigen::Index>(made.rows), mean.size());
  for (Eigen::Index i = 0; i < values.rows(); ++i) {
    const Position row = mean + factor * rng.normals(mean.size());
    for (Eigen::Index j = 0; j < mean.size(); ++j) {
      const Interval& range = bounds[static_cast<std::size_t>(j)];
      values(i, j) = std::clamp(row[j], range.lower, range.upper);
    }
  }
  result.truth = model.bend().position(mean);
  result.problem.rows = [values = std::move(values)] {
    Rows rows(static_cast<std::size_t>(values.rows()), static_cast<std::size_t>(values.cols()));
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t j = 0; j < rows.columns(); ++j)
        rows.at(i, j) = values(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
      rows.weight(i) = 1;
    }
    return rows;
  };
  return result;
}

}  // namespace sotto
