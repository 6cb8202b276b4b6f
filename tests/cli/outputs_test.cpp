// No output is written over an input, nor over a release that was paid for.
#include <sysexits.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"
#include "sotto_io/channel_file.hpp"

namespace sotto {
namespace {

class Outputs : public Program {
 protected:
  const std::string rows_ = "y,x\n1,0.5\n0,-0.5\n1,0.25\n";
  const std::string fit_ =
      "fit --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --force --draws 10 --out ";
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

// The description is the only record of what a release cost.
TEST_F(Outputs, privatize_carries_on_what_was_spent_under_the_name) {
  const std::string command =
      "privatize x.csv --column x --lower -1 --upper 1 --overwrite --json --out z.csv --epsilon ";
  ASSERT_EQ(sotto(command + "1").status, 0);
  ASSERT_EQ(sotto(command + "0.5").status, 0);
  const Outcome third = sotto(command + "2");
  ASSERT_EQ(third.status, 0) << third.err;
  const ChannelFile file = read_channel_file(folder_ / "z.csv.channel.toml");
  EXPECT_EQ(file.total.epsilon.value(), 2);
  ASSERT_EQ(file.earlier.size(), 2U);
  EXPECT_EQ(file.earlier[0].epsilon.value(), 1);
  EXPECT_EQ(file.earlier[1].epsilon.value(), 0.5);
  EXPECT_EQ(with_earlier(file).epsilon.value(), 3.5);
  EXPECT_NE(content("z.csv.channel.toml").find("[with_earlier]"), std::string::npos);
  const auto report = nlohmann::json::parse(third.out);
  EXPECT_EQ(report.at("with_earlier").at("releases"), 3);
  EXPECT_EQ(report.at("with_earlier").at("epsilon"), 3.5);
  // What has no epsilon has a rho.
  const Outcome fourth = sotto(
      "privatize x.csv --column x --channel gaussian --lower -1 --upper 1 --rho 0.125 --overwrite "
      "--out z.csv");
  ASSERT_EQ(fourth.status, 0) << fourth.err;
  EXPECT_NE(fourth.out.find("3 earlier releases of this name"), std::string::npos) << fourth.out;
  EXPECT_NE(fourth.out.find("rho 2.75"), std::string::npos) << fourth.out;
  EXPECT_EQ(sotto("density z.csv --chains 1 --warmup 10 --draws 10 --out out").status, 0);
  write("z.csv.channel.toml", "of somebody else");
  EXPECT_EQ(sotto(command + "1").status, EX_CANTCREAT);
  EXPECT_EQ(content("z.csv.channel.toml"), "of somebody else");
}

// Else a small epsilon would stand beside the values of a large one.
TEST_F(Outputs, earlier_values_are_gone_before_a_description_that_is_not_theirs) {
  const std::string command =
      "$sotto privatize x.csv --column x --lower -1 --upper 1 --overwrite --out z.csv --epsilon ";
  ASSERT_EQ(shell(command + "50").status, 0);
  // Room for the description, and none for the values.
  std::string table = "x\n";
  for (int i = 0; i < 2000; ++i) table += "0.5\n";
  write("x.csv", table);
  const Outcome run = shell("trap '' XFSZ\nulimit -f 4\n" + command + "0.5");
  EXPECT_EQ(run.status, EX_IOERR) << run.err;
  EXPECT_EQ(read_channel_file(folder_ / "z.csv.channel.toml").total.epsilon.value(), 0.5);
  EXPECT_EQ(with_earlier(read_channel_file(folder_ / "z.csv.channel.toml")).epsilon.value(), 50.5);
  EXPECT_FALSE(exists("z.csv"));
  // Where not even the description has room, all stays.
  ASSERT_EQ(shell(command + "2").status, 0);
  const std::string before = content("z.csv") + content("z.csv.channel.toml");
  EXPECT_NE(shell("trap '' XFSZ\nulimit -f 0\n" + command + "0.25").status, 0);
  EXPECT_EQ(content("z.csv") + content("z.csv.channel.toml"), before);
}

// A table of somebody's, or values whose description is lost, and with it what they cost.
TEST_F(Outputs, privatize_replaces_nothing_that_has_no_description) {
  write("notes.csv", "mine");
  const Outcome run =
      sotto("privatize x.csv --column x --lower -1 --upper 1 --epsilon 1 --overwrite --out notes.csv");
  EXPECT_EQ(run.status, EX_CANTCREAT);
  EXPECT_NE(run.err.find("has no description beside it"), std::string::npos) << run.err;
  EXPECT_EQ(content("notes.csv"), "mine");
  // Nor where it has the name of a result.
  write("density.csv", "mine");
  EXPECT_EQ(sotto("privatize x.csv --column x --lower -1 --upper 1 --epsilon 1 --overwrite --out density.csv")
                .status,
            EX_CANTCREAT);
  EXPECT_EQ(content("density.csv"), "mine");
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

// chain_9.csv would not be written but read as the rest of a larger run.
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
  ASSERT_THAT(sotto(fit_ + "out").status, has_draws());
  const std::string draws = content("out/chain_1.csv");
  const std::string charges = content("out/charges.jsonl");
  EXPECT_EQ(sotto(fit_ + "out").status, EX_CANTCREAT);
  EXPECT_EQ(
      sotto("fit --data nowhere.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --out out")
          .status,
      EX_NOINPUT)
      << "what is missing is told first";
  EXPECT_EQ(
      sotto("fit --data d.csv --schema s.toml --formula 'y ~ x' --not-private --draws 10 --out out").status,
      EX_CANTCREAT);
  ASSERT_EQ(sotto("privatize d.csv --column x --lower -1 --upper 1 --epsilon 1 --out z.csv").status, 0);
  EXPECT_EQ(sotto("density z.csv --chains 1 --warmup 10 --draws 10 --out out").status, EX_CANTCREAT);
  EXPECT_EQ(content("out/chain_1.csv"), draws);
  ASSERT_THAT(sotto(fit_ + "out --overwrite").status, has_draws());
  EXPECT_NE(content("out/chain_1.csv"), draws);
  EXPECT_TRUE(content("out/charges.jsonl").starts_with(charges)) << "charges are never taken back";
  EXPECT_GT(content("out/charges.jsonl").size(), charges.size());
}

TEST_F(Outputs, a_paid_release_is_not_taken_for_the_result_of_an_earlier_run) {
  write("d.csv", rows_);
  std::filesystem::create_directory(folder_ / "rel");
  const std::string release = "privatize d.csv --column x --lower -1 --upper 1 --epsilon 1 --out ";
  ASSERT_EQ(sotto(release + "rel/synthetic.csv").status, 0);
  ASSERT_EQ(sotto(release + "z.csv").status, 0);
  const std::string values = content("rel/synthetic.csv");
  const std::string density = "density z.csv --chains 1 --warmup 10 --draws 10 --out rel";
  for (int with_values = 1; with_values >= 0; --with_values) {
    if (with_values == 0) std::filesystem::remove(folder_ / "rel/synthetic.csv");
    for (const std::string& call : {fit_ + "rel", fit_ + "rel --overwrite", density}) {
      const Outcome run = sotto(call);
      EXPECT_EQ(run.status, EX_CANTCREAT) << call << run.err;
      EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
      EXPECT_EQ(content("rel/synthetic.csv"), with_values == 1 ? values : "") << call;
      EXPECT_FALSE(exists("rel/charges.jsonl")) << call;
    }
  }
  // Also where a run of ours wrote a file of that name before.
  std::filesystem::remove_all(folder_ / "rel");
  ASSERT_EQ(sotto(density).status, 0);
  ASSERT_EQ(sotto(release + "rel/synthetic.csv --overwrite").status, 0);
  EXPECT_EQ(sotto(fit_ + "rel").status, EX_CANTCREAT);
  EXPECT_EQ(sotto(density).status, EX_CANTCREAT);
}

TEST_F(Outputs, files_of_the_users_own_are_left_alone) {
  write("d.csv", rows_);
  write("z.csv", "mine");
  std::filesystem::create_directories(folder_ / "out");
  for (const char* name : {"chain_stores.csv", "chain_.csv", "notes.csv"})
    write(std::string("out/") + name, "mine");
  ASSERT_THAT(sotto(fit_ + "out").status, has_draws());
  for (const char* name : {"chain_stores.csv", "chain_.csv", "notes.csv"})
    EXPECT_EQ(content(std::string("out/") + name), "mine") << name;
  for (const char* name : {"summary.csv", "chain_2.csv", "report.html", "outputs.txt"}) {
    std::filesystem::remove_all(folder_ / "own");
    std::filesystem::create_directory(folder_ / "own");
    write(std::string("own/") + name, "mine");
    const Outcome run = sotto(fit_ + "own");
    EXPECT_EQ(run.status, EX_CANTCREAT) << name << run.err;
    EXPECT_EQ(content(std::string("own/") + name), "mine");
    EXPECT_FALSE(exists("own/charges.jsonl"));
  }
  std::filesystem::create_directories(folder_ / "ext");
  write("ext/chain_1.csv", "mine");
  std::filesystem::create_directory_symlink("../ext", folder_ / "out/not_private");
  EXPECT_EQ(sotto(fit_ + "out --overwrite").status, EX_CANTCREAT);
  EXPECT_EQ(sotto("report out --without-comparison").status, EX_CANTCREAT);
  EXPECT_EQ(content("ext/chain_1.csv"), "mine");
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "out/not_private"));
}

TEST_F(Outputs, what_stands_in_the_way_is_told_before_anything_is_spent) {
  write("d.csv", rows_);
  for (const char* obstacle :
       {"mkdir -p out/chain_7.csv/x", "mkdir -p out/not_private/report.html/x",
        "mkdir out && touch out/not_private", "mkdir out && ln -s nowhere out/not_private"}) {
    std::filesystem::remove_all(folder_ / "out");
    const Outcome run = shell(std::string(obstacle) + "\n$sotto " + fit_ + "out");
    EXPECT_EQ(run.status, EX_CANTCREAT) << obstacle << run.err;
    EXPECT_NE(run.err.find("choose another --out"), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_FALSE(exists("out/charges.jsonl")) << obstacle;
  }
}

TEST_F(Outputs, density_never_overwrites_its_input) {
  ASSERT_EQ(sotto("privatize x.csv --column x --lower -1 --upper 1 --epsilon 1 --out density.csv").status, 0);
  const std::string released = content("density.csv");
  EXPECT_EQ(sotto("density density.csv --out . --chains 1 --warmup 10 --draws 10").status, EX_CANTCREAT);
  EXPECT_EQ(content("density.csv"), released);
}

TEST_F(Outputs, what_cannot_be_printed_is_an_error) {
  for (const char* call :
       {"account --mechanism gaussian:sigma=10 --delta 1e-6", "schema x.csv", "fit --help", "--version"}) {
    const Outcome run = shell(std::string("$sotto ") + call + " > /dev/full");
    EXPECT_EQ(run.status, EX_IOERR) << call;
    EXPECT_NE(run.err.find("standard output"), std::string::npos) << call << run.err;
  }
}

TEST_F(Outputs, what_cannot_be_said_changes_no_exit_status) {
  for (const char* nowhere : {" 2> /dev/full", " 2>&-"}) {
    EXPECT_EQ(
        shell(std::string(
                  "$sotto privatize absent.csv --column x --lower 0 --upper 1 --epsilon 1 --out z.csv") +
              nowhere)
            .status,
        EX_NOINPUT);
    EXPECT_EQ(
        shell(std::string("$sotto account --mechanism gaussian:sigma=0.1 --delta 1e-6") + nowhere).status, 0);
    EXPECT_EQ(shell(std::string("$sotto no-such-verb") + nowhere).status, EX_USAGE);
  }
}

// Else the first file that is opened would be standard error.
TEST_F(Outputs, nothing_is_said_into_a_file_where_standard_error_is_closed) {
  write("d.csv", rows_);
  const std::string call = "$sotto privatize d.csv --column x --lower -1 --upper 1 --epsilon 25 --out z.csv";
  ASSERT_EQ(shell(call + " 2>&-").status, 0);
  EXPECT_EQ(content("z.csv").find("promises next to nothing"), std::string::npos);
  EXPECT_EQ(content("z.csv.channel.toml").find("promises next to nothing"), std::string::npos);
}

// A result of ours that is read as the table is an input: overwriting it is what --overwrite does not mean.
TEST_F(Outputs, fit_never_overwrites_a_result_that_it_reads) {
  write("d.csv", rows_);
  ASSERT_THAT(sotto(fit_ + "out").status, has_draws());
  std::filesystem::remove(folder_ / "out" / "summary.csv");
  write("out/summary.csv", rows_);
  std::filesystem::remove(folder_ / "d.csv");
  std::filesystem::create_symlink("out/summary.csv", folder_ / "d.csv");
  EXPECT_EQ(sotto(fit_ + "out --overwrite").status, EX_CANTCREAT);
  EXPECT_EQ(content("out/summary.csv"), rows_);
}

}  // namespace
}  // namespace sotto
