#include "sotto_io/signing_key.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sodium.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

std::array<std::uint8_t, 32> read_32_bytes(const std::filesystem::path& file) {
  const std::string text = read_whole_file(file);
  std::array<std::uint8_t, 32> bytes{};
  std::size_t read = 0;
  const int wrong =
      sodium_hex2bin(bytes.data(), bytes.size(), text.data(), text.size(), "\n", &read, nullptr);
  if (wrong != 0 || read != bytes.size()) {
    throw Error(ErrorCode::data,
                fmt::format("{} holds no key: it must be 64 hexadecimal digits", file.string()));
  }
  return bytes;
}

std::string as_hexadecimal(const std::array<std::uint8_t, 32>& bytes) {
  std::string text(2 * bytes.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), bytes.data(), bytes.size());
  text.pop_back();
  return text;
}

/// Overwrites what it holds when it goes, however it goes.
template <class Held>
struct Secret {
  Held held{};
  Secret() = default;
  explicit Secret(Held value) : held(std::move(value)) {}
  Secret(const Secret&) = delete;
  Secret& operator=(const Secret&) = delete;
  ~Secret() { sodium_memzero(held.data(), held.size()); }
};

void write_new_seed(const std::filesystem::path& seed, OwnerKey& key) {
  Secret<std::array<std::uint8_t, crypto_sign_SEEDBYTES>> drawn;
  Secret<std::array<std::uint8_t, crypto_sign_SECRETKEYBYTES>> whole;
  randombytes_buf(drawn.held.data(), drawn.held.size());
  crypto_sign_seed_keypair(key.bytes.data(), whole.held.data(), drawn.held.data());
  const Secret<std::string> text(as_hexadecimal(drawn.held) + '\n');
  write_secret_file(seed, text.held);
}

}  // namespace

OwnerKey read_public_key(const std::filesystem::path& file) { return {read_32_bytes(file)}; }

std::string to_text(const OwnerKey& key) { return as_hexadecimal(key.bytes); }

void refuse_open_secret(const std::filesystem::path& file) {
  std::error_code absent;
  const auto mode = std::filesystem::status(file, absent).permissions();
  constexpr auto kOthers = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
  if (!absent && std::filesystem::exists(file) && (mode & kOthers) != std::filesystem::perms::none)
    refuse(fmt::format("others may read {}, which is secret: chmod 600 it", file.string()));
}

std::array<std::uint8_t, 32> read_signing_seed(const std::filesystem::path& file) {
  refuse_open_secret(file);
  return read_32_bytes(file);
}

void make_signing_key(const std::filesystem::path& seed, const std::filesystem::path& public_key) {
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium does not start");
  OwnerKey key;
  write_new_seed(seed, key);
  try {
    write_secret_file(public_key, to_text(key) + '\n');
  } catch (...) {
    std::error_code gone;
    std::filesystem::remove(seed, gone);  // made just now, and of no use to anyone
    throw;
  }
}

void write_secret_file(const std::filesystem::path& file, std::string_view content) {
  const int open = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (open < 0) {
    throw Error(ErrorCode::cannot_create,
                fmt::format("cannot make {}: {}", file.string(), std::strerror(errno)));
  }
  const bool written = write_and_flush(open, content);
  ::close(open);
  if (!written)
    throw Error(ErrorCode::io, fmt::format("cannot write {}: {}", file.string(), std::strerror(errno)));
}

}  // namespace sotto
