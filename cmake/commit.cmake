# Writes OUT, the source of src/cli/commit.hpp, where the commit of SOURCE is another than it says. No time of day: the same commit
# gives the same program.
set(ENV{GIT_OPTIONAL_LOCKS} 0)
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-prefix OUTPUT_VARIABLE within RESULT_VARIABLE failed
                ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT failed AND within STREQUAL "")  # not some other project's tree around ours
  execute_process(COMMAND git -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=* OUTPUT_VARIABLE commit
                  ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
if(NOT commit)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "cli/commit.hpp"

namespace sotto::cli {

const char* commit() { return "@commit@"; }

}  // namespace sotto::cli
]] @ONLY)
