// What is on the disk when a run ends early: by a signal, by force, or because the disk is full.
#include <sysexits.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "cli/program.hpp"
#include "sotto_io/run_lock.hpp"

namespace sotto {
namespace {

class Charges : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    std::string text = "y,x\n";
    for (int i = 0; i < 400; ++i) text += i % 3 == 0 ? "1,0.5\n" : "0,-0.25\n";
    write("d.csv", text);
    write("s.toml",
          "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
  }
  /// A run that would take minutes, ended by `signal` once its look and some sixteen ratios are in the record.
  [[nodiscard]] Outcome end_by(const std::string& signal) const {
    return end_by(signal, "--method penalty --warmup 2 --draws 500000",
                  "[ $(cat out/charges.jsonl 2>/dev/null | wc -l) -gt 30 ]");
  }
  /// Likewise, once a shell's condition holds.
  [[nodiscard]] Outcome end_by(const std::string& signal, const std::string& method,
                               const std::string& condition) const {
    return shell(
        "$sotto fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 2 --delta 1e-6 " +
        method +
        " --threads 1 --out out &\n"
        "pid=$!\n"
        "for i in $(seq 3000); do\n"
        "  " +
        condition +
        " && break\n"
        "  kill -0 $pid 2>/dev/null || break\n"
        "  sleep 0.1\n"
        "done\n"
        "kill -" +
        signal + " $pid\nwait $pid\nexit $?");
  }
  [[nodiscard]] std::vector<nlohmann::json> lines() const {
    std::vector<nlohmann::json> all;
    std::istringstream text(content("out/charges.jsonl"));
    for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

TEST_F(Charges, signals_end_a_run_with_draws_and_say_what_was_spent) {
  for (const char* signal : {"INT", "HUP", "TERM"}) {
    std::filesystem::remove_all(folder_ / "out");
    const Outcome run = end_by(signal);
    ASSERT_EQ(run.status, 130) << signal << run.err;
    EXPECT_NE(run.err.find("is spent"), std::string::npos) << run.err;
    EXPECT_TRUE(exists("out/chain_1.csv"));
    const auto record = lines();
    const auto privacy = nlohmann::json::parse(content("out/privacy.json"));
    ASSERT_GE(record.size(), 3u);
    EXPECT_EQ(record.front().at("opened").at("epsilon"), 2.0);
    EXPECT_EQ(record.back().at("closed").at("ending"), "interrupted");
    EXPECT_EQ(record.back().at("closed").at("rho"), privacy.at("rho"));
    EXPECT_EQ(record.back().at("closed").at("releases"), privacy.at("releases"));
    // The line written ahead covers the exact charges.
    std::map<std::string, nlohmann::json> latest;
    for (const auto& line : record) {
      if (line.contains("booked")) latest[line.at("booked").at("query")] = line.at("booked");
    }
    double booked = 0;
    for (const auto& [query, line] : latest) booked += line.at("rho").get<double>();
    EXPECT_GE(booked, privacy.at("rho").get<double>());
    std::map<std::string, double> made;
    for (const auto& line : privacy.at("releases")) made[line.at("query")] += line.at("count").get<double>();
    for (const auto& [query, count] : made) EXPECT_GE(latest.at(query).at("count").get<double>(), count);
  }
}

// Who is impatient loses nothing that was paid for.
TEST_F(Charges, a_second_signal_does_not_take_the_draws) {
  const Outcome run = end_by("INT $pid\nsleep 0.002\nkill -INT");
  ASSERT_EQ(run.status, 130) << run.err;
  EXPECT_EQ(lines().back().at("closed").at("ending"), "interrupted");
  EXPECT_TRUE(exists("out/chain_1.csv"));
  EXPECT_TRUE(exists("out/report.html"));
}

// Releases follow each other at once; what would take minutes is the drawing, which books nothing.
TEST_F(Charges, a_signal_ends_the_drawing_of_release_once_too) {
  const Outcome run =
      end_by("INT", "--draws 2000000",
             "[ -s out/charges.jsonl ] && [ $(($(date +%s) - $(stat -c %Y out/charges.jsonl))) -gt 6 ]");
  ASSERT_EQ(run.status, 130) << run.err;
  EXPECT_EQ(lines().back().at("closed").at("ending"), "interrupted");
  const std::string draws = content("out/chain_1.csv");
  const auto count = std::count(draws.begin(), draws.end(), '\n');
  EXPECT_GT(count, 1000);
  EXPECT_LT(count, 2000000);
}

TEST_F(Charges, are_on_the_disk_when_the_run_is_killed) {
  ASSERT_EQ(end_by("KILL").status, 128 + 9);
  const auto record = lines();
  EXPECT_EQ(record.front().at("opened").at("epsilon"), 2.0);
  EXPECT_EQ(record.front().at("opened").at("delta"), 1e-6);
  const auto booked = record.back().at("booked");
  EXPECT_EQ(booked.at("query"), "log-likelihood ratio");
  EXPECT_GT(booked.at("rho").get<double>(), 0);
  EXPECT_FALSE(exists("out/privacy.json"));
  for (const char* verb : {"diagnose", "report"}) {
    const Outcome reader = sotto(std::string(verb) + " out");
    EXPECT_EQ(reader.status, EX_NOINPUT);
    EXPECT_NE(reader.err.find("ended before its first draw"), std::string::npos) << reader.err;
  }
  const std::string charges = content("out/charges.jsonl");
  const Outcome again = sotto(
      "fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 10 --out "
      "out");
  EXPECT_EQ(again.status, EX_CANTCREAT) << "a killed run was paid for too";
  EXPECT_EQ(content("out/charges.jsonl"), charges);
}

// What runs in the same directory promised adds up, whether they ended by themselves or were killed.
TEST_F(Charges, of_earlier_runs_are_added_up) {
  const std::string fit =
      "fit --force --data d.csv --schema s.toml --formula 'y ~ x' --delta 1e-6 --draws 10 --out out ";
  const Outcome first = sotto(fit + "--epsilon 1");
  ASSERT_THAT(first.status, has_draws()) << first.err;
  EXPECT_EQ(first.err.find("already released"), std::string::npos);
  EXPECT_NE(first.out.find("two like this promise no more than epsilon 2 together"), std::string::npos);
  EXPECT_FALSE(nlohmann::json::parse(content("out/privacy.json")).contains("earlier"));
  write("out/charges.jsonl", content("out/charges.jsonl") +
                                 "{\"opened\":{\"epsilon\":2.0,\"delta\":1e-07,\"adjacency\":\"substitute\","
                                 "\"privacy_unit\":\"one row\"}}\n{\"boo");
  const Outcome third = sotto(fit + "--epsilon 0.5 --overwrite");
  ASSERT_THAT(third.status, has_draws()) << third.err;
  EXPECT_EQ(third.out.find("two like this"), std::string::npos);
  EXPECT_NE(third.err.find("2 earlier runs have already released"), std::string::npos) << third.err;
  EXPECT_NE(third.err.find("no more than epsilon 3.5 (delta"), std::string::npos) << third.err;
  const auto privacy = nlohmann::json::parse(content("out/privacy.json"));
  EXPECT_EQ(privacy.at("epsilon"), 0.5);
  EXPECT_EQ(privacy.at("earlier").at("runs"), 2);
  EXPECT_NEAR(privacy.at("earlier").at("epsilon"), 3, 1e-9);
  EXPECT_NEAR(privacy.at("earlier").at("delta"), 1.1e-6, 1e-15);
  EXPECT_NEAR(privacy.at("with_earlier").at("epsilon"), 3.5, 1e-9);
  EXPECT_NEAR(privacy.at("with_earlier").at("delta"), 2.1e-6, 1e-15);
  EXPECT_NE(content("out/report.html").find("2 earlier runs have already released"), std::string::npos);
  // The pages are made again from the files.
  ASSERT_EQ(sotto("report out").status, 0);
  EXPECT_NE(content("out/report.html").find("2 earlier runs have already released"), std::string::npos);
}

// The results that stand there are covered by what both promised, and the page says so at once, or where the run was killed when it is
// made again.
TEST_F(Charges, of_later_runs_without_draws_are_added_up_too) {
  ASSERT_THAT(sotto("fit --force --data d.csv --schema s.toml --formula 'y ~ x' --delta 1e-6 --draws 10 "
                    "--out out --epsilon 1 --set privacy.compare_not_private=true")
                  .status,
              has_draws());
  ASSERT_EQ(sotto("report out --without-comparison").status, 0);
  const Outcome later = end_by("INT", "--overwrite --method penalty --warmup 400000 --draws 10",
                               "grep -q log-likelihood out/charges.jsonl");
  ASSERT_EQ(later.status, 130) << later.err;
  ASSERT_TRUE(exists("out/failed_privacy.json"));
  const auto told = [&](const char* sum) {
    EXPECT_NE(content("out/report.html").find(sum), std::string::npos) << sum;
    const auto entry = nlohmann::json::parse(content("out/deployment.json"));
    EXPECT_NE(entry.dump().find("already released"), std::string::npos);
  };
  told("Another run has already released into this directory");
  EXPECT_FALSE(exists("out/not_private/report.html")) << "a page that was not wanted";
  told("no more than epsilon 3 ");
  write("out/charges.jsonl", content("out/charges.jsonl") +
                                 "{\"opened\":{\"epsilon\":4.0,\"delta\":1e-07,\"adjacency\":\"substitute\","
                                 "\"privacy_unit\":\"one row\"}}\n");
  ASSERT_EQ(sotto("report out").status, 0);
  told("2 other runs have already released");
  told("(7, 2.1e-6)-differential privacy");
  std::filesystem::copy(folder_ / "out", folder_ / "copy", std::filesystem::copy_options::recursive);
  ASSERT_EQ(sotto("report out --beside copy").status, 0);
  told("no more than epsilon 14 ");
}

// A page is made of one run's files.
TEST_F(Charges, no_page_is_made_while_a_run_writes) {
  ASSERT_THAT(sotto("fit --force --data d.csv --schema s.toml --formula 'y ~ x' --delta 1e-6 --draws 10 "
                    "--out out --epsilon 1")
                  .status,
              has_draws());
  {
    const RunLock run(folder_ / "out");
    EXPECT_EQ(sotto("report out").status, EX_CANTCREAT);
  }
  EXPECT_EQ(sotto("report out").status, 0);
}

// A run that protects persons says nothing of what a run that protects rows did to a person.
TEST_F(Charges, of_earlier_runs_with_another_unit_have_no_sum) {
  const std::string fit =
      "fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 10 --out "
      "out ";
  ASSERT_THAT(sotto(fit).status, has_draws());
  write("s.toml",
        "adjacency = \"add-remove\"\n" + content("s.toml").substr(content("s.toml").find("[[column]]")));
  const Outcome second = sotto(fit + "--overwrite");
  ASSERT_THAT(second.status, has_draws()) << second.err;
  EXPECT_NE(second.err.find("no figure covers those and this run together"), std::string::npos) << second.err;
  const auto privacy = nlohmann::json::parse(content("out/privacy.json"));
  EXPECT_EQ(privacy.at("earlier").at("runs"), 1);
  EXPECT_TRUE(privacy.at("earlier").at("epsilon").is_null());
  EXPECT_TRUE(privacy.at("with_earlier").at("epsilon").is_null());
  EXPECT_TRUE(privacy.at("with_earlier").at("delta").is_null());
  ASSERT_EQ(sotto("report out").status, 0);
  EXPECT_NE(content("out/report.html").find("no figure covers those and this run together"),
            std::string::npos);
}

// Nor one that protects the rows of a hospital of what a run that protects patients did to a patient of several.
TEST_F(Charges, of_earlier_runs_by_another_column_of_persons_have_no_sum) {
  const std::string columns = content("s.toml");
  std::string text = "y,x,id,hosp\n";
  for (int i = 0; i < 400; ++i)
    text +=
        (i % 3 == 0 ? "1,0.5," : "0,-0.25,") + std::to_string(i % 200) + "," + std::to_string(i / 3) + "\n";
  write("d.csv", text);
  const auto fit = [&](const char* person) {
    write("s.toml", std::string("unit = { person = \"") + person + "\", maximum_rows = 3 }\n" + columns);
    return sotto(
        "fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 10 "
        "--out out "
        "--overwrite");
  };
  ASSERT_THAT(fit("id").status, has_draws());
  const Outcome second = fit("hosp");
  ASSERT_THAT(second.status, has_draws()) << second.err;
  EXPECT_NE(second.err.find("no figure covers those and this run together"), std::string::npos) << second.err;
  const auto privacy = nlohmann::json::parse(content("out/privacy.json"));
  EXPECT_EQ(privacy.at("privacy_unit"), "one person (by column hosp, at most 3 rows)");
  EXPECT_TRUE(privacy.at("with_earlier").at("epsilon").is_null());
  EXPECT_NE(privacy.at("statement").dump().find("by column hosp"), std::string::npos);
  EXPECT_EQ(lines().front().at("opened").at("person"), "id");
  EXPECT_EQ(lines().front().at("opened").at("maximum_rows"), 3);
  // Of one column they add up.
  std::filesystem::remove_all(folder_ / "out");
  ASSERT_THAT(fit("hosp").status, has_draws());
  ASSERT_THAT(fit("hosp").status, has_draws());
  EXPECT_NEAR(nlohmann::json::parse(content("out/privacy.json")).at("with_earlier").at("epsilon"), 2, 1e-9);
}

// Else the books of each would leave out the other, and the results that stay would promise too little.
TEST_F(Charges, of_two_runs_at_once_are_refused) {
  const std::string fit =
      "$sotto fit --force --data d.csv --schema s.toml --formula 'y ~ x' --delta 1e-6 --out out ";
  const Outcome told =
      shell(fit +
            "--epsilon 2 --method penalty --warmup 2 --draws 500000 --threads 1 >/dev/null 2>&1 &\n"
            "first=$!\n"
            "for i in $(seq 3000); do [ -s out/charges.jsonl ] && break; sleep 0.02; done\n" +
            fit + "--epsilon 1 --draws 10 --overwrite 2>second.txt\n" +
            "status=$?\n"
            "grep -c opened out/charges.jsonl\n"
            "kill -KILL $first; wait $first\n" +
            fit + "--epsilon 1 --draws 10 --overwrite >/dev/null 2>&1\n" +
            "echo third $?\n"
            "exit $status");
  EXPECT_EQ(told.status, EX_CANTCREAT) << told.err;
  EXPECT_EQ(
      content("second.txt"),
      "sotto: out is being written by another run: wait for its end, or choose another --out; nothing was "
      "spent\n");
  EXPECT_TRUE(told.out.starts_with("1\n")) << told.out;
  // A run that was killed holds nothing.
  EXPECT_THAT(told.out, testing::AnyOf(testing::HasSubstr("third 0"), testing::HasSubstr("third 75")));
  EXPECT_EQ(nlohmann::json::parse(content("out/privacy.json")).at("earlier").at("runs"), 1);
}

TEST_F(Charges, are_kept_in_a_file_or_not_at_all) {
  const std::string fit =
      "fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 10 "
      "--overwrite "
      "--out out";
  std::filesystem::create_directory(folder_ / "out");
  write("elsewhere.jsonl", "");
  for (const char* leads_to : {"/dev/null", "/dev/full", "../elsewhere.jsonl", "nowhere"}) {
    std::filesystem::create_symlink(leads_to, folder_ / "out/charges.jsonl");
    const Outcome run = sotto(fit);
    EXPECT_EQ(run.status, EX_CANTCREAT) << leads_to << run.err;
    EXPECT_NE(run.err.find("is no record of charges"), std::string::npos) << run.err;
    EXPECT_FALSE(exists("out/chain_1.csv")) << leads_to;
    std::filesystem::remove(folder_ / "out/charges.jsonl");
  }
  std::filesystem::create_directory(folder_ / "out/charges.jsonl");
  EXPECT_EQ(sotto(fit).status, EX_CANTCREAT);
}

TEST_F(Charges, nothing_is_released_when_they_cannot_be_written) {
  for (const char* method : {"release-once", "penalty", "sgld"}) {
    const Outcome run = shell(
        std::string(
            "(ulimit -f 0; $sotto fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 "
            "--delta 1e-6 --draws 10 --overwrite --out out --method ") +
        method + ") 2>&1 | (cat >&2)\nexit ${PIPESTATUS[0]}");
    EXPECT_EQ(run.status, EX_IOERR) << run.err;
    EXPECT_NE(run.err.find("nothing was released"), std::string::npos) << run.err;
    EXPECT_FALSE(exists("out/chain_1.csv"));
  }
}

TEST_F(Charges, a_full_disk_is_told_with_what_was_spent) {
  const Outcome run = shell(
      "ulimit -f 16\n$sotto fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta "
      "1e-6 "
      "--draws 4000 --out out");
  EXPECT_EQ(run.status, EX_IOERR) << run.err;
  EXPECT_NE(run.err.find("is spent"), std::string::npos) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_EQ(lines().back().at("closed").at("ending"), "failed");
  EXPECT_EQ(nlohmann::json::parse(content("out/privacy.json")).at("private"), true);
  EXPECT_FALSE(exists("out/chain_1.csv"));
}

TEST_F(Charges, a_full_disk_leaves_the_earlier_draws) {
  const std::string fit =
      "$sotto fit --force --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --out out "
      "--draws ";
  ASSERT_THAT(shell(fit + "10").status, has_draws());
  const std::string draws = content("out/chain_1.csv") + content("out/privacy.json");
  const Outcome run = shell("ulimit -f 40\n" + fit + "4000 --overwrite");
  EXPECT_EQ(run.status, EX_IOERR) << run.err;
  EXPECT_EQ(content("out/chain_1.csv") + content("out/privacy.json"), draws);
  EXPECT_EQ(lines().back().at("closed").at("ending"), "failed");
  EXPECT_TRUE(exists("out/failed_privacy.json"));
}

TEST_F(Charges, privatize_says_that_a_release_is_spent_when_it_cannot_be_written) {
  const Outcome run =
      shell("ulimit -f 2\n$sotto privatize d.csv --column x --lower -1 --upper 1 --epsilon 1 --out z.csv");
  EXPECT_EQ(run.status, EX_IOERR) << run.err;
  EXPECT_NE(run.err.find("spent"), std::string::npos) << run.err;
  EXPECT_NE(content("z.csv.channel.toml").find("epsilon = 1"), std::string::npos);
}

}  // namespace
}  // namespace sotto
