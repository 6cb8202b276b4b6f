// What a library of the network would print is not this program's to say.
#pragma once

namespace sotto {

/// Before anything else is asked of it: gRPC prints nothing, in this process.
void keep_network_quiet();

}  // namespace sotto
