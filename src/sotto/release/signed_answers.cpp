#include "sotto/release/signed_answers.hpp"

#include <sodium.h>

#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

using nlohmann::json;

constexpr std::string_view kPurpose =
    "sotto answers 1";  // a signature for another purpose means nothing here
constexpr Eigen::Index kMostEntries = Eigen::Index{1} << 20;  // of a matrix: more than any question asks for

[[noreturn]] void malformed(const char* message) { throw Error(ErrorCode::data, message); }

json to_json(const Matrix& m) {
  return {m.rows(), m.cols(), std::vector<double>(m.data(), m.data() + m.size())};
}

Matrix matrix_from(const json& j) {
  const auto rows = j.at(0).get<Eigen::Index>();
  const auto columns = j.at(1).get<Eigen::Index>();
  const auto entries = j.at(2).get<std::vector<double>>();
  if (rows < 0 || columns < 0 || rows > kMostEntries || columns > kMostEntries ||
      rows * columns != static_cast<Eigen::Index>(entries.size())) {
    malformed("entries do not fill their matrix");
  }
  return Eigen::Map<const Matrix>(entries.data(), rows, columns);
}

Position position_from(const json& j) {
  const auto entries = j.get<std::vector<double>>();
  return Eigen::Map<const Position>(entries.data(), static_cast<Eigen::Index>(entries.size()));
}

json to_json(const Position& p) { return std::vector<double>(p.data(), p.data() + p.size()); }

double variance_from(const json& j) {
  const auto variance = j.get<double>();
  if (!(variance >= 0)) malformed("a variance is not a number from 0 on");
  return variance;
}

Position variances_from(const json& j, Eigen::Index size) {
  Position variances = position_from(j);
  if (variances.size() != size || !(variances.array() >= 0).all())
    malformed("variances do not fit their values");
  return variances;
}

// One row per kind of answer, in the order of `Answer`: there and back.
json encode(QueryStatus status) { return static_cast<int>(status); }
json encode(const NoisyRatio& r) { return {r.value, r.variance}; }
json encode(const NoisyGradient& g) { return {to_json(g.value), to_json(g.variance)}; }
json encode(const NoisyStatistic& s) { return {to_json(s.value), to_json(s.variance), to_json(s.quantum)}; }
json encode(const NoisyJoint& j) { return {encode(j.gradient), encode(j.ratio)}; }
json encode(const NoisyVector& v) { return {to_json(v.value), v.variance}; }
json encode(const NoisyMatrix& m) { return {to_json(m.value), m.variance}; }
template <class Noisy>
json encode(const Released<Noisy>& released) {
  return encode(released.value());
}

template <class Made>
Made decode(const json& j);
template <>
QueryStatus decode(const json& j) {
  const int code = j.get<int>();
  if (code < 0 || code > static_cast<int>(QueryStatus::out_of_range)) malformed("an unknown refusal");
  return static_cast<QueryStatus>(code);
}
template <>
NoisyRatio decode(const json& j) {
  return {j.at(0).get<double>(), variance_from(j.at(1))};
}
template <>
NoisyGradient decode(const json& j) {
  const Position value = position_from(j.at(0));
  return {value, variances_from(j.at(1), value.size())};
}
template <>
NoisyStatistic decode(const json& j) {
  const Position value = position_from(j.at(0));
  return {value, variances_from(j.at(1), value.size()), variances_from(j.at(2), value.size())};
}
template <>
NoisyJoint decode(const json& j) {
  return {decode<NoisyGradient>(j.at(0)), decode<NoisyRatio>(j.at(1))};
}
template <>
NoisyVector decode(const json& j) {
  return {position_from(j.at(0)), variance_from(j.at(1))};
}
template <>
NoisyMatrix decode(const json& j) {
  return {matrix_from(j.at(0)), variance_from(j.at(1))};
}

}  // namespace

Bytes encode_answers(std::span<const Answer> answers) {
  json all = json::array();
  for (const Answer& answer : answers)
    all.push_back({answer.index(), std::visit([](const auto& one) { return encode(one); }, answer)});
  const std::string text = all.dump();  // doubles with as many digits as tell them apart
  return {text.begin(), text.end()};
}

Bytes signed_bytes(std::span<const std::uint8_t> question, std::span<const std::uint8_t> answers) {
  Bytes all(kPurpose.begin(), kPurpose.end());
  for (int byte = 0; byte < 8; ++byte)
    all.push_back(static_cast<std::uint8_t>(static_cast<std::uint64_t>(question.size()) >> (8 * byte)));
  all.insert(all.end(), question.begin(), question.end());
  all.insert(all.end(), answers.begin(), answers.end());
  return all;
}

std::vector<Answer> VerifiedAnswers::open(const SignedAnswers& message,
                                          std::span<const std::uint8_t> question, const OwnerKey& key) {
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium does not start");
  if (message.answers.size() > kMostBytesOfMessage) malformed("answers that are too long");
  const Bytes all = signed_bytes(question, message.answers);
  if (crypto_sign_verify_detached(message.signature.data(), all.data(), all.size(), key.bytes.data()) != 0)
    malformed("the signature is not the owner's for this question");

  // A member's lambda: only here may what was read become a release.
  const auto open_as = []<class Alternative>(std::type_identity<Alternative>, const json& j) -> Answer {
    if constexpr (std::same_as<Alternative, QueryStatus>) {
      return decode<QueryStatus>(j);
    } else {
      using Noisy = std::decay_t<decltype(std::declval<const Alternative&>().value())>;
      return Alternative(decode<Noisy>(j));
    }
  };
  const auto open_one = [&](const json& j) {
    const auto kind = j.at(0).get<std::size_t>();
    std::optional<Answer> opened;
    [&]<std::size_t... k>(std::index_sequence<k...>) {
      (void)((kind == k &&
              (opened = open_as(std::type_identity<std::variant_alternative_t<k, Answer>>(), j.at(1)),
               true)) ||
             ...);
    }
    (std::make_index_sequence<std::variant_size_v<Answer>>());
    if (!opened) malformed("an unknown kind of answer");
    return *std::move(opened);
  };
  try {
    std::vector<Answer> answers;
    for (const json& j : json::parse(message.answers)) answers.push_back(open_one(j));
    return answers;
  } catch (const json::exception&) {
    malformed("what an owner signed are no answers");
  }
}

}  // namespace sotto
