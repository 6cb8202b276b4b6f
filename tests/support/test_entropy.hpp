// Noise that a test can repeat. Nothing made with it is private, and its name says so.
#pragma once

#include "sotto/entropy/entropy.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

class TestEntropy final : public EntropySource {
 public:
  explicit TestEntropy(std::uint64_t seed) : rng_(seed, 0x7e57) {}
  std::uint64_t bits() override { return rng_(); }
  [[nodiscard]] std::string name() const override { return "test (seeded)"; }

 private:
  ChainRng rng_;
};

}  // namespace sotto
