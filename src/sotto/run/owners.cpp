#include "sotto/run/owners.hpp"

namespace sotto {

Owners::Owners(const Problem& problem, const ExecutionOptions& options, Ledger& ledger,
               EntropySource& entropy) {
  std::vector<QueryInterface*> all;
  for (const auto& rows : problem.owners) {
    Ledger* books = &ledger;
    if (!owners_.empty()) {
      books_.push_back(std::make_unique<Budget>(ledger.epsilon(), ledger.delta()));
      books = books_.back().get();
    }
    owners_.push_back(
        std::make_unique<DataOwner>(rows(), problem.model, problem.unit, options, *books, entropy));
    all.push_back(owners_.back().get());
  }
  federation_.emplace(std::move(all));
}

}  // namespace sotto
