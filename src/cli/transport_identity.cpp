#include "cli/transport_identity.hpp"

#include "sotto_io/atomic_file.hpp"
#include "sotto_io/signing_key.hpp"

namespace sotto::cli {

TransportIdentity read_identity(const TransportFiles& files) {
  refuse_open_secret(files.key);
  return {read_whole_file(files.authority), read_whole_file(files.certificate), read_whole_file(files.key)};
}

}  // namespace sotto::cli
