#include "sotto/accountant/account.hpp"

#include "sotto/accountant/advanced.hpp"
#include "sotto/accountant/pld/tight.hpp"
#include "sotto/accountant/rdp/renyi.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {
namespace {

double known(const std::optional<double>& bound) {
  if (!bound) {
    throw Error(ErrorCode::usage,
                "no zero-concentrated cost is proven for one of the mechanisms under this adjacency: use "
                "--bound tight or rdp");
  }
  return *bound;
}

}  // namespace

double upper_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, BoundKind kind) {
  switch (kind) {
    case BoundKind::tight:
      return tight_delta_upper(event, adjacency, epsilon);
    case BoundKind::rdp:
      return renyi_delta(event, adjacency, epsilon.value());
    case BoundKind::zcdp:
      return known(concentrated_delta(event, adjacency, epsilon.value()));
    case BoundKind::advanced:
      return advanced_delta(event, adjacency, epsilon.value());
  }
  throw Error(ErrorCode::internal, "unknown bound");
}

double upper_epsilon(const Event& event, Adjacency adjacency, Delta delta, BoundKind kind) {
  switch (kind) {
    case BoundKind::tight:
      return tight_epsilon(event, adjacency, delta).upper;
    case BoundKind::rdp:
      return renyi_epsilon(event, adjacency, delta.value());
    case BoundKind::zcdp:
      return known(concentrated_epsilon(event, adjacency, delta.value()));
    case BoundKind::advanced:
      return advanced_epsilon(event, adjacency, delta.value());
  }
  throw Error(ErrorCode::internal, "unknown bound");
}

namespace {

/// What no accountant can go below, as far as the tight one can tell.
template <class Tight>
double lower_bound(const Event& event, Adjacency adjacency, const Tight& tight) {
  if (!tight_refusal(event, adjacency).empty()) return 0;
  try {
    return tight().lower;
  } catch (const Error& error) {
    if (error.code() != ErrorCode::configuration) throw;
    return 0;  // beyond its grids
  }
}

}  // namespace

Bounds account_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, BoundKind kind, double width) {
  if (kind == BoundKind::tight) return tight_delta(event, adjacency, epsilon, width);
  const double upper = upper_delta(event, adjacency, epsilon, kind);
  return {lower_bound(event, adjacency, [&] { return tight_delta(event, adjacency, epsilon, width); }), upper,
          kind};
}

Bounds account_epsilon(const Event& event, Adjacency adjacency, Delta delta, BoundKind kind, double width) {
  if (kind == BoundKind::tight) return tight_epsilon(event, adjacency, delta, width);
  const double upper = upper_epsilon(event, adjacency, delta, kind);
  return {lower_bound(event, adjacency, [&] { return tight_epsilon(event, adjacency, delta, width); }), upper,
          kind};
}

}  // namespace sotto
