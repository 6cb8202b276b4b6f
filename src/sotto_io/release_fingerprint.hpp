// Which release a channel description belongs to.
#pragma once

#include <string>

#include "sotto/channel/column.hpp"

namespace sotto {

/// 16 hexadecimal digits from the whole numbers that a released column is made of (grid steps, coefficients, counts, categories,
/// bins), in their order: the same however the file that held them was formatted. A guard against mistakes, not against forgery
/// (FNV-1a).
[[nodiscard]] std::string release_fingerprint(const Column& column, const PrivatisedColumn& released);

/// In a description whose values are not drawn yet: no table is its release.
inline constexpr const char* kNoRelease = "none";

}  // namespace sotto
