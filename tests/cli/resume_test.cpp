// sotto fit --resume: more draws from releases that were paid for, without the rows.
#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "sotto_io/run_lock.hpp"

namespace sotto {
namespace {

class ResumeProgram : public Program {
 protected:
  void SetUp() override {
    Program::SetUp();
    write("s.toml",
          "adjacency = \"substitute\"\n"
          "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
    std::string text = "y,x\n";
    for (int i = 0; i < 3000; ++i)
      text += (i % 3 == 0 ? "1," : "0,") + std::to_string((i % 21 - 10) / 10.0) + "\n";
    write("d.csv", text);
  }
  Outcome fit(const std::string& more, const std::string& epsilon = "2") const {
    return sotto(
        "fit --data d.csv --schema s.toml --formula 'y ~ x' --family bernoulli --delta 1e-6 --epsilon " +
        epsilon + " " + more);
  }
  [[nodiscard]] std::string method_of_draws() const {
    return nlohmann::json::parse(content("out/manifest.json"))
        .at("configuration")
        .at("method")
        .at("draws")
        .dump();
  }
};

TEST_F(ResumeProgram, needs_no_rows_and_leaves_the_books_as_they_are) {
  ASSERT_EQ(fit("--out out --draws 100").status, 0);
  const std::string charges = content("out/charges.jsonl");
  const auto told = nlohmann::json::parse(content("out/privacy.json"));
  std::filesystem::remove(folder_ / "d.csv");
  const Outcome more = fit("--resume out --draws 3000 --json");
  ASSERT_EQ(more.status, 0) << more.err;
  EXPECT_EQ(method_of_draws(), "3000");
  EXPECT_EQ(content("out/charges.jsonl"), charges);
  EXPECT_EQ(nlohmann::json::parse(content("out/privacy.json")), told);
  const std::string chain = content("out/chain_1.csv");
  EXPECT_GT(std::count(chain.begin(), chain.end(), '\n'), 3000);
  EXPECT_EQ(fit("--resume out --draws 50").status, 0) << "and again";
  EXPECT_EQ(content("out/charges.jsonl"), charges);
  EXPECT_EQ(
      sotto("fit --data never_read.csv --schema s.toml --formula 'y ~ x' --family bernoulli --epsilon 2 "
            "--delta 1e-6 --resume out --draws 50")
          .status,
      0);
  EXPECT_EQ(content("out/manifest.json").find("never_read"), std::string::npos)
      << "no table that was not read";
}

TEST_F(ResumeProgram, is_refused_where_it_cannot_be_sound) {
  ASSERT_EQ(fit("--out out --draws 100").status, 0);
  const std::string draws = content("out/chain_1.csv");
  EXPECT_NE(sotto("fit --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 3 --delta 1e-6 --resume out")
                .err.find("of a fit with another epsilon (2.0 then, 3.0 now)"),
            std::string::npos);
  EXPECT_NE(fit("--resume out --method penalty").err.find("asks at every step"), std::string::npos);
  EXPECT_NE(fit("--resume out --not-private").err.find("reads no rows"), std::string::npos);
  EXPECT_NE(fit("--resume out --out other").status, 0);
  EXPECT_EQ(fit("--resume nowhere").status, 66);
  write("s.toml",
        "adjacency = \"substitute\"\n"
        "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 2\n");
  EXPECT_NE(fit("--resume out").err.find("of a fit with another schema"), std::string::npos);
  EXPECT_EQ(content("out/chain_1.csv"), draws) << "a refusal leaves everything as it was";
  ASSERT_EQ(fit("--out chain --method penalty --draws 10 --chains 2 --force").status,
            75);  // ten draws are no answer
  EXPECT_NE(fit("--resume chain").err.find("keeps no releases"), std::string::npos);
}

TEST_F(ResumeProgram, needs_no_other_word) {
  ASSERT_EQ(
      fit("--out out --draws 100 --set 'prior.parameter.x={family=\"student_t\",scale=1}' --chains 2").status,
      0);
  const auto settings = [&] {
    return nlohmann::json::parse(content("out/manifest.json")).at("configuration").at("toml");
  };
  const auto made = settings();
  const std::string folder = (folder_ / "out").string();
  for (const char* file : {"d.csv", "s.toml"}) std::filesystem::remove(folder_ / file);
  const Outcome more = sotto("fit --resume " + folder + " --draws 300 --seed 4");
  ASSERT_EQ(more.status, 0) << more.err;
  const Outcome other = sotto("fit --resume " + folder + " --draws 300 --seed 5");
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(sotto("fit --resume " + folder + " --seed 4 --draws 300").out, more.out);
  EXPECT_NE(other.out, more.out);
  EXPECT_EQ(settings(), made);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "out/chain_3.csv")) << "two chains, as then";
  EXPECT_NE(content("out/manifest.json").find("student_t(4, 0, 1)"), std::string::npos)
      << "the prior of then";
  EXPECT_NE(sotto("fit --resume " + folder + " --epsilon 3").err.find("of a fit with another epsilon"),
            std::string::npos);
  const std::string manifest = content("out/manifest.json");
  auto older = nlohmann::ordered_json::parse(manifest);
  older.at("configuration").erase("toml");
  write("out/manifest.json", older.dump());
  EXPECT_NE(sotto("fit --resume " + folder).err.find("does not say by which settings"), std::string::npos);
}

// Its schema and its settings are inputs, whatever names they have.
TEST_F(ResumeProgram, is_written_over_no_input) {
  ASSERT_EQ(fit("--out out --draws 100").status, 0);
  const std::string schema = content("s.toml");
  const std::string draws = content("out/chain_1.csv");
  write("out/summary.csv", schema);
  const std::string call =
      "fit --formula 'y ~ x' --family bernoulli --epsilon 2 --delta 1e-6 --draws 50 --resume out ";
  EXPECT_EQ(sotto(call + "--schema out/summary.csv").status, 73);
  EXPECT_EQ(content("out/summary.csv"), schema);
  const std::string settings = "[data]\nschema = \"s.toml\"\n";
  write("out/summary.csv", settings);
  std::filesystem::create_symlink("out/summary.csv", folder_ / "f.toml");
  EXPECT_EQ(sotto(call + "f.toml").status, 73);
  EXPECT_EQ(content("out/summary.csv"), settings);
  EXPECT_EQ(content("out/chain_1.csv"), draws);
}

TEST_F(ResumeProgram, names_the_tables_that_the_fit_read) {
  const auto configuration = [&](const char* out) {
    return nlohmann::json::parse(content(std::string(out) + "/manifest.json")).at("configuration");
  };
  const std::string call =
      "fit --schema s.toml --formula 'y ~ x' --family bernoulli --epsilon 2 --delta 1e-6 --draws 100 ";
  std::filesystem::copy_file(folder_ / "d.csv", folder_ / "e.csv");
  const std::string owners = "--set 'owner=[{file=\"d.csv\"},{file=\"e.csv\"}]' ";
  const std::string others = "--set 'owner=[{file=\"never.csv\"},{file=\"read.csv\"}]' ";
  ASSERT_EQ(sotto(call + owners + "--out owners").status, 0);
  const auto named = configuration("owners").at("owner");
  ASSERT_EQ(named.size(), 2u);
  const Outcome again = sotto(call + others + "--resume owners");
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(configuration("owners").at("owner"), named);
  EXPECT_EQ(sotto("fit --resume owners").status, 0) << "as many owners as then";
}

// Another run may be reading, or about to write, what stands there.
TEST_F(ResumeProgram, waits_for_no_other_run) {
  ASSERT_EQ(fit("--out out --draws 100").status, 0);
  const std::string draws = content("out/chain_1.csv");
  {
    const RunLock other(folder_ / "out");
    const Outcome refused = fit("--resume out --draws 50");
    EXPECT_EQ(refused.status, 73);
    EXPECT_NE(refused.err.find("another run"), std::string::npos) << refused.err;
    EXPECT_EQ(content("out/chain_1.csv"), draws);
  }
  EXPECT_EQ(fit("--resume out --draws 50").status, 0);
}

// What another run promised, in the same directory or beside releases that were put there, is not said of these draws.
TEST_F(ResumeProgram, is_refused_under_the_statement_of_another_run) {
  ASSERT_EQ(fit("--out out --draws 100").status, 0);
  ASSERT_EQ(fit("--out other --draws 100", "0.9").status, 0);
  std::filesystem::copy_file(folder_ / "out/releases.json", folder_ / "other/releases.json",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_NE(fit("--resume other").err.find("is no statement of these releases"), std::string::npos);
  ASSERT_EQ(fit("--out out --draws 100 --overwrite").status, 0);
  EXPECT_NE(fit("--resume out").err.find("goes on from its only one"), std::string::npos);
  std::filesystem::copy(folder_ / "other", folder_ / "third");
  std::filesystem::remove(folder_ / "third/outputs.txt");
  EXPECT_NE(fit("--resume third").err.find("stands in the way"), std::string::npos);
}

// Another unit, or books of another run, would be a promise of nobody.
TEST_F(ResumeProgram, is_refused_where_statement_and_books_differ) {
  ASSERT_EQ(fit("--out out --draws 100").status, 0);
  const std::string statement = content("out/privacy.json");
  const std::string charges = content("out/charges.jsonl");
  auto other = nlohmann::ordered_json::parse(statement);
  other["privacy_unit"] = "one person (by column id, at most 3 rows)";
  write("out/privacy.json", other.dump());
  EXPECT_NE(sotto("fit --resume out").err.find("is no record of the releases"), std::string::npos);
  std::string books = charges;
  books.replace(books.find("\"one row\""), 9, other.at("privacy_unit").dump());
  write("out/charges.jsonl", books);
  EXPECT_NE(sotto("fit --resume out").err.find("is no statement of these releases"), std::string::npos);
  write("out/charges.jsonl", charges);
  other = nlohmann::ordered_json::parse(statement);
  other["spent_epsilon"] = 0.1;
  write("out/privacy.json", other.dump());
  EXPECT_NE(sotto("fit --resume out").err.find("is no record of the releases"), std::string::npos);
  write("out/privacy.json", statement);
  write("out/charges.jsonl", "{\"opened\":{}}\n");
  EXPECT_NE(sotto("fit --resume out").err.find("is no record of the releases"), std::string::npos);
  write("out/charges.jsonl", charges);
  const std::string manifest = content("out/manifest.json");
  for (const char* wrong : {"5", "[]"}) {
    auto broken = nlohmann::ordered_json::parse(manifest);
    broken.at("configuration")["toml"] = nlohmann::ordered_json::parse(wrong);
    write("out/manifest.json", broken.dump());
    EXPECT_EQ(sotto("fit --resume out").status, 65) << wrong;
  }
  write("out/manifest.json", manifest);
  EXPECT_EQ(sotto("fit --resume out").status, 0);
}

// The comparison would read rows: it is not made anew, and its files go with the draws that they were beside.
TEST_F(ResumeProgram, leaves_the_comparison_out) {
  ASSERT_EQ(fit("--out out --draws 100 --set privacy.compare_not_private=true").status, 0);
  ASSERT_TRUE(exists("out/not_private"));
  std::filesystem::remove(folder_ / "d.csv");
  const Outcome more = sotto("fit --resume out --draws 50");
  EXPECT_EQ(more.status, 0) << more.err;
  EXPECT_FALSE(exists("out/not_private/chain_1.csv"));
}

}  // namespace
}  // namespace sotto
