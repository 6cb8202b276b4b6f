#include "sotto_io/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

constexpr const char* kLockFile = "run.lock";
constexpr int kLockAttempts = 100;  // a run that ends meanwhile takes its file away

[[noreturn]] void refuse_output(const std::filesystem::path& output, const std::string& why) {
  throw Error(ErrorCode::cannot_create,
              fmt::format("{} {}, or choose another --out; nothing was spent", output.string(), why));
}

int lock_without_waiting(int file) {
  int result = 0;
  do {
    result = ::flock(file, LOCK_EX | LOCK_NB);
  } while (result != 0 && errno == EINTR);
  return result;
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& directory) : RunLock(directory / kLockFile, directory) {}

RunLock RunLock::beside(const std::filesystem::path& output) { return {output.string() + ".lock", output}; }

RunLock::RunLock(std::filesystem::path lock, const std::filesystem::path& output) : path_(std::move(lock)) {
  const std::filesystem::path directory = path_.has_parent_path() ? path_.parent_path() : ".";
  std::error_code absent;
  for (std::filesystem::path up = directory; !up.empty() && !std::filesystem::exists(up, absent);
       up = up.parent_path())
    made_folders_.innermost_first.push_back(up);
  for (int attempt = 0; attempt < kLockAttempts; ++attempt) {
    make_directory(directory);
    constexpr int how = O_RDWR | O_NOFOLLOW | O_CLOEXEC;
    int file = ::open(path_.c_str(), how | O_CREAT | O_EXCL, 0666);
    made_file_ = file >= 0;
    if (file < 0 && errno == EEXIST) file = ::open(path_.c_str(), how);
    if (file < 0 && errno == ENOENT) continue;
    if (file >= 0 && lock_without_waiting(file) == 0) {
      if (is_named(file, path_)) {
        file_ = file;
        return;
      }
      ::close(file);
      continue;
    }
    const int reason = errno;
    if (file >= 0) {
      if (made_file_ && reason != EWOULDBLOCK && is_named(file, path_)) ::unlink(path_.c_str());
      ::close(file);
    }
    if (reason == EWOULDBLOCK) refuse_output(output, "is being written by another run: wait for its end");
    refuse_output(output,
                  fmt::format("cannot be kept for one run alone ({} cannot be locked: {}): see to that",
                              path_.filename().string(), std::strerror(reason)));
  }
  refuse_output(output, "is taken by one run after the other: try again");
}

bool RunLock::is_held() const { return is_named(file_, path_); }

RunLock::~RunLock() {
  // While it is held: who opened it sees that it has no name.
  if (made_file_ && is_named(file_, path_)) ::unlink(path_.c_str());
  ::close(file_);
}

RunLock::MadeFolders::~MadeFolders() {
  for (const std::filesystem::path& folder : innermost_first)
    ::rmdir(folder.c_str());  // not where others stand
}

}  // namespace sotto
