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

void PersonRows::expect(std::size_t rows) {
  const auto room = static_cast<double>(persons_.bucket_count()) * persons_.max_load_factor();
  if (static_cast<double>(rows) > room) persons_.reserve(2 * rows);
}

std::optional<std::size_t> PersonRows::take(std::string_view person, std::size_t maximum) {
  Person& known = persons_.try_emplace(hash(person), Person{persons_.size(), 0}).first->second;
  if (known.used >= maximum) return std::nullopt;
  ++known.used;
  return known.number;
}

}  // namespace sotto
