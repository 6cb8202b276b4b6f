// The network side of an owner: takes questions from whoever has a certificate, and carries replies back.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "sotto/release/owner_protocol.hpp"

namespace sotto {

/// PEM texts of one side of a connection.
struct TransportIdentity {
  std::string authority;    ///< that signed the other side's certificate
  std::string certificate;  ///< one's own
  std::string key;          ///< its secret
};

/// Replies to a question of `analyst`, the name in its certificate. Called from several threads. What an Error of it says goes to the
/// analyst; of any other exception nothing does.
using OwnerHandler =
    std::function<OwnerReply(OwnerCall call, const Bytes& question, const std::string& analyst)>;

/// Listens from its making to its end. Whoever has no certificate of the authority reaches nothing.
/// Checked by tests/sotto_rpc/owner_server_test.cpp: whoever_has_another_certificate_is_refused, what_went_wrong_inside_is_not_said
class OwnerServer {
 public:
  /// `listen`: HOST:PORT; port 0: one that is free.
  /// Errors: unavailable where nothing can listen there; configuration where the certificate is of no use.
  OwnerServer(const TransportIdentity& identity, const std::string& listen, OwnerHandler handler);
  /// Waits for the replies that are being made.
  ~OwnerServer();
  OwnerServer(const OwnerServer&) = delete;
  OwnerServer& operator=(const OwnerServer&) = delete;

  [[nodiscard]] int port() const { return port_; }

 private:
  class Service;
  struct Running;
  std::unique_ptr<Service> service_;
  std::unique_ptr<Running> running_;
  int port_ = 0;
};

}  // namespace sotto
