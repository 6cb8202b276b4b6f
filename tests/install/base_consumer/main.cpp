// What a hundred steps of somebody's mechanism cost.
#include <cstdio>

#include "sotto/accountant/account.hpp"

int main() {
  const sotto::Event steps = sotto::parse_event("subsampled-gaussian:sigma=2,rate=0.01,count=100");
  const sotto::Bounds epsilon = sotto::account_epsilon(steps, sotto::Adjacency::substitute,
                                                       sotto::Delta(1e-6), sotto::BoundKind::tight);
  std::printf("epsilon between %.4f and %.4f\n", epsilon.lower, epsilon.upper);
  return epsilon.lower > 0 && epsilon.lower <= epsilon.upper ? 0 : 1;
}
