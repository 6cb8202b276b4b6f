// The files of whoever speaks over the network, read.
#pragma once

#include "sotto_io/owner_toml.hpp"
#include "sotto_rpc/owner_server.hpp"

namespace sotto::cli {

/// Errors: no_input; configuration where others may read the secret.
[[nodiscard]] TransportIdentity read_identity(const TransportFiles& files);

}  // namespace sotto::cli
