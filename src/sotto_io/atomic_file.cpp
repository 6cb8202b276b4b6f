#include "sotto_io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>
#include <vector>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

// A file descriptor that is closed at the end of its scope.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

[[noreturn]] void fail(ErrorCode code, const char* what, const std::filesystem::path& file) {
  throw Error(code, fmt::format("cannot {} {}: {}", what, file.string(), std::strerror(errno)));
}

[[noreturn]] void undo(const std::filesystem::path& aside, const std::filesystem::path& file) {
  const int reason = errno;
  ::unlink(aside.c_str());
  errno = reason;
  fail(ErrorCode::io, "write", file);
}

}  // namespace

void make_directory(const std::filesystem::path& directory) {
  std::error_code failure;
  std::vector<std::filesystem::path> made;
  for (std::filesystem::path up = directory; !up.empty() && !std::filesystem::exists(up, failure);
       up = up.parent_path())
    made.push_back(up);
  std::filesystem::create_directories(directory, failure);
  for (const std::filesystem::path& one : made) flush_directory(one);  // its name is in the folder above
  if (failure || !std::filesystem::is_directory(directory)) {
    const bool taken = std::filesystem::exists(directory, failure);
    throw Error(ErrorCode::cannot_create, fmt::format("cannot create the directory {}{}", directory.string(),
                                                      taken ? ": a file of that name stands there" : ""));
  }
}

bool write_and_flush(int file, std::string_view content) {
  while (!content.empty()) {
    const ssize_t wrote = ::write(file, content.data(), content.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(wrote));
  }
  return ::fsync(file) == 0 || errno == EINVAL || errno == EROFS;  // what has no disk under it needs no flush
}

bool is_named(int file, const std::filesystem::path& path) {
  struct stat open {};
  struct stat named {};
  return ::fstat(file, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

void flush_directory(const std::filesystem::path& file) {
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (directory.number() >= 0) ::fsync(directory.number());
}

std::filesystem::path write_aside(const std::filesystem::path& file, std::string_view content) {
  // Two writers may meet: the name holds process and thread, and must be new.
  std::filesystem::path aside = fmt::format("{}.{}.part", file.string(), ::gettid());
  ::unlink(aside.c_str());
  const Descriptor out(::open(aside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (out.number() < 0) fail(ErrorCode::cannot_create, "create", file);
  if (!write_and_flush(out.number(), content)) undo(aside, file);
  return aside;
}

void put_in_place(const std::filesystem::path& aside, const std::filesystem::path& file) {
  if (std::rename(aside.c_str(), file.c_str()) != 0) undo(aside, file);
  flush_directory(file);
}

void write_whole_file(const std::filesystem::path& file, std::string_view content) {
  put_in_place(write_aside(file, content), file);
}

std::string read_whole_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (std::filesystem::is_directory(file))
    throw Error(ErrorCode::no_input, file.string() + " is a directory, not a file");
  if (!in) throw Error(ErrorCode::no_input, "no file " + file.string());
  std::ostringstream content;
  content << in.rdbuf();
  if (in.bad()) throw Error(ErrorCode::io, "cannot read " + file.string());
  return std::move(content).str();
}

}  // namespace sotto
