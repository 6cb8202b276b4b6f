// The declared bounds against random and extreme rows of the domain, for every family.
#include "sotto/model/glm/glm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "sotto/base/error.hpp"
#include "sotto/base/int128.hpp"
#include "sotto/measurement/ratio.hpp"
#include "sotto/measurement/vector_noise.hpp"
#include "sotto/model/model.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {
namespace {

// An intercept, two numbers in [-1, 1], a category with three levels coded by two indicators.
Domain domain() {
  const auto component = [](std::vector<Eigen::Index> columns, std::vector<std::vector<double>> vertices) {
    DomainComponent c;
    c.columns = std::move(columns);
    c.vertices.resize(static_cast<Eigen::Index>(vertices.size()),
                      static_cast<Eigen::Index>(c.columns.size()));
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      for (std::size_t j = 0; j < vertices[i].size(); ++j) {
        c.vertices(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = vertices[i][j];
      }
    }
    return c;
  };
  return Domain({component({0}, {{1}}), component({1}, {{-1}, {1}}), component({2}, {{-1}, {1}}),
                 component({3, 4}, {{0, 0}, {1, 0}, {0, 1}})});
}

struct Case {
  GlmFamily family;
  Interval response;
  double (*log_density)(double y, double eta, double log_sigma);  // written apart from the family's own
};

double bernoulli(double y, double eta, double) { return y * eta - std::log1p(std::exp(eta)); }
double poisson(double y, double eta, double) { return y * eta - std::exp(eta); }
double normal(double y, double eta, double log_sigma) {
  return -log_sigma - (y - eta) * (y - eta) / 2 * std::exp(-2 * log_sigma);
}
double known_normal(double y, double eta, double) { return normal(y, eta, std::log(0.7)); }

double survival(double y, double eta, double) {
  return y >= 2 ? eta - (y - 2) * std::exp(eta) : -y * std::exp(eta);
}

double exponential(double y, double eta, double) { return -y * std::exp(-eta) - eta; }

const Case kCases[] = {
    {family::Bernoulli(), {0, 1}, bernoulli},           {family::Poisson(), {0, 12}, poisson},
    {family::Normal{0.7}, {-2, 5}, known_normal},       {family::Normal(), {-2, 5}, normal},
    {family::PiecewiseExponential(), {0, 3}, survival}, {family::Gamma(), {0, 4}, exponential}};

struct Record {
  Position x;
  double y;
};

// Half of the records are corners of the domain, where bounds bind.
Record random_record(const Case& c, ChainRng& rng) {
  Record r{Position::Zero(5), 0};
  const bool corner = rng.uniform() < 0.5;
  r.x[0] = 1;
  for (const Eigen::Index j : {1, 2})
    r.x[j] = corner ? (rng.uniform() < 0.5 ? -1 : 1) : 2 * rng.uniform() - 1;
  if (const std::size_t level = rng.below(3); level > 0) r.x[2 + static_cast<Eigen::Index>(level)] = 1;
  const double u = corner ? std::round(rng.uniform()) : rng.uniform();
  r.y = c.response.lower + u * c.response.width();
  if (c.response.lower >= 0) r.y = std::round(r.y);
  return r;
}

double log_density(const Case& c, const Record& r, const Position& at) {
  return c.log_density(r.y, r.x.dot(at.head(5)), at.size() > 5 ? at[5] : 0);
}

Position gradient(const Case& c, const Record& r, const Position& at) {
  Position result(at.size());
  for (Eigen::Index j = 0; j < at.size(); ++j) {
    const double h = 1e-6;
    Position up = at;
    Position down = at;
    up[j] += h;
    down[j] -= h;
    result[j] = (log_density(c, r, up) - log_density(c, r, down)) / (2 * h);
  }
  return result;
}

Rows rows_of(const std::vector<Record>& records) {
  Rows rows(records.size(), 6);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t j = 0; j < 5; ++j) rows.at(i, j) = records[i].x[static_cast<Eigen::Index>(j)];
    rows.at(i, 5) = records[i].y;
    rows.weight(i) = 1;
  }
  return rows;
}

class GlmBounds : public testing::TestWithParam<int> {
 protected:
  const Case& c = kCases[GetParam()];
  Glm glm{c.family, domain(), c.response};
  ChainRng rng{static_cast<std::uint64_t>(GetParam()) + 1};
};

TEST_P(GlmBounds, ratio_range_encloses_every_row) {
  for (int trial = 0; trial < 200; ++trial) {
    const Position from = 0.8 * rng.normals(glm.dim());
    const Position to = from + std::pow(10.0, -3 * rng.uniform()) * rng.normals(glm.dim());
    const Interval range = glm.ratio_range(from, to);
    for (int i = 0; i < 100; ++i) {
      const Record r = random_record(c, rng);
      const double change = log_density(c, r, to) - log_density(c, r, from);
      EXPECT_GE(change, range.lower - 1e-9);
      EXPECT_LE(change, range.upper + 1e-9);
    }
  }
}

TEST_P(GlmBounds, gradient_bound_encloses_every_row) {
  for (int trial = 0; trial < 100; ++trial) {
    const Position at = 0.8 * rng.normals(glm.dim());
    const Position scale = rng.normals(glm.dim()).cwiseAbs() + Position::Constant(glm.dim(), 0.1);
    const VectorBound bound = glm.gradient_bound(at, scale);
    Position last = Position::Zero(glm.dim());
    for (int i = 0; i < 50; ++i) {
      const Position g = scale.array() * gradient(c, random_record(c, rng), at).array();
      EXPECT_LE(g.norm(), bound.norm * (1 + 1e-6));
      if (i > 0) {
        EXPECT_LE((g - last).norm(), bound.diameter * (1 + 1e-6));
      }
      last = g;
    }
  }
}

// What the passes really add up for one row never leaves the integers that the price was made from.
TEST_P(GlmBounds, contributions_obey_the_declared_integers) {
  for (int trial = 0; trial < 100; ++trial) {
    const Position from = 0.8 * rng.normals(glm.dim());
    const Position to = from + 0.1 * rng.normals(glm.dim());
    const auto range = contribution_range(glm.ratio_range(from, to));
    ASSERT_TRUE(range);
    const Position scale = Position::Ones(glm.dim());
    const VectorBound bound = glm.gradient_bound(from, scale);
    const auto noise = vector_noise(bound, static_cast<std::size_t>(glm.dim()), {}, Rho(1));
    ASSERT_TRUE(noise);
    const RatioTask ratio{&from, &to, range->lower, range->upper};
    const GradientTask task{&from, scale / noise->grid.value(), HUGE_VAL, HUGE_VAL};
    Position last;
    for (int i = 0; i < 20; ++i) {
      const Record r = random_record(c, rng);
      const Rows rows = rows_of({r});
      std::int64_t sum = 0;
      glm.add_ratios(rows, 0, 1, {&ratio, 1}, 1 / kLogDensityGrid, {&sum, 1});
      EXPECT_GE(sum, range->lower);
      EXPECT_LE(sum, range->upper);
      const double exact = (log_density(c, r, to) - log_density(c, r, from)) / kLogDensityGrid;
      EXPECT_NEAR(static_cast<double>(sum), exact, 2 + 1e-3 * std::abs(exact) * 1e-6) << "nothing is clipped";

      std::vector<std::int64_t> sums(static_cast<std::size_t>(glm.dim()));
      glm.add_gradients(rows, 0, 1, {&task, 1}, sums);
      Position vector(glm.dim());
      for (Eigen::Index j = 0; j < glm.dim(); ++j)
        vector[j] = static_cast<double>(sums[static_cast<std::size_t>(j)]);
      EXPECT_LE(((vector * noise->grid.value()) - gradient(c, r, from)).norm(), 1e-6 * bound.norm + 1e-6);
      if (i > 0) {
        EXPECT_LE((vector - last).norm(), noise->sensitivity);
      }
      last = vector;
    }
  }
}

TEST_P(GlmBounds, a_gradient_beyond_what_was_priced_counts_as_none) {
  int counted = 0;
  for (int trial = 0; trial < 50; ++trial) {
    const Position at = 0.8 * rng.normals(glm.dim());
    const Record r = random_record(c, rng);
    const double norm = 1000 * gradient(c, r, at).norm();
    const auto sums = [&](double longest) {
      const GradientTask task{&at, Position::Constant(glm.dim(), 1000), longest, 2 * longest};
      std::vector<std::int64_t> all(static_cast<std::size_t>(glm.dim()));
      const Rows rows = rows_of({r});
      glm.add_gradients(rows, 0, 1, {&task, 1}, all);
      return all;
    };
    const std::vector<std::int64_t> none(static_cast<std::size_t>(glm.dim()));
    counted += sums(1.001 * norm + 1) == none ? 0 : 1;
    if (norm > 2) {
      EXPECT_EQ(sums(0.999 * norm - 1), none);
    }
  }
  EXPECT_GT(counted, 10);
}

// It counts for what it may at most; where its score were taken as it is, its vector would be beyond what was priced, and nothing.
TEST_P(GlmBounds, a_response_beyond_its_bounds_counts_for_as_much_as_is_priced) {
  for (int trial = 0; trial < 50; ++trial) {
    const Position at = 0.8 * rng.normals(glm.dim());
    const Position scale = Position::Ones(glm.dim());
    const VectorBound bound = glm.gradient_bound(at, scale);
    Record r = random_record(c, rng);
    r.y = c.response.upper + 1000;
    const double unit = 1e6 / bound.norm;
    const GradientTask task{&at, unit * scale, 1e6 * (1 + 1e-9), 2e6 * (1 + 1e-9)};
    std::vector<std::int64_t> sums(static_cast<std::size_t>(glm.dim()));
    glm.add_gradients(rows_of({r}), 0, 1, {&task, 1}, sums);
    double squares = 0;
    for (const std::int64_t one : sums) squares += static_cast<double>(one) * static_cast<double>(one);
    EXPECT_GT(squares, 0);
    EXPECT_LE(std::sqrt(squares), 1e6 * (1 + 1e-6));
  }
}

TEST_P(GlmBounds, sums_of_many_rows_match_a_plain_loop) {
  std::vector<Record> records;
  for (int i = 0; i < 1003; ++i) records.push_back(random_record(c, rng));
  const Rows rows = rows_of(records);
  const Position from = 0.3 * rng.normals(glm.dim());
  const Position to = from + 0.05 * rng.normals(glm.dim());
  const RatioTask task{&from, &to, -(std::int64_t{1} << 45), std::int64_t{1} << 45};
  std::int64_t sum = 0;
  glm.add_ratios(rows, 0, rows.tiles(), {&task, 1}, 1 / kLogDensityGrid, {&sum, 1});
  double exact = 0;
  for (const Record& r : records) exact += log_density(c, r, to) - log_density(c, r, from);
  EXPECT_NEAR(static_cast<double>(sum) * kLogDensityGrid, exact, 1e-8);
}

TEST_P(GlmBounds, one_coordinate_moves_are_cheaper) {
  const Position from = Position::Zero(glm.dim());
  Position one = from;
  one[1] = 0.2;
  const Position all = Position::Constant(glm.dim(), 0.2);
  EXPECT_LT(glm.ratio_range(from, one).width(), 0.5 * glm.ratio_range(from, all).width());
}

TEST_P(GlmBounds, positions_that_are_not_finite_have_no_bound) {
  Position bad = Position::Zero(glm.dim());
  bad[1] = NAN;
  EXPECT_FALSE(contribution_range(glm.ratio_range(Position::Zero(glm.dim()), bad)));
  EXPECT_FALSE(vector_noise(glm.gradient_bound(bad, Position::Ones(glm.dim())), 5, {}, Rho(1)));
}

INSTANTIATE_TEST_SUITE_P(Families, GlmBounds, testing::Range(0, static_cast<int>(std::size(kCases))));

// Ordered categories have tests of their own: tests/model/ordered_row_test.cpp.
TEST(Glm, every_family_is_among_the_cases) {
  for (const GlmFamily& family : families()) {
    if (has_thresholds(family)) continue;
    EXPECT_TRUE(std::any_of(std::begin(kCases), std::end(kCases), [&](const Case& c) {
      return c.family.index() == family.index();
    })) << family_name(family);
  }
}

TEST(Glm, refuses_responses_and_sigmas_that_the_family_does_not_take) {
  EXPECT_THROW(Glm(family::Bernoulli(), domain(), {0, 2}), Error);
  EXPECT_THROW(Glm(family::Poisson(), domain(), {-1, 5}), Error);
  EXPECT_THROW(Glm(family::Normal{0.0}, domain(), {-1, 5}), Error);
}

}  // namespace
}  // namespace sotto
