#include "sotto/random/entropy.hpp"

#include <sodium.h>

#include "sotto/base/error.hpp"

namespace sotto {

SystemEntropy::SystemEntropy() {
  if (sodium_init() < 0)
    throw Error(ErrorCode::internal, "the operating system's random generator is not available");
}

// What is left in the buffer is noise not yet drawn; wipe it.
SystemEntropy::~SystemEntropy() { sodium_memzero(buffer_.data(), sizeof buffer_); }

std::uint64_t SystemEntropy::bits() {
  if (used_ == buffer_.size()) {
    randombytes_buf(buffer_.data(), sizeof buffer_);
    used_ = 0;
  }
  const std::uint64_t word = buffer_[used_];
  buffer_[used_++] = 0;  // a word is used once and then forgotten
  return word;
}

}  // namespace sotto
