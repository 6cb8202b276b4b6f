// What the program does before it reads rows.
#pragma once

namespace sotto::cli {

/// From here on the process leaves no core dump, and other processes of the user cannot read its memory. All memory
/// that is freed is wiped, in every verb: the program's own operator delete does that.
void hold_rows();

}  // namespace sotto::cli
