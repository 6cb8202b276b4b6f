// Persons of several rows who differ beyond what the formula says, from a table to the posterior.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/math/decomposition.hpp"
#include "sotto/run/fit.hpp"
#include "support/test_entropy.hpp"

namespace sotto {
namespace {

constexpr std::size_t kVisits = 4;

/// y = 1 + x / 2 + w + u + e with x the person's, w the visit's, u of variance `between`, e of variance 1.
struct Visits {
  Table table;
  Matrix x;
  Position y;
};

Visits some_visits(std::size_t persons, double between, std::size_t most, std::uint64_t seed) {
  Schema schema{{{"y", ColumnKind::real, {-20, 20}},
                 {"x", ColumnKind::real, {-1, 1}},
                 {"w", ColumnKind::real, {-1, 1}}},
                {"id", most}};
  const auto rows = static_cast<Eigen::Index>(persons * kVisits);
  Visits visits{Table(schema), Matrix::Ones(rows, 3), Position(rows)};
  ChainRng rng(seed);
  std::vector<double> own(persons), group(persons);
  for (std::size_t i = 0; i < persons; ++i) {
    own[i] = std::sqrt(between) * rng.normal();
    group[i] = 2 * rng.uniform() - 1;
  }
  for (Eigen::Index i = 0; i < rows; ++i) {
    const std::size_t person =
        static_cast<std::size_t>(i) % persons;  // visits come one round after the other
    visits.x(i, 1) = group[person];
    visits.x(i, 2) = 2 * rng.uniform() - 1;
    visits.y[i] = 1 + group[person] / 2 + visits.x(i, 2) + own[person] + rng.normal();
    const std::string cells[] = {fmt::format("{:.17g}", visits.y[i]), fmt::format("{:.17g}", visits.x(i, 1)),
                                 fmt::format("{:.17g}", visits.x(i, 2))};
    const std::vector<std::optional<std::string_view>> views(std::begin(cells), std::end(cells));
    visits.table.append(views, std::to_string(person));
  }
  return visits;
}

struct LeastSquares {
  Position mean, clusters, independent;  // and standard errors
};

LeastSquares least_squares(const Visits& visits, std::size_t persons) {
  const Cholesky information(visits.x.transpose() * visits.x);
  LeastSquares fit{information.solve(Matrix(visits.x.transpose() * visits.y)).col(0), {}, {}};
  const Position residual = visits.y - visits.x * fit.mean;
  Matrix scores = Matrix::Zero(static_cast<Eigen::Index>(persons), 3);
  for (Eigen::Index i = 0; i < residual.size(); ++i)
    scores.row(i % scores.rows()) += residual[i] * visits.x.row(i);
  const Matrix inverse = information.inverse();
  fit.clusters = (inverse * scores.transpose() * scores * inverse).diagonal().cwiseSqrt();
  fit.independent =
      (residual.squaredNorm() / static_cast<double>(residual.size()) * inverse).diagonal().cwiseSqrt();
  return fit;
}

RunRecord fit_of(const Visits& visits, double epsilon, std::uint64_t seed) {
  const FitConfig config =
      parse_fit_config(fmt::format("[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\nfamily = "
                                   "\"normal\"\nformula = \"y ~ x + w\"\n"
                                   "[privacy]\nepsilon = {}\ndelta = 1e-6\n[method]\nseed = {}\n",
                                   epsilon, seed),
                       {});
  TestEntropy entropy(seed);
  return fit(config, make_problem(config, visits.table), entropy);
}

// Where the noise is small, intervals are those of least squares with standard errors of clusters: half again as wide for what does not
// change within a person, the same for what does. Weights cost a few per cent.
TEST(Persons, intervals_allow_for_rows_that_are_alike) {
  constexpr std::size_t kPersons = 3000;
  const Visits visits = some_visits(kPersons, 1, kVisits, 1);
  const LeastSquares open = least_squares(visits, kPersons);
  ASSERT_GT(open.clusters[1], 1.5 * open.independent[1]);
  ASSERT_NEAR(open.clusters[2], open.independent[2], 0.05 * open.independent[2]);
  const auto summary = summarise(fit_of(visits, 1000, 2).draws);
  for (const Eigen::Index j : {1, 2}) {
    const auto& found = summary[static_cast<std::size_t>(j)];
    EXPECT_NEAR(found.sd / open.clusters[j], 1.05, 0.1) << j;
    EXPECT_NEAR(found.mean, open.mean[j], 0.5 * open.clusters[j]) << j;
  }
}

// Residuals of standard deviation 3: a width that forgot the response's unit would be off by a factor of that.
TEST(Persons, what_is_told_of_the_width_is_the_width) {
  constexpr std::size_t kPersons = 3000;
  const Visits visits = some_visits(kPersons, 8, kVisits, 5);
  const LeastSquares open = least_squares(visits, kPersons);
  const RunRecord record = fit_of(visits, 100, 6);
  const auto summary = summarise(record.draws);
  ASSERT_EQ(record.sd_inflation.size(), 2u);
  for (const std::size_t j : {1u, 2u}) {
    const double width = summary[j].sd / open.clusters[static_cast<Eigen::Index>(j)];
    EXPECT_NEAR(record.sd_inflation[j - 1].second, width, 0.25 * width) << j;
  }
}

TEST(Persons, more_rows_than_one_run_holds_are_refused_before_anything_is_spent) {
  EXPECT_THROW((void)fit_of(some_visits(10, 1, 1001, 7), 1, 8), Error);
}

// What is declared as a person's most rows costs next to nothing where persons have fewer.
TEST(Persons, the_declared_maximum_costs_little) {
  const Visits few = some_visits(5000, 0.5, kVisits, 3);
  const Visits many = some_visits(5000, 0.5, 50, 3);
  const auto narrow = summarise(fit_of(few, 1, 4).draws);
  const auto wide = summarise(fit_of(many, 1, 4).draws);
  for (const std::size_t j : {1u, 2u}) EXPECT_LT(wide[j].sd, 1.5 * narrow[j].sd) << j;
}

// At epsilon 1, in ten tables: four standard deviations are passed with probability 6e-5 a number, 2e-3 in all.
TEST(Persons, effects_are_found_at_epsilon_one) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const auto summary = summarise(fit_of(some_visits(5000, 2, 6, seed), 1, seed).draws);
    const double truths[] = {1, 0.5, 1};
    for (std::size_t j = 0; j < 3; ++j)
      EXPECT_LT(std::abs(summary[j].mean - truths[j]), 4 * summary[j].sd) << seed << ", " << j;
  }
}

}  // namespace
}  // namespace sotto
