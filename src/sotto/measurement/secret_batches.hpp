// Batches of fixed size that nobody outside an owner may know, and their rows' log-likelihood ratios.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sotto/base/error.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/measurement/ratio.hpp"

namespace sotto {

/// `batch` numbers out of 0 .. rows - 1, all sets alike. Errors: configuration unless 1 <= batch <= rows.
/// Source     Floyd's algorithm [BF87]
[[nodiscard]] inline std::vector<std::size_t> sample_without_replacement(std::size_t rows, std::size_t batch,
                                                                         EntropySource& entropy) {
  if (batch < 1 || batch > rows)
    throw Error(ErrorCode::configuration, "a batch holds between 1 and all rows");
  const auto below = [&](std::uint64_t count) {  // uniform on 0 .. count - 1
    const std::uint64_t limit = ~std::uint64_t{0} - ~std::uint64_t{0} % count;
    std::uint64_t bits = entropy.bits();
    while (bits >= limit) bits = entropy.bits();
    return static_cast<std::size_t>(bits % count);
  };
  std::vector<bool> chosen(rows);
  std::vector<std::size_t> sample;
  sample.reserve(batch);
  for (std::size_t last = rows - batch; last < rows; ++last) {
    const std::size_t candidate = below(last + 1);
    sample.push_back(chosen[candidate] ? last : candidate);
    chosen[sample.back()] = true;
  }
  return sample;
}

/// The rows of an owner, read a batch at a time.
class SecretBatches {
 public:
  SecretBatches(const Rows& rows, OwnerContext context, std::size_t batch)
      : rows_(single_rows(rows)), count_(rows.rows()), context_(std::move(context)), batch_(batch) {}

  [[nodiscard]] std::size_t rows() const { return count_; }
  [[nodiscard]] std::size_t batch() const { return batch_; }

  /// The log ratios of a fresh batch, in steps.
  [[nodiscard]] std::vector<std::int64_t> draw(const RatioQuery& query, const ContributionRange& range,
                                               EntropySource& entropy) const {
    const RatioTask task{&query.from, &query.to, range.lower, range.upper};
    std::vector<std::int64_t> changes;
    changes.reserve(batch_);
    for (const std::size_t row : sample_without_replacement(count_, batch_, entropy)) {
      std::int64_t change = 0;
      context_.model.add_ratios(rows_, row, 1, std::span(&task, 1),
                                context_.likelihood_power / kLogDensityGrid, std::span(&change, 1));
      changes.push_back(std::clamp(change, range.lower, range.upper));
    }
    return changes;
  }

 private:
  /// One row to a tile, so that a pass over one tile gives one row's contribution.
  static Rows single_rows(const Rows& rows) {
    Rows single(rows.rows() * kTile, rows.columns());
    for (std::size_t i = 0; i < rows.rows(); ++i) {
      for (std::size_t j = 0; j <= rows.columns(); ++j) single.at(i * kTile, j) = rows.at(i, j);
    }
    return single;
  }

  Rows rows_;
  std::size_t count_;
  OwnerContext context_;
  std::size_t batch_;
};

/// The only query that batches of fixed size answer.
inline const RatioQuery& ratio_of_batch(const Query& query) {
  const auto* ratio = std::get_if<RatioQuery>(&query);
  if (ratio == nullptr) {
    throw Error(ErrorCode::configuration,
                "this owner answers from batches: choose method penalty-subsampled or barker-subsampled");
  }
  return *ratio;
}

}  // namespace sotto
