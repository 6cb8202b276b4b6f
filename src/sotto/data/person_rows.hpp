// How many rows each person has used.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>
#include <optional>
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

  /// Takes memory for so many persons, who are no more than rows: how many of these name one changes none of it but a person's own.
  void expect(std::size_t rows);

  /// Which person this is, in the order in which they came, where fewer than `maximum` rows of theirs have been used so far: one more
  /// is counted then. Of a row that cannot be used, for which `maximum` is 0, the person is known from now on all the same: what its
  /// other cells hold changes no memory.
  std::optional<std::size_t> take(std::string_view person, std::size_t maximum);

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
  struct Person {
    std::size_t number, used;
  };
  std::array<unsigned char, 16> key_;
  std::unordered_map<Hash, Person, First64Bits, std::equal_to<>,
                     WipingAllocator<std::pair<const Hash, Person>>>
      persons_;
};

}  // namespace sotto
