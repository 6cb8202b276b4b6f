#include "sotto/data/person_rows.hpp"

#include <sodium.h>

namespace sotto {

static_assert(crypto_shorthash_siphashx24_KEYBYTES == 16 && crypto_shorthash_siphashx24_BYTES == 16);

PersonRows::PersonRows() { randombytes_buf(key_.data(), key_.size()); }

PersonRows::Hash PersonRows::hash(std::string_view person) const {
  Hash hash;
  crypto_shorthash_siphashx24(hash.data(), reinterpret_cast<const unsigned char*>(person.data()),
                              person.size(), key_.data());
  return hash;
}

bool PersonRows::take(std::string_view person, std::size_t maximum) {
  std::size_t& used = used_[hash(person)];
  if (used == maximum) return false;
  ++used;
  return true;
}

}  // namespace sotto
