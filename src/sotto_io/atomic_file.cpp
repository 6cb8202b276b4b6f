#include "sotto_io/atomic_file.hpp"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

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

}  // namespace

void write_whole_file(const std::filesystem::path& file, std::string_view content) {
  std::string aside = file.string() + "." + std::string(6, 'X');  // mkstemp replaces the last six letters
  {
    const Descriptor out(::mkstemp(aside.data()));
    if (out.number() < 0) fail(ErrorCode::cannot_create, "create", file);
    bool good = ::fchmod(out.number(), 0644) == 0;
    for (std::size_t done = 0; good && done < content.size();) {
      const ssize_t wrote = ::write(out.number(), content.data() + done, content.size() - done);
      if (wrote < 0 && errno == EINTR) continue;
      good = wrote > 0;
      if (good) done += static_cast<std::size_t>(wrote);
    }
    good = good && ::fsync(out.number()) == 0 && std::rename(aside.c_str(), file.c_str()) == 0;
    if (!good) {
      const int reason = errno;
      ::unlink(aside.c_str());
      errno = reason;
      fail(ErrorCode::io, "write", file);
    }
  }
  // The new name itself must reach the disk; file systems that cannot flush a directory are left alone.
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  const Descriptor directory(::open(folder.c_str(), O_RDONLY | O_DIRECTORY));
  if (directory.number() >= 0) ::fsync(directory.number());
}

std::string read_whole_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw Error(ErrorCode::no_input, "no file " + file.string());
  std::ostringstream content;
  content << in.rdbuf();
  if (in.bad()) throw Error(ErrorCode::io, "cannot read " + file.string());
  return std::move(content).str();
}

}  // namespace sotto
