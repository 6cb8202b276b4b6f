#include "sotto/model/design.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/math/cubic_spline.hpp"
#include "sotto/model/design_rows.hpp"

namespace sotto {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Schema schema() {
  return {{{"y", ColumnKind::count, {0, 9}, {}},
           {"x", ColumnKind::real, {1, 5}, {}},
           {"z", ColumnKind::real, {-3, 1}, {}},
           {"b", ColumnKind::binary},
           {"r", ColumnKind::category, {}, {"n", "s", "w"}},
           {"k", ColumnKind::count, {2, 4}, {}},
           {"g", ColumnKind::category, {}, {"u", "v"}}},
          {}};
}
Design design(const char* formula) { return {parse_formula(formula), schema()}; }

std::string refusal(const char* formula) {
  try {
    (void)design(formula).domain();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "";
}

// Column names of R's model.matrix, with its contrast rules.
TEST(Design, columns_as_in_r) {
  EXPECT_THAT(design("y ~ x + b").names(), ElementsAre("Intercept", "x", "b"));
  EXPECT_THAT(design("y ~ r").names(), ElementsAre("Intercept", "r[s]", "r[w]"));
  EXPECT_THAT(design("y ~ r - 1").names(), ElementsAre("r[n]", "r[s]", "r[w]"));
  EXPECT_THAT(design("y ~ x + r + g - 1").names(), ElementsAre("x", "r[n]", "r[s]", "r[w]", "g[v]"));
  EXPECT_THAT(design("y ~ x*g").names(), ElementsAre("Intercept", "x", "g[v]", "x:g[v]"));
  EXPECT_THAT(design("y ~ x:g").names(), ElementsAre("Intercept", "x:g[u]", "x:g[v]"));
  EXPECT_THAT(design("y ~ r*g").names(),
              ElementsAre("Intercept", "r[s]", "r[w]", "g[v]", "r[s]:g[v]", "r[w]:g[v]"));
  EXPECT_THAT(design("y ~ g + r:g").names(),
              ElementsAre("Intercept", "g[v]", "g[u]:r[s]", "g[v]:r[s]", "g[u]:r[w]", "g[v]:r[w]"));
  EXPECT_THAT(design("y ~ C(k) + log(x)").names(), ElementsAre("Intercept", "k[3]", "k[4]", "log(x)"));
  EXPECT_EQ(design("y ~ factor(k)").names(), design("y ~ C(k)").names());
  EXPECT_THAT(design("y ~ poly(x, 2) + bs(z, 3)").names(),
              ElementsAre("Intercept", "poly(x)[1]", "poly(x)[2]", "bs(z)[1]", "bs(z)[2]", "bs(z)[3]"));
  EXPECT_THAT(design("y ~ poly(x, 2)*g + log(x)").names(),
              ElementsAre("Intercept", "poly(x)[1]", "poly(x)[2]", "g[v]", "log(x)", "poly(x)[1]:g[v]",
                          "poly(x)[2]:g[v]"));
  EXPECT_THAT(design("y ~ poly(x, 2):bs(z, 3)").names(),
              ElementsAre("Intercept", "poly(x)[1]:bs(z)[1]", "poly(x)[2]:bs(z)[1]", "poly(x)[1]:bs(z)[2]",
                          "poly(x)[2]:bs(z)[2]", "poly(x)[1]:bs(z)[3]", "poly(x)[2]:bs(z)[3]"));
}

Schema survival_schema() {
  return {{{"days", ColumnKind::real, {0, 10}, {}},
           {"died", ColumnKind::binary},
           {"x", ColumnKind::real, {-1, 1}, {}},
           {"r", ColumnKind::category, {}, {"n", "s"}}},
          {}};
}

// Up to 2 days, to 5, to 10.
TEST(Design, a_time_at_risk_becomes_a_row_for_each_piece_that_was_reached) {
  const Schema schema = survival_schema();
  const Design design(parse_formula("Surv(days, died) ~ x + r"), schema, {2, 5});
  EXPECT_THAT(design.names(), ElementsAre("Intercept", "days[2-5]", "days[5-10]", "x", "r[s]"));
  EXPECT_EQ(design.pieces().count, 3U);
  EXPECT_EQ(design.pieces().first, 1);
  Table table(schema);
  const auto add = [&](const char* days, const char* died) {
    const std::vector<std::optional<std::string_view>> cells{days, died, "0.5", "s"};
    table.append(cells, "");
  };
  add("4", "1");   // in the second piece, two thirds through
  add("10", "0");  // all three, no event
  add("0", "1");   // at once
  add("2", "1");   // at the end of the first
  add("NA", "1");
  const Rows rows = design_rows(table, design);
  ASSERT_EQ(rows.rows(), 15U);
  const auto row = [&](std::size_t i) {
    std::vector<double> values;
    for (std::size_t j = 0; j < 6; ++j) values.push_back(rows.at(i, j));
    values.push_back(rows.weight(i));
    return values;
  };
  const auto nothing = ElementsAre(0, 0, 0, 0, 0, 0, 0);
  EXPECT_THAT(row(0), ElementsAre(1, 0, 0, 0.5, 1, 1, 1));
  EXPECT_THAT(row(1), ElementsAre(1, 1, 0, 0.5, 1, testing::DoubleEq(2 + 2.0 / 3), 1));
  EXPECT_THAT(row(2), nothing);
  for (const std::size_t k : {3, 4, 5}) EXPECT_EQ(rows.at(k, 5), 1);
  EXPECT_THAT(row(6), ElementsAre(1, 0, 0, 0.5, 1, 2, 1));
  EXPECT_THAT(row(7), nothing);
  EXPECT_THAT(row(9), ElementsAre(1, 0, 0, 0.5, 1, 3, 1));
  EXPECT_THAT(row(10), nothing);
  for (const std::size_t k : {12, 13, 14}) EXPECT_THAT(row(k), nothing);
}

TEST(Design, whatever_time_and_event_are_one_piece_at_most_has_the_event) {
  const TimeAtRisk time{{1, 1.5, 40}};
  for (const double t :
       {-1.0, 0.0, 1e-300, 0.5, 1.0, std::nextafter(1.0, 2.0), 1.5, 7.0, 40.0, 41.0, HUGE_VAL}) {
    double events = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const auto piece = time.response(k, t, true);
      if (!piece) continue;
      events += piece->event;
      EXPECT_GE(piece->share, 0);
      EXPECT_LE(piece->share, 1);
      EXPECT_EQ(PieceResponse::of(piece->coded()).event, piece->event);
      EXPECT_NEAR(PieceResponse::of(piece->coded()).share, piece->share, 1e-15);
    }
    EXPECT_EQ(events, t < 40 ? 1 : 0) << t;  // beyond the end a time is taken as the end
  }
}

// What is lived through of a piece is a share of it, what is reported is for one day.
TEST(Design, hazards_are_told_in_units_of_time) {
  const Design design(parse_formula("Surv(days, died) ~ x"), survival_schema(), {2, 5});
  const Position shift = design.to_units();
  EXPECT_NEAR(shift[0], -std::log(2), 1e-15);
  EXPECT_NEAR(shift[1], std::log(2.0 / 3), 1e-15);
  EXPECT_NEAR(shift[2], std::log(2.0 / 5), 1e-15);
  EXPECT_EQ(shift[3], 0);
}

TEST(Design, refuses_times_at_risk_that_are_none) {
  const auto refused = [](const char* formula, const std::vector<double>& cuts) -> std::string {
    try {
      (void)Design(parse_formula(formula), survival_schema(), cuts);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(refused("Surv(days, x) ~ r", {}), HasSubstr("kind = \"binary\""));
  EXPECT_THAT(refused("Surv(days, x) ~ r", {}), HasSubstr("Surv(days, x == 1)"));
  EXPECT_THAT(refused("Surv(days, r) ~ x", {}), HasSubstr("Surv(days, r == '"));
  EXPECT_THAT(refused("Surv(days, r == 'nowhere') ~ x", {}), HasSubstr("is no level of r"));
  EXPECT_THAT(refused("Surv(days, died == 'yes') ~ x", {}), HasSubstr("write died alone"));
  EXPECT_THAT(refused("Surv(days, died == 2) ~ x", {}), HasSubstr("declare died as a count"));
  EXPECT_THAT(refused("Surv(died, x == 1) ~ r", {}), HasSubstr("the time is a number"));
  EXPECT_THAT(refused("Surv(x, died) ~ r", {}), HasSubstr("from 0 on"));
  EXPECT_THAT(refused("Surv(days, died) ~ x - 1", {}), HasSubstr("leave + 0 or - 1 out"));
  EXPECT_THAT(refused("Surv(days, died) ~ died", {}), HasSubstr("is the response"));
  EXPECT_THAT(refused("Surv(days, died) ~ r + offset(x)", {}), HasSubstr("leave offset(...) out"));
  EXPECT_THAT(refused("x ~ r", {2}), HasSubstr("write Surv(time, event)"));
  for (const std::vector<double>& cuts : {std::vector<double>{5, 2}, {0, 2}, {10}, {2, 2}, {-1}, {NAN}, {20}})
    EXPECT_THAT(refused("Surv(days, died) ~ x", cuts), HasSubstr("must ascend"));
  EXPECT_THAT(refused("Surv(days, died) ~ x", std::vector<double>(20, 1)), HasSubstr("at most 20"));
}

TEST(Design, scales_by_declared_bounds) {
  const Design with = design("y ~ x + b + r + x:z");
  const std::vector<double> values{1, 0, 2, -3};  // sources x, b, r, z
  EXPECT_EQ(with.column(1).scaled(values), -1);
  EXPECT_EQ(with.column(2).scaled(values), -1);
  EXPECT_EQ(with.column(3).scaled(values), 0);
  EXPECT_EQ(with.column(4).scaled(values), 1);
  EXPECT_EQ(with.column(5).range.lower, -15);
  EXPECT_EQ(with.column(5).range.upper, 5);
  EXPECT_EQ(with.column(5).scaled(values), (-3.0 + 5) / 10);
  const Design without = design("y ~ z - 1");
  EXPECT_EQ(without.column(0).scaled(std::vector<double>{-3}), -1);
  EXPECT_EQ(without.column(0).scaled(std::vector<double>{1.5}), 0.5);
}

TEST(Design, powers_have_the_range_of_their_values) {
  const Design d = design("y ~ I(z^2) + I(z^3) + I(x^2)");  // z in [-3, 1], x in [1, 5]
  EXPECT_EQ(d.column(1).range.lower, 0);
  EXPECT_EQ(d.column(1).range.upper, 9);
  EXPECT_EQ(d.column(2).range.lower, -27);
  EXPECT_EQ(d.column(2).range.upper, 1);
  EXPECT_EQ(d.column(3).range.lower, 1);
  EXPECT_EQ(d.column(3).range.upper, 25);
  EXPECT_EQ(d.sources()[1].value(-2), -8);
  // Every value lies in the declared range: sensitivities are computed from it.
  for (int power = 2; power <= 9; ++power) {
    const Design one = design(fmt::format("y ~ I(z^{})", power).c_str());
    for (double z = -3; z <= 1; z += 0.25) {
      EXPECT_GE(one.sources()[0].value(z), one.column(1).range.lower) << power;
      EXPECT_LE(one.sources()[0].value(z), one.column(1).range.upper) << power;
      EXPECT_EQ(one.sources()[0].value(z), std::pow(z, power));  // and no range moves it
    }
  }
}

// The row's own values, whatever else stands in the formula.
TEST(Design, values_of_a_basis_are_columns) {
  const Design d = design("y ~ poly(x, 2):g + bs(z, 4)");
  Table table(schema().select({"y", "x", "g", "z"}));
  table.append(std::vector<std::optional<std::string_view>>{"3", "4", "v", "0"}, std::nullopt);
  const Rows rows = design_rows(table, d);
  const auto at = [&](const char* name) {
    const auto names = d.names();
    const auto j = std::find(names.begin(), names.end(), name) - names.begin();
    const DesignColumn& column = d.column(j);
    return rows.at(0, static_cast<std::size_t>(j)) * column.half_width + column.center;
  };
  EXPECT_NEAR(at("poly(x)[1]:g[v]"), 0.5, 1e-15);  // x = 4 in [1, 5]
  EXPECT_NEAR(at("poly(x)[2]:g[v]"), -0.125, 1e-15);
  EXPECT_NEAR(at("poly(x)[2]:g[u]"), 0, 1e-15);
  for (int part = 1; part <= 4; ++part)  // z = 0 in [-3, 1]
    EXPECT_NEAR(at(fmt::format("bs(z)[{}]", part).c_str()), cubic_b_spline(0.75, 1, part), 1e-15) << part;
}

TEST(Design, original_coefficients_give_the_same_linear_predictor) {
  for (const char* formula :
       {"y ~ x*z + r + b", "y ~ x + z:r - 1", "y ~ log(x) + C(k):z", "y ~ bs(x, 4)*poly(z, 2)"}) {
    const Design d = design(formula);
    std::vector<double> values;
    for (const Source& source : d.sources())
      values.push_back(source.is_category() ? 1 : source.range.lower + 0.7 * source.range.width());
    Position beta(d.columns()), scaled(d.columns()), plain(d.columns());
    for (Eigen::Index j = 0; j < d.columns(); ++j) {
      beta[j] = 0.3 * static_cast<double>(j) - 1;
      scaled[j] = d.column(j).scaled(values);
      plain[j] = scaled[j] * d.column(j).half_width + d.column(j).center;
    }
    EXPECT_NEAR(scaled.dot(beta), plain.dot(d.to_original(beta)), 1e-12) << formula;
    EXPECT_LT((d.to_scaled(d.to_original(beta)) - beta).norm(), 1e-12) << formula;
  }
}

TEST(Design, an_offset_is_the_last_column_with_a_known_coefficient) {
  const Design with = design("y ~ offset(x) + z");
  EXPECT_THAT(with.names(), ElementsAre("Intercept", "z", "offset(x)"));
  EXPECT_EQ(with.offset(), 2) << "half of the width from 1 to 5";
  EXPECT_NEAR(with.to_original(Position{{0, 0, *with.offset()}})[2], 1, 1e-15);
  EXPECT_FALSE(design("y ~ x + z").offset());
}

TEST(Design, groups_have_columns_for_all_levels_but_the_first) {
  const Design with = design("y ~ (1 | r) + x + (1 | C(k)) + offset(z)");
  EXPECT_THAT(with.names(), ElementsAre("Intercept", "x", "r[s]", "r[w]", "k[3]", "k[4]", "offset(z)"));
  ASSERT_EQ(with.groups().size(), 2U);
  EXPECT_EQ(with.groups()[0].name, "r");
  EXPECT_THAT(with.groups()[0].levels, ElementsAre("n", "s", "w"));
  EXPECT_THAT(with.groups()[0].columns, ElementsAre(2, 3));
  EXPECT_THAT(with.groups()[1].columns, ElementsAre(4, 5));
}

// x in [1, 5]: slopes turn about 3.
TEST(Design, slopes_of_levels_turn_about_the_middle) {
  const Design with = design("y ~ x + (x || r)");
  EXPECT_THAT(with.names(), ElementsAre("Intercept", "x", "r[s]", "r[w]", "x:r[s]", "x:r[w]"));
  ASSERT_EQ(with.groups().size(), 2U);
  const DesignGroup& slopes = with.groups()[1];
  EXPECT_EQ(slopes.name, "x:r");
  EXPECT_THAT(slopes.columns, ElementsAre(4, 5));
  EXPECT_EQ(slopes.mean, 1);
  EXPECT_EQ(slopes.centre, 3);
  EXPECT_EQ(slopes.half_width, 2);
  for (const double x : {1.0, 2.0, 3.0, 5.0}) {
    const std::vector<double> second{x, 1};
    EXPECT_EQ(with.column(4).scaled(second), (x - 3) / 2);
    EXPECT_EQ(with.column(5).scaled(second), 0);
    EXPECT_EQ(with.column(4).scaled(std::vector<double>{x, 0}), 0);
  }
  EXPECT_EQ(with.to_original(Position::Unit(6, 4)), Position(Position::Unit(6, 4) / 2));
  EXPECT_EQ(with.domain().range(Position::Unit(6, 4)).lower, -1);
  EXPECT_EQ(with.domain().range(Position::Unit(6, 4)).upper, 1);
}

// A column less than thresholds, as the intercept is the first.
TEST(Design, ordered_categories_have_a_row_for_each_threshold) {
  const Design with = design("r ~ x + b");
  EXPECT_THAT(with.names(), ElementsAre("Intercept", "r[s|w]", "x", "b"));
  EXPECT_EQ(with.pieces().count, 2U);
  EXPECT_EQ(with.pieces().first, 1);
  EXPECT_EQ(with.response().kind, ResponseKind::ordered);
  EXPECT_THAT(with.response().pieces(), ElementsAre("n|s", "s|w"));
  EXPECT_THAT(design("C(k) ~ x").response().pieces(), ElementsAre("2|3", "3|4"));
  Table table(schema());
  const std::vector<std::optional<std::string_view>> cells{"2", "3", "0", "1", "w", "4", "v"};
  table.append(cells, std::nullopt);
  const Rows rows = design_rows(table, with);
  ASSERT_EQ(rows.rows(), 2U);
  for (std::size_t k = 0; k < 2; ++k) {
    EXPECT_EQ(rows.at(k, 1), static_cast<double>(k));
    EXPECT_EQ(rows.at(k, 4), 2);
    EXPECT_EQ(rows.weight(k), 1);
  }
  EXPECT_EQ(design_rows(table, design("C(k) ~ x")).at(0, 3), 2);
}

TEST(Design, refusals_say_what_to_change) {
  EXPECT_THAT(refusal("y ~ (x || r)"), HasSubstr("write x + (x || r)"));
  EXPECT_THAT(refusal("y ~ x*r + (x || r)"), HasSubstr("a term and a group"));
  EXPECT_THAT(refusal("y ~ x:r + x + (0 + x || r)"), HasSubstr("leave out one of x:r and (x | r)"));
  EXPECT_THAT(refusal("y ~ x + C(k) + (C(k) || r)"), HasSubstr("slopes are of numbers"));
  EXPECT_THAT(refusal("y ~ q"), HasSubstr("not declared"));
  EXPECT_THAT(refusal("r ~ x + 0"), HasSubstr("ordered categories need the intercept"));
  EXPECT_THAT(refusal("C(b) ~ x"), HasSubstr("b is a category of 2 levels"));
  EXPECT_THAT(refusal("C(k) == 2 ~ x"), HasSubstr("C() has no meaning"));
  EXPECT_THAT(refusal("r == 'q' ~ x"), HasSubstr("its levels are n, s, w"));
  EXPECT_THAT(refusal("r == 1 ~ x"), HasSubstr("in quotes"));
  EXPECT_THAT(refusal("y == '1' ~ x"), HasSubstr("without quotes"));
  EXPECT_THAT(refusal("y ~ y"), HasSubstr("response"));
  EXPECT_THAT(refusal("b == 'yes' ~ x"), HasSubstr("write b alone"));
  EXPECT_THAT(refusal("y ~ log(z)"), HasSubstr("not defined"));
  EXPECT_THAT(refusal("y ~ log(r)"), HasSubstr("category"));
  EXPECT_THAT(refusal("y ~ C(x)"), HasSubstr("real"));
  EXPECT_THAT(refusal("y ~ x + offset(r)"), HasSubstr("category"));
  EXPECT_THAT(refusal("y ~ (1 | x)"), HasSubstr("no category"));
  EXPECT_THAT(refusal("y ~ (1 | k)"), HasSubstr("(1 | C(k))"));
  EXPECT_THAT(refusal("y ~ (1 | r:k)"), HasSubstr("one column of both"));
  EXPECT_THAT(refusal("y ~ (1 | r/k)"), HasSubstr("one column of both"));
  EXPECT_THAT(refusal("y ~ ns(x, 2)"), HasSubstr("did you mean bs?"));
  EXPECT_THAT(refusal("y ~ exp(x)"),
              HasSubstr("use C(x), log(x), log1p(x), sqrt(x), I(x^2), poly(x, 3), bs(x, 5)"));
  EXPECT_THAT(refusal("y ~ bs(x, 2)"), HasSubstr("bs(x) needs a whole number from 3 to 20, as in bs(x, 5)"));
  EXPECT_THAT(refusal("y ~ bs(x, df = 4)"), HasSubstr("as in bs(x, 5)"));
  EXPECT_THAT(refusal("y ~ poly(r, 2)"), HasSubstr("r is a category"));
  EXPECT_THAT(refusal("y ~ poly(b, 2)"), HasSubstr("b takes 2 values alone; write C(b)"));
  EXPECT_THAT(refusal("y ~ bs(k, 3)"), HasSubstr("k takes 3 values alone"));
  EXPECT_THAT(refusal("y ~ x + poly(x, 2)"), HasSubstr("x and poly(x, 2) say the same of x"));
  EXPECT_THAT(refusal("y ~ bs(x, 5) + poly(x, 2)"), HasSubstr("leave one out"));
  EXPECT_THAT(refusal("y ~ poly(x, 3) + I(x^2)"), HasSubstr("leave one out"));
  EXPECT_THAT(refusal("y ~ poly(x, 3) + poly(x, 2)"), HasSubstr("leave one out"));
  EXPECT_THAT(refusal("y ~ poly(x, 2) + (poly(x, 2) || r)"),
              HasSubstr("poly(x, 2) is a curve, and slopes are of numbers"));
  EXPECT_THAT(refusal("y ~ x + (1 | poly(x, 2))"), HasSubstr("no category"));
  EXPECT_THAT(refusal("y ~ r + (1 | r)"), HasSubstr("a term and a group"));
  EXPECT_THAT(refusal("y ~ x + (1 | r) - 1"), HasSubstr("needs the intercept"));
  EXPECT_THAT(refusal("y ~ x + (1 | C(y))"), HasSubstr("response"));
  EXPECT_THAT(refusal("y ~ x + offset(y)"), HasSubstr("response"));
  EXPECT_THAT(refusal("y ~ x + offset(log(z))"), HasSubstr("not defined"));
}

TEST(DesignRows, hold_scaled_columns_response_and_weight) {
  const Design d = design("y > 2 ~ x + r");
  Table table(schema().select({"y", "x", "r"}));
  const auto row = [&table](const char* y, const char* x, const char* r) {
    table.append(std::vector<std::optional<std::string_view>>{y, x, r}, std::nullopt);
  };
  row("3", "5", "w");
  row("2", "3", "n");
  row("nan", "3", "n");
  const Rows rows = design_rows(table, d);
  ASSERT_EQ(rows.columns(), 5U);
  const std::vector<std::vector<double>> expected{{1, 1, 0, 1, 1, 1}, {1, 0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 0}};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 6; ++j) EXPECT_EQ(rows.at(i, j), expected[i][j]) << i << ' ' << j;
  }
  EXPECT_EQ(rows.tile(0)[5 * kTile + 3], 0);  // padding weighs nothing
}

// Else bounds other than those that were priced would be enforced.
TEST(DesignRows, come_from_a_table_of_the_same_schema_only) {
  const auto given = [](const auto& change) {
    Schema other = schema();
    change(other);
    (void)design_rows(Table(other), design("y > 2 ~ x + r + k"));
  };
  EXPECT_NO_THROW(given([](Schema&) {}));
  EXPECT_THROW(given([](Schema& s) { s.columns[1].bounds.upper = 6; }), Error);
  EXPECT_THROW(given([](Schema& s) { s.columns[1].bounds.lower = 0; }), Error);
  EXPECT_THROW(given([](Schema& s) { s.columns[0].bounds.lower = 1; }), Error) << "the response";
  EXPECT_THROW(given([](Schema& s) { s.columns[4].levels = {"n", "w", "s"}; }), Error);
  EXPECT_THROW(given([](Schema& s) { s.columns[5].kind = ColumnKind::real; }), Error);
}

}  // namespace
}  // namespace sotto
