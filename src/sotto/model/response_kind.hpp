// What the responses of a regression are, as far as a schema tells.
#pragma once

namespace sotto {

/// From the narrowest: binary responses are counts, and counts are real.
enum class ResponseKind { binary, count, real };

}  // namespace sotto
