// The network side of an analyst: carries questions to an owner, and replies back.
#pragma once

#include <string>

#include "sotto/release/owner_protocol.hpp"
#include "sotto_rpc/owner_server.hpp"

namespace sotto {

/// A carrier to the owner of that name at `address`, HOST:PORT: only who has a certificate of that name by the authority is spoken to.
/// It connects when it is first asked. It waits for a reply for as long as the owner lives.
/// Errors: of the carrier: data and configuration as the owner said them; unavailable where nobody answers, or either side does not
/// accept the other's certificate.
/// Checked by tests/sotto_rpc/owner_server_test.cpp: an_owner_of_another_name_is_not_asked, an_owner_that_goes_away_is_missed
[[nodiscard]] OwnerCarrier connect_to_owner(const TransportIdentity& identity, const std::string& name,
                                            const std::string& address);

}  // namespace sotto
