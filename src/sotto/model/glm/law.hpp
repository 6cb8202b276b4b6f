// The arithmetic of a law of responses, written once as an expression: computed here for one row, and in glm_pass.cpp for as many
// rows as an instruction set takes at a time.
#pragma once

#include <cmath>
#include <concepts>
#include <type_traits>

namespace sotto::law {

/// What the laws of all rows have in common.
struct Spread {
  double sigma = 1, log_sigma = 0;
  double precision = 1;  ///< 1 / sigma^2

  [[nodiscard]] static Spread of_sigma(double sigma) {
    return {sigma, std::log(sigma), std::exp(-2 * std::log(sigma))};
  }
  [[nodiscard]] static Spread of_log_sigma(double log_sigma) {
    return {std::exp(log_sigma), log_sigma, std::exp(-2 * log_sigma)};
  }
};

enum class Op {
  eta,
  y,
  log_sigma,
  precision,
  number,
  negate,
  floor,
  exp,
  logistic,
  softplus,
  subtract,
  multiply
};

template <Op kind>
struct Leaf {
  static constexpr Op op = kind;
};
struct Number {
  static constexpr Op op = Op::number;
  double number;
};
template <Op kind, class A>
struct Unary {
  static constexpr Op op = kind;
  A a;
};
template <Op kind, class A, class B>
struct Binary {
  static constexpr Op op = kind;
  A a;
  B b;
};

template <class E>
concept Term = std::same_as<decltype(E::op), const Op>;
template <class E>
concept Operand = Term<E> || std::is_arithmetic_v<E>;

inline constexpr Leaf<Op::eta> eta{};  ///< linear predictor
inline constexpr Leaf<Op::y> y{};      ///< response
inline constexpr Leaf<Op::log_sigma> log_sigma{};
inline constexpr Leaf<Op::precision> precision{};

template <Term E>
constexpr E term(const E& e) {
  return e;
}
constexpr Number term(double number) { return {number}; }

template <Op op, class A, class B>
constexpr Binary<op, A, B> binary(const A& a, const B& b) {
  return {a, b};
}
template <Term A>
constexpr Unary<Op::negate, A> operator-(const A& a) {
  return {a};
}
template <Operand A, Operand B>
constexpr auto operator-(const A& a, const B& b) {
  return binary<Op::subtract>(term(a), term(b));
}
template <Operand A, Operand B>
constexpr auto operator+(const A& a, const B& b) {
  return term(a) - (-term(b));
}
template <Operand A, Operand B>
constexpr auto operator*(const A& a, const B& b) {
  return binary<Op::multiply>(term(a), term(b));
}

/// The largest whole number that is no larger.
template <Term A>
constexpr Unary<Op::floor, A> floor(const A& a) {
  return {a};
}
template <Term A>
constexpr Unary<Op::exp, A> exp(const A& a) {
  return {a};
}
/// 1 / (1 + exp(-a))
template <Term A>
constexpr Unary<Op::logistic, A> logistic(const A& a) {
  return {a};
}
/// log(1 + exp(a))
template <Term A>
constexpr Unary<Op::softplus, A> softplus(const A& a) {
  return {a};
}

/// What a term is for one row.
template <Term E>
[[nodiscard]] double value(const E& e, double eta, double y, const Spread& spread) {
  [[maybe_unused]] const auto of = [&](const auto& part) { return value(part, eta, y, spread); };
  if constexpr (E::op == Op::eta) return eta;
  if constexpr (E::op == Op::y) return y;
  if constexpr (E::op == Op::log_sigma) return spread.log_sigma;
  if constexpr (E::op == Op::precision) return spread.precision;
  if constexpr (E::op == Op::number) return e.number;
  if constexpr (E::op == Op::negate) return -of(e.a);
  if constexpr (E::op == Op::floor) return std::floor(of(e.a));
  if constexpr (E::op == Op::exp) return std::exp(of(e.a));
  if constexpr (E::op == Op::logistic) return 1 / (1 + std::exp(-of(e.a)));
  if constexpr (E::op == Op::softplus)
    return std::fmax(of(e.a), 0) + std::log1p(std::exp(-std::abs(of(e.a))));
  if constexpr (E::op == Op::subtract) return of(e.a) - of(e.b);
  if constexpr (E::op == Op::multiply) return of(e.a) * of(e.b);
}

}  // namespace sotto::law
