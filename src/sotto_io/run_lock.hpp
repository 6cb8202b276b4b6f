// One run at a time at an output: what it reads of the books stays true until it has written its own.
#pragma once

#include <filesystem>
#include <vector>

namespace sotto {

/// Held on the file run.lock of a directory, or OUTPUT.lock beside a single file. It ends with the process, however that ends: a file that a killed run left there is
/// free. Runs on other machines see it where the file system carries locks (flock) between them.
/// Checked by tests/sotto_io/run_lock_test.cpp: is_one_runs_at_a_time, ends_with_a_process_that_is_killed, leaves_nothing_where_it_cannot_be_had
class RunLock {
 public:
  /// Makes the directory if needed. Errors: cannot_create when another run holds it, or nothing can be locked there.
  explicit RunLock(const std::filesystem::path& directory);
  /// Of the single file `output`. Errors: likewise.
  static RunLock beside(const std::filesystem::path& output);
  /// Removes what it made, as far as nothing else stands there.
  ~RunLock();
  /// Whether the file is still there, so that no other run can hold another of its name.
  [[nodiscard]] bool is_held() const;
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

 private:
  /// Goes with the lock, also where none could be had.
  struct MadeFolders {
    std::vector<std::filesystem::path> innermost_first;
    ~MadeFolders();
  };
  RunLock(std::filesystem::path lock, const std::filesystem::path& output);

  std::filesystem::path path_;
  MadeFolders made_folders_{};
  bool made_file_ = false;
  int file_ = -1;
};

}  // namespace sotto
