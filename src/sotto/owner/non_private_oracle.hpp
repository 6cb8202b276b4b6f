// NOT PRIVATE: an owner that answers exactly, for study and for tests of the chains.
#pragma once

#include <memory>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/not_private_ledger.hpp"
#include "sotto/measurement/all_rows.hpp"
#include "sotto/owner/data_owner.hpp"

namespace sotto {

/// Takes the same path as DataOwner, with books that grant everything and without noise. Variances are 0, so a
/// penalty chain is plain Metropolis; or as_paid, what questions' prices would make them, for a look.
class NonPrivateOracle final : public QueryInterface {
 public:
  NonPrivateOracle(Rows rows, AnyModel model, ExecutionOptions options,
                   NoNoise::Stated variances = NoNoise::Stated::none)
      : priced_(variances == NoNoise::Stated::as_paid),
        owner_(std::move(rows),
               measure_all_rows({.model = std::move(model),
                                 .likelihood_power = options.likelihood_power,
                                 .clamps_ratios = true}),
               options.threads, ledger_, entropy_, std::make_unique<NoNoise>(variances)) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    return priced_ ? owner_.answer(queries) : owner_.answer(for_nothing(queries));
  }
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override {
    return priced_ ? owner_.refusals(queries) : owner_.refusals(for_nothing(queries));
  }
  [[nodiscard]] Rho left() const override { return ledger_.left(); }

 private:
  /// The questions at a price that means nothing: chains for study name none.
  static std::vector<Query> for_nothing(std::span<const Query> queries) {
    const auto set_price = [](auto& asked) {
      if constexpr (requires { asked.cost; }) asked.cost = Rho(1);
      if constexpr (requires { asked.noise_sd; }) asked.noise_sd = 0;
    };
    std::vector<Query> priced(queries.begin(), queries.end());
    for (Query& query : priced) {
      std::visit(set_price, query);
      if (auto* joint = std::get_if<JointQuery>(&query)) {
        set_price(joint->gradient);
        set_price(joint->ratio);
      }
    }
    return priced;
  }

  class NoEntropy final : public EntropySource {
   public:
    std::uint64_t bits() override { throw Error(ErrorCode::internal, "an exact answer takes no entropy"); }
    [[nodiscard]] std::string name() const override { return "none"; }
  };

  bool priced_;
  NotPrivateLedger ledger_;
  NoEntropy entropy_;
  DataOwner owner_;
};

}  // namespace sotto
