// Who may write into a directory, from other descriptors, other processes, and after processes that were killed.
#include "sotto_io/run_lock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <functional>
#include <optional>
#include <string>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"
#include "support/own_folder.hpp"

namespace {
std::function<void()> on_lock;  // called before a file is locked, where it is set
bool no_locks = false;          // as on a file system without them
}  // namespace

extern "C" int flock(int file, int operation) noexcept {
  if (on_lock) on_lock();
  if (no_locks) {
    errno = ENOLCK;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_flock, file, operation));
}

namespace sotto {
namespace {

namespace fs = std::filesystem;

class Lock : public testing::Test {
 protected:
  const fs::path folder_ = own_path();  // its name holds the process
  const fs::path out_ = folder_ / "new" / "out";
  void SetUp() override { fs::remove_all(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string refusal(const fs::path& directory) {
    try {
      const RunLock lock(directory);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cannot_create);
      return error.what();
    }
    return "";
  }
  /// Whether another process may have it.
  static bool is_free_elsewhere(const fs::path& directory) {
    const pid_t other = ::fork();
    if (other == 0) ::_exit(refusal(directory).empty() ? 0 : 1);
    int status = 0;
    ::waitpid(other, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
};

TEST_F(Lock, is_one_runs_at_a_time) {
  {
    const RunLock first(out_);
    EXPECT_THAT(refusal(out_), testing::HasSubstr("another run"));
    EXPECT_FALSE(is_free_elsewhere(out_));
    EXPECT_TRUE(is_free_elsewhere(folder_ / "beside"));
  }
  EXPECT_TRUE(is_free_elsewhere(out_));
  EXPECT_EQ(refusal(out_), "");
}

TEST_F(Lock, leaves_nothing_where_it_cannot_be_had) {
  EXPECT_NE(refusal(folder_ / "new" / std::string(300, 'x')), "");
  EXPECT_FALSE(fs::exists(folder_));
  no_locks = true;
  EXPECT_THAT(refusal(out_), testing::HasSubstr("cannot be locked"));
  no_locks = false;
  EXPECT_FALSE(fs::exists(folder_));
}

TEST_F(Lock, leaves_nothing_where_nothing_was_written) {
  { const RunLock lock(out_); }
  EXPECT_FALSE(fs::exists(folder_));
  {
    const RunLock lock(out_);
    write_whole_file(out_ / "result", "");
  }
  EXPECT_TRUE(fs::exists(out_ / "result"));
  EXPECT_FALSE(fs::exists(out_ / "run.lock"));
}

TEST_F(Lock, ends_with_a_process_that_is_killed) {
  const pid_t killed = ::fork();
  if (killed == 0) {
    const RunLock lock(out_);
    std::raise(SIGKILL);
  }
  int status = 0;
  ::waitpid(killed, &status, 0);
  ASSERT_TRUE(WIFSIGNALED(status));
  ASSERT_TRUE(fs::exists(out_ / "run.lock")) << "it was killed while it held it";
  const RunLock next(out_);
  EXPECT_FALSE(is_free_elsewhere(out_));
}

// A file of that name is not ours to remove, and what is no file says nothing of who holds it.
TEST_F(Lock, takes_no_file_of_others_away) {
  fs::create_directories(out_);
  write_whole_file(out_ / "run.lock", "mine");
  EXPECT_EQ(refusal(out_), "");
  EXPECT_EQ(read_whole_file(out_ / "run.lock"), "mine");
  fs::remove(out_ / "run.lock");
  fs::create_symlink("elsewhere", out_ / "run.lock");
  EXPECT_THAT(refusal(out_), testing::HasSubstr("cannot be locked"));
  EXPECT_FALSE(fs::exists(out_ / "elsewhere"));
}

TEST_F(Lock, knows_whether_it_is_held) {
  const RunLock lock(out_);
  EXPECT_TRUE(lock.is_held());
  fs::remove(out_ / "run.lock");
  EXPECT_FALSE(lock.is_held());
  const RunLock other(out_);
  EXPECT_TRUE(other.is_held());
  EXPECT_FALSE(lock.is_held());
}

// A run that ends takes its file away while another, which has opened it, has not locked it yet.
TEST_F(Lock, is_of_the_file_that_has_the_name) {
  std::optional<RunLock> first(std::in_place, out_);
  write_whole_file(out_ / "result", "");
  on_lock = [&] {
    on_lock = nullptr;
    first.reset();
  };
  const RunLock second(out_);
  EXPECT_FALSE(first.has_value());
  EXPECT_TRUE(fs::exists(out_ / "run.lock"));
  EXPECT_FALSE(is_free_elsewhere(out_)) << "two at once";
}

}  // namespace
}  // namespace sotto
