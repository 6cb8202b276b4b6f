// Reproducible bits for tests of exact samplers.
#pragma once

#include <random>
#include <vector>

#include "sotto/entropy/entropy.hpp"

namespace sotto {

class SeededEntropy final : public EntropySource {
 public:
  explicit SeededEntropy(std::uint64_t seed) : engine_(seed) {}
  std::uint64_t bits() override {
    ++words;
    return engine_();
  }
  [[nodiscard]] std::string name() const override { return "seeded test generator"; }
  std::size_t words = 0;  ///< drawn so far

 private:
  std::mt19937_64 engine_;
};

/// Plays the given words and then fails loudly.
class ScriptedEntropy final : public EntropySource {
 public:
  explicit ScriptedEntropy(std::vector<std::uint64_t> script) : script_(std::move(script)) {}
  std::uint64_t bits() override { return script_.at(next_++); }
  [[nodiscard]] std::string name() const override { return "scripted test bits"; }
  [[nodiscard]] std::size_t used() const { return next_; }

 private:
  std::vector<std::uint64_t> script_;
  std::size_t next_ = 0;
};

}  // namespace sotto
