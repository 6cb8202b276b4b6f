#include "sotto/release/kept_answers.hpp"

#include <fmt/format.h>

#include <limits>
#include <string>
#include <string_view>
#include <variant>

#include "sotto/base/error.hpp"
#include "sotto/release/answer_shape.hpp"

namespace sotto {
namespace {

constexpr std::string_view kFormat = "sotto releases 3";

template <class Container>
std::string hexadecimal(const Container& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

template <std::size_t size>
void read_hexadecimal(const std::string& text, std::array<std::uint8_t, size>& bytes) {
  if (text.size() != 2 * size || text.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw Error(ErrorCode::data, "the kept releases are damaged: a key or signature has another length");
  for (std::size_t i = 0; i < size; ++i)
    bytes[i] = static_cast<std::uint8_t>(std::stoul(text.substr(2 * i, 2), nullptr, 16));
}

}  // namespace

Bytes question_of(const nlohmann::ordered_json& fit, std::size_t turn, std::span<const Query> queries) {
  std::string text = fmt::format("{}\n{}\n{}", kFormat, fit.dump(), turn);
  for (const Query& query : queries) text += fmt::format(" {}", query.index());
  return {text.begin(), text.end()};
}

nlohmann::ordered_json to_json(const KeptAnswers& kept) {
  nlohmann::ordered_json given = nlohmann::ordered_json::array();
  for (const SignedAnswers& one : kept.given) {
    given.push_back({{"answers", std::string(one.answers.begin(), one.answers.end())},
                     {"signature", hexadecimal(one.signature)}});
  }
  return {{"format", kFormat}, {"fit", kept.fit}, {"key", hexadecimal(kept.key.bytes)}, {"given", given}};
}

KeptAnswers kept_answers_from_json(const nlohmann::ordered_json& json) {
  try {
    if (json.at("format") != kFormat)
      throw Error(ErrorCode::data, "the kept releases are those of another version of this program");
    KeptAnswers kept{.fit = json.at("fit"), .key = {}, .given = {}};
    if (!kept.fit.is_object())
      throw Error(ErrorCode::data, "the kept releases are damaged: they do not say of which fit they are");
    read_hexadecimal(json.at("key").get<std::string>(), kept.key.bytes);
    for (const auto& one : json.at("given")) {
      const auto answers = one.at("answers").get<std::string>();
      kept.given.push_back({{answers.begin(), answers.end()}, {}});
      read_hexadecimal(one.at("signature").get<std::string>(), kept.given.back().signature);
    }
    return kept;
  } catch (const nlohmann::json::exception&) {
    throw Error(ErrorCode::data, "the kept releases are damaged: a key is missing or of another type");
  }
}

std::vector<Answer> AnswersAgain::answer(std::span<const Query> queries) {
  if (turn_ == kept_->given.size())
    throw Error(ErrorCode::data, "the kept releases end before the fit does: it must be made anew");
  std::vector<Answer> answers =
      VerifiedAnswers::open(kept_->given[turn_], question_of(kept_->fit, turn_, queries), kept_->key);
  ++turn_;
  bool fit_together = answers.size() == queries.size();
  for (std::size_t q = 0; fit_together && q < queries.size(); ++q)
    fit_together = std::holds_alternative<StatisticQuery>(queries[q]) || answers_to(answers[q], queries[q]);
  if (!fit_together) throw Error(ErrorCode::data, "the kept releases do not answer what was asked");
  return answers;
}

Rho AnswersAgain::left() const { return Rho(std::numeric_limits<double>::infinity()); }

}  // namespace sotto
