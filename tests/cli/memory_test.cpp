// What a row can do to the process: nothing to its memory or exit status; and what it leaves there: nothing.
#include <arrow/api.h>
#include <arrow/io/file.h>
#include <fmt/format.h>
#include <parquet/arrow/writer.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.hpp"

namespace sotto {
namespace {

/// A program whose memory is looked at when it exits.
class ScannedProgram : public Program {
 protected:
  struct Scan {
    std::size_t found = 999;  ///< how often the marked number is in memory
    long kilobytes = 0;       ///< peak
    int dumpable = -1;        ///< whether the system would dump it, or let others read it
    int core = -1;            ///< whether the limit of dumps is above zero
  };
  /// What the library loaded beside the program saw when it exited. Each letter of its text is one up, so that the
  /// environment does not hold the number.
  [[nodiscard]] Scan scanned(const std::string& variables, const std::string& command) const {
    const Outcome run = shell("rm -f found.txt\nSOTTO_SCAN_RESULT=found.txt LD_PRELOAD='" SOTTO_SCAN "' " +
                              variables + " $sotto " + command);
    EXPECT_THAT(run.status, has_draws()) << run.err;
    Scan scan;
    std::istringstream(content("found.txt")) >> scan.found >> scan.kilobytes >> scan.dumpable >> scan.core;
    return scan;
  }
};

class Memory : public ScannedProgram {
 protected:
  const std::string options_ =
      "--schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 20 --threads 1 --overwrite --out "
      "out";
  void SetUp() override {
    Program::SetUp();
    write("s.toml",
          "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
          "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
    constexpr std::size_t kHuge = 40'000'000;
    table("plain.csv", "1,0.5,a");
    table("commas.csv", std::string(kHuge, ','));
    table("used.csv", "1,\"" + std::string(kHuge, '7') + "\",a");
    table("unused.csv", "1,0.5,\"" + std::string(kHuge, '\n') + "\"");
  }
  /// 300 records and the one in question.
  void table(const std::string& name, const std::string& record) const {
    std::string text = "y,x,note\n" + record + "\n";
    for (int i = 0; i < 300; ++i) text += i % 2 == 0 ? "1,0.5,a\n" : "0,-0.25,b\n";
    write(name, text);
  }
  [[nodiscard]] pid_t start(const std::string& command) const {
    const pid_t child = ::fork();
    if (child == 0) {
      const std::string line = "cd '" + folder_.string() + "' && exec '" SOTTO_PROGRAM "' " + command +
                               " >stdout.txt 2>stderr.txt";
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    return child;
  }
};

TEST_F(Memory, no_row_changes_it) {
  const long plain = scanned("", "fit --data plain.csv " + options_).kilobytes;
  ASSERT_GT(plain, 1024);
  for (const char* name : {"commas.csv", "used.csv", "unused.csv"}) {
    const long hostile = scanned("", std::string("fit --data ") + name + " " + options_).kilobytes;
    EXPECT_LT(hostile, plain + 2048) << name;
    EXPECT_GT(hostile, plain - 2048) << name;
  }
}

// The least limit under which a fit of plain rows works is enough for all others.
TEST_F(Memory, no_row_changes_the_exit_status_under_a_limit) {
  // Whether its own noisy draws are an answer is no matter of memory.
  const auto works = [&](int megabytes, const std::string& name) {
    return testing::Value(shell("ulimit -v " + std::to_string(megabytes * 1024) + "\n$sotto fit --data " +
                                name + " " + options_)
                              .status,
                          has_draws());
  };
  int least = 64;
  while (least < 4096 && !works(least, "plain.csv")) least += 32;
  ASSERT_LT(least, 4096);
  for (const char* name : {"plain.csv", "commas.csv", "used.csv", "unused.csv"})
    EXPECT_TRUE(works(least + 16, name)) << name << " under " << least << " MiB\n" << content("stderr.txt");
}

TEST_F(Memory, rows_beyond_the_limits_contribute_nothing_and_count) {
  for (const auto& [name, used] :
       {std::pair{"plain.csv", 301}, {"commas.csv", 300}, {"used.csv", 300}, {"unused.csv", 300}}) {
    const Outcome run = sotto(std::string("schema --check --json ") + name + " s.toml");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto check = nlohmann::json::parse(run.out);
    EXPECT_EQ(check.at("records"), 301) << name;
    EXPECT_EQ(check.at("rows_used"), used) << name;
  }
}

/// The same in a Parquet file.
void write_parquet(const std::filesystem::path& path, double marked) {
  arrow::Int64Builder y;
  arrow::DoubleBuilder x;
  arrow::StringBuilder text;
  for (int i = 0; i <= 300; ++i) {
    const double value = i == 0 ? marked : i % 2 == 0 ? 0.5 : -0.25;
    EXPECT_TRUE(y.Append(i % 2).ok() && x.Append(value).ok() &&
                text.Append(fmt::format("{:.17g}", value)).ok());
  }
  const auto schema = arrow::schema({arrow::field("y", arrow::int64()), arrow::field("x", arrow::float64()),
                                     arrow::field("t", arrow::utf8())});
  const auto file = *arrow::io::FileOutputStream::Open(path.string());
  const auto table = arrow::Table::Make(schema, {*y.Finish(), *x.Finish(), *text.Finish()});
  EXPECT_TRUE(parquet::arrow::WriteTable(*table, arrow::default_memory_pool(), file).ok());
  EXPECT_TRUE(file->Close().ok());
}

TEST_F(Memory, is_never_dumped) {
  rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  rlimit before{};
  ::getrlimit(RLIMIT_CORE, &before);
  unlimited.rlim_cur = unlimited.rlim_max = before.rlim_max;
  ::setrlimit(RLIMIT_CORE, &unlimited);
  const pid_t child = start(
      "fit --data plain.csv --schema s.toml --formula 'y ~ x' --epsilon 2 --delta 1e-6 --method penalty "
      "--warmup 2 --force "
      "--draws 500000 --threads 1 --out long");
  ::setrlimit(RLIMIT_CORE, &before);
  for (int i = 0; i < 600 && !exists("long/charges.jsonl"); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ASSERT_TRUE(exists("long/charges.jsonl"));
  const std::string limits = file_content("/proc/" + std::to_string(child) + "/limits");
  const std::size_t at = limits.find("Max core file size");
  ASSERT_NE(at, std::string::npos);
  std::istringstream words(limits.substr(at + 18));
  std::string soft, hard;
  words >> soft >> hard;
  EXPECT_EQ(soft + hard, "00");
  ::kill(child, SIGSEGV);
  int status = 0;
  ::waitpid(child, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_FALSE(WCOREDUMP(status));
}

TEST_F(Memory, of_every_verb_that_reads_rows_is_never_dumped) {
  std::string labels = "label\n";
  for (int i = 0; i < 301; ++i) labels += i % 2 == 0 ? "a\n" : "b\n";
  write("labels.csv", labels);
  for (const std::string& verb :
       {"fit --data plain.csv " + options_, std::string("schema --check plain.csv s.toml"),
        std::string(
            "privatize plain.csv --column x --lower -1 --upper 1 --epsilon 1 --keep-order --out z.csv"),
        std::string("density plain.csv --not-private --column x --lower -1 --upper 1 --out d --chains 1 "
                    "--warmup 10 --draws 10"),
        // With labels that are nobody's release.
        std::string("density z.csv --compare labels.csv --out e --chains 1 --warmup 10 --draws 10")}) {
    const Scan scan = scanned("", verb);
    EXPECT_EQ(scan.dumpable, 0) << verb;
    EXPECT_EQ(scan.core, 0) << verb;
  }
  EXPECT_EQ(scanned("", "schema plain.csv").dumpable, 1) << "the scan sees nothing";
}

/// Predictions are of new rows, which are as confidential as those of the fit.
class MemoryOfPredictions : public ScannedProgram {};

TEST_F(MemoryOfPredictions, is_never_dumped) {
  write("s.toml",
        "[[column]]\nname = \"y\"\nkind = \"binary\"\n"
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = -1\nupper = 1\n");
  std::string rows = "y,x\n";
  for (int i = 0; i < 300; ++i) rows += i % 2 == 0 ? "1,0.5\n" : "0,-0.25\n";
  write("d.csv", rows);
  const Outcome fit = sotto(
      "fit --data d.csv --schema s.toml --formula 'y ~ x' --epsilon 1 --delta 1e-6 --draws 20 --threads 1 "
      "--out out");
  ASSERT_THAT(fit.status, has_draws()) << fit.err;
  const Scan scan = scanned("", "predict out --rows d.csv --nevertheless");
  EXPECT_EQ(scan.dumpable, 0);
  EXPECT_EQ(scan.core, 0);
  EXPECT_EQ(scanned("", "schema d.csv").dumpable, 1) << "the scan sees nothing";
}

// A number of one row, as text in the file and as a double in the table, is nowhere when the program exits.
TEST_F(Memory, holds_no_row_at_exit) {
  table("marked.csv", "1,0.73105857863000487,a");
  const std::string marked = "SOTTO_SCAN_TEXT_PLUS_ONE='1/84216968974111598'";
  const std::string privatize =
      "privatize marked.csv --column x --lower -1 --upper 1 --epsilon 1 --overwrite --out z.csv";
  EXPECT_EQ(scanned(marked, "fit --data marked.csv " + options_).found, 0u);
  EXPECT_EQ(scanned(marked, "schema --check marked.csv s.toml").found, 0u);
  EXPECT_EQ(scanned(marked, privatize).found, 0u);
  EXPECT_GT(scanned(marked + " SOTTO_SCAN_PLANT=1", privatize).found, 0u) << "the scan sees nothing";
}

// As a double and as text in the file: Arrow's memory is wiped too.
TEST_F(Memory, holds_no_row_of_a_parquet_file_at_exit) {
  write_parquet(folder_ / "marked.parquet", 0.73105857863000487);
  const std::string marked = "SOTTO_SCAN_TEXT_PLUS_ONE='1/84216968974111598'";
  const std::string privatize =
      "privatize marked.parquet --lower -1 --upper 1 --epsilon 1 --overwrite --out z.csv";
  EXPECT_EQ(scanned(marked, "fit --data marked.parquet " + options_).found, 0u);
  EXPECT_EQ(scanned(marked, privatize + " --column x").found, 0u);
  EXPECT_EQ(scanned(marked, privatize + " --column t").found, 0u);
}

}  // namespace
}  // namespace sotto
