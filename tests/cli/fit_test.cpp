// sotto fit as a user calls it: hostile rows, missing columns, the statuses of its refusals.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace sotto {
namespace {

class FitProgram : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write("s.toml",
          "adjacency = \"substitute\"\n"
          "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n"
          "[[column]]\nname = \"g\"\nkind = \"category\"\nlevels = [\"a\", \"b\"]\n");
  }
  /// 100 persons of three rows each.
  void write_persons() const {
    std::string text = "y,x,g,who\n";
    for (int i = 0; i < 300; ++i)
      text += (i % 2 == 0 ? "1,0.5,a," : "0,-0.25,b,") + std::to_string(i / 3) + "\n";
    write("d.csv", text);
  }
  Outcome fit(const std::string& data, const std::string& more) const {
    return sotto("fit --data " + data +
                 " --schema s.toml --family bernoulli --delta 1e-6 --force --out out " + more);
  }
};

/// Mean of a parameter in out/summary.json.
double mean_of(const std::string& summary, const std::string& name) {
  const auto json = nlohmann::json::parse(summary);
  for (const auto& row : json.at("parameters"))
    if (row.at("parameter") == name) return row.at("mean");
  ADD_FAILURE() << name;
  return 0;
}

// 1,000 responses of mean 60,000 + 20,000 x and a spread of 17,000 over declared bounds of 0 to 200,000; nobody gave a prior. Six
// standard errors.
TEST_F(FitProgram, real_responses_have_no_unit_of_their_own) {
  write("money.toml",
        "adjacency = \"substitute\"\n"
        "[[column]]\nname = \"pay\"\nkind = \"real\"\nlower = 0\nupper = 200000\n"
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
  std::string text = "pay,x\n";
  for (int i = 0; i < 1000; ++i) {
    const double x = (i % 21 - 10) / 10.0;
    const double error = 60000.0 * ((i * 389 % 1000 + 0.5) / 1000 - 0.5);
    text += std::to_string(60000 + 20000 * x + error) + "," + std::to_string(x) + "\n";
  }
  write("d.csv", text);
  const Outcome run = sotto(
      "fit --data d.csv --schema money.toml --formula 'pay ~ x' --family normal --not-private --chains 1 "
      "--draws 400 --out out");
  ASSERT_THAT(run.status, has_draws()) << run.err;
  EXPECT_NEAR(mean_of(content("out/summary.json"), "Intercept"), 60000, 6 * 550);
  EXPECT_NEAR(mean_of(content("out/summary.json"), "x"), 20000, 6 * 910);
  EXPECT_NE(content("out/manifest.json").find("normal(100000, 50000) on the scaled column"),
            std::string::npos);
}

// Hazards of 0.1 a year for the first two years and 0.2 after: of 1,000 times, evenly spread quantiles. Log ratio: six standard
// deviations of 0.08.
TEST_F(FitProgram, times_to_an_event_have_hazards_in_pieces) {
  write("times.toml",
        "[[column]]\nname = \"years\"\nkind = \"real\"\nlower = 0\nupper = 10\n"
        "[[column]]\nname = \"died\"\nkind = \"binary\"\n");
  std::string text = "years,died\n";
  for (int i = 0; i < 1000; ++i) {
    const double hazard = -std::log((i + 0.5) / 1000);
    const double years = hazard < 0.2 ? hazard / 0.1 : 2 + (hazard - 0.2) / 0.2;
    text += std::to_string(std::min(years, 10.0)) + (years < 10 ? ",1\n" : ",0\n");
  }
  write("d.csv", text);
  const std::string start =
      "fit --data d.csv --schema times.toml --formula 'Surv(years, died) ~ 1' --delta 1e-6 ";
  const Outcome run = sotto(start + "--cuts 2 --epsilon 100000 --out out");  // Surv implies the family
  ASSERT_THAT(run.status, has_draws()) << run.err;
  EXPECT_NEAR(mean_of(content("out/summary.json"), "Intercept"), std::log(0.1), 6 * 0.075);
  EXPECT_NEAR(mean_of(content("out/summary.json"), "years[2-10]"), std::log(2), 6 * 0.08);
  EXPECT_NE(run.out.find("for one row"), std::string::npos) << run.out;

  EXPECT_EQ(sotto(start + "--family bernoulli --epsilon 1 --out other").status, 78);
  const Outcome cuts = sotto(start + "--family survival --cuts 5,2 --epsilon 1 --out other");
  EXPECT_EQ(cuts.status, 78);
  EXPECT_NE(cuts.err.find("must ascend"), std::string::npos) << cuts.err;
  EXPECT_FALSE(exists("other"));
}

// Whoever declares that responses out of range are missing is told what that does, whether there are any or not.
TEST_F(FitProgram, responses_that_are_left_out_are_told) {
  write("left_out.toml",
        "adjacency = \"substitute\"\n"
        "[[column]]\nname = \"y\"\nkind = \"real\"\nlower = -2\nupper = 2.5\nout_of_range = \"missing\"\n"
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\nout_of_range = \"missing\"\n");
  std::string text = "y,x\n";
  for (int i = 0; i < 300; ++i)
    text += std::to_string(i % 7 * 0.1) + "," + std::to_string(i % 5 * 0.1) + "\n";
  write("d.csv", text);
  const Outcome run = sotto(
      "fit --data d.csv --schema left_out.toml --formula 'y ~ x' --family normal --epsilon 1 --delta 1e-6 "
      "--force --draws 20 --out out");
  EXPECT_NE(run.err.find("Rows whose y lies outside -2 to 2.5 are left out"), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find("Rows whose x"), std::string::npos);
}

TEST_F(FitProgram, any_row_is_a_legal_row) {
  std::string text = "y,x,g\n";
  for (int i = 0; i < 300; ++i) text += i % 2 == 0 ? "1,0.5,a\n" : "0,-0.25,b\n";
  text += "nan,nan,nan\n1,1e308,a\n\n0,-inf,unseen\n1\n1,2,3,4,5\n\"\n\n,\",0,a\nyes,\xff\xfe,b\n";
  write("d.csv", text);
  const Outcome outcome = fit("d.csv", "--formula 'y ~ x + C(g)' --epsilon 25 --draws 20 --json");
  ASSERT_THAT(outcome.status, has_draws()) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  // What else is said depends on the noise; of an epsilon that large, something is.
  std::string warnings;
  const auto summary = nlohmann::json::parse(content("out/summary.json"));
  for (const auto& warning : summary.at("warnings"))
    warnings += "sotto: " + warning.get<std::string>() + "\n";
  EXPECT_EQ(outcome.err, warnings);
  EXPECT_NE(warnings.find("Epsilon 25"), std::string::npos);
  EXPECT_TRUE(json.at("privacy").at("private").get<bool>());
  EXPECT_EQ(json.at("method"), "release-once");
  for (const char* name : {"chain_1.csv", "chain_4.csv", "summary.csv", "summary.json", "privacy.json",
                           "manifest.json", "report.html"}) {
    EXPECT_TRUE(std::filesystem::exists(folder_ / "out" / name)) << name;
  }
}

// The names that others may rely on.
TEST_F(FitProgram, every_method_takes_a_normal_mean_and_a_banana) {
  std::string text = "u,v\n";
  for (int i = 0; i < 200; ++i) text += std::to_string(i % 7 - 3) + "," + std::to_string(i % 5 - 2) + "\n";
  write("d.csv", text);
  write("d.toml",
        "[[column]]\nname = \"u\"\nkind = \"real\"\nlower = -4\nupper = 4\n"
        "[[column]]\nname = \"v\"\nkind = \"real\"\nlower = -3\nupper = 3\n");
  write("normal.toml",
        "[data]\nfile = \"d.csv\"\nschema = \"d.toml\"\n[privacy]\ndelta = 1e-6\n"
        "[model]\nfamily = \"normal-mean\"\ncolumns = [\"u\", \"v\"]\nsd = [2, 1.5]\n");
  write("banana.toml",
        "[data]\nfile = \"d.csv\"\nschema = \"d.toml\"\n[privacy]\ndelta = 1e-6\n"
        "[model]\nfamily = \"banana\"\ncolumns = [\"u\", \"v\"]\nsd = [2, 1.5]\na = 1\n");
  const std::string few = " --force --out out --overwrite --draws 6 --warmup 4 --json --method ";
  for (const std::string config : {"normal.toml", "banana.toml"}) {
    for (const char* method : {"auto", "release-once", "penalty", "penalty-one-at-a-time", "guided-walk",
                               "penalty-exponential-family", "penalty-subsampled", "barker",
                               "barker-subsampled", "hmc", "hmc-friction", "sgld", "sgnht"}) {
      const std::string name = method;
      if (config == "banana.toml" && (name == "sgld" || name == "sgnht")) continue;  // refused
      // Of its own steps so few are refused.
      const std::string more = name == "barker-subsampled" ? " --set method.step_size=0.01" : "";
      const Outcome outcome = sotto("fit " + config + " --epsilon 2" + few + method + more);
      ASSERT_THAT(outcome.status, has_draws()) << method << outcome.err;
      const auto privacy = nlohmann::json::parse(outcome.out).at("privacy");
      EXPECT_TRUE(privacy.at("private").get<bool>());
      EXPECT_LE(privacy.at("spent_epsilon").get<double>(), 2);
    }
    for (const char* method : {"metropolis", "nonprivate-hmc", "nonprivate-barker"}) {
      const Outcome outcome = sotto("fit " + config + " --not-private --set method.clip_ratio=2" +
                                    " --set method.clip_gradient=9" + few + method);
      ASSERT_THAT(outcome.status, has_draws()) << method << outcome.err;
      const auto privacy = nlohmann::json::parse(outcome.out).at("privacy");
      EXPECT_FALSE(privacy.at("private").get<bool>());
      EXPECT_FALSE(privacy.at("exact").get<bool>());
    }
    const Outcome by_default = sotto("fit " + config + " --epsilon 2" + few + "auto");
    EXPECT_EQ(nlohmann::json::parse(by_default.out).at("method"), "release-once");
  }
}

TEST_F(FitProgram, several_owners_tables_make_one_fit) {
  std::string text = "u,v\n";
  for (int i = 0; i < 200; ++i) text += std::to_string(i % 7 - 3) + "," + std::to_string(i % 5 - 2) + "\n";
  write("north.csv", text);
  write("south.csv", text);
  write("d.toml", "[[column]]\nname = \"u\"\nkind = \"real\"\nlower = -4\nupper = 4\n");
  write("fit.toml",
        "[data]\nschema = \"d.toml\"\n[[owner]]\nfile = \"north.csv\"\n[[owner]]\nfile = \"south.csv\"\n"
        "[model]\nfamily = \"normal-mean\"\ncolumns = [\"u\"]\nsd = [2]\n");
  const std::string arguments = "fit fit.toml --epsilon 1 --delta 1e-6 --draws 20 --json";
  const Outcome outcome = sotto(arguments);
  ASSERT_THAT(outcome.status, has_draws()) << outcome.err;
  const auto privacy = nlohmann::json::parse(outcome.out).at("privacy");
  EXPECT_EQ(privacy.at("privacy_unit"), "one row of one owner's table");
  EXPECT_LE(privacy.at("spent_epsilon").get<double>(), 1);
  EXPECT_NE(content("out/charges.jsonl").find("north.csv, south.csv"), std::string::npos);
  EXPECT_EQ(sotto(arguments + " --data north.csv --out b").status, 78);
  write("twice.toml", content("fit.toml") + "[[owner]]\nfile = \"./north.csv\"\n");
  const Outcome twice = sotto("fit twice.toml --epsilon 1 --delta 1e-6 --out b");
  EXPECT_EQ(twice.status, 78);
  EXPECT_NE(twice.err.find("the same table"), std::string::npos) << twice.err;
  EXPECT_EQ(sotto("fit fit.toml --epsilon 1 --delta 1e-6 --out south.csv").status, 73);
  std::filesystem::remove(folder_ / "south.csv");
  EXPECT_EQ(sotto(arguments + " --out c").status, 66);
}

TEST_F(FitProgram, a_table_of_no_rows_costs_nothing) {
  write("none.csv", "y,x,g\n");
  const Outcome refused = fit("none.csv", "--formula 'y ~ x' --epsilon 1");
  EXPECT_EQ(refused.status, 65) << refused.err;
  EXPECT_FALSE(exists("out"));
  // Where a row may be added or removed, their number is private and an empty table is like any other.
  write("s.toml",
        "adjacency = \"add-remove\"\n" + content("s.toml").substr(content("s.toml").find("[[column]]")));
  EXPECT_THAT(fit("none.csv", "--formula 'y ~ x' --epsilon 1 --draws 20").status, has_draws());
}

TEST_F(FitProgram, durations_are_published_only_when_asked_for) {
  std::string text = "y,x\n";
  for (int i = 0; i < 100; ++i) text += i % 2 == 0 ? "1,0.5\n" : "0,-0.25\n";
  write("d.csv", text);
  ASSERT_THAT(fit("d.csv", "--formula 'y ~ x' --epsilon 1 --draws 20").status, has_draws());
  const auto json = [&](const char* name) { return nlohmann::json::parse(content(name)); };
  for (const char* key : {"wall_seconds", "warmup_seconds", "sampling_seconds"})
    EXPECT_TRUE(json("out/manifest.json").at(key).is_null()) << key;
  EXPECT_FALSE(json("out/privacy.json").at("times_published").get<bool>());
  EXPECT_NE(json("out/privacy.json").at("time").get<std::string>().find("No duration"), std::string::npos);
  EXPECT_NE(content("out/chain_1.csv").find(" 0 seconds (Total)"), std::string::npos);
  ASSERT_THAT(fit("d.csv", "--formula 'y ~ x' --epsilon 1 --draws 20 --timing --overwrite").status,
              has_draws());
  EXPECT_GT(json("out/manifest.json").at("wall_seconds").get<double>(), 0);
  EXPECT_TRUE(json("out/privacy.json").at("times_published").get<bool>());
}

TEST_F(FitProgram, says_on_standard_output_what_is_not_private) {
  std::string text = "y,x\n";
  for (int i = 0; i < 100; ++i) text += i % 2 == 0 ? "1,0.5\n" : "0,-0.25\n";
  write("d.csv", text);
  const Outcome exact = fit("d.csv", "--formula 'y ~ x' --not-private --draws 20");
  ASSERT_THAT(exact.status, has_draws()) << exact.err;
  EXPECT_NE(exact.out.find("\nNOT PRIVATE\n"), std::string::npos) << exact.out;
  const std::string release = "--formula 'y ~ x' --epsilon 1 --draws 20 --overwrite";
  const Outcome beside = fit("d.csv", release + " --set privacy.compare_not_private=true");
  ASSERT_THAT(beside.status, has_draws()) << beside.err;
  EXPECT_NE(beside.out.find("not_private/report.html (NOT PRIVATE)"), std::string::npos) << beside.out;
  const Outcome alone = fit("d.csv", release);
  ASSERT_THAT(alone.status, has_draws()) << alone.err;
  EXPECT_EQ(alone.out.find("NOT PRIVATE"), std::string::npos) << alone.out;
}

// Bounds a few thousand residuals wide: no chain's log ratios fit the grid there, so none of its steps is taken.
TEST_F(FitProgram, a_comparison_that_has_not_converged_is_not_shown) {
  std::string text = "y,x\n";
  for (int i = 0; i < 300; ++i)
    text += fmt::format("{:.2f},{}\n", 36.6 + 0.03 * (i % 20 - 10) + 0.4 * std::sin(7.3 * i), i % 20 - 10);
  write("d.csv", text);
  const auto beside_where_responses_end_at = [&](const std::string& upper) {
    write("s.toml", "[[column]]\nname = \"y\"\nkind = \"real\"\nlower = 0\nupper = " + upper +
                        "\n[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -50\nupper = 50\n");
    return sotto(
        "fit --data d.csv --schema s.toml --formula 'y ~ x' --family normal --epsilon 100 --delta 1e-6 --out "
        "out --overwrite --set privacy.compare_not_private=true");
  };
  EXPECT_EQ(beside_where_responses_end_at("1000").err.find("has not converged"), std::string::npos);
  // Log ratios of responses that may be so far away are refused at every step.
  const Outcome beside = beside_where_responses_end_at("1000000000");
  ASSERT_THAT(beside.status, has_draws()) << beside.err;
  EXPECT_NE(beside.err.find("NOT PRIVATE: the fit without privacy has not converged"), std::string::npos);
  EXPECT_EQ(beside.out.find("NOT PRIVATE"), std::string::npos) << beside.out;
  EXPECT_NE(content("out/not_private/report.html").find("has not converged"), std::string::npos);
  EXPECT_EQ(content("out/report.html").find("has not converged"), std::string::npos);
}

TEST_F(FitProgram, what_is_not_private_stands_in_a_folder_of_that_name) {
  std::string text = "y,x\n";
  for (int i = 0; i < 100; ++i) text += i % 2 == 0 ? "1,0.5\n" : "0,-0.25\n";
  write("d.csv", text);
  const std::string arguments = "--formula 'y ~ x' --epsilon 1 --draws 20 ";
  ASSERT_THAT(fit("d.csv", arguments + "--set privacy.compare_not_private=true").status, has_draws());
  const std::vector<std::string> names = {"not_private/chain_1.csv", "not_private/chain_2.csv",
                                          "not_private/chain_3.csv", "not_private/chain_4.csv",
                                          "not_private/report.html"};
  const auto expect_listed = [&](const std::vector<std::string>& listed) {
    for (const char* file : {"out/privacy.json", "out/manifest.json"})
      EXPECT_EQ(nlohmann::json::parse(content(file)).at("not_private_files"), listed) << file;
  };
  expect_listed(names);
  for (const std::string& name : names) EXPECT_TRUE(exists("out/" + name)) << name;
  EXPECT_NE(content("out/not_private/report.html").find("NOT PRIVATE"), std::string::npos);
  EXPECT_EQ(content("out/report.html").find("class=\"badge\""), std::string::npos);
  // Nothing of the exact fit outside that folder: without it the page is the same.
  const std::string page = content("out/report.html");
  ASSERT_EQ(sotto("report out --without-comparison").status, 0);
  EXPECT_EQ(content("out/report.html"), page);
  EXPECT_FALSE(exists("out/not_private/report.html"));
  expect_listed({names.begin(), names.end() - 1});
  ASSERT_EQ(sotto("report out").status, 0);
  expect_listed(names);
  ASSERT_EQ(shell("mv out/not_private away").status, 0);
  ASSERT_EQ(sotto("report out").status, 0);
  expect_listed({});
  for (const char* file : {"out/privacy.json", "out/report.html"})
    EXPECT_EQ(content(file).find("the folder not_private"), std::string::npos) << file;
  ASSERT_EQ(shell("mv away out/not_private").status, 0);
  ASSERT_EQ(sotto("report out").status, 0);
  expect_listed(names);
  for (const char* file : {"out/privacy.json", "out/report.html"})
    EXPECT_NE(content(file).find("the folder not_private"), std::string::npos) << file;
  ASSERT_THAT(fit("d.csv", arguments + "--overwrite").status, has_draws());
  EXPECT_FALSE(exists("out/not_private"));
}

// Where rows may be added or left out: few or many, alike, at the ends of their bounds, or unreadable. The budgets are large enough that
// no release says that there would be no answer.
TEST_F(FitProgram, files_and_draws_are_as_many_for_any_rows) {
  write("s.toml",
        "adjacency = \"add-remove\"\n"
        "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
  const auto table = [](int rows, const std::function<std::string(int)>& row) {
    std::string text = "y,x\n";
    for (int i = 0; i < rows; ++i) text += row(i) + "\n";
    return text;
  };
  const std::string tables[] = {
      table(300, [](int i) { return std::string(i % 2 == 0 ? "1,0.5" : "0,-0.25"); }),
      table(1000, [](int i) { return i % 3 == 0 ? "yes,-1e308" : fmt::format("0,{:.17f}", i * 1e-3); }),
      table(160, [](int i) {
        return std::string(i % 4 == 0   ? "1,1"
                           : i % 4 == 1 ? "0,-7"
                           : i % 4 == 2 ? "1,-1"
                                        : "no number,\xff\xfe");
      })};
  for (const char* method : {"release-once", "penalty"}) {
    std::vector<std::map<std::string, long>> seen;  // lines of draws by name; of other files none
    for (const std::string& rows : tables) {
      write("d.csv", rows);
      std::filesystem::remove_all(folder_ / "out");
      const Outcome run = fit("d.csv", fmt::format("--formula 'y ~ x' --epsilon 500 --method {} --chains 2 "
                                                   "--warmup 10 --draws 10 --set method.thin=1",
                                                   method));
      ASSERT_THAT(run.status, has_draws()) << run.err;
      seen.emplace_back();
      for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "out")) {
        const std::string name = entry.path().lexically_relative(folder_ / "out");
        const std::string text = name.starts_with("chain_") ? file_content(entry.path()) : "";
        seen.back()[name] = std::count(text.begin(), text.end(), '\n');
      }
    }
    EXPECT_GT(seen[0].size(), 8u);
    EXPECT_EQ(seen[0], seen[1]) << method;
    EXPECT_EQ(seen[0], seen[2]) << method;
  }
}

TEST_F(FitProgram, files_keep_the_umask) {
  write("d.csv", "y,x\n1,0.5\n0,0.25\n");
  const std::string command =
      "$sotto fit --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 20 "
      "--force --overwrite "
      "--out out >/dev/null; stat -c %a out/chain_1.csv out/privacy.json out/charges.jsonl | sort -u";
  EXPECT_EQ(shell("umask 077; " + command).out, "600\n");
  EXPECT_EQ(shell("umask 027; rm -r out; " + command).out, "640\n");
}

// The unit and the exchange of the schema are those that the fit is priced for and that its statement names.
TEST_F(FitProgram, the_declared_unit_is_the_one_that_is_protected) {
  write_persons();
  const auto statement = [&] {
    const Outcome run = fit("d.csv", "--formula 'y ~ x' --epsilon 1 --draws 10 --overwrite");
    EXPECT_THAT(run.status, has_draws()) << run.err;
    return nlohmann::json::parse(content("out/privacy.json"));
  };
  // Their number is public where one row is exchanged, and only there.
  const auto rows = [&] { return nlohmann::json::parse(content("out/manifest.json")).at("rows"); };
  EXPECT_EQ(statement().at("privacy_unit"), "one row");
  EXPECT_TRUE(rows().is_number());
  std::string schema = content("s.toml");
  write("s.toml", schema + "[unit]\nperson = \"who\"\nmaximum_rows = 3\n");
  static_cast<void>(statement());
  EXPECT_TRUE(rows().is_null());
  schema.replace(schema.find("substitute"), 10, "add-remove");
  write("s.toml", schema);
  EXPECT_EQ(statement().at("privacy_unit"), "one row");
  EXPECT_TRUE(rows().is_null());
  write("s.toml", schema + "[unit]\nperson = \"who\"\nmaximum_rows = 3\n");
  const auto persons = statement();
  EXPECT_EQ(persons.at("privacy_unit"), "one person (by column who, at most 3 rows)");
  EXPECT_EQ(persons.at("adjacency"), "add-remove");
}

TEST_F(FitProgram, what_is_taken_of_a_persons_rows_is_said) {
  write_persons();
  const auto told = [&](const std::string& method, const char* words) {
    const Outcome run =
        fit("d.csv", "--formula 'y ~ x' --epsilon 1 --draws 10 --overwrite --method " + method);
    EXPECT_THAT(run.status, has_draws()) << run.err;
    return run.err.find(words) != std::string::npos;
  };
  constexpr const char* kAlike = "independent of each other";
  constexpr const char* kAllowed = "rows of a person may be alike, and intervals allow for it";
  EXPECT_FALSE(told("release-once", kAlike));
  EXPECT_FALSE(told("release-once", kAllowed));
  write("s.toml", content("s.toml") + "[unit]\nperson = \"who\"\nmaximum_rows = 3\n");
  EXPECT_TRUE(told("release-once", kAllowed));
  EXPECT_FALSE(told("release-once", kAlike));
  EXPECT_TRUE(told("penalty", kAlike));
  EXPECT_FALSE(told("penalty", kAllowed));
}

// Where persons have one row or twelve those of twelve count less; where all have three nobody's number of rows tells anything.
TEST_F(FitProgram, that_persons_of_many_rows_count_less_is_said) {
  write("s.toml", content("s.toml") + "[unit]\nperson = \"who\"\nmaximum_rows = 12\n");
  const auto told = [&](const std::function<int(int)>& rows_of) {
    std::string text = "who,y,x\n";
    for (int person = 0; person < 3000; ++person) {
      for (int row = 0; row < rows_of(person); ++row)
        text += fmt::format("{},{},{}\n", person, (person + row) % 2, (person * 7 + row * 3) % 19 / 9.5 - 1);
    }
    write("d.csv", text);
    const Outcome run = fit("d.csv", "--formula 'y ~ x' --epsilon 1 --draws 50 --overwrite");
    EXPECT_THAT(run.status, has_draws()) << run.err;
    return run.err.find("count less than all of their rows would") != std::string::npos;
  };
  EXPECT_TRUE(told([](int person) { return person % 4 == 0 ? 12 : 1; }));
  EXPECT_FALSE(told([](int) { return 3; }));
}

TEST_F(FitProgram, a_chain_that_runs_away_is_no_success) {
  std::string text = "y,x,g\n";
  for (int i = 0; i < 300; ++i) text += i % 2 == 0 ? "1,0.5,a\n" : "0,-0.25,b\n";
  write("d.csv", text);
  const std::string runs_away =
      "--formula 'y ~ x' --epsilon 500 --method sgnht --set method.step_size=20 --draws 4000 --warmup 1 "
      "--force ";
  const Outcome kept = fit("d.csv", runs_away);
  EXPECT_EQ(kept.status, 75) << kept.err;
  EXPECT_NE(kept.err.find("ran away"), std::string::npos);
  EXPECT_TRUE(nlohmann::json::parse(content("out/privacy.json")).at("private").get<bool>());
  EXPECT_NE(content("out/charges.jsonl").find("\"diverged\""), std::string::npos);
}

TEST_F(FitProgram, refusals_are_one_line_with_a_status) {
  write("d.csv", "y,x\n1,0.5\n0,0.25\n");
  const std::vector<std::pair<std::string, int>> cases = {
      {"--formula 'y ~ x + C(g)' --epsilon 1", 65},  // a declared column is missing
      {"--formula 'y ~ z' --epsilon 1", 78},         // not declared
      {"--formula 'y ~ x' --epsilon -1", 78},
      {"--formula 'y ~ x' --epsilon 0", 78},
      {"--formula 'y ~ x' --epsilon inf", 78},
      {"--formula 'y ~ x' --epsilon 1e300", 78},
      {"--formula 'y ~ x' --epsilon 1 --draws 1000000000000", 78},
      {"--formula 'y ~ x'", 78},  // no budget
      {"--formula 'y ~ x' --epsilon 1 --method x", 78},
      {"--formula 'y ~ x' --epsilon 1 --set nonsense", 64},
      {"d.csv --formula 'y ~ x' --epsilon 1", 64},  // a table in the configuration's place
      {"--formula 'y ~ x + x^2' --epsilon 1", 78},
      {"--formula 'y ~ x' --epsilon 1 --draws 0", 78},
      {"--formula 'y ~ x' --epsilon 1e-12 --set privacy.delta=1e-300", 78}};
  for (const auto& [arguments, status] : cases) {
    const Outcome outcome = fit("d.csv", arguments);
    EXPECT_EQ(outcome.status, status) << arguments << '\n' << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }
  const Outcome generous = sotto(
      "fit --data d.csv --schema s.toml --family bernoulli --formula 'y ~ x' --epsilon 1 --delta 0.9 --out "
      "out");
  EXPECT_EQ(generous.status, 78);
  EXPECT_NE(generous.err.find("above one over the"), std::string::npos) << generous.err;
  EXPECT_FALSE(exists("out")) << "nothing was spent";
  EXPECT_NE(fit("d.csv", "d.csv --epsilon 1").err.find("--data"), std::string::npos);
  EXPECT_NE(fit("d.csv", "--formula 'y ~ x + x^2' --epsilon 1").err.find("I(x^2)"), std::string::npos);
  EXPECT_NE(fit("d.csv", "--formula 'y ~ x'").err.find("--epsilon"), std::string::npos);
  const Outcome misspelt =
      sotto("fit --data d.csv --schema s.toml --family binomal --formula 'y ~ x' --epsilon 1 --delta 1e-6");
  EXPECT_EQ(misspelt.status, 78);
  EXPECT_NE(misspelt.err.find("did you mean binomial?"), std::string::npos) << misspelt.err;
  EXPECT_EQ(fit("absent.csv", "--formula 'y ~ x' --epsilon 1").status, 66);
}

}  // namespace
}  // namespace sotto
