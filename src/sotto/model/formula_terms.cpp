#include "sotto/model/formula_terms.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sotto {
namespace {

/// More terms than this is a slip of the pen, such as (a + b + ...)^9.
constexpr std::size_t kMostTerms = 500;

bool same(const Term& a, const Term& b) {
  return std::is_permutation(a.variables.begin(), a.variables.end(), b.variables.begin(), b.variables.end());
}

}  // namespace

void add(Terms& terms, const Term& term) {
  if (std::any_of(terms.begin(), terms.end(), [&](const Term& t) { return same(t, term); })) return;
  terms.push_back(term);
  if (terms.size() > kMostTerms)
    refuse_formula(fmt::format("more than {} terms; write a shorter right side", kMostTerms));
}

void add(Terms& terms, const Terms& more) {
  for (const Term& term : more) add(terms, term);
}

void remove(Terms& terms, const Terms& fewer) {
  for (const Term& term : fewer) {
    std::erase_if(terms, [&](const Term& t) { return same(t, term); });
  }
}

Terms interaction(const Terms& left, const Terms& right) {
  Terms all;
  for (const Term& a : left) {
    for (const Term& b : right) {
      Term product = a;
      for (const Variable& variable : b.variables) {
        const auto& have = product.variables;
        if (std::find(have.begin(), have.end(), variable) == have.end())
          product.variables.push_back(variable);
      }
      add(all, product);
    }
  }
  return all;
}

}  // namespace sotto
