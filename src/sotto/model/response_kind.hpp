// What the responses of a regression are, as far as a schema tells.
#pragma once

namespace sotto {

/// From the narrowest: binary responses are counts, and counts are real. A time at risk, with its event, is of its own kind, and so
/// are ordered categories.
enum class ResponseKind { binary, count, real, time, ordered };

/// Whether a family of responses `takes` may have responses that `are`.
[[nodiscard]] constexpr bool fits(ResponseKind are, ResponseKind takes) {
  return are == takes || (are < takes && takes <= ResponseKind::real);
}

}  // namespace sotto
