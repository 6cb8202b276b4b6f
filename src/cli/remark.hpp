// What is said beside the results, on standard error.
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <utility>

namespace sotto::cli {

/// Where nothing can be written there, as it is a file that is full or somebody who went away, nothing is said: files and the exit
/// status still tell, and who answers others goes on.
template <class... Values>
void remark(std::FILE* err, fmt::format_string<Values...> format, Values&&... values) {
  std::fputs(fmt::format(format, std::forward<Values>(values)...).c_str(), err);
}

}  // namespace sotto::cli
