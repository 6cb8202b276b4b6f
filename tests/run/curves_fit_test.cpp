// Curves of a column, poly(x, k) and bs(x, k), from a table to the posterior.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "sotto/math/cubic_spline.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/run/effect_curves.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

/// x uniform in [2, 6], y about a line and a parabola; p1 and p2 are poly(x, 2), computed before.
Table curved_rows(std::size_t count) {
  Table table(Schema{{{"y", ColumnKind::real, {-10, 10}, {}},
                      {"x", ColumnKind::real, {2, 6}, {}},
                      {"p1", ColumnKind::real, {-1, 1}, {}},
                      {"p2", ColumnKind::real, {-1, 1}, {}}},
                     {}});
  ChainRng rng(3);
  for (std::size_t i = 0; i < count; ++i) {
    const double u = 2 * rng.uniform() - 1;
    const double y = 1 + u - 1.5 * u * u + rng.normal();
    std::array<std::string, 4> cells;
    const std::array<double, 4> values{y, 4 + 2 * u, u, (3 * u * u - 1) / 2};
    for (std::size_t j = 0; j < 4; ++j) cells[j] = fmt::format("{:.17g}", values[j]);
    table.append(std::vector<std::optional<std::string_view>>(cells.begin(), cells.end()), std::nullopt);
  }
  return table;
}

/// `epsilon`: 0 without privacy.
Matrix curve_draws(const Table& table, const std::string& formula, double epsilon) {
  std::vector<std::string> settings{"data.file=x",         "data.schema=x",
                                    "model.family=normal", "model.formula=\"" + formula + "\"",
                                    "method.draws=1000",   "method.chains=2"};
  if (epsilon > 0) {
    settings.insert(settings.end(), {fmt::format("privacy.epsilon={}", epsilon), "privacy.delta=1e-6"});
  } else {
    settings.emplace_back("privacy.not_private=true");
  }
  const FitConfig config = parse_fit_config("", settings);
  const Table read = [&] {
    Table selected(table.schema().select(columns_read(config.model)));
    for (std::size_t i = 0; i < table.rows(); ++i) {
      std::vector<std::string> cells;
      for (const SchemaColumn& column : selected.schema().columns)
        cells.push_back(fmt::format("{:.17g}", table.column(column.name)[i]));
      selected.append(std::vector<std::optional<std::string_view>>(cells.begin(), cells.end()), std::nullopt);
    }
    return selected;
  }();
  TestEntropy entropy(4);
  const RunRecord record = fit(config, make_problem(config, read), entropy);
  Matrix all(2000, record.draws.chains[0].draws.cols());
  all << record.draws.chains[0].draws, record.draws.chains[1].draws;
  return all;
}

double sd_of(const Eigen::VectorXd& draws) {
  return std::sqrt((draws.array() - draws.mean()).square().mean());
}

// What a page draws: the predictor along the curve less that at the middle of the bounds; and no coefficient of it is an effect.
TEST(CurvesFit, effects_along_a_curve_are_those_of_its_coefficients) {
  const Schema schema = curved_rows(1).schema();
  const Design design(parse_formula("y ~ p1 + poly(x, 3) + bs(p2, 4) + p1:p2"), schema);
  const std::vector<EffectCurve> curves = effect_curves(design);
  ASSERT_EQ(curves.size(), 2U);
  EXPECT_EQ(curves[0].column, "x");
  EXPECT_EQ(curves[0].parameters, (std::vector<std::string>{"poly(x)[1]", "poly(x)[2]", "poly(x)[3]"}));
  EXPECT_EQ(curves[1].parameters.size(), 4U);
  EXPECT_EQ(curves[0].at.front(), 2);
  EXPECT_EQ(curves[0].at.back(), 6);
  for (std::size_t i = 0; i < curves[0].at.size(); ++i) {
    const double u = (curves[0].at[i] - 4) / 2;
    const auto row = curves[0].weights.row(static_cast<Eigen::Index>(i));
    EXPECT_NEAR(row[0], u, 1e-12);
    EXPECT_NEAR(row[1], 1.5 * u * u, 1e-12);  // (3 u^2 - 1) / 2 + 1 / 2
    EXPECT_NEAR(row[2], (5 * u * u * u - 3 * u) / 2, 1e-12);
  }
  EXPECT_TRUE(effect_curves(Design(parse_formula("y ~ p1*poly(x, 3)"), schema)).empty());
  EXPECT_TRUE(effect_curves(Design(parse_formula("y ~ p1 + x"), schema)).empty());
  const FitConfig config =
      parse_fit_config("", {"data.file=x", "data.schema=x", "model.family=normal",
                            "model.formula=\"y ~ p1 + poly(x, 3)\"", "privacy.not_private=true"});
  const Table rows = curved_rows(10);
  EXPECT_EQ(make_problem(config, rows).public_info.effects, std::vector<std::string>{"p1"});
}

// The same coefficients as of columns that hold the same numbers: Intercept, two terms, sigma.
TEST(CurvesFit, poly_is_a_fit_to_its_columns) {
  const Table table = curved_rows(4000);
  const Matrix columns = curve_draws(table, "y ~ p1 + p2", 0);
  const Matrix curve = curve_draws(table, "y ~ poly(x, 2)", 0);
  const Matrix noisy = curve_draws(table, "y ~ poly(x, 2)", 1000);
  ASSERT_EQ(curve.cols(), 4);
  for (Eigen::Index j = 0; j < 4; ++j) {
    const double sd = sd_of(columns.col(j));
    EXPECT_NEAR(curve.col(j).mean(), columns.col(j).mean(), 0.2 * sd)
        << j;  // Monte Carlo error .03 sd of each
    EXPECT_NEAR(sd_of(curve.col(j)), sd, 0.2 * sd) << j;
    EXPECT_NEAR(noisy.col(j).mean(), columns.col(j).mean(), 0.5 * sd) << j;
    EXPECT_NEAR(sd_of(noisy.col(j)), sd, 0.25 * sd) << j;
  }
}

// The truth is a sum of either's functions. Four standard deviations at five points, false alarm 3e-4 a formula.
TEST(CurvesFit, a_curve_is_found_at_epsilon_1) {
  const Table table = curved_rows(20000);
  for (const bool splines : {false, true}) {
    const Matrix draws = curve_draws(table, splines ? "y ~ bs(x, 4)" : "y ~ poly(x, 3)", 1);
    for (const double u : {-0.9, -0.4, 0.0, 0.5, 0.9}) {
      Position basis = Position::Zero(draws.cols());
      basis[0] = 1;
      for (int k = 1; k <= (splines ? 4 : 3); ++k)
        basis[k] = splines ? cubic_b_spline((u + 1) / 2, 1, k) : std::legendre(static_cast<unsigned>(k), u);
      const Eigen::VectorXd curve = draws * basis;
      EXPECT_NEAR(curve.mean(), 1 + u - 1.5 * u * u, 4 * sd_of(curve)) << splines << ' ' << u;
      EXPECT_LT(sd_of(curve), 0.1);
    }
  }
}

}  // namespace
}  // namespace sotto
