// What the releases of release-once tell of the table alone.
#pragma once

#include "sotto/posterior/once_checks.hpp"

namespace sotto {

/// Whatever is made of it: rows that could not be used, values at declared bounds, responses
/// that are nearly all alike. Nothing else where hardly any row could be used: `noise_dominates` then.
[[nodiscard]] OnceVerdict told_of_table(const OnceRelease& release);

}  // namespace sotto
