#include "sotto_rpc/quiet_network.hpp"

#include <grpc/support/log.h>

namespace sotto {

void keep_network_quiet() {
  gpr_set_log_function([](gpr_log_func_args*) {});
}

}  // namespace sotto
