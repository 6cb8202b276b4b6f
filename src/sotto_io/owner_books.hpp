// The books of a table that is served: on the disk, for all who ask, and for longer than a process.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/ledger/budget.hpp"
#include "sotto_io/charge_journal.hpp"
#include "sotto_io/run_lock.hpp"

namespace sotto {

/// One process at a time keeps them. What earlier ones booked is spent: exactly, where they ended by themselves, and otherwise what
/// their lines cover, which is up to a sixteenth more.
/// Computes   grants while (what earlier processes booked) + (what this one booked) stays within Budget's limits
/// Source     adaptive composition, as of Budget: a restart is one more adaptive choice
/// Checked by tests/sotto_rpc/owner_books_test.cpp: outlive_the_process, of_a_killed_process_cover_what_it_spent, whose_lines_cannot_be_read_answer_nothing
class OwnerBooks final : public Ledger {
 public:
  /// Books that are there, or the first ones of rows that nobody was answered from.
  enum class Begin { again, anew };

  /// `promise`: whose rows, as {adjacency, privacy_unit, person, maximum_rows}; what stands in the books must have been promised to the same
  /// unit, because charges to another one do not add up. Errors: cannot_create where another process holds the books, or new ones are
  /// asked for and there are some; no_input where there are none; configuration where they are another unit's; data where they
  /// cannot be read, line by line: what was spent is then not known. A process that is killed may leave one line that is not whole.
  OwnerBooks(const std::filesystem::path& directory, Begin begin, Epsilon epsilon, Delta delta,
             const nlohmann::ordered_json& promise);

  [[nodiscard]] std::optional<Receipt> spend(Charge charge) override;
  [[nodiscard]] std::vector<bool> grants(std::span<const Charge> charges) const override;
  /// Whole runs in advance are never granted: there are others who ask.
  [[nodiscard]] std::optional<PrecomposedBudget> precompose(Charge each, std::size_t count, Epsilon composed,
                                                            Rho others) override;
  [[nodiscard]] Rho left() const override;
  [[nodiscard]] Epsilon epsilon() const override { return budget_.epsilon(); }
  [[nodiscard]] Delta delta() const override { return budget_.delta(); }
  [[nodiscard]] Spending spending() const override { return budget_.spending(); }

  /// The exact charges of this process, so that the next one need not take more for spent.
  void close();

  [[nodiscard]] const std::filesystem::path& path() const { return journal_.path(); }

 private:
  RunLock alone_;
  ChargeJournal journal_;
  bool carried_ = false;    // while true, what is booked stands in the books already
  bool exhausted_ = false;  // earlier processes booked more than the cap: it was lowered
  double rho_ = 0;          // of this process
  double slack_ = 0;
  Budget budget_;
};

}  // namespace sotto
