// A question made ready for an owner's loop: what it costs, how rows answer it, what is released. One value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "sotto/base/curator_side.hpp"
#include "sotto/base/privacy_unit.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/measurement/mechanism.hpp"
#include "sotto/model/any_model.hpp"
#include "sotto/release/query.hpp"
#include "sotto/sum/exact_sum.hpp"

namespace sotto {

/// What prices follow from, besides the question. All of it is public.
struct OwnerContext {
  AnyModel model;
  PrivacyUnit unit{};
  double likelihood_power = 1;  ///< n0 / n
  /// A log ratio that could leave the grid is asked all the same: a row counts with what fits, 512 either way. Bounds hold, but no
  /// chain is exact by them whose steps change a row's log density that much: without privacy alone.
  bool clamps_ratios = false;

  /// Errors: configuration unless `at` has as many coordinates as the model.
  void check_position(const Position& at) const;
};

/// A statistic that is a sum over the rows. Passes of several questions run together: rows are read once.
struct RowPass {
  std::size_t entries = 1;
  std::size_t run = kLongestRun;  ///< `add` takes at most so many tiles at once: see tiles_per_run
  /// Adds the contributions of the tiles first .. first + count to `entries` sums.
  std::function<void(const Rows&, std::size_t first, std::size_t count, std::span<std::int64_t> sums)> add;
};

/// A statistic that is found in its own way: of a secret batch, or of a sum that is kept.
using OwnPass = std::function<ExactSum(const Rows&, EntropySource&)>;

struct Measurement {
  Charge charge;                             ///< from public bounds alone
  PrecomposedBudget* precomposed = nullptr;  ///< the charge is on the books already, in here
  std::variant<RowPass, OwnPass> pass;
  std::function<Answer(NoiseMechanism&, Receipt, const ExactSum&)> release;
};

/// All that answers one question: paid for together, or not at all.
struct Measurements {
  std::vector<Measurement> parts;
  Answer (*join)(std::vector<Answer>) = [](std::vector<Answer> answers) {
    return std::move(answers.front());
  };
};

/// How the questions of a run are answered. None: the positions are so far out that no bound fits the grid.
/// The question outlives the measurements. Errors: configuration, saying what to choose instead.
using Measure = std::function<std::optional<Measurements>(const Query&)>;

}  // namespace sotto
