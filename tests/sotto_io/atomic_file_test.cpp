// What was written survives a loss of power: it is flushed before anything relies on it. This program's own fsync watches.
#include "sotto_io/atomic_file.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "sotto_io/on_flush.hpp"
#include "support/own_folder.hpp"

extern "C" int fsync(int file) {
  if (sotto::on_flush) sotto::on_flush(file);
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace sotto {
namespace {

class AtomicFile : public testing::Test {
 protected:
  struct Flush {
    bool directory;
    off_t bytes;
    bool named;  ///< the file that is watched had its name
  };
  std::filesystem::path watched_;
  std::vector<Flush> flushes_;

  void SetUp() override {
    watched_ = own_folder() / "file";
    on_flush = [this](int file) {
      struct stat about {};
      ::fstat(file, &about);
      flushes_.push_back({S_ISDIR(about.st_mode), about.st_size, std::filesystem::exists(watched_)});
    };
  }
  void TearDown() override {
    on_flush = nullptr;
    std::filesystem::remove_all(own_path());
  }
};

TEST_F(AtomicFile, is_on_the_disk_before_it_has_its_name_and_the_name_follows) {
  write_whole_file(watched_, "content");
  ASSERT_EQ(flushes_.size(), 2u);
  EXPECT_FALSE(flushes_[0].directory || flushes_[0].named);
  EXPECT_EQ(flushes_[0].bytes, 7);
  EXPECT_TRUE(flushes_[1].directory && flushes_[1].named);
}

TEST_F(AtomicFile, a_line_is_on_the_disk_when_it_counts_as_written) {
  const int file = ::open(watched_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
  ASSERT_GE(file, 0);
  EXPECT_TRUE(write_and_flush(file, "line\n"));
  ::close(file);
  ASSERT_EQ(flushes_.size(), 1u);
  EXPECT_EQ(flushes_[0].bytes, 5);
}

// Else what was written into it would be lost with it.
TEST_F(AtomicFile, a_new_folder_has_its_name_on_the_disk_and_so_have_the_new_ones_above_it) {
  const std::filesystem::path there = std::filesystem::canonical(own_path());
  const std::filesystem::path folder = there / "new" / "out";
  std::vector<std::filesystem::path> flushed;
  bool made = true;
  on_flush = [&](int file) {
    flushed.push_back(std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(file)));
    made = made && std::filesystem::exists(folder);
  };
  make_directory(folder);
  EXPECT_TRUE(made) << "flushed before it was there";
  EXPECT_THAT(flushed, testing::UnorderedElementsAre(there, there / "new"));
}

}  // namespace
}  // namespace sotto
