// The chain's own randomness: seeded and reproducible. It must never make privacy noise (see entropy.hpp).
#pragma once

#include <boost/random/mersenne_twister.hpp>
#include <boost/random/normal_distribution.hpp>
#include <boost/random/seed_seq.hpp>
#include <boost/random/uniform_01.hpp>
#include <boost/random/uniform_int_distribution.hpp>
#include <cstddef>
#include <cstdint>

#include "sotto/base/position.hpp"

namespace sotto {

/// One stream of random numbers for one chain. Boost.Random, because its distributions give the same numbers
/// with every compiler and library, where the standard's do not.
class ChainRng {
 public:
  using result_type = std::uint64_t;

  /// Streams of one seed with different `stream` numbers are independent.
  explicit ChainRng(std::uint64_t seed, std::uint64_t stream = 0) : engine_(sequence(seed, stream)) {}

  /// Uniform on [0, 1).
  double uniform() { return boost::random::uniform_01<double>()(engine_); }
  /// Standard normal.
  double normal() { return boost::random::normal_distribution<double>()(engine_); }
  /// `dim` independent standard normals.
  Position normals(Eigen::Index dim) {
    Position z(dim);
    for (auto& entry : z) entry = normal();
    return z;
  }
  /// Uniform on 0 .. count - 1; `count` > 0.
  std::size_t below(std::size_t count) {
    return boost::random::uniform_int_distribution<std::size_t>(0, count - 1)(engine_);
  }

  // The standard's generator interface, so that library distributions can draw from a chain's stream.
  static constexpr result_type min() { return 0; }
  static constexpr result_type max() { return ~result_type{0}; }
  result_type operator()() { return engine_(); }

 private:
  static boost::random::mt19937_64 sequence(std::uint64_t seed, std::uint64_t stream) {
    const std::uint32_t words[] = {static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                                   static_cast<std::uint32_t>(stream),
                                   static_cast<std::uint32_t>(stream >> 32)};
    boost::random::seed_seq sequence(words, words + 4);
    return boost::random::mt19937_64(sequence);
  }
  boost::random::mt19937_64 engine_;
};

}  // namespace sotto
