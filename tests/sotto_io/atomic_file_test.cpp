// What was written survives a loss of power: it is flushed before anything relies on it. This program's own fsync watches.
#include "sotto_io/atomic_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <vector>

#include "support/own_folder.hpp"

namespace {

struct Flush {
  bool directory;
  off_t bytes;
  bool named;  ///< the file that is watched had its name
};
std::filesystem::path watched;
std::vector<Flush> flushes;

}  // namespace

extern "C" int fsync(int file) {
  if (!watched.empty()) {
    struct stat about {};
    ::fstat(file, &about);
    flushes.push_back({S_ISDIR(about.st_mode), about.st_size, std::filesystem::exists(watched)});
  }
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace sotto {
namespace {

class AtomicFile : public testing::Test {
 protected:
  void SetUp() override {
    flushes.clear();
    watched = own_folder() / "file";
  }
  void TearDown() override {
    watched.clear();
    std::filesystem::remove_all(own_path());
  }
};

TEST_F(AtomicFile, is_on_the_disk_before_it_has_its_name_and_the_name_follows) {
  write_whole_file(watched, "content");
  ASSERT_EQ(flushes.size(), 2u);
  EXPECT_FALSE(flushes[0].directory || flushes[0].named);
  EXPECT_EQ(flushes[0].bytes, 7);
  EXPECT_TRUE(flushes[1].directory && flushes[1].named);
}

TEST_F(AtomicFile, a_line_is_on_the_disk_when_it_counts_as_written) {
  const int file = ::open(watched.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  EXPECT_TRUE(write_and_flush(file, "line\n"));
  ::close(file);
  ASSERT_EQ(flushes.size(), 1u);
  EXPECT_EQ(flushes[0].bytes, 5);
}

}  // namespace
}  // namespace sotto
