#include "cli/owner_sessions.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "sotto/base/error.hpp"

#ifdef SOTTO_WITH_RPC
#include "cli/transport_identity.hpp"
#include "sotto/ledger/budget.hpp"
#include "sotto/release/remote_owner.hpp"
#include "sotto/run/declaration.hpp"
#include "sotto_io/signing_key.hpp"
#include "sotto_rpc/owner_connection.hpp"
#endif

namespace sotto::cli {

#ifdef SOTTO_WITH_RPC
namespace {

/// Nothing was spent yet, and nothing would come of it.
void refuse_what_is_not_covered(const OwnerTerms& terms, const FitConfig& config) {
  const Budget run(Epsilon(*config.epsilon), Delta(*config.delta));
  if (run.left().value() <= terms.left) return;
  throw Error(
      ErrorCode::budget,
      fmt::format(
          "the owner {} allows ({:g}, {:g}) in all, and what is left of it does not cover epsilon {:g}, "
          "delta {:g}: ask for less; nothing was spent",
          terms.name, terms.epsilon, terms.delta, *config.epsilon, *config.delta));
}

}  // namespace

std::vector<OwnerElsewhere> begin_sessions(const FitConfig& config, const Schema& schema,
                                           const OwnersSettings& owners) {
  std::vector<OwnerElsewhere> sessions;
  if (config.elsewhere.empty()) return sessions;
  if (config.not_private || config.compare_not_private)
    refuse(
        "owners elsewhere never answer without noise: drop privacy.not_private and "
        "privacy.compare_not_private");
  const TransportIdentity identity = read_identity(owners.transport);
  const Problem problem = make_problem_without_rows(config, schema, std::nullopt);
  const nlohmann::json declaration = to_json(Declaration{config.model, problem.public_info.declaration});
  for (const OwnerAddress& owner : config.elsewhere) {
    auto session = std::make_shared<RemoteOwner>(connect_to_owner(identity, owner.name, owner.address),
                                                 read_public_key(owner.key), declaration);
    const OwnerTerms& terms = session->terms();
    if (terms.name != owner.name)
      refuse(fmt::format("who answers at {} does not call itself {}", owner.address, owner.name));
    refuse_what_is_not_covered(terms, config);
    sessions.push_back({.name = owner.name,
                        .address = owner.address,
                        .interface = session,
                        .epsilon = terms.epsilon,
                        .delta = terms.delta,
                        .rows = terms.rows,
                        .noise_source = terms.noise_source,
                        .noise_is_private = terms.noise_is_private});
  }
  return sessions;
}
#else
std::vector<OwnerElsewhere> begin_sessions(const FitConfig& config, const Schema&, const OwnersSettings&) {
  if (!config.elsewhere.empty())
    refuse("this program was built without owners over a network: install gRPC and build it again");
  return {};
}
#endif

}  // namespace sotto::cli
