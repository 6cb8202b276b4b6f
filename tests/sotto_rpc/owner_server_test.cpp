// Owners over localhost: the same draws as in one process, and nobody without a certificate.
#include "sotto_rpc/owner_server.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto_rpc/certificates.hpp"
#include "sotto_rpc/owner_connection.hpp"
#include "sotto_rpc/served_owners.hpp"

namespace sotto {
namespace {

TransportIdentity identity_by(const CertifiedKey& authority, const std::string& name, CertifiedRole role) {
  const CertifiedKey own = make_certificate(authority, name, role);
  return {authority.certificate, own.certificate, own.key};
}

const CertifiedKey& consortium() {
  static const CertifiedKey authority = make_authority();
  return authority;
}

std::string at_port(const OwnerServer& server) { return fmt::format("localhost:{}", server.port()); }

/// A server that replies with what it was asked and by whom, unsigned.
OwnerServer echo(const std::string& name = "north", const CertifiedKey& authority = consortium()) {
  return OwnerServer(identity_by(authority, name, CertifiedRole::owner), "localhost:0",
                     [](OwnerCall, const Bytes& question, const std::string& analyst) {
                       OwnerReply reply{question, {}};
                       reply.text.insert(reply.text.end(), analyst.begin(), analyst.end());
                       return reply;
                     });
}

std::string reply_text(const OwnerCarrier& carrier) {
  const OwnerReply reply = carrier(OwnerCall::answer, {'h', 'i', ' '});
  return {reply.text.begin(), reply.text.end()};
}

/// The code of what a carrier throws; usage: nothing.
ErrorCode error_of_carrier(const OwnerCarrier& carrier) {
  try {
    static_cast<void>(carrier(OwnerCall::answer, {'h', 'i'}));
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode::usage;
}

TEST(OwnerServer, knows_who_asks) {
  const OwnerServer server = echo();
  EXPECT_EQ(reply_text(connect_to_owner(identity_by(consortium(), "ada", CertifiedRole::analyst), "north",
                                        at_port(server))),
            "hi ada");
}

TEST(OwnerServer, whoever_has_another_certificate_is_refused) {
  const OwnerServer server = echo();
  const CertifiedKey other = make_authority();
  const TransportIdentity ada = identity_by(consortium(), "ada", CertifiedRole::analyst);
  TransportIdentity stranger = identity_by(other, "ada", CertifiedRole::analyst);
  EXPECT_EQ(error_of_carrier(connect_to_owner(stranger, "north", at_port(server))), ErrorCode::unavailable);
  // Who trusts the owner's authority, but has no certificate of it; and nobody's.
  stranger.authority = consortium().certificate;
  EXPECT_EQ(error_of_carrier(connect_to_owner(stranger, "north", at_port(server))), ErrorCode::unavailable);
  EXPECT_EQ(error_of_carrier(connect_to_owner({ada.authority, "", ""}, "north", at_port(server))),
            ErrorCode::unavailable);
  // An owner of another authority is not spoken to.
  const OwnerServer false_owner = echo("north", other);
  EXPECT_EQ(error_of_carrier(connect_to_owner(ada, "north", at_port(false_owner))), ErrorCode::unavailable);
  EXPECT_EQ(error_of_carrier(connect_to_owner(ada, "north", at_port(server))), ErrorCode::usage);  // none
}

TEST(OwnerServer, an_owner_of_another_name_is_not_asked) {
  const OwnerServer server = echo("south");
  const TransportIdentity ada = identity_by(consortium(), "ada", CertifiedRole::analyst);
  EXPECT_EQ(error_of_carrier(connect_to_owner(ada, "north", at_port(server))), ErrorCode::unavailable);
  EXPECT_EQ(error_of_carrier(connect_to_owner(ada, "south", at_port(server))), ErrorCode::usage);  // none
}

TEST(OwnerServer, an_analysts_certificate_is_no_owners) {
  const OwnerServer server(identity_by(consortium(), "north", CertifiedRole::analyst), "localhost:0",
                           [](OwnerCall, const Bytes&, const std::string&) { return OwnerReply{}; });
  const TransportIdentity ada = identity_by(consortium(), "ada", CertifiedRole::analyst);
  EXPECT_EQ(error_of_carrier(connect_to_owner(ada, "north", at_port(server))), ErrorCode::unavailable);
  // Nor the other way round.
  const OwnerServer real = echo();
  EXPECT_EQ(error_of_carrier(connect_to_owner(identity_by(consortium(), "ada", CertifiedRole::owner), "north",
                                              at_port(real))),
            ErrorCode::unavailable);
}

TEST(OwnerServer, what_went_wrong_inside_is_not_said) {
  int asked = 0;
  const OwnerServer server(identity_by(consortium(), "north", CertifiedRole::owner), "localhost:0",
                           [&](OwnerCall, const Bytes&, const std::string&) -> OwnerReply {
                             if (++asked == 1) throw std::runtime_error("cell 17 is 4.25");
                             throw Error(ErrorCode::configuration, "other\ncolumns");
                           });
  const OwnerCarrier carrier =
      connect_to_owner(identity_by(consortium(), "ada", CertifiedRole::analyst), "north", at_port(server));
  const auto said = [&] {
    try {
      static_cast<void>(carrier(OwnerCall::left, {}));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(said(),
            "the owner north at " + at_port(server) + " says: the owner could not reply: ask its keeper");
  EXPECT_THAT(said(), testing::HasSubstr("says: other?columns"));
}

TEST(OwnerServer, an_owner_that_goes_away_is_missed) {
  std::optional<OwnerServer> server(std::in_place, identity_by(consortium(), "north", CertifiedRole::owner),
                                    "localhost:0", [](OwnerCall, const Bytes& question, const std::string&) {
                                      return OwnerReply{question, {}};
                                    });
  const OwnerCarrier carrier =
      connect_to_owner(identity_by(consortium(), "ada", CertifiedRole::analyst), "north", at_port(*server));
  EXPECT_EQ(error_of_carrier(carrier), ErrorCode::usage);  // none
  server.reset();
  EXPECT_EQ(error_of_carrier(carrier), ErrorCode::unavailable);
}

TEST(OwnerServer, two_do_not_share_an_address) {
  const OwnerServer first = echo();
  EXPECT_THROW(OwnerServer(identity_by(consortium(), "north", CertifiedRole::owner), at_port(first),
                           [](OwnerCall, const Bytes&, const std::string&) { return OwnerReply{}; }),
               Error);
}

TEST(OwnerServer, draws_over_localhost_are_those_of_one_process) {
  for (const std::vector<std::string>& settings :
       {std::vector<std::string>{"method.name=release-once", "method.draws=50"},
        std::vector<std::string>{"method.name=penalty", "method.chains=2", "method.warmup=30",
                                 "method.draws=30"}}) {
    const FitConfig config = served_config(settings);
    TestEntropy entropy(3);
    std::vector<std::unique_ptr<ServedOwner>> owners;
    std::vector<std::unique_ptr<OwnerServer>> servers;
    std::vector<OwnerElsewhere> elsewhere;
    const TransportIdentity ada = identity_by(consortium(), "ada", CertifiedRole::analyst);
    for (std::size_t o = 0; o < 3; ++o) {
      ServedOwner* owner = owners.emplace_back(std::make_unique<ServedOwner>(o, entropy)).get();
      const std::string name = fmt::format("owner-{}", o);
      servers.push_back(std::make_unique<OwnerServer>(
          identity_by(consortium(), name, CertifiedRole::owner), "localhost:0",
          [owner](OwnerCall call, const Bytes& question, const std::string& analyst) {
            return owner->table.reply(call, question, analyst);
          }));
      elsewhere.push_back(
          session_with(connect_to_owner(ada, name, at_port(*servers.back())), owner->signer.key(), config));
    }
    const RunRecord there = fit(config, make_problem(config, served_schema(), {}, elsewhere), entropy);
    const RunRecord here = fit_in_one_process(settings);
    EXPECT_TRUE(same_draws(here.draws, there.draws)) << settings[0];
    EXPECT_EQ(here.privacy.spent_epsilon, there.privacy.spent_epsilon);
    EXPECT_THAT(owners[0]->log[0], testing::StartsWith("ada begins: bernoulli"));
  }
}

// Which of two names gRPC would tell is its own affair: nobody is let in as either.
TEST(Certificates, name_one_analyst_or_nobody) {
  const std::string of_two = R"(-----BEGIN CERTIFICATE-----
MIIBpDCCAUqgAwIBAgIUJcmgxMTeZfJqxu480gLsKxxEhnowCgYIKoZIzj0EAwIw
HDEMMAoGA1UEAwwDYWRhMQwwCgYDVQQDDANib2IwIBcNMjYxMTI5MjIyMzUxWhgP
MjEyNjExMDUyMjIzNTFaMBwxDDAKBgNVBAMMA2FkYTEMMAoGA1UEAwwDYm9iMFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEl3oSPDHSxFpChxzzKvXIUfpuwEM8ysBv
9Y+C3i2h6ub5l+DRk/YpQr0yHz2JDHyjeQCqyYpvYWk59gWpe3SjXqNoMGYwHQYD
VR0OBBYEFHK0DSBKDHLJuE5IhGcwKVt1/OhlMB8GA1UdIwQYMBaAFHK0DSBKDHLJ
uE5IhGcwKVt1/OhlMA8GA1UdEwEB/wQFMAMBAf8wEwYDVR0lBAwwCgYIKwYBBQUH
AwIwCgYIKoZIzj0EAwIDSAAwRQIhAJ8ygcCqs/OEL3SoFQkWyEtFLj3i3hk3sKto
lKfmpfcPAiBPqkjEd37UXtLiZ7j2Jje0Rv+WkdZKlCnV8Ct7XC+POQ==
-----END CERTIFICATE-----
)";  // CN=ada, CN=bob
  EXPECT_EQ(certified_name(make_certificate(consortium(), "ada", CertifiedRole::analyst).certificate), "ada");
  EXPECT_EQ(certified_name(of_two), "");
  EXPECT_EQ(certified_name(of_two.substr(0, of_two.size() / 2)), "");
  EXPECT_EQ(certified_name(""), "");
}

TEST(Certificates, are_of_names_that_fit_in_one) {
  for (const char* name : {"", "North", "a b", "a,DNS:b", "a.b", "ä"})
    EXPECT_THROW(static_cast<void>(make_certificate(consortium(), name, CertifiedRole::owner)), Error)
        << name;
  EXPECT_THROW(static_cast<void>(make_certificate(consortium(), std::string(64, 'a'), CertifiedRole::owner)),
               Error);
  EXPECT_THROW(static_cast<void>(make_certificate({"none", "none"}, "north", CertifiedRole::owner)), Error);
}

}  // namespace
}  // namespace sotto
