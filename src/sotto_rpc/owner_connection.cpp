#include "sotto_rpc/owner_connection.hpp"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <memory>

#include "sotto/base/error.hpp"
#include "sotto/base/one_line.hpp"
#include "sotto/v1/owner.grpc.pb.h"
#include "sotto_rpc/quiet_network.hpp"

namespace sotto {
namespace {

constexpr std::size_t kLongestReason = 300;
constexpr int kPingAfter = 60'000;    // milliseconds without a sign of life
constexpr int kPingWithin = 120'000;  // an owner may be busy

[[noreturn]] void say_why(const grpc::Status& status, const std::string& who) {
  const std::string reason = one_line(status.error_message(), kLongestReason);
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
      throw Error(ErrorCode::data, fmt::format("{} says: {}", who, reason));
    case grpc::StatusCode::FAILED_PRECONDITION:
    case grpc::StatusCode::PERMISSION_DENIED:
      throw Error(ErrorCode::configuration, fmt::format("{} says: {}", who, reason));
    case grpc::StatusCode::INTERNAL:
      throw Error(ErrorCode::unavailable, fmt::format("{} says: {}", who, reason));
    default:
      throw Error(
          ErrorCode::unavailable,
          fmt::format("{} does not answer: it is not there, or one of you does not accept the other's "
                      "certificate",
                      who));
  }
}

grpc::Status ask(v1::Owner::Stub& stub, OwnerCall call, const v1::Question& question, v1::Reply& reply) {
  grpc::ClientContext context;
  switch (call) {
    case OwnerCall::open:
      return stub.Open(&context, question, &reply);
    case OwnerCall::answer:
      return stub.Answer(&context, question, &reply);
    case OwnerCall::refusals:
      return stub.Refusals(&context, question, &reply);
    case OwnerCall::left:
      return stub.Left(&context, question, &reply);
  }
  return grpc::Status::CANCELLED;
}

}  // namespace

OwnerCarrier connect_to_owner(const TransportIdentity& identity, const std::string& name,
                              const std::string& address) {
  keep_network_quiet();
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(name);  // certificates name owners, wherever they are
  arguments.SetMaxReceiveMessageSize(kMostBytesOfMessage);
  arguments.SetMaxSendMessageSize(kMostBytesOfMessage);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_ENABLE_RETRIES, 0);  // a question is asked once
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kPingAfter);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kPingWithin);
  const auto credentials = grpc::SslCredentials({identity.authority, identity.key, identity.certificate});
  const std::shared_ptr<v1::Owner::Stub> stub =
      v1::Owner::NewStub(grpc::CreateCustomChannel(address, credentials, arguments));
  return [stub, who = fmt::format("the owner {} at {}", name, address)](OwnerCall call, const Bytes& text) {
    v1::Question question;
    question.set_text(text.data(), text.size());
    v1::Reply said;
    const grpc::Status status = ask(*stub, call, question, said);
    if (!status.ok()) say_why(status, who);
    OwnerReply reply{{said.text().begin(), said.text().end()}, {}};
    if (said.signature().size() != reply.signature.size())
      throw Error(ErrorCode::data, fmt::format("{} does not sign what it says", who));
    std::copy(said.signature().begin(), said.signature().end(), reply.signature.begin());
    return reply;
  };
}

}  // namespace sotto
