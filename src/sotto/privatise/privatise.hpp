// The release of privatised columns: rows go in, noise comes out.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "sotto/base/curator_side.hpp"
#include "sotto/channel/column.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/release/released.hpp"

namespace sotto {

/// In what order the rows are released. Sorted files tell: neighbours of a noisy value say what it was.
enum class RowOrder { kept, shuffled };

/// Draws the noise of one plan. What it spends is fixed by the plan, before a row is looked at; a plan is
/// spent once. Nothing but the privatised values leaves: a cell that is no number, or lies outside the
/// domain, is not reported.
class Privatiser {
 public:
  Privatiser(ColumnPlan plan, EntropySource& entropy) : plan_(std::move(plan)), entropy_(entropy) {}

  /// `cells` holds one vector of raw cells per column of the plan. Errors: budget when called twice; data
  /// when columns are not of one length, or a histogram's is not the plan's number of rows.
  [[nodiscard]] Released<std::vector<PrivatisedColumn>> release(
      std::span<const std::vector<std::string>> cells, RowOrder order = RowOrder::kept);
  [[nodiscard]] const ColumnPlan& plan() const { return plan_; }

 private:
  [[nodiscard]] PrivatisedColumn privatise(const Column& column, std::span<const std::string> cells);
  void shuffle(std::vector<PrivatisedColumn>& columns);
  ColumnPlan plan_;
  EntropySource& entropy_;
  bool spent_ = false;
};

/// The number in a cell; the column's missing value where there is none. Total: never throws for a cell.
[[nodiscard]] double decode_number(const std::string& cell, double missing);

}  // namespace sotto
