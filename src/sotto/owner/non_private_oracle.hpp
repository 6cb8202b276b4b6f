// NOT PRIVATE: an owner that answers exactly, for study and for tests of the chains.
#pragma once

#include <memory>
#include <utility>

#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/not_private_ledger.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/owner/data_owner.hpp"

namespace sotto {

/// Takes the same path as DataOwner, with books that grant everything and without noise: variances are 0, so a
/// penalty chain is plain Metropolis.
class NonPrivateOracle final : public QueryInterface {
 public:
  NonPrivateOracle(Rows rows, AnyModel model, ExecutionOptions options)
      : owner_(std::move(rows), measure_all_rows({std::move(model), {}, options.likelihood_power}),
               options.threads, ledger_, entropy_, std::make_unique<NoNoise>()) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    return owner_.answer(queries);
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    return owner_.refusals(queries);
  }
  [[nodiscard]] Rho left() const override { return ledger_.left(); }

 private:
  class NoEntropy final : public EntropySource {
   public:
    std::uint64_t bits() override { throw Error(ErrorCode::internal, "an exact answer takes no entropy"); }
    [[nodiscard]] std::string name() const override { return "none"; }
  };

  NotPrivateLedger ledger_;
  NoEntropy entropy_;
  DataOwner owner_;
};

}  // namespace sotto
