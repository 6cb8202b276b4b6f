// The commit that the program was built from; the build writes the source (cmake/commit.cmake).
#pragma once

namespace sotto::cli {

/// Its hash, with "-dirty" where files were changed since; "unknown" where the sources are in no git tree.
[[nodiscard]] const char* commit();

}  // namespace sotto::cli
