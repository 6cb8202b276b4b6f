#include "sotto/release/owner_protocol.hpp"

#include <sodium.h>

#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/release/questions.hpp"

namespace sotto {
namespace {

using nlohmann::json;

constexpr std::string_view kWordsPurpose = "sotto words 1";  // never to be taken for answers
constexpr std::size_t kLongestName = 200;
constexpr std::size_t kDeepest = 16;  // lists within lists: reading them takes a stack

constexpr const char* name_of_call(OwnerCall call) {
  switch (call) {
    case OwnerCall::open:
      return "open";
    case OwnerCall::answer:
      return "answer";
    case OwnerCall::refusals:
      return "refusals";
    case OwnerCall::left:
      return "left";
  }
  return "";
}

[[noreturn]] void not_asked() {
  throw Error(ErrorCode::data,
              "what was asked cannot be read: ask with the same version of the program as the owner's");
}

[[noreturn]] void not_said() {
  throw Error(ErrorCode::data, "what an owner replied cannot be read: both must be of the same version");
}

Bytes bytes_of(const json& all) {
  const std::string text = all.dump();
  return {text.begin(), text.end()};
}

bool is_flat(std::span<const std::uint8_t> text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::uint8_t c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kDeepest) return false;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return true;
}

json parse_asked(OwnerCall call, std::span<const std::uint8_t> question, std::size_t fields) {
  if (!is_flat(question)) not_asked();
  json all = json::parse(question.begin(), question.end(), nullptr, false);
  if (!all.is_object() || all.size() != fields + 2) not_asked();
  if (!all.contains("protocol") || all["protocol"] != kOwnerProtocol) not_asked();
  if (!all.contains("call") || all["call"] != name_of_call(call)) not_asked();
  return all;
}

const std::string& short_text(const json& all, const char* field) {
  if (!all.contains(field) || !all[field].is_string()) not_asked();
  const auto& text = all[field].get_ref<const std::string&>();
  if (text.size() > kLongestName) not_asked();
  return text;
}

}  // namespace

Bytes ask_to_open(const json& declaration, const std::string& nonce) {
  return bytes_of({{"protocol", kOwnerProtocol},
                   {"call", name_of_call(OwnerCall::open)},
                   {"declaration", declaration},
                   {"nonce", nonce}});
}

Bytes ask_in_session(OwnerCall call, const std::string& session, std::uint64_t turn,
                     std::span<const Query> questions) {
  return bytes_of({{"protocol", kOwnerProtocol},
                   {"call", name_of_call(call)},
                   {"session", session},
                   {"turn", turn},
                   {"questions", encode_questions(questions)}});
}

AskedToOpen read_asked_to_open(std::span<const std::uint8_t> question) {
  const json all = parse_asked(OwnerCall::open, question, 2);
  static_cast<void>(short_text(all, "nonce"));
  if (!all.contains("declaration")) not_asked();
  return {all["declaration"]};
}

AskedInSession read_asked_in_session(OwnerCall call, std::span<const std::uint8_t> question) {
  const json all = parse_asked(call, question, 3);
  AskedInSession asked{.session = short_text(all, "session"), .turn = 0, .questions = {}};
  if (!all.contains("turn") || !all["turn"].is_number_unsigned()) not_asked();
  asked.turn = all["turn"].get<std::uint64_t>();
  if (!all.contains("questions")) not_asked();
  asked.questions = decode_questions(all["questions"]);
  return asked;
}

Bytes signed_words(std::span<const std::uint8_t> question, std::span<const std::uint8_t> text) {
  Bytes all(kWordsPurpose.begin(), kWordsPurpose.end());
  const Bytes rest = signed_bytes(question, text);
  all.insert(all.end(), rest.begin(), rest.end());
  return all;
}

json open_words(const OwnerReply& reply, std::span<const std::uint8_t> question, const OwnerKey& key) {
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium does not start");
  const Bytes all = signed_words(question, reply.text);
  if (crypto_sign_verify_detached(reply.signature.data(), all.data(), all.size(), key.bytes.data()) != 0)
    throw Error(ErrorCode::data, "the signature is not the owner's for this question");
  if (!is_flat(reply.text)) not_said();
  json words = json::parse(reply.text.begin(), reply.text.end(), nullptr, false);
  if (words.is_discarded()) not_said();
  return words;
}

json to_json(const OwnerTerms& terms) {
  return {{"name", terms.name},
          {"session", terms.session},
          {"epsilon", terms.epsilon},
          {"delta", terms.delta},
          {"left", terms.left},
          {"rows", terms.rows ? json(*terms.rows) : json(nullptr)},
          {"noise_source", terms.noise_source},
          {"noise_is_private", terms.noise_is_private}};
}

OwnerTerms owner_terms_from_json(const json& j) {
  try {
    OwnerTerms terms{.name = j.at("name").get<std::string>(),
                     .session = j.at("session").get<std::string>(),
                     .epsilon = j.at("epsilon").get<double>(),
                     .delta = j.at("delta").get<double>(),
                     .left = j.at("left").get<double>(),
                     .rows = {},
                     .noise_source = j.at("noise_source").get<std::string>(),
                     .noise_is_private = j.at("noise_is_private").get<bool>()};
    if (!j.at("rows").is_null()) terms.rows = j.at("rows").get<double>();
    const bool counts =
        !terms.rows || (*terms.rows >= 1 && *terms.rows <= 0x1p53 && *terms.rows == std::floor(*terms.rows));
    const bool lengths = terms.name.size() <= kLongestName && terms.noise_source.size() <= kLongestName &&
                         terms.session.size() <= kLongestName;
    if (!counts || !lengths || !(terms.epsilon >= 0) || !(terms.delta >= 0 && terms.delta <= 1) ||
        !(terms.left >= 0)) {
      not_said();
    }
    return terms;
  } catch (const json::exception&) {
    not_said();
  }
}

std::string draw_name() {
  if (sodium_init() < 0) throw Error(ErrorCode::internal, "libsodium does not start");
  std::array<std::uint8_t, 32> drawn{};
  randombytes_buf(drawn.data(), drawn.size());
  std::string text(2 * drawn.size() + 1, '\0');
  sodium_bin2hex(text.data(), text.size(), drawn.data(), drawn.size());
  text.pop_back();
  return text;
}

}  // namespace sotto
