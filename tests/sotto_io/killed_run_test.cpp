// What stands in a directory after a run that was killed, at each moment of its writing, and after the next run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "sotto_io/atomic_file.hpp"
#include "sotto_io/on_flush.hpp"
#include "sotto_io/run_directory.hpp"
#include "support/own_folder.hpp"
#include "support/synthetic_run.hpp"

namespace sotto {
namespace {

namespace fs = std::filesystem;

class KilledRun : public testing::Test {
 protected:
  const fs::path folder_ = own_path();  // its name holds the process
  RunRecord exact_ = synthetic_run(20);
  RunRecord private_ = synthetic_run(20);
  void SetUp() override {
    exact_.draws.chains.resize(2);
    exact_.comparison->chains.resize(1);
    exact_.privacy = not_private_statement();
    private_.comparison.reset();
    private_.draws.chains.resize(1);
  }
  void TearDown() override { fs::remove_all(folder_); }

  /// Writes in a process that is killed at its `last` flush. False when it ended before.
  [[nodiscard]] bool killed_at(int last, const RunRecord& record) const {
    const pid_t writer = ::fork();
    if (writer == 0) {
      int flushes = 0;
      on_flush = [&](int) {
        if (++flushes == last) std::raise(SIGKILL);
      };
      write_run(folder_, record);
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
  }
  [[nodiscard]] std::set<std::string> names() const {
    std::set<std::string> found;
    for (const auto& entry : fs::recursive_directory_iterator(folder_))
      found.insert(fs::relative(entry.path(), folder_).generic_string());
    return found;
  }
};

TEST_F(KilledRun, leaves_nothing_beside_the_next) {
  int last = 1;
  bool unfinished = false;
  for (bool killed = true; killed; ++last) {
    fs::remove_all(folder_);
    killed = killed_at(last, exact_);
    for (const std::string& name : names()) unfinished = unfinished || name.ends_with(".part");
    check_run_directory(folder_, {}, false);
    write_run(folder_, private_);
    EXPECT_EQ(names(),
              (std::set<std::string>{"chain_1.csv", "deployment.json", "manifest.json", "outputs.txt",
                                     "privacy.json", "report.html", "summary.csv", "summary.json"}))
        << "killed at flush " << last;
  }
  EXPECT_TRUE(unfinished) << "no kill came while a file was written";
  EXPECT_GT(last, 15);
}

TEST_F(KilledRun, never_states_privacy_of_what_an_exact_run_left) {
  for (int last = 1;; ++last) {
    fs::remove_all(folder_);
    exact_.comparison.reset();
    write_run(folder_, exact_);
    const bool killed = killed_at(last, private_);
    for (const std::string& name : names()) {
      if (!name.starts_with("chain_") || !name.ends_with(".csv")) continue;
      ASSERT_TRUE(fs::exists(folder_ / "privacy.json")) << name << ", killed at flush " << last;
      const auto privacy = nlohmann::json::parse(read_whole_file(folder_ / "privacy.json"));
      EXPECT_THAT(
          read_whole_file(folder_ / name),
          testing::HasSubstr(privacy.at("private").get<bool>() ? "# dp_private = 1" : "# dp_private = 0"))
          << name << ", killed at flush " << last;
    }
    if (killed) continue;
    EXPECT_GT(last, 15);
    return;
  }
}

}  // namespace
}  // namespace sotto
