// Where noise comes from: the operating system. It cannot be seeded, so noise cannot be reproduced.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "sotto/random/entropy_source.hpp"

namespace sotto {

/// The operating system's generator, read through libsodium. Not thread safe: one per thread of control.
class SystemEntropy final : public EntropySource {
 public:
  SystemEntropy();
  ~SystemEntropy() override;
  SystemEntropy(const SystemEntropy&) = delete;
  SystemEntropy& operator=(const SystemEntropy&) = delete;
  std::uint64_t bits() override;
  [[nodiscard]] std::string name() const override { return "operating system (libsodium randombytes)"; }
  [[nodiscard]] bool is_private() const override { return true; }

 private:
  std::array<std::uint64_t, 64> buffer_{};
  std::size_t used_ = buffer_.size();
};

}  // namespace sotto
