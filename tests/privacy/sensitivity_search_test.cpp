// A search for rows that contribute more than was declared: every question over all rows, every model, bounds from subnormal
// to 1e300 and a few ulps apart. What is compared are the integers that enter the mechanism.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/contribution.hpp"
#include "support/every_family.hpp"

namespace sotto {
namespace {

double pick(std::initializer_list<double> values, ChainRng& rng) {
  return values.begin()[rng.below(values.size())];
}

/// Ordinary, tiny, huge, or a few ulps wide.
Interval some_bounds(ChainRng& rng) {
  const double at = pick({0, 1, -1, 3.7, 1e-310, 1e-160, 1e15, -1e100, 1e300}, rng) * (1 + rng.uniform());
  if (rng.below(3) == 0) {
    double upper = at;
    for (std::size_t i = 0; i <= rng.below(4); ++i)
      upper = std::nextafter(upper, std::numeric_limits<double>::infinity());
    return {at, upper};
  }
  return {at, at + std::abs(at) * pick({1e-9, 0.5, 3}, rng) + pick({1e-310, 1e-3, 1, 50}, rng)};
}

double inside(const Interval& bounds, ChainRng& rng) {
  switch (rng.below(4)) {
    case 0:
      return bounds.lower;
    case 1:
      return bounds.upper;
    default:
      return std::clamp(bounds.lower + rng.uniform() * (bounds.upper - bounds.lower), bounds.lower,
                        bounds.upper);
  }
}

/// A model, and what a legal row's values may be.
struct Subject {
  AnyModel model;
  std::vector<Interval> bounds;  // of each value of a row; the response last for a regression
  Position typical;              // a position that is not absurd
  bool regression;
};

Subject location(ChainRng& rng) {
  const auto dim = static_cast<Eigen::Index>(1 + rng.below(3));
  std::vector<Interval> bounds;
  Position typical(dim);
  for (Eigen::Index j = 0; j < dim; ++j) {
    bounds.push_back(some_bounds(rng));
    typical[j] = inside(bounds.back(), rng);
  }
  const Bend bend{.a = pick({0, 0, 0.3}, rng), .b = rng.normal(), .m = typical[0]};
  Matrix factor(dim, dim);
  for (double& entry : factor.reshaped()) entry = rng.normal();
  const double scale = pick({1e-6, 1, 1e4}, rng);
  Matrix precision = scale * (factor * factor.transpose() + Matrix::Identity(dim, dim));
  if (rng.below(4) == 0) {  // coordinates of units as far apart as numbers are
    Position unit(dim);
    for (double& entry : unit) entry = pick({1e-100, 1, 1e100}, rng);
    precision = Matrix((unit.cwiseAbs2().cwiseProduct(precision.diagonal())).asDiagonal());
  }
  return {LocationModel(bounds, precision, bend), bounds, typical, false};
}

Subject regression(ChainRng& rng) {
  const auto columns = static_cast<Eigen::Index>(1 + rng.below(3));
  std::vector<DomainComponent> components;
  std::vector<Interval> bounds;
  for (Eigen::Index j = 0; j < columns; ++j) {
    bounds.push_back(some_bounds(rng));
    components.push_back({{j}, Matrix{{bounds.back().lower}, {bounds.back().upper}}});
  }
  const std::vector<FamilyCase> all = every_family();
  auto [family, response] = all[rng.below(all.size())];
  const auto* sigma = sigma_of(family);
  if (sigma != nullptr && *sigma) family = *find_family(family_name(family), pick({1e-3, 1, 50}, rng));
  if (response.lower < 0) {
    response = some_bounds(rng);
  } else if (response.upper > 1 && family_name(family) != family::PiecewiseExponential::name) {
    response.upper = pick({1, 30, 1e6}, rng);
  }
  bounds.push_back(response);
  const Glm model(family, Domain(std::move(components)), response);
  Position typical = Position::Zero(model.dim());
  for (Eigen::Index j = 0; j < columns; ++j)
    typical[j] = rng.normal() / std::max(1e-300, bounds[static_cast<std::size_t>(j)].magnitude());
  return {model, bounds, typical, true};
}

Rows one_row(const Subject& subject, ChainRng& rng) {
  Rows rows(1, subject.bounds.size());
  for (std::size_t j = 0; j < subject.bounds.size(); ++j) rows.at(0, j) = inside(subject.bounds[j], rng);
  // A location model clamps whatever it is given.
  if (!subject.regression && rng.below(5) == 0)
    rows.at(0, rng.below(subject.bounds.size())) = pick({NAN, HUGE_VAL, -HUGE_VAL, 1e200}, rng);
  rows.weight(0) = 1;
  return rows;
}

std::vector<Query> questions(const Subject& subject, ChainRng& rng) {
  const Eigen::Index dim = subject.model.dim();
  const auto somewhere = [&] {
    Position at = subject.typical;
    const double far = pick({0, 1e-12, 1e-3, 1, 1e3, 1e30, 1e300}, rng);
    for (double& entry : at) entry += far * rng.normal() * std::max(std::abs(entry), 1e-3);
    return at;
  };
  Position scale = rng.normals(dim).cwiseAbs() + Position::Constant(dim, 1e-3);
  if (rng.below(4) == 0) {
    for (double& entry : scale) entry *= pick({1e-205, 1e-155, 1e-110, 1, 1e200}, rng);
  }
  std::vector<Query> asked = {
      RatioQuery{somewhere(), somewhere(), Rho(0.01)}, GradientQuery{somewhere(), Rho(0.01), scale},
      JointQuery{{somewhere(), Rho(0.01), {}}, {somewhere(), somewhere(), Rho(0.01)}}};
  if (!subject.regression) {
    Matrix frame(dim, dim);
    for (double& entry : frame.reshaped()) entry = pick({1e-3, 1, 10}, rng) * rng.normal();
    const double bound = pick({1e-100, 0.3, 100}, rng);
    asked.emplace_back(
        ClippedDeviationsQuery{somewhere(), frame, bound, bound * pick({0, 0.3, 5}, rng), Rho(0.01)});
    asked.emplace_back(
        DeviationLengthsQuery{somewhere(), frame, Position{{0, bound, 2 * bound, 1e3 * bound}}, Rho(0.01)});
  }
  const Glm* glm = subject.model.as<Glm>();
  if (glm != nullptr && link_of(glm->family())) {
    const Eigen::Index columns = glm->domain().columns();
    Matrix frame = Matrix::Identity(columns, columns);
    for (Eigen::Index j = 0; j < columns; ++j)
      frame(j, j) = pick({1e-3, 1, 10}, rng) /
                    std::max(subject.bounds[static_cast<std::size_t>(j)].magnitude(), 1e-200);
    const Position at = somewhere().head(columns);
    const BoundedWeighting weighting{at, frame, pick({1e-6, 0.3, 100}, rng), pick({1e-6, 0.3, 100}, rng),
                                     pick({1e-6, 2, 1e6}, rng)};
    asked.emplace_back(BoundedScoreQuery{weighting, Rho(0.01)});
    asked.emplace_back(BoundedInformationQuery{weighting, Rho(0.01)});
    asked.emplace_back(ScoreSquaresQuery{weighting, Rho(0.01)});
    asked.emplace_back(MomentsQuery{frame, pick({1e-6, 3, 1e6}, rng), Rho(0.01)});
    asked.emplace_back(ResidualSquaresQuery{at, weighting.clip, Rho(0.01)});
    asked.emplace_back(HistogramQuery{HistogramOf::absolute_residual, at, Position{{0, 1, 2, 8}}, Rho(0.01)});
    asked.emplace_back(HistogramQuery{HistogramOf::residual, at, Position{{-1, 0, 1}}, Rho(0.01),
                                      pick({-1, 0, 1e100}, rng)});
    const Interval last = subject.bounds[static_cast<std::size_t>(columns - 1)];
    asked.emplace_back(
        ColumnHistogramsQuery{{0, columns - 1}, {{0, pick({1e-200, 1, 1e200}, rng)}, last}, 16, Rho(0.01)});
    asked.emplace_back(
        GroupedResidualsQuery{at,
                              Position{{-1, 0, 1, 8}},
                              {{{0, columns - 1}, Position{{pick({-1e200, 0, 1}, rng), last.lower}}},
                               {{columns - 1}, Position{{0}}}},
                              Rho(0.01)});
    asked.emplace_back(
        CurvesQuery{at,
                    weighting.clip,
                    0,
                    {{0, CurveShape::square, 0, pick({1e-100, 1, 1e100}, rng)},
                     {columns - 1, CurveShape::square, last.lower, 1},
                     {columns - 1, CurveShape::levelling, last.lower, pick({1e-300, 1, 1e100}, rng)}},
                    pick({1e-6, 3, 1e6}, rng),
                    Rho(0.01)});
    asked.emplace_back(RemainderQuery{weighting, pick({1.01, 2, 1e10}, rng) * weighting.clip,
                                      pick({1e-6, 3, 1e6}, rng), Rho(0.01)});
    asked.emplace_back(LightRowsQuery{weighting, Rho(0.01)});
    asked.emplace_back(TotalQuery{TotalOf::rows, Rho(0.01)});
  }
  return asked;
}

void search(const Subject& subject, PrivacyUnit unit, ChainRng& rng, std::size_t& compared) {
  const double any_power = subject.regression ? 1 : pick({1, 0.01}, rng);
  for (const Query& query : questions(subject, rng)) {
    // Weighted statistics take the likelihood as it is.
    const bool as_it_is = std::holds_alternative<ClippedDeviationsQuery>(query) ||
                          std::holds_alternative<DeviationLengthsQuery>(query);
    const double power = as_it_is ? 1 : any_power;
    const auto measured = measure_all_rows({subject.model, unit, power})(query);
    if (!measured) continue;  // refused: no bound fits the grid
    for (const Measurement& part : measured->parts) {
      const long double declared = part.charge.sensitivity;
      for (int pair = 0; pair < 6; ++pair) {
        // One unit's rows against another's, or against none.
        Eigen::VectorX<long double> moved;
        for (std::size_t r = 0; r < unit.rows_per_unit; ++r) {
          const auto own = contribution(part, one_row(subject, rng));
          if (r == 0) moved = Eigen::VectorX<long double>::Zero(own.size());
          moved += own;
          if (unit.adjacency == Adjacency::substitute && pair % 3 != 0)
            moved -= contribution(part, one_row(subject, rng));
        }
        ASSERT_LE(moved.norm(), declared) << part.charge.query << ", bounds " << subject.bounds[0].lower
                                          << " .. " << subject.bounds[0].upper;
        ++compared;
      }
    }
  }
}

class SensitivitySearch : public testing::TestWithParam<int> {};

TEST_P(SensitivitySearch, no_unit_moves_a_sum_by_more_than_declared) {
  ChainRng rng(static_cast<std::uint64_t>(GetParam()));
  std::size_t compared = 0;
  for (int trial = 0; trial < 1500; ++trial) {
    const Subject subject = GetParam() % 2 == 0 ? location(rng) : regression(rng);
    const PrivacyUnit unit{rng.below(2) == 0 ? Adjacency::substitute : Adjacency::add_remove,
                           rng.below(3) == 0 ? std::size_t{5} : std::size_t{1}};
    ASSERT_NO_FATAL_FAILURE(search(subject, unit, rng, compared));
  }
  EXPECT_GT(compared, 3000u);  // most questions had an answer
}

INSTANTIATE_TEST_SUITE_P(Seeds, SensitivitySearch, testing::Range(0, 6));

// The sum of a question's declared sensitivity is nearly reached: the search would see a bound that is too small by a third.
TEST(SensitivitySearch, the_declared_sensitivity_is_nearly_reached) {
  const LocationModel model({{-1, 2}}, Matrix::Identity(1, 1));
  const Measure measure = measure_all_rows({model, {}, 1});
  const Query gradient = GradientQuery{Position::Zero(1), Rho(0.01)};
  const auto measured = measure(gradient);
  Rows low(1, 1);
  Rows high(1, 1);
  low.at(0, 0) = -1;
  high.at(0, 0) = 2;
  low.weight(0) = high.weight(0) = 1;
  Eigen::VectorX<long double> moved = contribution(measured->parts[0], high);
  moved -= contribution(measured->parts[0], low);
  EXPECT_GT(moved.norm(), 0.999 * measured->parts[0].charge.sensitivity);
}

}  // namespace
}  // namespace sotto
