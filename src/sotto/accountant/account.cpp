#include "sotto/accountant/account.hpp"

#include "sotto/accountant/tight.hpp"

namespace sotto {

double upper_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, BoundKind kind) {
  if (kind == BoundKind::tight) return tight_delta_upper(event, adjacency, epsilon);
  throw Error(ErrorCode::usage, "this bound is not available yet: use --bound tight");
}

double upper_epsilon(const Event& event, Adjacency adjacency, Delta delta, BoundKind kind) {
  if (kind == BoundKind::tight) return tight_epsilon(event, adjacency, delta).upper;
  throw Error(ErrorCode::usage, "this bound is not available yet: use --bound tight");
}

Bounds account_delta(const Event& event, Adjacency adjacency, Epsilon epsilon, BoundKind kind) {
  if (kind == BoundKind::tight) return tight_delta(event, adjacency, epsilon);
  Bounds bounds{0, upper_delta(event, adjacency, epsilon, kind)};
  if (tight_refusal(event, adjacency).empty()) bounds.lower = tight_delta(event, adjacency, epsilon).lower;
  return bounds;
}

Bounds account_epsilon(const Event& event, Adjacency adjacency, Delta delta, BoundKind kind) {
  if (kind == BoundKind::tight) return tight_epsilon(event, adjacency, delta);
  Bounds bounds{0, upper_epsilon(event, adjacency, delta, kind)};
  if (tight_refusal(event, adjacency).empty()) bounds.lower = tight_epsilon(event, adjacency, delta).lower;
  return bounds;
}

}  // namespace sotto
