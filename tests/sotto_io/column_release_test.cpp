// What a release leaves on the disk, whenever it is killed.
#include "sotto_io/column_release.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "entropy/seeded_entropy.hpp"
#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"
#include "sotto_io/on_flush.hpp"
#include "sotto_io/privatised_file.hpp"
#include "sotto_io/table_records.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

namespace fs = std::filesystem;

class ColumnReleases : public testing::Test {
 protected:
  const fs::path folder_ = own_path();
  const fs::path out_ = folder_ / "r.csv";
  const fs::path description_ = folder_ / "r.csv.channel.toml";
  void SetUp() override {
    fs::create_directories(folder_);
    write_whole_file(folder_ / "t.csv", "x\n1\n2\n3\n");
  }
  void TearDown() override { fs::remove_all(folder_); }

  void release() const { release(folder_ / "t.csv", out_, {}); }
  static void release(const fs::path& table, const fs::path& out, const std::vector<fs::path>& inputs) {
    ColumnSettings x;
    x.name = "x";
    x.channel = "laplace";
    x.lower = 0;
    x.upper = 4;
    SeededEntropy entropy(3);
    (void)release_columns({{x}, {Epsilon(1), std::nullopt, std::nullopt}, out, inputs}, records_of(table),
                          entropy, [](const std::string&) {});
  }
  /// In a process that is killed at its `last` flush. False when it ended before.
  [[nodiscard]] bool killed_at(int last) const {
    const pid_t writer = ::fork();
    if (writer == 0) {
      int flushes = 0;
      on_flush = [&](int) {
        if (++flushes == last) std::raise(SIGKILL);
      };
      release();
      ::_exit(0);
    }
    int status = 0;
    ::waitpid(writer, &status, 0);
    EXPECT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
  }
};

/// Noise that is drawn while somebody changes the folder.
class DisturbedEntropy final : public EntropySource {
 public:
  explicit DisturbedEntropy(std::function<void()> disturb) : disturb_(std::move(disturb)) {}
  std::uint64_t bits() override {
    disturb_();
    return noise_.bits();
  }
  [[nodiscard]] std::string name() const override { return noise_.name(); }

 private:
  std::function<void()> disturb_;
  SeededEntropy noise_{3};
};

// Another run may have been let in, and have added its charge to the description that would be written over; perhaps the lock is back.
// While noise is drawn, or while a warning waits for its reader.
TEST_F(ColumnReleases, whose_lock_is_gone_take_no_charge_back) {
  const std::string others = "another's";
  const std::function<void()> nothing = [] {};
  const std::function<void()> clear = [&] { fs::remove(folder_ / "r.csv.lock"); };
  const std::function<void()> describe = [&] { write_whole_file(description_, others); };
  for (const auto& [while_drawn, while_warned] :
       {std::pair(clear, nothing), {describe, nothing}, {nothing, describe}}) {
    fs::remove(description_);
    DisturbedEntropy entropy(while_drawn);
    ColumnSettings x;
    x.name = "x";
    x.channel = "laplace";
    x.lower = 0;
    x.upper = 4;
    try {
      ColumnRelease release{{x}, {Epsilon(1), std::nullopt, std::nullopt}, out_, {}};
      release.order = RowOrder::kept;
      (void)release_columns(release, records_of(folder_ / "t.csv"), entropy,
                            [&warned = while_warned](const std::string&) { warned(); });
      ADD_FAILURE() << "the description was written over";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::io);
      EXPECT_THAT(error.what(), testing::HasSubstr("the release is spent all the same"));
    }
    ASSERT_TRUE(fs::exists(description_)) << "what was paid for stands there";
    EXPECT_FALSE(fs::exists(out_));
  }
  EXPECT_EQ(read_whole_file(description_), others);
}

// Another table of as many legal values is put in its place.
TEST_F(ColumnReleases, of_a_killed_run_no_other_table_is_taken_for) {
  release();
  const std::string other = read_whole_file(out_);
  int described = 0;
  for (int last = 1;; ++last) {
    fs::remove(out_);
    fs::remove(description_);
    const bool killed = killed_at(last);
    if (fs::exists(description_)) {
      const ChannelFile file = read_channel_file(description_);
      EXPECT_EQ(file.fingerprints.size(), 1u) << "killed at flush " << last;
      if (fs::exists(out_)) {
        EXPECT_NO_THROW((void)read_privatised(out_, file, file.columns[0]));
      } else {
        ++described;
        write_whole_file(out_, other.substr(0, other.find('\n') + 1) + "0\n0\n0\n");
        EXPECT_THROW((void)read_privatised(out_, file, file.columns[0]), Error) << "killed at flush " << last;
      }
    }
    if (!killed) break;
  }
  EXPECT_GT(described, 1);
}

// Noise on noise has no description, whatever name the first is called by.
TEST_F(ColumnReleases, are_known_as_such_by_links_to_them_too) {
  release();
  fs::create_directory(folder_ / "beside");
  fs::create_symlink(out_, folder_ / "file.csv");
  fs::create_symlink(folder_ / "file.csv", folder_ / "beside" / "twice.csv");
  fs::create_symlink(folder_ / "t.csv", folder_ / "table.csv");
  const fs::path again = folder_ / "again.csv";
  for (const fs::path& name : {out_, folder_ / "file.csv", folder_ / "beside" / "twice.csv"}) {
    try {
      release(name, again, {name});
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << name;
    }
    EXPECT_FALSE(fs::exists(again)) << name;
  }
  EXPECT_NO_THROW(release(folder_ / "table.csv", again, {folder_ / "table.csv"})) << "a table by a link";
}

}  // namespace
}  // namespace sotto
