// Where noise comes from: the operating system. It cannot be seeded, so noise cannot be reproduced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sotto/base/curator_side.hpp"
#include "sotto/entropy/entropy_source.hpp"

namespace sotto {

/// ChaCha20 streams of 8 KiB, each under a fresh 256-bit key of the operating system, whose own generator is this
/// construction too; without a system call for every few words. Not thread safe: one per thread of control. Not to
/// be carried over a fork: both processes would draw the same words.
class SystemEntropy final : public EntropySource {
 public:
  SystemEntropy();
  ~SystemEntropy() override;
  SystemEntropy(const SystemEntropy&) = delete;
  SystemEntropy& operator=(const SystemEntropy&) = delete;
  std::uint64_t bits() override {
    if (used_ == buffer_.size()) refill();
    const std::uint64_t word = buffer_[used_];
    buffer_[used_++] = 0;  // a word is used once and then forgotten
    return word;
  }
  [[nodiscard]] std::string name() const override {
    return "operating system (ChaCha20 under its keys, libsodium)";
  }
  [[nodiscard]] bool is_private() const override { return true; }

 private:
  void refill();

  std::array<std::uint64_t, 1024> buffer_{};
  std::size_t used_ = buffer_.size();
};

}  // namespace sotto
