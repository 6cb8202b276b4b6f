#include "sotto/report/html_report.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <regex>

#include "sotto/diagnostics/sequences.hpp"
#include "sotto/report/figures.hpp"
#include "sotto/report/format_number.hpp"
#include "sotto/report/plot.hpp"
#include "sotto/report/run_json.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(HtmlReport, asks_the_network_for_nothing) {
  const std::string page = html_report(synthetic_run(200));
  for (const char* outside :
       {"http:", "https:", "//", "<script", "<link", "<img", "src=", "url(", "@import"}) {
    EXPECT_THAT(page, Not(HasSubstr(outside))) << outside;
  }
}

TEST(HtmlReport, every_opened_element_is_closed) {
  const std::string page = html_report(synthetic_run(200));
  for (const char* name :
       {"div", "span",    "section", "table", "tr", "td", "th", "p",    "h2",   "h3",  "figure",
        "svg", "details", "ul",      "li",    "dl", "dd", "dt", "main", "body", "html"}) {
    const std::regex open("<" + std::string(name) + "[ >]");
    const auto opened = static_cast<std::size_t>(
        std::distance(std::sregex_iterator(page.begin(), page.end(), open), std::sregex_iterator()));
    EXPECT_EQ(opened, times(page, "</" + std::string(name) + ">")) << name;
  }
}

TEST(HtmlReport, marks_the_comparison_wherever_it_shows) {
  RunRecord record = synthetic_run(2000);
  const std::string with = html_report(record);
  for (const char* id : {"answer", "densities"}) {
    EXPECT_TRUE(std::regex_search(
        with, std::regex("<h2 id=\"" + std::string(id) + "\">[^<]*<span class=\"badge\">[A-Z ]*NOT PRIVATE")))
        << id;
  }
  EXPECT_THAT(with, HasSubstr("npline"));
  record.comparison.reset();
  const std::string without = html_report(record);
  EXPECT_THAT(without, Not(HasSubstr("class=\"badge\"")));
  EXPECT_EQ(times(without, "class=\"npline\"") + times(without, "class=\"np90\""), 0U);
}

TEST(HtmlReport, a_run_without_privacy_says_so_in_every_section) {
  RunRecord record = synthetic_run(200);
  record.comparison.reset();
  record.privacy = not_private_statement();
  const std::string page = html_report(record);
  EXPECT_THAT(page, HasSubstr("<title>NOT PRIVATE: "));
  for (const char* id : {"answer", "privacy", "densities", "diagnostics", "traces", "ranks"}) {
    EXPECT_TRUE(std::regex_search(
        page, std::regex("<h2 id=\"" + std::string(id) + "\">[^<]*<span class=\"badge\">NOT PRIVATE")))
        << id;
  }
  EXPECT_THAT(page, Not(HasSubstr("<dt>epsilon</dt>")));
}

TEST(HtmlReport, escapes_what_others_named) {
  RunRecord record = synthetic_run(20);
  record.title = "<script>alert('x')</script> & \"y\"";
  record.draws.parameters[0] = "a<b";
  record.priors[0].distribution = "<i>";
  record.manifest.configuration["note"] = "</pre><script>";
  const std::string page = html_report(record);
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("<i>normal")));
  EXPECT_THAT(page, HasSubstr("a&lt;b"));
}

TEST(HtmlReport, bad_chains_are_told_at_the_top) {
  const std::string page = html_report(synthetic_run(14, 0.9));
  const auto told = page.find("The shortest chain has 14 draws");
  ASSERT_NE(told, std::string::npos);
  EXPECT_LT(told, page.find("id=\"privacy\""));
  EXPECT_THAT(page, HasSubstr("<td class=\"poor\">"));
}

TEST(HtmlReport, what_was_found_comes_first_and_every_charge_last) {
  const std::string page = html_report(synthetic_run(200));
  std::size_t last = 0;
  for (const char* id :
       {"answer", "privacy", "densities", "diagnostics", "traces", "ranks", "budget", "manifest"}) {
    const std::size_t at = page.find(fmt::format("<h2 id=\"{}\">", id));
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_GT(at, last) << id;
    last = at;
  }
}

// Its scale is its own: with it on their axis, effects are squeezed.
TEST(HtmlReport, the_intercept_stands_in_the_table_alone) {
  RunRecord record = synthetic_run(200);
  record.draws.parameters[0] = "Intercept";
  const std::string page = html_report(record);
  EXPECT_THAT(page, Not(HasSubstr("<div class=\"fname\">Intercept")));
  EXPECT_THAT(page, HasSubstr("in the table alone: Intercept."));
  EXPECT_THAT(page, HasSubstr("<td>Intercept</td>"));
  record.effects.clear();
  EXPECT_THAT(html_report(record), HasSubstr("<div class=\"fname\">Intercept"));
}

TEST(HtmlReport, a_prior_that_goes_on_beyond_a_figure_has_an_arrow) {
  RunRecord record = synthetic_run(200);
  for (PriorDescription& prior : record.priors) prior.q05 = prior.q50 = -0.01, prior.q95 = 0.01;
  EXPECT_EQ(times(forest_figure(record), "class=\"cut\""), 0U);
  record.priors[2].q05 = -100;
  EXPECT_EQ(times(forest_figure(record), "class=\"cut\""), 1U);
  record.priors[2].q95 = 100;
  EXPECT_EQ(times(forest_figure(record), "class=\"cut\""), 2U);
}

// A coefficient per year beside one of a category: on one axis its interval were a dot.
TEST(HtmlReport, effects_of_other_units_have_scales_of_their_own) {
  RunRecord record = synthetic_run(200);
  record.priors.clear();
  EXPECT_THAT(forest_figure(record), Not(HasSubstr("a scale of its own;")));
  for (Chain& chain : record.draws.chains) chain.draws.col(0) /= 1000;
  const std::string figure = forest_figure(record);
  EXPECT_THAT(figure, HasSubstr("Each of these lines has a scale of its own; dotted: 0."));
  EXPECT_THAT(figure, Not(HasSubstr("xaxis")));
}

TEST(HtmlReport, levels_share_a_scale_beside_columns_of_other_units) {
  RunRecord record = synthetic_run(200);
  record.priors.clear();
  for (Chain& chain : record.draws.chains) chain.draws.col(1) /= 1000;
  record.comparison.reset();
  record.draws.parameters = {"Intercept",    "age",           "clinic[a]", "clinic[b]",
                             "C(region)[2]", "age:clinic[b]", "poly(x)[1]"};
  const std::string figure = forest_figure(record);
  const auto note =
      figure.find("Columns have units of their own: each of these lines has a scale of its own");
  ASSERT_NE(note, std::string::npos);
  for (const char* apart : {"age<", "age:clinic[b]<", "poly(x)[1]<"})
    EXPECT_LT(figure.find(std::string("fname\">") + apart), note) << apart;
  for (const char* together : {"clinic[a]<", "clinic[b]<", "C(region)[2]<"}) {
    EXPECT_GT(figure.find(std::string("fname\">") + together), note) << together;
    EXPECT_NE(figure.find(std::string("fname\">") + together), std::string::npos) << together;
  }
  EXPECT_EQ(times(figure, "faxis"), 1U);
}

TEST(HtmlReport, a_curve_is_drawn_from_what_its_coefficients_say_together) {
  RunRecord record = synthetic_run(200);
  record.draws.parameters = {"Intercept", "z", "poly(age)[1]", "poly(age)[2]", "a", "b", "c"};
  record.effects = {"z", "a", "b", "c"};
  record.comparison.reset();
  EffectCurve curve{
      .column = "age", .at = {20, 40, 60}, .parameters = {"poly(age)[1]", "poly(age)[2]"}, .weights = {}};
  curve.weights.resize(3, 2);
  curve.weights << -1, 0, 0, 0, 2, 1;
  record.curves = {curve};
  for (Chain& chain : record.draws.chains)
    chain.draws.col(2).setConstant(0.5), chain.draws.col(3).setConstant(-3);
  const std::string page = html_report(record);
  EXPECT_THAT(page, HasSubstr("Effect of age along its curve"));
  EXPECT_THAT(page, HasSubstr("beside 40, the middle of the declared bounds"));
  EXPECT_THAT(curve_figures(record), HasSubstr("<td>20</td><td>-0.5</td><td>-0.5</td><td>-0.5</td>"));
  EXPECT_THAT(page, Not(HasSubstr("fname\">poly")));
  EXPECT_THAT(page, HasSubstr("<td>poly(age)[1]</td>"));
  RunRecord again;
  again.draws = record.draws;
  read_manifest(manifest_json(record), again);
  EXPECT_EQ(curve_figures(again), curve_figures(record));
  record.curves.clear();
  EXPECT_EQ(curve_figures(record), "");
}

TEST(HtmlReport, an_axis_has_two_numbers_at_least) {
  for (const double width : {0.011, 0.09, 0.6, 1.7, 4.0, 29.0, 9e5}) {
    for (const double low : {-0.5 * width, 0.37 * width, 13.1}) {
      for (const int count : {3, 4, 5}) {
        const Ticks ticks = round_ticks({low, low + width}, count);
        EXPECT_GE(ticks.size(), 2U) << low << " " << width;
        EXPECT_LE(ticks.size(), 8U) << low << " " << width;
        EXPECT_NE(ticks.front().second, ticks.back().second);
      }
    }
  }
}

// Between neighbours of doubles no mark would have a next one.
TEST(HtmlReport, an_axis_ends_however_narrow_it_is) {
  constexpr double kAt = 4.8463627278485335;
  EXPECT_TRUE(round_ticks({kAt - 1e-15, kAt + 1e-15}, 4).empty());
  const Span span = span_of({kAt - 1e-15, kAt + 1e-15}, 0.02);
  EXPECT_LT(span.low, 0.95 * kAt);
  EXPECT_GE(round_ticks(span, 4).size(), 2U);
  RunRecord record = synthetic_run(20);
  for (Chain& chain : record.draws.chains) chain.draws.col(0).setConstant(kAt);
  EXPECT_THAT(html_report(record), HasSubstr("constant, or too few draws"));
}

TEST(HtmlReport, labels_at_the_ends_of_an_axis_stay_inside) {
  const std::string axis = Plot::x_axis({0, 1}, {{0, "0"}, {0.5, "half"}, {1, "1"}});
  EXPECT_THAT(axis, HasSubstr("<span class=\"low\" style=\"left:0.00%\">0"));
  EXPECT_THAT(axis, HasSubstr("<span style=\"left:50.00%\">half"));
  EXPECT_THAT(axis, HasSubstr("<span class=\"high\" style=\"left:100.00%\">1"));
}

TEST(HtmlReport, every_figure_has_its_numbers) {
  const RunRecord record = synthetic_run(200);
  for (const std::string& figure : {density_figures(record), trace_figures(record), rank_figures(record),
                                    privacy_curve_figure(record.privacy), tradeoff_figure(record.privacy)})
    EXPECT_EQ(times(figure, "<summary>In numbers</summary>"), 1U);
  std::vector<double> all = pooled(record.draws, 1);
  std::sort(all.begin(), all.end());
  const double known = (quantile_of_sorted(all, 0.95) - quantile_of_sorted(all, 0.05)) / 100;
  EXPECT_THAT(density_figures(record),
              HasSubstr(fmt::format("<td>{}</td><td>{}</td>", record.draws.parameters[1],
                                    format_known(quantile_of_sorted(all, 0.01), known))));
  EXPECT_THAT(trace_figures(record),
              HasSubstr(fmt::format("<td>{}</td><td>{}</td>", record.draws.parameters[1],
                                    format_known(record.draws.chains[0].draws.col(1).mean(), known))));
  EXPECT_THAT(
      tradeoff_figure(record.privacy),
      HasSubstr(fmt::format("<td>10 %</td><td>{}</td>",
                            format_percent_at_most(best_true_positive_rate(record.privacy.curve, 0.1)))));
  EXPECT_THAT(privacy_curve_figure(record.privacy),
              HasSubstr(fmt::format("<td>{}</td><td>{}</td>", format_at_most(record.privacy.curve[0].epsilon),
                                    format_at_most(record.privacy.curve[0].delta))));
}

TEST(HtmlReport, independent_draws_have_no_traces) {
  RunRecord record = synthetic_run(500, 0);
  record.markov_chain = false;
  record.draws.chains[1].stop = StopReason::finished;
  const std::string page = html_report(record);
  EXPECT_THAT(page, Not(HasSubstr("id=\"traces\"")));
  EXPECT_THAT(page, HasSubstr("no convergence to judge"));
}

TEST(HtmlReport, odd_draws_do_not_break_it) {
  for (const Eigen::Index length : {0, 1, 3})
    EXPECT_THAT(html_report(synthetic_run(length)), HasSubstr("</html>"));
  RunRecord record = synthetic_run(50);
  record.draws.chains[0].draws(3, 1) = NAN;
  record.draws.chains[0].draws(4, 2) = HUGE_VAL;
  for (Chain& chain : record.draws.chains) chain.draws.col(3).setZero();
  record.priors.clear();
  const std::string page = html_report(record);
  EXPECT_THAT(page, Not(testing::AnyOf(HasSubstr("nan"), HasSubstr("inf "))));
}

}  // namespace
}  // namespace sotto
