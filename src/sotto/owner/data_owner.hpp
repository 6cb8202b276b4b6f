// An owner of rows: prices a question, books the charge, reads the rows once, adds noise, releases.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sotto/data/rows.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/ledger/ledger.hpp"
#include "sotto/measurement/measurement.hpp"
#include "sotto/measurement/mechanism.hpp"
#include "sotto/release/query.hpp"

namespace sotto {

/// How an owner reads its rows.
struct ExecutionOptions {
  double likelihood_power = 1;  ///< n0 / n
  int threads = 1;
};

/// Answers questions about its rows from its ledger. Everything before the pass over the rows follows from
/// public things alone; after it, everything has noise on it.
/// Checked by tests/owner/data_owner_test.cpp: books_before_it_answers_and_refuses_when_spent, the_charge_is_the_same_for_any_rows
class DataOwner final : public QueryInterface {
 public:
  /// Answers from all its rows.
  DataOwner(Rows rows, AnyModel model, PrivacyUnit unit, ExecutionOptions options, Ledger& ledger,
            EntropySource& entropy);
  /// Answers as `measure` says, which has the rows that it needs.
  DataOwner(Measure measure, Ledger& ledger, EntropySource& entropy);
  /// Answers as `measure` says; `mechanism` adds the noise.
  DataOwner(Rows rows, Measure measure, int threads, Ledger& ledger, EntropySource& entropy,
            std::unique_ptr<NoiseMechanism> mechanism);

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override;
  [[nodiscard]] std::vector<std::optional<QueryStatus>> refusals(
      std::span<const Query> queries) const override;
  [[nodiscard]] Rho left() const override { return ledger_->left(); }

 private:
  /// A question on its way: its parts, and what has been paid and released of them.
  struct Asked {
    std::optional<Measurements> measurements;
    std::vector<Receipt> receipts;
    std::vector<Answer> answers;
  };
  [[nodiscard]] std::vector<bool> affordable(const std::vector<std::optional<Measurements>>& asked) const;
  [[nodiscard]] bool pay(Asked& asked) const;
  void read_rows_once(std::vector<Asked>& asked);
  void read_in_own_ways(std::vector<Asked>& asked);

  Rows rows_;
  Measure measure_;
  int threads_;
  Ledger* ledger_;
  EntropySource* entropy_;
  std::unique_ptr<NoiseMechanism> mechanism_;
};

}  // namespace sotto
