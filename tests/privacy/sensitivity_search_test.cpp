// A search for units that contribute more than was declared: every question over all rows, every model, bounds from subnormal
// to 1e300 and a few ulps apart. What is compared are the integers that enter the mechanism.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/random/chain_rng.hpp"
#include "support/contribution.hpp"
#include "support/searched_models.hpp"

namespace sotto {
namespace {

std::vector<Query> of_any_model(const SearchedModel& searched, ChainRng& rng) {
  const auto at = [&] { return somewhere(searched, rng); };
  const Position scale = some_scale(searched.model.dim(), rng);
  return {RatioQuery{at(), at(), Rho(0.01)}, GradientQuery{at(), Rho(0.01), scale},
          JointQuery{{at(), Rho(0.01), {}}, {at(), at(), Rho(0.01)}}};
}

std::vector<Query> of_normal_rows(const SearchedModel& searched, ChainRng& rng) {
  const Eigen::Index dim = searched.model.dim();
  Matrix frame(dim, dim);
  for (double& entry : frame.reshaped()) entry = pick({1e-3, 1, 10}, rng) * rng.normal();
  const double bound = pick({1e-100, 0.3, 100}, rng);
  return {ClippedDeviationsQuery{somewhere(searched, rng), frame, bound, bound * pick({0, 0.3, 5}, rng),
                                 Rho(0.01)},
          DeviationLengthsQuery{somewhere(searched, rng), frame, Position{{0, bound, 2 * bound, 1e3 * bound}},
                                Rho(0.01)}};
}

BoundedWeighting some_weighting(const SearchedModel& searched, ChainRng& rng) {
  const Glm& glm = *searched.regression();
  const Eigen::Index columns = glm.domain().columns();
  Matrix frame = Matrix::Identity(columns, columns);
  for (Eigen::Index j = 0; j < columns; ++j)
    frame(j, j) =
        pick({1e-3, 1, 10}, rng) / std::max(searched.bounds[static_cast<std::size_t>(j)].magnitude(), 1e-200);
  BoundedWeighting weighting{somewhere(searched, rng).head(columns), frame, pick({1e-6, 0.3, 100}, rng),
                             pick({1e-6, 0.3, 100}, rng), pick({1e-6, 2, 1e6}, rng)};
  if (has_thresholds(glm.family())) {
    weighting.thresholds = Position(static_cast<Eigen::Index>(glm.pieces().count));
    for (double& weight : weighting.thresholds) weight = pick({1e-3, 1, 1e3}, rng);
  }
  return weighting;
}

std::vector<Query> of_weighted_rows(const SearchedModel& searched, const BoundedWeighting& weighting,
                                    ChainRng& rng) {
  const Eigen::Index columns = weighting.at.size();
  const Interval last = searched.bounds[static_cast<std::size_t>(columns - 1)];
  return {BoundedScoreQuery{weighting, Rho(0.01)},
          BoundedInformationQuery{weighting, Rho(0.01)},
          ScoreSquaresQuery{weighting, Rho(0.01)},
          ScoreSquaresQuery{weighting, Rho(0.01), 0.1 * weighting.score_bound},
          MomentsQuery{weighting.frame, pick({1e-6, 3, 1e6}, rng), Rho(0.01)},
          ResidualSquaresQuery{weighting.at, weighting.clip, Rho(0.01)},
          CurvesQuery{weighting.at,
                      weighting.clip,
                      0,
                      {{0, CurveShape::square, 0, pick({1e-100, 1, 1e100}, rng)},
                       {columns - 1, CurveShape::square, last.lower, 1},
                       {columns - 1, CurveShape::levelling, last.lower, pick({1e-300, 1, 1e100}, rng)}},
                      pick({1e-6, 3, 1e6}, rng),
                      Rho(0.01),
                      weighting.thresholds},
          RemainderQuery{weighting, pick({1.01, 2, 1e10}, rng) * weighting.clip, pick({1e-6, 3, 1e6}, rng),
                         Rho(0.01)},
          LightRowsQuery{weighting, Rho(0.01)}};
}

std::vector<Query> of_counted_rows(const SearchedModel& searched, const Position& at, ChainRng& rng) {
  const Eigen::Index columns = at.size();
  const Interval last = searched.bounds[static_cast<std::size_t>(columns - 1)];
  const double middle = inside(searched.bounds.back(), rng);
  std::vector<Query> asked = {
      HistogramQuery{HistogramOf::absolute_residual, at, Position{{0, 1, 2, 8}}, Rho(0.01)},
      HistogramQuery{HistogramOf::residual, at, Position{{-1, 0, 1}}, Rho(0.01), pick({-1, 0, 1e100}, rng)},
      HistogramQuery{HistogramOf::response, {}, Position{{-1, 0, middle, HUGE_VAL}}, Rho(0.01)},
      HistogramQuery{HistogramOf::response, {}, Position{{middle, middle, 1e308}}, Rho(0.01)},
      HistogramQuery{HistogramOf::log_response, {}, Position{{-1, 0, 2}}, Rho(0.01)},
      HistogramQuery{HistogramOf::unit_rows, {}, Position{{0, 1, 2, 4, 5}}, Rho(0.01)},
      ColumnHistogramsQuery{{0, columns - 1}, {{0, pick({1e-200, 1, 1e200}, rng)}, last}, 16, Rho(0.01)},
      GroupedResidualsQuery{at,
                            Position{{-1, 0, 1, 8}},
                            {{{0, columns - 1}, Position{{pick({-1e200, 0, 1}, rng), last.lower}}},
                             {{columns - 1}, Position{{0}}}},
                            Rho(0.01)}};
  for (const TotalOf quantity : {TotalOf::rows, TotalOf::ones, TotalOf::times, TotalOf::events,
                                 TotalOf::time_at_risk, TotalOf::last_piece})
    asked.emplace_back(TotalQuery{quantity, Rho(0.01)});
  return asked;
}

/// Of several columns where there are some, in their units or far from those.
Query of_thresholds(const SearchedModel& searched, const BoundedWeighting& weighting, ChainRng& rng) {
  std::vector<Eigen::Index> asked{0};
  if (weighting.at.size() > 1) asked.push_back(weighting.at.size() - 1);
  Position centre(static_cast<Eigen::Index>(asked.size())), scale(centre.size());
  for (std::size_t j = 0; j < asked.size(); ++j) {
    const Interval& bounds = searched.bounds[static_cast<std::size_t>(asked[j])];
    centre[static_cast<Eigen::Index>(j)] = inside(bounds, rng);
    scale[static_cast<Eigen::Index>(j)] =
        pick({bounds.magnitude(), bounds.width(), 1e-300, 1e300}, rng) * pick({1e-2, 1}, rng);
  }
  Matrix contrasts(weighting.thresholds.size(), 2);
  for (double& entry : contrasts.reshaped()) entry = pick({1e-100, 1, 1e100}, rng) * rng.normal();
  const Position tails = pick({0, 1, 1e200}, rng) * rng.normals(contrasts.rows());
  return ThresholdEffectsQuery{
      weighting.at,          asked,    centre, scale, contrasts, tails, pick({0, 0.3, 1e6}, rng),
      weighting.score_bound, Rho(0.01)};
}

std::vector<Query> questions(const SearchedModel& searched, ChainRng& rng) {
  std::vector<Query> asked = of_any_model(searched, rng);
  const auto more = [&](const std::vector<Query>& others) {
    asked.insert(asked.end(), others.begin(), others.end());
  };
  if (searched.model.as<LocationModel>() != nullptr) more(of_normal_rows(searched, rng));
  const Glm* glm = searched.regression();
  if (glm != nullptr && link_of(glm->family())) {
    const BoundedWeighting weighting = some_weighting(searched, rng);
    more(of_weighted_rows(searched, weighting, rng));
    more(of_counted_rows(searched, weighting.at, rng));
    if (has_thresholds(glm->family())) more({of_thresholds(searched, weighting, rng)});
  }
  return asked;
}

/// What was asked, and of each kind of sum how much of what was declared somebody moved it by.
struct Found {
  std::set<std::size_t> answered;  // of the alternatives of Query
  std::map<std::string, double> largest_share;
};

std::string kind_of(const Query& query, const Charge& charge, Adjacency adjacency) {
  std::string kind = charge.query;
  if (const auto* histogram = std::get_if<HistogramQuery>(&query))
    kind += " " + std::to_string(static_cast<int>(histogram->quantity));
  return kind + (adjacency == Adjacency::substitute ? " exchanged" : " left out");
}

/// A likelihood to a power is for chains alone.
bool takes_powers(const Query& query) {
  return std::holds_alternative<RatioQuery>(query) || std::holds_alternative<GradientQuery>(query) ||
         std::holds_alternative<JointQuery>(query);
}

void search(const SearchedModel& searched, const PrivacyUnit& unit, ChainRng& rng, Found& found) {
  const double any_power = pick({1, 0.01}, rng);
  const bool clamps = rng.below(4) == 0;
  for (const Query& query : questions(searched, rng)) {
    const double power = takes_powers(query) ? any_power : 1;
    const auto measured = measure_all_rows({searched.model, unit, power, clamps})(query);
    if (!measured) continue;  // refused: no bound fits the grid
    found.answered.insert(query.index());
    for (const Measurement& part : measured->parts) {
      const long double declared = part.charge.sensitivity;
      double& largest = found.largest_share[kind_of(query, part.charge, unit.adjacency)];
      for (int pair = 0; pair < 6; ++pair) {
        // One unit's rows against another's, or against none.
        Eigen::VectorX<long double> moved = contribution(part, some_unit(searched, unit, rng));
        if (unit.adjacency == Adjacency::substitute && pair % 3 != 0)
          moved -= contribution(part, some_unit(searched, unit, rng));
        ASSERT_LE(moved.norm(), declared) << part.charge.query << ", bounds " << searched.bounds[0].lower
                                          << " .. " << searched.bounds[0].upper;
        largest = std::max(largest, static_cast<double>(moved.norm() / declared));
      }
    }
  }
}

Found search(int seed, int trials) {
  ChainRng rng(static_cast<std::uint64_t>(seed));
  Found found;
  for (int trial = 0; trial < trials && !testing::Test::HasFatalFailure(); ++trial) {
    const SearchedModel searched = some_model(static_cast<std::size_t>(seed), rng);
    search(searched, some_unit_of_privacy(searched, rng), rng, found);
  }
  return found;
}

class SensitivitySearch : public testing::TestWithParam<int> {};

// And somebody about half as far: the search would see a bound that is too small by far.
TEST_P(SensitivitySearch, no_unit_moves_a_sum_by_more_than_declared) {
  const Found found = search(GetParam(), 3000);
  double least = 1;
  for (const auto& [kind, share] : found.largest_share) {
    EXPECT_GT(share, 0.45) << kind;
    least = std::min(least, share);
  }
  RecordProperty("least_of_the_largest_shares", std::to_string(least));
}

INSTANTIATE_TEST_SUITE_P(Seeds, SensitivitySearch, testing::Range(0, 6));

TEST(SensitivitySearch, asks_every_question_about_all_rows) {
  std::set<std::size_t> answered;
  for (int seed = 0; seed < 3; ++seed) answered.merge(search(seed, 300).answered);
  // A sum that is kept, and batches: tests/privacy/batch_search_test.cpp.
  answered.insert({Query(StatisticQuery::blank()).index(), Query(BatchGradientQuery::blank()).index()});
  EXPECT_EQ(answered.size(), std::variant_size_v<Query>);
}

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
