// What a row can do to the process: nothing to its memory or exit status; and what it leaves there: nothing.
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

struct Ended {
  int status = 0;  ///< as wait gives it
  long kilobytes = 0;
};

class Memory : public Program {
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
  [[nodiscard]] static Ended end_of(pid_t child) {
    Ended ended;
    rusage usage{};
    ::wait4(child, &ended.status, 0, &usage);
    ended.kilobytes = usage.ru_maxrss;
    return ended;
  }
};

TEST_F(Memory, no_row_changes_it) {
  const Ended plain = end_of(start("fit --data plain.csv " + options_));
  ASSERT_EQ(plain.status, 0) << content("stderr.txt");
  for (const char* name : {"commas.csv", "used.csv", "unused.csv"}) {
    const Ended hostile = end_of(start(std::string("fit --data ") + name + " " + options_));
    EXPECT_EQ(hostile.status, 0) << name << content("stderr.txt");
    EXPECT_LT(hostile.kilobytes, plain.kilobytes + 4096) << name;
  }
}

// The least limit under which a fit of plain rows works is enough for all others.
TEST_F(Memory, no_row_changes_the_exit_status_under_a_limit) {
  const auto status = [&](int megabytes, const std::string& name) {
    return shell("ulimit -v " + std::to_string(megabytes * 1024) + "\n$sotto fit --data " + name + " " +
                 options_)
        .status;
  };
  int least = 64;
  while (least < 4096 && status(least, "plain.csv") != 0) least += 32;
  ASSERT_LT(least, 4096);
  for (const char* name : {"plain.csv", "commas.csv", "used.csv", "unused.csv"})
    EXPECT_EQ(status(least + 16, name), 0) << name << " under " << least << " MiB\n" << content("stderr.txt");
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

TEST_F(Memory, is_never_dumped) {
  rlimit unlimited{RLIM_INFINITY, RLIM_INFINITY};
  rlimit before{};
  ::getrlimit(RLIMIT_CORE, &before);
  unlimited.rlim_cur = unlimited.rlim_max = before.rlim_max;
  ::setrlimit(RLIMIT_CORE, &unlimited);
  const pid_t child = start(
      "fit --data plain.csv --schema s.toml --formula 'y ~ x' --epsilon 2 --delta 1e-6 --method penalty "
      "--warmup 2 "
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
  const Ended ended = end_of(child);
  ASSERT_TRUE(WIFSIGNALED(ended.status));
  EXPECT_FALSE(WCOREDUMP(ended.status));
}

// A number of one row, as text in the file and as a double in the table, is nowhere when the program exits.
TEST_F(Memory, holds_no_row_at_exit) {
  table("marked.csv", "1,0.73105857863000487,a");
  const std::string plus_one =
      "1/84216968974111598";  // each letter one up, so that the environment does not hold it
  const std::string scan =
      "SOTTO_SCAN_TEXT_PLUS_ONE='" + plus_one + "' SOTTO_SCAN_RESULT=found.txt LD_PRELOAD='" SOTTO_SCAN "' ";
  const std::string privatize =
      "$sotto privatize marked.csv --column x --lower -1 --upper 1 --epsilon 1 --overwrite --out z.csv";
  const auto found = [&](const std::string& command) {
    const Outcome run = shell("rm -f found.txt\nexport ASAN_OPTIONS=verify_asan_link_order=0\n" + command);
    EXPECT_EQ(run.status, 0) << run.err;
    std::size_t times = 999;
    std::istringstream(content("found.txt")) >> times;
    return times;
  };
  EXPECT_EQ(found(scan + "$sotto fit --data marked.csv " + options_), 0u);
  EXPECT_EQ(found(scan + privatize), 0u);
  EXPECT_GT(found("SOTTO_SCAN_PLANT=1 " + scan + privatize), 0u) << "the scan sees nothing";
}

}  // namespace
}  // namespace sotto
