#include "sotto/entropy/entropy.hpp"

#include <sodium.h>

#include "sotto/base/error.hpp"

namespace sotto {

SystemEntropy::SystemEntropy() {
  if (sodium_init() < 0)
    throw Error(ErrorCode::internal, "the operating system's random generator is not available");
}

// What is left in the buffer is noise not yet drawn; wipe it.
SystemEntropy::~SystemEntropy() { sodium_memzero(buffer_.data(), sizeof buffer_); }

void SystemEntropy::refill() {
  std::array<unsigned char, randombytes_SEEDBYTES> key;
  randombytes_buf(key.data(), key.size());
  randombytes_buf_deterministic(buffer_.data(), sizeof buffer_, key.data());
  sodium_memzero(key.data(), key.size());
  used_ = 0;
}

}  // namespace sotto
