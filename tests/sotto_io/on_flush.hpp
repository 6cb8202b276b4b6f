// Told of each flush of this test program: the program's own fsync is defined beside the tests of files.
#pragma once

#include <functional>

namespace sotto {

/// Called with the open file before it is flushed, where it is set.
inline std::function<void(int file)> on_flush;

}  // namespace sotto
