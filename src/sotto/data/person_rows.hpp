// How many rows each person has used.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <string_view>
#include <unordered_map>

#include "sotto/base/curator_side.hpp"
#include "sotto/data/wiped.hpp"

namespace sotto {

/// Persons are told apart by 128 bits of a keyed hash of what identifies them (SipHash, key from the operating system):
/// the same memory for every person, and no name is kept. That two of 10^9 persons share a hash has probability 2e-21.
class PersonRows {
 public:
  PersonRows();

  /// Whether this person has used fewer than `maximum` rows so far; if so one more is counted.
  [[nodiscard]] bool take(std::string_view person, std::size_t maximum);

 protected:
  using Hash = std::array<unsigned char, 16>;
  [[nodiscard]] Hash hash(std::string_view person) const;

 private:
  struct First64Bits {
    std::size_t operator()(const Hash& hash) const {
      std::size_t bits = 0;
      std::memcpy(&bits, hash.data(), sizeof bits);
      return bits;
    }
  };
  std::array<unsigned char, 16> key_;
  std::unordered_map<Hash, std::size_t, First64Bits, std::equal_to<>,
                     WipingAllocator<std::pair<const Hash, std::size_t>>>
      used_;
};

}  // namespace sotto
