// 128-bit integers: wide enough for any sum of contributions.
#pragma once

namespace sotto {

__extension__ typedef __int128 Int128;

}  // namespace sotto
