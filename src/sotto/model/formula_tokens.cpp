#include "sotto/model/formula_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "sotto/model/formula.hpp"

namespace sotto {
namespace {

using Token = FormulaToken;

// Letters beyond ASCII too, as UTF-8 writes them.
bool starts_name(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return std::isalpha(byte) != 0 || byte >= 0x80 || c == '_' || c == '.';
}
bool in_name(char c) { return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool starts_number(std::string_view rest) {
  const auto digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  return digit(rest[0]) || (rest[0] == '.' && rest.size() > 1 && digit(rest[1]));
}

// The length of the number at the start of `rest`: digits, point, exponent.
std::size_t number_length(std::string_view rest) {
  double value = 0;
  return static_cast<std::size_t>(std::from_chars(rest.data(), rest.data() + rest.size(), value).ptr -
                                  rest.data());
}

Token next_token(std::string_view& rest) {
  const auto take = [&rest](std::size_t length, Token::Kind kind) {
    Token token{kind, std::string(rest.substr(0, length))};
    rest.remove_prefix(length);
    return token;
  };
  if (starts_number(rest)) return take(number_length(rest), Token::Kind::number);
  if (starts_name(rest[0])) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), in_name);
    return take(static_cast<std::size_t>(end - rest.begin()), Token::Kind::name);
  }
  for (const auto& [quote, kind] : {std::pair('`', Token::Kind::name), std::pair('\'', Token::Kind::text),
                                    std::pair('"', Token::Kind::text)}) {
    if (rest[0] != quote) continue;
    const auto end = rest.find(quote, 1);
    if (end == std::string_view::npos) refuse_formula(fmt::format("the quote {} is not closed", quote));
    Token token{kind, std::string(rest.substr(1, end - 1))};
    rest.remove_prefix(end + 1);
    return token;
  }
  for (const std::string_view pair : {"<=", ">=", "==", "!="}) {
    if (rest.substr(0, 2) == pair) return take(2, Token::Kind::symbol);
  }
  if (std::string_view("~+-*:^()<>|,/=").find(rest[0]) != std::string_view::npos)
    return take(1, Token::Kind::symbol);
  refuse_formula(
      fmt::format("cannot read \"{}\"; allowed are names, numbers and ~ + - : * ^ ( ) | < > == !=", rest[0]));
}

}  // namespace

std::vector<FormulaToken> formula_tokens(std::string_view text) {
  std::vector<FormulaToken> tokens;
  while (true) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text[0])) != 0) text.remove_prefix(1);
    if (text.empty()) break;
    tokens.push_back(next_token(text));
  }
  tokens.push_back({Token::Kind::end, ""});
  return tokens;
}

std::string name_in_formula(const std::string& column) {
  const bool plain = !column.empty() && starts_name(column[0]) && std::ranges::all_of(column, in_name);
  return plain ? column : "`" + column + "`";
}

}  // namespace sotto
