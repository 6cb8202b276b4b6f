#include "sotto/model/formula.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "sotto/base/error.hpp"
#include "sotto/base/suggestion.hpp"
#include "sotto/model/formula_terms.hpp"
#include "sotto/model/formula_tokens.hpp"

namespace sotto {

void refuse_formula(const std::string& message) {
  throw Error(ErrorCode::configuration, "formula: " + message);
}

namespace {

using Token = FormulaToken;

/// Recursive descent over the tokens; one function per level of precedence.
class Parser {
 public:
  explicit Parser(std::string_view text) : tokens_(formula_tokens(text)) {}

  Formula formula() {
    Formula formula;
    if (follows(0, Token::Kind::name, "Surv") && follows(1, Token::Kind::symbol, "(")) {
      time_and_event(formula);
    } else {
      formula.response = variable("the response");
    }
    if (formula.response.has_number())
      refuse_formula(
          fmt::format("{} cannot be the response; take log, log1p or sqrt", formula.response.text()));
    if (!formula.event) formula.comparison = comparison();
    if (formula.response.categorical && (formula.event || formula.comparison))
      refuse_formula("C() has no meaning here; leave it out");
    if (!accept("~")) {
      refuse_formula("expected ~ after the response, found " + unexpected());
    }
    Terms terms{Term{}};
    sum(terms);
    formula.offset = offset_;
    formula.varying = varying_;
    formula.correlated = correlated_;
    if (here().kind != Token::Kind::end) refuse_formula("expected + - : * or the end, found " + unexpected());
    for (Term& term : terms) {
      std::sort(term.variables.begin(), term.variables.end(),
                [this](const Variable& a, const Variable& b) { return place(a) < place(b); });
    }
    std::stable_sort(terms.begin(), terms.end(),
                     [](const Term& a, const Term& b) { return a.variables.size() < b.variables.size(); });
    formula.intercept = !terms.empty() && terms[0].variables.empty();
    terms.erase(terms.begin(), terms.begin() + (formula.intercept ? 1 : 0));
    formula.terms = std::move(terms);
    if (!formula.intercept && formula.terms.empty())
      refuse_formula("nothing is left to estimate; write y ~ 1 for an intercept");
    return formula;
  }

 private:
  /// `among`: what varies by its side.
  [[noreturn]] static void refuse_twice(const VaryingTerm& term, const std::vector<VaryingTerm>& among) {
    const std::string group = name_in_formula(term.group.column);
    if (!term.slope && among.size() > 1)
      refuse_formula(
          fmt::format("the intercept varies between the levels of {0} twice, as (x || {0}) stands for (1 + "
                      "x || {0}): let one begin with 0, as in (0 + {1} || {0})",
                      group, name_in_formula(among[1].slope->column)));
    refuse_formula(fmt::format("({} | {}) is there twice",
                               term.slope ? name_in_formula(term.slope->column) : "1", group));
  }

  [[nodiscard]] const Token& here() const { return tokens_[position_]; }
  [[nodiscard]] std::string shown() const {
    return here().kind == Token::Kind::end ? "the end" : fmt::format("\"{}\"", here().text);
  }
  [[nodiscard]] std::string unexpected() const {
    return shown() + (here().kind == Token::Kind::name ? "; names with spaces stand in `back quotes`" : "");
  }
  bool accept(std::string_view symbol) {
    if (here().kind != Token::Kind::symbol || here().text != symbol) return false;
    ++position_;
    return true;
  }

  Variable variable(std::string_view what) {
    if (here().kind != Token::Kind::name) {
      refuse_formula(fmt::format("expected the name of a column for {}, found {}", what, shown()));
    }
    const std::string name = tokens_[position_++].text;
    if (name == ".") refuse_formula("\".\" is not supported; write the names of the columns");
    if (!accept("(")) return {name};
    Variable inner{"", find_column_function(name), name == "C" || name == "factor"};
    if (!inner.categorical && inner.function == nullptr) refuse_function(name);
    if (here().kind != Token::Kind::name)
      refuse_formula(fmt::format("{}( needs the name of one column", name));
    inner.column = tokens_[position_++].text;
    if (inner.has_number()) inner.number = number_of(*inner.function, inner.column);
    if (!accept(")"))
      refuse_formula(
          fmt::format("{}({} is not closed; only one column may stand inside", name, inner.column));
    return inner;
  }

  [[noreturn]] static void refuse_function(const std::string& name) {
    if (name == "offset") refuse_formula("offset(...) stands by itself, after a +");
    std::vector<std::string> names{"C", "offset", "Surv"};
    std::vector<std::string> examples;
    for (const ColumnFunction& function : column_functions()) {
      names.emplace_back(function.name);
      examples.push_back(function.text("x", function.example));
    }
    refuse_formula(fmt::format("function {} is not supported{}; use C(x), {} or offset(x)", name,
                               suggestion(name, names), fmt::join(examples, ", ")));
  }

  /// Surv(time, event): two columns as they are, or the second compared with a value.
  void time_and_event(Formula& formula) {
    const auto column = [&](const char* what) {
      Variable found = variable(what);
      if (!(found == Variable{found.column}))
        refuse_formula(fmt::format("Surv(...) takes {} as the column is, without {}", what, found.text()));
      return found;
    };
    position_ += 2;
    formula.response = column("the time");
    if (!accept(",")) refuse_formula("Surv(...) needs a time and an event: Surv(time, event)");
    formula.event = column("the event");
    formula.event_comparison = comparison();
    if (!accept(")")) refuse_formula("Surv(...) takes a time and an event, no more");
  }

  /// What stands behind the column: its power, or how many values there are.
  int number_of(const ColumnFunction& function, const std::string& column) {
    const bool found = accept(function.before_number) && here().kind == Token::Kind::number;
    const double value = found ? number(here().text) : 0;
    if (!(value >= function.least && value <= function.most) || value != std::floor(value)) {
      refuse_formula(
          fmt::format("{}({}) needs a whole number from {} to {}, as in {}{}", function.name, column,
                      function.least, function.most, function.text(column, function.example),
                      function.name == "I" ? "; whatever else is computed, write into the table" : ""));
    }
    ++position_;
    return static_cast<int>(value);
  }

  std::optional<Comparison> comparison() {
    using Relation = Comparison::Relation;
    constexpr std::pair<std::string_view, Relation> relations[] = {
        {"<=", Relation::less_equal}, {">=", Relation::greater_equal}, {"==", Relation::equal},
        {"!=", Relation::not_equal},  {"<", Relation::less},           {">", Relation::greater}};
    for (const auto& [symbol, relation] : relations) {
      if (!accept(symbol)) continue;
      const bool negative = accept("-");
      const Token token = here();
      if (token.kind == Token::Kind::number) {
        ++position_;
        const double value = number(token.text);
        return Comparison{relation, negative ? -value : value};
      }
      if (token.kind == Token::Kind::text && !negative) {
        ++position_;
        if (relation != Relation::equal && relation != Relation::not_equal) {
          refuse_formula(fmt::format("a level is compared with == or !=, not {}", symbol));
        }
        return Comparison{relation, token.text};
      }
      refuse_formula(fmt::format("after {} write a number or a level in quotes, not {}", symbol, shown()));
    }
    return std::nullopt;
  }

  static double number(const std::string& text) {
    double value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || !std::isfinite(value))
      refuse_formula(fmt::format("{} is too large or too small", text));
    return value;
  }

  // The terms start with the intercept in them; + 0 and - 1 take it away.
  void sum(Terms& terms) {
    bool minus = accept("-");
    if (!minus) accept("+");
    do {
      if (here().kind == Token::Kind::number && here().text == "0") {
        ++position_;
        minus ? add(terms, Term{}) : remove(terms, {Term{}});
      } else if (!accept_offset(minus) && !accept_group(minus)) {
        const Terms operand = product();
        minus ? remove(terms, operand) : add(terms, operand);
      }
      minus = accept("-");
    } while (minus || accept("+"));
  }

  bool accept_offset(bool minus) {
    if (!follows(0, Token::Kind::name, "offset") || !follows(1, Token::Kind::symbol, "(")) return false;
    if (minus || depth_ > 0) refuse_formula("offset(...) stands by itself, after a +");
    if (offset_) refuse_formula("only one offset(...) can be given: add the columns up before");
    position_ += 2;
    offset_ = variable("the offset");
    if (offset_->categorical || offset_->has_number()) {
      refuse_formula(fmt::format("offset({}) needs a column, or its log, log1p or sqrt", offset_->text()));
    }
    if (!accept(")")) refuse_formula(fmt::format("offset({} is not closed", offset_->text()));
    return true;
  }

  [[nodiscard]] bool follows(std::size_t ahead, Token::Kind kind, std::string_view text) const {
    const std::size_t at = position_ + ahead;
    return at < tokens_.size() && tokens_[at].kind == kind && tokens_[at].text == text;
  }

  /// Whether a bar stands in the parentheses that open here.
  [[nodiscard]] bool group_follows() const {
    if (!follows(0, Token::Kind::symbol, "(")) return false;
    int depth = 0;
    for (std::size_t ahead = 0; position_ + ahead < tokens_.size(); ++ahead) {
      if (follows(ahead, Token::Kind::symbol, "(")) ++depth;
      if (follows(ahead, Token::Kind::symbol, ")") && --depth == 0) return false;
      if (depth == 1 && follows(ahead, Token::Kind::symbol, "|")) return true;
    }
    return false;
  }

  /// (1 | g), (x || g), (0 + x || g), (x + z || g).
  bool accept_group(bool minus) {
    if (!group_follows()) return false;
    if (minus || depth_ > 0) refuse_formula("(1 | g) stands by itself, after a +");
    accept("(");
    bool intercept = true;
    std::vector<VaryingTerm> found;
    do {
      if (here().kind == Token::Kind::number && (here().text == "0" || here().text == "1")) {
        intercept = tokens_[position_++].text == "1";
      } else {
        found.push_back({{}, variable("what varies between levels")});
      }
    } while (accept("+"));
    if (!accept("|")) {
      refuse_formula(fmt::format(
          "before the | of a group stand 1, 0 and columns, with + between them; found {}", shown()));
    }
    if (intercept) found.insert(found.begin(), VaryingTerm{});
    if (found.empty()) refuse_formula("(0 | g) lets nothing vary: leave it out");
    const bool one_bar = !accept("|");
    correlated_ = correlated_ || (one_bar && found.size() > 1);
    const Variable group = variable("the category whose levels vary");
    for (VaryingTerm& term : found) {
      term.group = group;
      if (std::find(varying_.begin(), varying_.end(), term) != varying_.end()) refuse_twice(term, found);
      varying_.push_back(term);
    }
    if (!accept(")"))
      refuse_formula(fmt::format(
          "(... | {} ...): one category may stand there; where two cross or nest, make one column of both "
          "before, or write (1 | a) + (1 | b)",
          group.text()));
    return true;
  }

  Terms product() {
    Terms left = crossing();
    while (accept("*")) {
      const Terms right = crossing();
      const Terms both = interaction(left, right);
      add(left, right);
      add(left, both);
    }
    return left;
  }

  Terms crossing() {
    Terms left = power();
    while (accept(":")) left = interaction(left, power());
    return left;
  }

  Terms power() {
    Terms base = operand();
    if (!accept("^")) return base;
    if (here().kind != Token::Kind::number) refuse_formula("after ^ write a whole number from 1 to 9");
    const double exponent = number(tokens_[position_++].text);
    if (!(exponent >= 1 && exponent <= 9) || exponent != std::floor(exponent)) {
      refuse_formula("after ^ write a whole number from 1 to 9");
    }
    if (base.size() == 1 && exponent > 1) {
      refuse_formula(
          fmt::format("^ crosses terms, as in (a + b)^2, and does nothing to a single one; for the power of "
                      "a column write I(x^{})",
                      exponent));
    }
    Terms all = base;
    for (int i = 1; i < static_cast<int>(exponent); ++i) add(all, interaction(all, base));
    return all;
  }

  Terms operand() {
    if (accept("(")) {
      if (++depth_ > 50) refuse_formula("parentheses are nested too deeply");
      Terms inner;
      sum(inner);
      if (accept("|")) refuse_formula("(x | g) stands by itself, after a +");
      if (!accept(")")) refuse_formula(fmt::format("expected ) , found {}", shown()));
      --depth_;
      return inner;
    }
    if (here().kind == Token::Kind::number) {
      if (here().text != "1")
        refuse_formula(fmt::format("the number {} has no meaning; only 0 and 1 do (intercept)", here().text));
      ++position_;
      return {Term{}};
    }
    const Variable found = variable("a term");
    if (std::find(seen_.begin(), seen_.end(), found) == seen_.end()) seen_.push_back(found);
    return {Term{{found}}};
  }

  [[nodiscard]] std::vector<Variable>::const_iterator place(const Variable& variable) const {
    return std::find(seen_.begin(), seen_.end(), variable);
  }

  std::vector<Token> tokens_;
  std::vector<Variable> seen_;  // of the right side, in order of appearance
  std::optional<Variable> offset_;
  std::vector<VaryingTerm> varying_;
  bool correlated_ = false;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

std::string Variable::text() const {
  if (function != nullptr) return function->text(column, number);
  return categorical ? "C(" + column + ")" : column;
}

std::vector<std::string> Formula::columns() const {
  std::vector<std::string> names{response.column};
  for (const Term& term : terms) {
    for (const Variable& variable : term.variables) {
      if (std::find(names.begin(), names.end(), variable.column) == names.end())
        names.push_back(variable.column);
    }
  }
  std::vector<Variable> others;
  for (const VaryingTerm& term : varying) {
    others.push_back(term.group);
    if (term.slope) others.push_back(*term.slope);
  }
  if (offset) others.push_back(*offset);
  if (event) others.push_back(*event);
  for (const Variable& variable : others) {
    if (std::find(names.begin(), names.end(), variable.column) == names.end())
      names.push_back(variable.column);
  }
  return names;
}

Formula parse_formula(std::string_view text) {
  Formula formula = Parser(text).formula();
  formula.text = std::string(text);
  return formula;
}

}  // namespace sotto
