// What the responses of a regression are, as far as a schema tells.
#pragma once

namespace sotto {

/// From the narrowest: binary responses are counts, and counts are real. A time at risk, with its event, is of its own kind.
enum class ResponseKind { binary, count, real, time };

}  // namespace sotto
