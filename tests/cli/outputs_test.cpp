// No output is written over an input, nor over a release that was paid for.
#include <sysexits.h>

#include "cli/program.hpp"

namespace sotto {
namespace {

class Outputs : public Program {
 protected:
  const std::string rows_ = "y,x\n1,0.5\n0,-0.5\n1,0.25\n";
  const std::string fit_ =
      "fit --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 10 --out ";
  void SetUp() override {
    Program::SetUp();
    write("x.csv", rows_);
    write("s.toml",
          "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
  }
};

TEST_F(Outputs, privatize_never_overwrites_its_input) {
  std::filesystem::create_symlink("x.csv", folder_ / "link.csv");
  std::filesystem::create_hard_link(folder_ / "x.csv", folder_ / "twin.csv");
  std::filesystem::create_hard_link(folder_ / "x.csv", folder_ / "z.csv.channel.toml");
  std::filesystem::create_directory(folder_ / "sub");
  const std::string options = " --column x --lower -1 --upper 1 --epsilon 1 --overwrite --out ";
  for (const char* files : {"x.csv ; x.csv", "x.csv ; ./x.csv", "x.csv ; sub/../x.csv", "x.csv ; link.csv",
                            "link.csv ; x.csv", "x.csv ; twin.csv", "x.csv ; z.csv"}) {
    const std::string both = files;
    const std::size_t split = both.find(" ; ");
    const Outcome run = sotto("privatize " + both.substr(0, split) + options + both.substr(split + 3));
    EXPECT_EQ(run.status, EX_CANTCREAT) << files << run.err;
    EXPECT_EQ(content("x.csv"), rows_) << files;
  }
  write("columns.toml", "[[column]]\nname = 'x'\nlower = -1\nupper = 1\n");
  const std::string columns = content("columns.toml");
  EXPECT_EQ(sotto("privatize x.csv --columns columns.toml --epsilon 1 --overwrite --out columns.toml").status,
            EX_USAGE);  // not the name of a table
  std::filesystem::create_hard_link(folder_ / "columns.toml", folder_ / "columns.csv");
  EXPECT_EQ(sotto("privatize x.csv --columns columns.toml --epsilon 1 --overwrite --out columns.csv").status,
            EX_CANTCREAT);
  EXPECT_EQ(content("columns.toml"), columns);
}

TEST_F(Outputs, privatize_keeps_what_was_released) {
  const std::string command = "privatize x.csv --column x --lower -1 --upper 1 --epsilon 1 --out z.csv";
  ASSERT_EQ(sotto(command).status, 0);
  const std::string first = content("z.csv") + content("z.csv.channel.toml");
  EXPECT_EQ(sotto(command).status, EX_CANTCREAT);
  EXPECT_EQ(content("z.csv") + content("z.csv.channel.toml"), first);
  const Outcome again = sotto(command + " --overwrite");
  EXPECT_EQ(again.status, 0);
  EXPECT_NE(again.err.find("add up"), std::string::npos);
  EXPECT_NE(content("z.csv") + content("z.csv.channel.toml"), first);
}

// The description is the record of what was spent; the values may have been moved elsewhere.
TEST_F(Outputs, one_file_of_a_release_is_enough_to_keep_it) {
  const std::string command = "privatize x.csv --column x --lower -1 --upper 1 --epsilon 1 --out z.csv";
  for (const char* left : {"z.csv", "z.csv.channel.toml"}) {
    std::filesystem::remove(folder_ / "z.csv");
    std::filesystem::remove(folder_ / "z.csv.channel.toml");
    write(left, "released");
    EXPECT_EQ(sotto(command).status, EX_CANTCREAT) << left;
    EXPECT_EQ(content(left), "released");
    EXPECT_NE(exists("z.csv"), exists("z.csv.channel.toml")) << left;
  }
}

// chain_9.csv would not be written but removed, as the rest of a larger run.
TEST_F(Outputs, fit_never_overwrites_an_input) {
  std::filesystem::create_directory(folder_ / "out");
  for (const char* name : {"chain_1.csv", "chain_9.csv", "summary.csv", "report.html"}) {
    std::filesystem::remove_all(folder_ / "out");
    std::filesystem::create_directory(folder_ / "out");
    write(std::string("out/") + name, rows_);
    std::filesystem::remove(folder_ / "d.csv");
    std::filesystem::create_symlink(std::string("out/") + name, folder_ / "d.csv");
    const Outcome run = sotto(fit_ + "out --overwrite");
    EXPECT_EQ(run.status, EX_CANTCREAT) << name << run.err;
    EXPECT_EQ(content(std::string("out/") + name), rows_) << name;
  }
}

TEST_F(Outputs, fit_keeps_a_release_that_was_paid_for) {
  write("d.csv", rows_);
  ASSERT_EQ(sotto(fit_ + "out").status, 0);
  const std::string draws = content("out/chain_1.csv");
  const std::string charges = content("out/charges.jsonl");
  EXPECT_EQ(sotto(fit_ + "out").status, EX_CANTCREAT);
  EXPECT_EQ(
      sotto("fit --data d.csv --schema s.toml --formula 'y ~ x' --not-private --draws 10 --out out").status,
      EX_CANTCREAT);
  ASSERT_EQ(sotto("privatize d.csv --column x --lower -1 --upper 1 --epsilon 1 --out z.csv").status, 0);
  EXPECT_EQ(sotto("density z.csv --chains 1 --warmup 10 --draws 10 --out out").status, EX_CANTCREAT);
  EXPECT_EQ(content("out/chain_1.csv"), draws);
  ASSERT_EQ(sotto(fit_ + "out --overwrite").status, 0);
  EXPECT_NE(content("out/chain_1.csv"), draws);
  EXPECT_TRUE(content("out/charges.jsonl").starts_with(charges)) << "charges are never taken back";
  EXPECT_GT(content("out/charges.jsonl").size(), charges.size());
}

TEST_F(Outputs, density_never_overwrites_its_input) {
  ASSERT_EQ(sotto("privatize x.csv --column x --lower -1 --upper 1 --epsilon 1 --out density.csv").status, 0);
  const std::string released = content("density.csv");
  EXPECT_EQ(sotto("density density.csv --out . --chains 1 --warmup 10 --draws 10").status, EX_CANTCREAT);
  EXPECT_EQ(content("density.csv"), released);
}

TEST_F(Outputs, what_cannot_be_printed_is_an_error) {
  for (const char* call :
       {"account --mechanism gaussian:sigma=10 --delta 1e-6", "schema x.csv", "fit --help"}) {
    const Outcome run = shell(std::string("$sotto ") + call + " > /dev/full");
    EXPECT_EQ(run.status, EX_IOERR) << call;
    EXPECT_NE(run.err.find("standard output"), std::string::npos) << call << run.err;
  }
}

}  // namespace
}  // namespace sotto
