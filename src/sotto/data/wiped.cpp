#include "sotto/data/wiped.hpp"

#include <sodium.h>

namespace sotto {

void wipe(void* memory, std::size_t bytes) noexcept { sodium_memzero(memory, bytes); }

}  // namespace sotto
