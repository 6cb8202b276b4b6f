#include "sotto/run/owners.hpp"

#include "sotto/measurement/all_rows.hpp"

namespace sotto {

Owners::Owners(const Problem& problem, const ExecutionOptions& options, Ledger& ledger,
               EntropySource& entropy) {
  std::vector<QueryInterface*> all;
  for (const OwnerAccess& owner : problem.owners) {
    if (owner.elsewhere && all.empty()) {
      const OwnerContext context{problem.model, problem.unit, options.likelihood_power};
      all.push_back(&booked_.emplace(*owner.elsewhere, measure_all_rows(context), ledger));
      continue;
    }
    if (owner.elsewhere) {
      all.push_back(owner.elsewhere.get());
      continue;
    }
    Ledger* books = &ledger;
    if (!all.empty()) {
      books_.push_back(std::make_unique<Budget>(ledger.epsilon(), ledger.delta()));
      books = books_.back().get();
    }
    owners_.push_back(
        std::make_unique<DataOwner>(owner.rows(), problem.model, problem.unit, options, *books, entropy));
    all.push_back(owners_.back().get());
  }
  federation_.emplace(std::move(all));
}

}  // namespace sotto
