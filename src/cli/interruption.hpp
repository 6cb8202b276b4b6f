// Ctrl-C, hang-up and termination ask a long run to end with what it has.
#pragma once

namespace sotto::cli {

/// From here on the first signal is noted alone; a second one says so, and a third ends the program. Under nohup a hang-up stays ignored.
void note_signals();

/// Whether one has come.
[[nodiscard]] bool interrupted();

}  // namespace sotto::cli
