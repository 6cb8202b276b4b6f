// Predictions through the program: what its own draws give, computed here from the files of chains.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "cli/program.hpp"
#include "sotto/diagnostics/sequences.hpp"
#include "sotto_io/run_directory.hpp"

namespace sotto {
namespace predict_verb {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A draw, by the names of its parameters.
using NamedDraw = std::map<std::string, double>;

class Predict : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write("s.toml",
          "[[column]]\nname = \"y\"\nkind = \"binary\"\n[[column]]\nname = \"n\"\nkind = \"count\"\nlower = "
          "0\nupper = 30\n"
          "[[column]]\nname = \"v\"\nkind = \"real\"\nlower = -9\nupper = 9\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n"
          "[[column]]\nname = \"w\"\nkind = \"real\"\nlower = 0.5\nupper = 8\n"
          "[[column]]\nname = \"g\"\nkind = \"category\"\nlevels = [\"a\", \"b\", \"c\"]\n");
    std::string text = "y,n,v,x,w,g\n";
    for (int i = 0; i < 600; ++i) {
      const double x = (i * 37 % 200 - 100) / 100.0;
      const double w = 0.5 + (i * 53 % 75) / 10.0;
      const double y = i % 7 < 3 + 3 * x ? 1 : 0;
      text += fmt::format("{},{},{},{},{},{}\n", y, i % 5 + (x > 0 ? 1 : 0), x + (i % 11 - 5) / 5.0, x, w,
                          "abc"[i % 3]);
    }
    write("d.csv", text);
    write("new.csv", "g,w,x\nb,2,0.25\na,8,-1\nc,0.5,0.75\n");
  }

  Outcome fit(const std::string& model) const {
    return sotto("fit --data d.csv --schema s.toml --delta 1e-6 --draws 100 --out out " + model);
  }

  /// The rows of new.csv, by `mean` of a draw and of a row: x, w and the level's index.
  void expect_predictions(
      const std::function<double(NamedDraw&, double x, double w, std::size_t g)>& mean) const {
    const Outcome run = sotto("predict out --rows new.csv --level 0.8 --json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto lines = nlohmann::json::parse(run.out).at("predictions");
    const RunRecord record = read_run(folder_ / "out");
    const struct {
      double x, w;
      std::size_t g;
    } rows[] = {{0.25, 2, 1}, {-1, 8, 0}, {0.75, 0.5, 2}};
    ASSERT_EQ(lines.size(), std::size(rows));
    for (std::size_t i = 0; i < std::size(rows); ++i) {
      std::vector<double> values;
      for (const Chain& chain : record.draws.chains) {
        for (Eigen::Index d = 0; d < chain.draws.rows(); ++d) {
          NamedDraw draw;
          for (std::size_t j = 0; j < record.draws.parameters.size(); ++j)
            draw[record.draws.parameters[j]] = chain.draws(d, static_cast<Eigen::Index>(j));
          values.push_back(mean(draw, rows[i].x, rows[i].w, rows[i].g));
        }
      }
      double sum = 0;
      for (const double value : values) sum += value;
      EXPECT_NEAR(lines[i].at("mean").get<double>(), sum / static_cast<double>(values.size()), 1e-10);
      EXPECT_NEAR(lines[i].at("q10").get<double>(), quantile(values, 0.1), 1e-10);
      EXPECT_NEAR(lines[i].at("q90").get<double>(), quantile(values, 0.9), 1e-10);
    }
  }
};

double of_level(NamedDraw& draw, const std::string& name, std::size_t level) {
  return level == 0 ? 0 : draw.at(fmt::format("{}[{}]", name, "abc"[level]));
}

TEST_F(Predict, odds_with_interactions_and_curves) {
  ASSERT_EQ(fit("--formula 'y ~ x * g + poly(w, 2)' --epsilon 500").status, 0);
  expect_predictions([](NamedDraw& draw, double x, double w, std::size_t g) {
    const double u = 2 * (w - 0.5) / 7.5 - 1;
    const double eta = draw.at("Intercept") + draw.at("x") * x + of_level(draw, "g", g) +
                       x * of_level(draw, "x:g", g) + draw.at("poly(w)[1]") * u +
                       draw.at("poly(w)[2]") * (3 * u * u - 1) / 2;
    return 1 / (1 + std::exp(-eta));
  });
}

TEST_F(Predict, rates_with_an_offset) {
  ASSERT_EQ(fit("--formula 'n ~ I(x^2) + offset(log(w))' --family poisson --epsilon 500").status, 0);
  expect_predictions([](NamedDraw& draw, double x, double w, std::size_t) {
    return w * std::exp(draw.at("Intercept") + draw.at("I(x^2)") * x * x);
  });
}

TEST_F(Predict, levels_that_vary_of_a_fit_without_privacy) {
  ASSERT_EQ(fit("--formula 'v ~ x + (x || g)' --family normal --not-private").status, 0);
  expect_predictions([](NamedDraw& draw, double x, double, std::size_t g) {
    return draw.at("Intercept") + draw.at("x") * x + draw.at(fmt::format("g[{}]", "abc"[g])) +
           x * draw.at(fmt::format("x:g[{}]", "abc"[g]));
  });
  const Outcome run = sotto("predict out --rows new.csv");
  EXPECT_THAT(run.err, HasSubstr("sotto: NOT PRIVATE: "));
  EXPECT_THAT(run.out, HasSubstr(",false\n"));
  EXPECT_THAT(sotto("predict out --rows new.csv --out p.csv").out, testing::Eq("p.csv (NOT PRIVATE)\n"));
}

TEST_F(Predict, tells_of_rows_that_it_cannot_take_as_they_are) {
  ASSERT_EQ(fit("--formula 'v ~ x + g' --family normal --epsilon 500").status, 0);
  write("odd.csv", "x,g,unused\n5,a,1\n,a,1\n0,z,1\n0,b\n");
  const Outcome run = sotto("predict out --rows odd.csv");
  EXPECT_EQ(run.status, 0);
  EXPECT_THAT(run.err, HasSubstr("3 of 4 rows have no prediction"));
  EXPECT_THAT(run.err, HasSubstr("1 of 4 rows lie beyond declared bounds"));
  EXPECT_THAT(run.err, HasSubstr("as confidential as they are"));
  EXPECT_THAT(run.err, Not(HasSubstr("NOT PRIVATE")));
  EXPECT_THAT(run.out, HasSubstr("\n2,,,,,true\n3,,,,,true\n4,,,,,true\n"));
  EXPECT_EQ(sotto("predict out --rows s.toml").status, EX_DATAERR);
  write("lacking.csv", "x\n0\n");
  EXPECT_THAT(sotto("predict out --rows lacking.csv").err, HasSubstr("has no column g"));
  write("bound.csv", "x,g\n1,a\n");
  EXPECT_EQ(run.out.substr(0, run.out.find("\n2,")) + "\n", sotto("predict out --rows bound.csv").out);
  // What lies in the manifest is the declaration, and the fit needs no file to say it again.
  const auto manifest = nlohmann::json::parse(content("out/manifest.json"));
  EXPECT_EQ(manifest.at("schema").at("column").size(), 3U);
  EXPECT_EQ(manifest.at("schema").at("column")[1].at("lower"), -1);
}

TEST_F(Predict, new_responses_vary_more_than_their_mean) {
  ASSERT_EQ(fit("--formula 'v ~ x' --family normal --epsilon 500").status, 0);
  const auto sd_of = [&](const std::string& more) {
    const Outcome run = sotto("predict out --rows new.csv --json " + more);
    return nlohmann::json::parse(run.out).at("predictions")[0].at("sd").get<double>();
  };
  EXPECT_GT(sd_of("--quantity response"), 5 * sd_of(""));
  EXPECT_EQ(sd_of("--quantity response"), sd_of("--quantity response --seed 1"));
  EXPECT_NE(sd_of("--quantity response"), sd_of("--quantity response --seed 2"));
}

TEST_F(Predict, an_output_replaces_neither_rows_nor_results) {
  ASSERT_EQ(fit("--formula 'v ~ x' --family normal --epsilon 500").status, 0);
  for (const char* file : {"new.csv", "out/chain_1.csv", "out/charges.jsonl"}) {
    const std::string before = content(file);
    EXPECT_EQ(sotto(fmt::format("predict out --rows new.csv --overwrite --out {}", file)).status,
              EX_CANTCREAT)
        << file;
    EXPECT_EQ(content(file), before) << file;
  }
  ASSERT_EQ(sotto("privatize new.csv --column x --lower -5 --upper 5 --epsilon 1 --out z.csv").status, 0);
  for (const char* file : {"z.csv", "z.csv.channel.toml"}) {
    const std::string before = content(file);
    EXPECT_EQ(sotto(fmt::format("predict out --rows new.csv --overwrite --out {}", file)).status,
              EX_CANTCREAT)
        << file;
    EXPECT_EQ(content(file), before) << file;
  }
  EXPECT_EQ(sotto("predict out --rows new.csv --out p.csv").status, 0);
  EXPECT_EQ(sotto("predict out --rows new.csv").out, content("p.csv"));
  const std::string schema = content("s.toml");
  EXPECT_EQ(sotto("predict out --rows new.csv --out s.toml --overwrite").status, EX_CANTCREAT);
  EXPECT_EQ(content("s.toml"), schema);
  write("mine.csv", "mine");
  EXPECT_EQ(sotto("predict out --rows new.csv --out mine.csv").status, EX_CANTCREAT);
  EXPECT_EQ(content("mine.csv"), "mine");
  EXPECT_EQ(sotto("predict out --rows new.csv --out mine.csv --overwrite").status, 0);
  EXPECT_EQ(content("mine.csv"), content("p.csv"));
}

TEST_F(Predict, refuses_fits_that_say_nothing_of_a_row) {
  ASSERT_EQ(fit("--formula 'g ~ 1' --family categorical --epsilon 500").status, 0);
  const Outcome run = sotto("predict out --rows new.csv");
  EXPECT_EQ(run.status, EX_CONFIG);
  EXPECT_THAT(run.err, HasSubstr("summary.csv has them"));
  ASSERT_EQ(
      sotto("fit --data d.csv --schema s.toml --formula 'y ~ x' --not-private --draws 20 --out short").status,
      EX_TEMPFAIL);
  EXPECT_EQ(sotto("predict short --rows new.csv").status, EX_TEMPFAIL);
  EXPECT_THAT(sotto("predict short --rows new.csv --nevertheless").err, HasSubstr("NO ANSWER"));
}

}  // namespace
}  // namespace predict_verb
}  // namespace sotto
