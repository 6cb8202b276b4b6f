// 128-bit integers: wide enough for any sum of contributions and for its noise.
#pragma once

namespace sotto {

// `__extension__` keeps -Wpedantic silent: gcc and clang both have the types, the standard does not.
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 Uint128;

}  // namespace sotto
