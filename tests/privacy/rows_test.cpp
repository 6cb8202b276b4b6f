// What a row contributes, whatever stands in it: never more than was declared, and nothing where it was dropped or is no number.
// Decoding lets no such row through; the passes hold all the same.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/ratio.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/model/location/location.hpp"
#include "sotto/model/per_array.hpp"
#include "sotto/model/per_row.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"
#include "support/contribution.hpp"
#include "support/every_family.hpp"

namespace sotto {
namespace {

constexpr PrivacyUnit kLeftOut{Adjacency::add_remove, 1};

std::vector<Glm> regressions() {
  const Domain domain({{{0}, Matrix{{1.0}}}, {{1}, Matrix{{-1.0}, {1.0}}}, {{2}, Matrix{{0.0}, {2.0}}}});
  std::vector<Glm> all;
  for (const auto& [family, response] : every_family()) all.emplace_back(family, domain, response);
  return all;
}

LocationModel location() { return {{{-1, 2}, {0, 3}}, Matrix{{2, 0.5}, {0.5, 1}}, Bend{0.3, 0.1, -0.2}}; }

/// Returns whatever stands in the row.
struct OwnModel {
  [[nodiscard]] static Eigen::Index dim() { return 2; }
  [[nodiscard]] static Interval ratio_range(const Position&, const Position&) { return {-1, 0.5}; }
  [[nodiscard]] static VectorBound gradient_bound(const Position&, const Position& scale) {
    return {scale.maxCoeff(), 2 * scale.maxCoeff()};
  }
  [[nodiscard]] static double log_density(std::span<const double> row, const Position& at) {
    return row[0] * at[1];
  }
  static void gradient(std::span<const double> row, const Position&, Position& out) {
    out = Position{{row[0], row[1]}};
  }
};

/// The same by arrays.
struct OwnArrayModel : OwnModel {
  [[nodiscard]] static bool log_densities(const Matrix& rows, const Position& at, Position& out) {
    out = rows.col(0) * at[1];
    return true;
  }
  [[nodiscard]] static bool gradients(const Matrix& rows, const Position&, Matrix& out) {
    out = rows.transpose();
    return true;
  }
};

/// In arrays of whole tiles, and of one row.
std::vector<AnyModel> by_arrays() {
  const Position fill{{0.5, 0.5}};
  return {PerArray(OwnArrayModel(), fill, {}), PerArray(OwnArrayModel(), fill, kLeftOut)};
}

Position inside(const AnyModel& model, double shift) {
  Position at = Position::Constant(model.dim(), shift);
  at[0] = 0.4;
  return at;
}

std::vector<Query> questions(const AnyModel& model) {
  std::vector<Query> asked = {RatioQuery{inside(model, -0.3), inside(model, 0.2), Rho(0.01)},
                              RatioQuery{inside(model, 0.2), inside(model, -0.3), Rho(0.01)},
                              GradientQuery{inside(model, -0.3), Rho(0.01)}};
  if (model.as<LocationModel>() != nullptr) {
    const Matrix frame = Matrix::Identity(model.dim(), model.dim());
    asked.emplace_back(ClippedDeviationsQuery{inside(model, -0.3), frame, 0.7, 0.2, Rho(0.01)});
    asked.emplace_back(DeviationLengthsQuery{inside(model, -0.3), frame, Position{{0, 0.7, 3}}, Rho(0.01)});
  }
  const Glm* glm = model.as<Glm>();
  if (glm != nullptr && !glm->unknown_sigma() && link_of(glm->family())) {
    BoundedWeighting weighting{inside(model, -0.3), Matrix::Identity(glm->dim(), glm->dim()), 0.7, 0.4, 2};
    if (has_thresholds(glm->family())) weighting.thresholds = Position{{0.8}};
    asked.emplace_back(BoundedScoreQuery{weighting, Rho(0.01)});
    asked.emplace_back(BoundedInformationQuery{weighting, Rho(0.01)});
    asked.emplace_back(ScoreSquaresQuery{weighting, Rho(0.01)});
  }
  return asked;
}

Rows one_row(const std::vector<double>& values, double weight = 1) {
  Rows rows(1, values.size());
  for (std::size_t j = 0; j < values.size(); ++j) rows.at(0, j) = values[j];
  rows.weight(0) = weight;
  return rows;
}

void expect_within_what_is_declared(const AnyModel& model, const Rows& rows, double power = 1) {
  const Measure measure = measure_all_rows({model, kLeftOut, power});
  for (const Query& query : questions(model)) {
    if (power != 1 && (std::holds_alternative<ClippedDeviationsQuery>(query) ||
                       std::holds_alternative<DeviationLengthsQuery>(query)))
      continue;  // refused
    const auto measured = measure(query);
    ASSERT_TRUE(measured);
    for (const Measurement& part : measured->parts)
      EXPECT_LE(contribution(part, rows).norm(), part.charge.sensitivity) << part.charge.query;
  }
}

const std::vector<double> kNotLegal = {NAN,  HUGE_VAL, -HUGE_VAL, 1e300, -1e300, 1e9,
                                       -1e9, 40,       -40,       1.6,   -0.6};

TEST(Rows, no_response_contributes_more_than_declared) {
  for (const Glm& glm : regressions()) {
    for (const double response : kNotLegal) expect_within_what_is_declared(glm, one_row({1, 1, 2, response}));
  }
}

TEST(Rows, no_location_contributes_more_than_declared) {
  for (const double value : kNotLegal) {
    expect_within_what_is_declared(location(), one_row({value, 1}));
    expect_within_what_is_declared(location(), one_row({0, value}));
  }
}

TEST(Rows, no_own_model_contributes_more_than_declared) {
  for (const double value : kNotLegal) {
    expect_within_what_is_declared(PerRow(OwnModel()), one_row({value, 0.5}));
    expect_within_what_is_declared(PerRow(OwnModel()), one_row({0.5, value}));
    for (const AnyModel& model : by_arrays()) {
      expect_within_what_is_declared(model, one_row({value, 0.5}));
      expect_within_what_is_declared(model, one_row({0.5, value}));
    }
  }
}

/// Its bound is a slip: it does not grow with the scale.
struct SlippedModel : OwnModel {
  [[nodiscard]] static VectorBound gradient_bound(const Position&, const Position& scale) {
    return {scale.squaredNorm(), 2 * scale.squaredNorm()};
  }
};

// What is enforced is what was priced, not what the model says of the integers' scale.
TEST(Rows, no_own_model_with_a_slip_contributes_more_than_declared) {
  for (const double value : kNotLegal)
    expect_within_what_is_declared(PerRow(SlippedModel()), one_row({value, 0.5}));
}

TEST(Rows, what_is_no_number_contributes_nothing) {
  const auto expect_nothing = [](const AnyModel& model, const Rows& rows) {
    const Measure measure = measure_all_rows({model, kLeftOut, 1});
    for (const Query& query : questions(model)) {
      if (std::holds_alternative<BoundedInformationQuery>(query)) continue;  // which asks for no response
      const auto measured = measure(query);
      for (const Measurement& part : measured->parts)
        EXPECT_EQ(contribution(part, rows).norm(), 0) << part.charge.query;
    }
  };
  for (const Glm& glm : regressions()) expect_nothing(glm, one_row({1, 1, 2, NAN}));
  expect_nothing(PerRow(OwnModel()), one_row({NAN, NAN}));
  for (const AnyModel& model : by_arrays()) expect_nothing(model, one_row({NAN, NAN}));
}

TEST(Rows, a_pass_keeps_to_the_range_it_is_given) {
  const auto expect_inside = [](const AnyModel& model, const Rows& rows) {
    for (const double shift : {-0.3, 0.2}) {
      const Position from = inside(model, shift);
      const Position to = inside(model, -0.1);
      const RatioTask task{&from, &to, -10, 7};
      std::int64_t sum = 0;
      model.add_ratios(rows, 0, 1, {&task, 1}, 1 / kLogDensityGrid, {&sum, 1});
      EXPECT_GE(sum, -10);
      EXPECT_LE(sum, 7);
    }
  };
  for (const Glm& glm : regressions()) expect_inside(glm, one_row({1, 0.5, 2, 1}));
  expect_inside(location(), one_row({1.5, 0.1}));
  expect_inside(PerRow(OwnModel()), one_row({0.5, 0.5}));
  for (const AnyModel& model : by_arrays()) expect_inside(model, one_row({0.5, 0.5}));
}

TEST(Rows, a_likelihood_to_a_power_stays_within_its_bound) {
  for (const double value : {-1.0, 2.0}) {
    expect_within_what_is_declared(location(), one_row({value, 0}), 0.01);
    expect_within_what_is_declared(location(), one_row({value, 3}), 0.01);
  }
  // Nor is a legal row left out, as one that adds more than is declared would be.
  const Measure measure = measure_all_rows({location(), kLeftOut, 0.01});
  for (const Query& query : questions(location())) {
    if (!std::holds_alternative<GradientQuery>(query)) continue;
    const auto measured = measure(query);
    ASSERT_TRUE(measured);
    for (const Measurement& part : measured->parts) EXPECT_GT(contribution(part, one_row({2, 3})).norm(), 0);
  }
}

TEST(Rows, a_dropped_row_contributes_nothing) {
  const auto expect_nothing = [](const AnyModel& model, const Rows& rows) {
    const Measure measure = measure_all_rows({model, kLeftOut, 1});
    for (const Query& query : questions(model)) {
      const auto measured = measure(query);
      for (const Measurement& part : measured->parts)
        EXPECT_EQ(contribution(part, rows).norm(), 0) << part.charge.query;
    }
  };
  for (const Glm& glm : regressions()) expect_nothing(glm, one_row({1, 1, 2, 1}, 0));
  expect_nothing(location(), one_row({1.5, 0.1}, 0));
  expect_nothing(PerRow(OwnModel()), one_row({0.5, 0.5}, 0));
  for (const AnyModel& model : by_arrays()) expect_nothing(model, one_row({0.5, 0.5}, 0));
}

// From the cell to the sum: the same, for rows with a missing cell in a table that leaves such rows out.
TEST(Rows, a_missing_cell_takes_its_row_out_of_every_sum) {
  Schema schema;
  schema.columns = {{.name = "x", .kind = ColumnKind::real, .bounds = {1, 2}},
                    {.name = "y", .kind = ColumnKind::real, .bounds = {3, 5}}};
  Table table(schema);
  const std::vector<std::optional<std::string_view>> cells = {"NA", "4"};
  table.append(cells, std::nullopt);
  for (const std::string model : {"family = \"normal\"\nformula = \"y ~ x\"\n",
                                  "family = \"normal-mean\"\ncolumns = [\"x\", \"y\"]\nsd = [1.0, 2.0]\n"}) {
    const FitConfig config = parse_fit_config("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\n" +
                                                  model + "[privacy]\nepsilon = 1\ndelta = 1e-6\n",
                                              {});
    const Problem problem = make_problem(config, table);
    const Rows rows = problem.rows();
    const Measure measure = measure_all_rows({problem.model, problem.unit, 1});
    for (const Query& query : questions(problem.model)) {
      const auto measured = measure(query);
      for (const Measurement& part : measured->parts)
        EXPECT_EQ(contribution(part, rows).norm(), 0) << model << part.charge.query;
    }
  }
}

}  // namespace
}  // namespace sotto
