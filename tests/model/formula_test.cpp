#include "sotto/model/formula.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

// Terms as R's terms() labels them, the intercept as "1".
std::string labels(const char* text) {
  const Formula formula = parse_formula(text);
  std::string all = formula.intercept ? "1" : "0";
  for (const Term& term : formula.terms) {
    all += " ";
    for (std::size_t i = 0; i < term.variables.size(); ++i) all += (i ? ":" : "") + term.variables[i].text();
  }
  return all;
}

// In R: attr(terms(f), "intercept") and attr(terms(f), "term.labels").
TEST(Formula, terms_as_in_r) {
  EXPECT_EQ(labels("y ~ 1"), "1");
  EXPECT_EQ(labels("y~a+b"), "1 a b");
  EXPECT_EQ(labels("y ~ a - 1"), "0 a");
  EXPECT_EQ(labels("y ~ 0 + a"), "0 a");
  EXPECT_EQ(labels("y ~ a + 0 + 1"), "1 a");
  EXPECT_EQ(labels("y ~ a*b"), "1 a b a:b");
  EXPECT_EQ(labels("y ~ a:b + a"), "1 a a:b");
  EXPECT_EQ(labels("y ~ a*b*c - a:b:c"), "1 a b c a:b a:c b:c");
  EXPECT_EQ(labels("y ~ (a+b+c)^2"), "1 a b c a:b a:c b:c");
  EXPECT_EQ(labels("y ~ (a+b):c"), "1 a:c b:c");
  EXPECT_EQ(labels("y ~ a + a:a + b:a + a:b"), "1 a a:b");
  EXPECT_EQ(labels("y ~ C(r) + log(x):sqrt(z) + log1p(n)"), "1 C(r) log1p(n) log(x):sqrt(z)");
  EXPECT_EQ(labels("y ~ x + I(x^2) + z:I(x^3)"), "1 x I(x^2) z:I(x^3)");
  EXPECT_EQ(labels("y ~ poly(x,3)*z + bs( w , 5 )"), "1 poly(x, 3) z bs(w, 5) poly(x, 3):z");
  EXPECT_EQ(parse_formula("y ~ poly(x, 3):z").columns(), (std::vector<std::string>{"y", "x", "z"}));
  EXPECT_EQ(labels("y ~ poly + bs"), "1 poly bs") << "columns may have these names";
}

TEST(Formula, letters_beyond_ascii_stand_in_names) {
  const Formula formula = parse_formula("F\u00e4lle ~ Gr\u00f6\u00dfe");
  EXPECT_EQ(formula.response.column, "F\u00e4lle");
  EXPECT_EQ(formula.terms.at(0).variables.at(0).column, "Gr\u00f6\u00dfe");
}

TEST(Formula, an_offset_is_no_term) {
  const Formula formula = parse_formula("y ~ a + offset(log(days)) + b:a");
  ASSERT_TRUE(formula.offset);
  EXPECT_EQ(formula.offset->text(), "log(days)");
  EXPECT_EQ(formula.terms.size(), 2U);
  EXPECT_EQ(formula.columns(), (std::vector<std::string>{"y", "a", "b", "days"}));
  EXPECT_FALSE(parse_formula("y ~ a + offset").offset) << "a column may have that name";
}

TEST(Formula, a_group_is_no_term) {
  const Formula formula = parse_formula("y ~ (1 | g) + a + (1|C(k))");
  ASSERT_EQ(formula.varying.size(), 2U);
  EXPECT_EQ(formula.varying[0].group.text(), "g");
  EXPECT_EQ(formula.varying[1].group.text(), "C(k)");
  EXPECT_TRUE(formula.intercept);
  EXPECT_EQ(formula.terms.size(), 1U);
  EXPECT_EQ(formula.columns(), (std::vector<std::string>{"y", "a", "g", "k"}));
}

TEST(Formula, slopes_vary_too) {
  const Formula formula = parse_formula("y ~ x + log(z) + (x + log(z) || g) + (0 + w | h)");
  ASSERT_EQ(formula.varying.size(), 4U);
  EXPECT_EQ(formula.varying[0], (VaryingTerm{{"g"}, {}}));
  EXPECT_EQ(formula.varying[1], (VaryingTerm{{"g"}, Variable{"x"}}));
  EXPECT_EQ(formula.varying[2], (VaryingTerm{{"g"}, Variable{"z", find_column_function("log")}}));
  EXPECT_EQ(formula.varying[3], (VaryingTerm{{"h"}, Variable{"w"}}));
  EXPECT_FALSE(formula.correlated);
  EXPECT_EQ(formula.columns(), (std::vector<std::string>{"y", "x", "z", "g", "h", "w"}));
  for (const char* text : {"y ~ x + (x | g)", "y ~ x + (1 + x | g)"}) {
    EXPECT_TRUE(parse_formula(text).correlated) << text;
    EXPECT_EQ(parse_formula(text).varying.size(), 2U) << text;
  }
  EXPECT_FALSE(parse_formula("y ~ (1 | g)").correlated);
}

TEST(Formula, response) {
  const Formula greater = parse_formula("mdvis > 0 ~ x");
  EXPECT_EQ(greater.response.column, "mdvis");
  ASSERT_TRUE(greater.comparison);
  EXPECT_EQ(std::get<double>(greater.comparison->with), 0);
  EXPECT_EQ(greater.comparison->relation, Comparison::Relation::greater);
  EXPECT_EQ(std::get<std::string>(parse_formula("`odd name` == 'a b' ~ x").comparison->with), "a b");
  EXPECT_EQ(std::get<double>(parse_formula("y <= -1.5e2 ~ x").comparison->with), -150);
  EXPECT_EQ(parse_formula("y ~ x1 + x2:y2 + x1").columns(),
            (std::vector<std::string>{"y", "x1", "x2", "y2"}));
}

TEST(Formula, a_time_at_risk) {
  const Formula formula = parse_formula("Surv(days, died) ~ age + (1 | clinic)");
  EXPECT_EQ(formula.response.column, "days");
  ASSERT_TRUE(formula.event);
  EXPECT_EQ(formula.event->column, "died");
  EXPECT_EQ(formula.columns(), (std::vector<std::string>{"days", "age", "clinic", "died"}));
  EXPECT_FALSE(formula.event_comparison);
  EXPECT_EQ(std::get<double>(parse_formula("Surv(days, status == 2) ~ x").event_comparison->with), 2);
  EXPECT_EQ(std::get<std::string>(parse_formula("Surv(days, end != 'left') ~ x").event_comparison->with),
            "left");
  EXPECT_EQ(parse_formula("Surv ~ x").response.column, "Surv");
  for (const char* text : {"Surv(days) ~ x", "Surv(days, died, sex) ~ x", "Surv(log(days), died) ~ x",
                           "Surv(days, C(died)) ~ x", "Surv(days, died) > 0 ~ x", "Surv(days, died ~ x"})
    EXPECT_THROW((void)parse_formula(text), Error) << text;
}

TEST(Formula, errors_are_configuration_errors) {
  for (const char* text : {"",
                           "y",
                           "~ x",
                           "y ~",
                           "y ~ +",
                           "y ~ x +",
                           "y ~ (x",
                           "y ~ x)",
                           "y ~ 2",
                           "y ~ x^0.5",
                           "y ~ x^z",
                           "y ~ x + x^2",
                           "y ~ f(x)",
                           "y ~ C(x + z)",
                           "y ~ I(x)",
                           "y ~ I(x^1)",
                           "y ~ I(x^10)",
                           "y ~ I(x^0.5)",
                           "y ~ I(x^z)",
                           "I(y^2) ~ x",
                           "y ~ poly(x)",
                           "y ~ poly(x, 0)",
                           "y ~ poly(x, 10)",
                           "y ~ poly(x, 1.5)",
                           "y ~ poly(x, k)",
                           "y ~ poly(x, -1)",
                           "y ~ poly(x^3)",
                           "y ~ poly(x, 3",
                           "y ~ poly(x, 3, 2)",
                           "y ~ bs(x, 2)",
                           "y ~ bs(x, 21)",
                           "y ~ bs(x, df = 5)",
                           "y ~ offset(bs(x, 4))",
                           "poly(y, 2) ~ x",
                           "y ~ .",
                           "y > ~ x",
                           "y > 'a' ~ x",
                           "y == level ~ x",
                           "y ~ x ~ z",
                           "y ~ `x",
                           "y ~ x $ z",
                           "C(y) == 1 ~ x",
                           "Surv(C(t), d) ~ x",
                           "y > 1e999 ~ x",
                           "y ~ 0",
                           "y ~ 1 - 1",
                           "y ~ x - offset(z)",
                           "y ~ x:offset(z)",
                           "y ~ offset(z):x",
                           "y ~ (x + offset(z))",
                           "y ~ offset(z) + offset(x)",
                           "y ~ offset(C(z))",
                           "y ~ offset(I(z^2))",
                           "y ~ offset(z",
                           "y ~ 0 + offset(z)",
                           "offset(y) ~ x",
                           "y ~ x - (1 | g)",
                           "y ~ x:(1 | g)",
                           "y ~ (0 | g)",
                           "y ~ (x - 1 | g)",
                           "y ~ (x ||| g)",
                           "y ~ (2 | g)",
                           "y ~ (x + (z | g))",
                           "y ~ (x || g) + (1 | g)",
                           "y ~ (1 | g + h)",
                           "y ~ (1 | g) + (1 | g)",
                           "y ~ 1 | g"}) {
    try {
      (void)parse_formula(text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration) << text;
    }
  }
}

TEST(Formula, any_text_parses_or_is_refused) {
  const bool held = rc::check([] {
    const auto text = *rc::gen::container<std::string>(
        rc::gen::element('y', 'x', '~', '+', '-', '*', ':', '^', '(', ')', '1', '0', '2', '>', '=', '\'', '`',
                         ' ', 'C', '.', 'e', '|'));
    try {
      (void)parse_formula("y ~ " + text);
    } catch (const Error&) {
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace sotto
