#include "sotto_rpc/owner_server.hpp"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <exception>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/v1/owner.grpc.pb.h"
#include "sotto_rpc/certificates.hpp"
#include "sotto_rpc/quiet_network.hpp"

namespace sotto {
namespace {

constexpr int kMostThreads = 16;
constexpr std::chrono::seconds kLastReplies{5};

grpc::StatusCode status_code(ErrorCode code) {
  switch (code) {
    case ErrorCode::data:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case ErrorCode::configuration:
      return grpc::StatusCode::FAILED_PRECONDITION;
    default:
      return grpc::StatusCode::INTERNAL;
  }
}

/// The name in the certificate, which the handshake has verified; empty: none.
std::string analyst_of(const grpc::ServerContext& context) {
  const auto peer = context.auth_context();
  if (!peer->IsPeerAuthenticated()) return {};
  const auto certificates = peer->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (certificates.size() != 1) return {};
  return certified_name({certificates[0].data(), certificates[0].size()});
}

}  // namespace

class OwnerServer::Service final : public v1::Owner::Service {
 public:
  explicit Service(OwnerHandler handler) : handler_(std::move(handler)) {}

  grpc::Status Open(grpc::ServerContext* context, const v1::Question* question, v1::Reply* reply) override {
    return pass(OwnerCall::open, *context, *question, *reply);
  }
  grpc::Status Answer(grpc::ServerContext* context, const v1::Question* question, v1::Reply* reply) override {
    return pass(OwnerCall::answer, *context, *question, *reply);
  }
  grpc::Status Refusals(grpc::ServerContext* context, const v1::Question* question,
                        v1::Reply* reply) override {
    return pass(OwnerCall::refusals, *context, *question, *reply);
  }
  grpc::Status Left(grpc::ServerContext* context, const v1::Question* question, v1::Reply* reply) override {
    return pass(OwnerCall::left, *context, *question, *reply);
  }

 private:
  grpc::Status pass(OwnerCall call, const grpc::ServerContext& context, const v1::Question& question,
                    v1::Reply& reply) const {
    try {
      const std::string analyst = analyst_of(context);
      if (analyst.empty()) return {grpc::StatusCode::PERMISSION_DENIED, "your certificate names nobody"};
      const OwnerReply made = handler_(call, {question.text().begin(), question.text().end()}, analyst);
      reply.set_text(made.text.data(), made.text.size());
      reply.set_signature(made.signature.data(), made.signature.size());
      return grpc::Status::OK;
    } catch (const Error& error) {
      return {status_code(error.code()), error.what()};
    } catch (const std::exception&) {
      return {grpc::StatusCode::INTERNAL, "the owner could not reply: ask its keeper"};
    }
  }

  OwnerHandler handler_;
};

struct OwnerServer::Running {
  std::unique_ptr<grpc::Server> server;
};

OwnerServer::OwnerServer(const TransportIdentity& identity, const std::string& listen, OwnerHandler handler)
    : service_(std::make_unique<Service>(std::move(handler))), running_(std::make_unique<Running>()) {
  keep_network_quiet();
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = identity.authority;
  options.pem_key_cert_pairs.push_back({identity.key, identity.certificate});
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(kMostBytesOfMessage);
  builder.SetMaxSendMessageSize(kMostBytesOfMessage);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT,
                             0);  // two owners at one address would share its questions
  grpc::ResourceQuota quota;
  quota.SetMaxThreads(kMostThreads);
  builder.SetResourceQuota(quota);
  builder.AddListeningPort(listen, grpc::SslServerCredentials(options), &port_);
  builder.RegisterService(service_.get());
  running_->server = builder.BuildAndStart();
  if (running_->server == nullptr || port_ == 0) {
    throw Error(
        ErrorCode::unavailable,
        fmt::format("cannot listen at {}: the address is taken or not this machine's, or certificate and key "
                    "do not fit",
                    listen));
  }
}

OwnerServer::~OwnerServer() {
  running_->server->Shutdown(std::chrono::system_clock::now() + kLastReplies);
  running_->server->Wait();
}

}  // namespace sotto
