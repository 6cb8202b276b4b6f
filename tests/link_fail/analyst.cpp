// What a program that links sotto::analyst alone cannot name. Each fault, and what the compiler says of it:
// ENTROPY: the curator's
// CELLS: the curator's
// BUDGET: the curator's
// ROWS: the curator's
// OWNER: the curator's
// NOISE: the curator's
// RELEASE: incomplete type
// OWN_NOISE: no matching function for call to .*::release\(double, None
#if defined(ENTROPY)
#include "sotto/entropy/entropy.hpp"
#elif defined(CELLS)
#include "sotto/privatise/privatise.hpp"
#elif defined(BUDGET)
#include "sotto/ledger/budget.hpp"
#elif defined(ROWS)
#include "sotto/data/rows.hpp"
#elif defined(OWNER)
#include "sotto/owner/data_owner.hpp"
#elif defined(NOISE)
#include "sotto/privatise/exact_noise.hpp"
#endif

#include "sotto/channel/laplace.hpp"
#include "sotto/diagnostics/summary.hpp"
#include "sotto/release/query.hpp"

#if defined(RELEASE)
double released(const sotto::DiscreteLaplaceChannel& law, sotto::ExactNoise& noise) {
  return law.release(0.5, noise);
}
#elif defined(OWN_NOISE)
struct None {
  sotto::Int128 laplace(const sotto::RationalScale&) { return 0; }
};
double released(const sotto::DiscreteLaplaceChannel& law, None none) { return law.release(0.5, none); }
#endif

int main() {
  sotto::Draws draws;
  draws.parameters = {"theta"};
  return static_cast<int>(sotto::summarise(draws).size());
}
