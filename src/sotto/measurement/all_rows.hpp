// The questions that an owner answers from all its rows: the closed list.
#pragma once

#include "sotto/base/error.hpp"
#include "sotto/measurement/bounded_information.hpp"
#include "sotto/measurement/bounded_score.hpp"
#include "sotto/measurement/column_histograms.hpp"
#include "sotto/measurement/curves.hpp"
#include "sotto/measurement/gradient.hpp"
#include "sotto/measurement/histogram.hpp"
#include "sotto/measurement/joint.hpp"
#include "sotto/measurement/measurement.hpp"
#include "sotto/measurement/moments.hpp"
#include "sotto/measurement/ratio.hpp"
#include "sotto/measurement/residual_squares.hpp"
#include "sotto/measurement/score_squares.hpp"
#include "sotto/measurement/total.hpp"

namespace sotto {

/// Questions of other regimes.
[[nodiscard]] inline std::optional<Measurements> measure(const StatisticQuery&, const OwnerContext&) {
  throw Error(ErrorCode::configuration,
              "this run answers no sufficient statistic: choose method penalty-exponential-family");
}
[[nodiscard]] inline std::optional<Measurements> measure(const BatchGradientQuery&, const OwnerContext&) {
  throw Error(ErrorCode::configuration,
              "batches must be paid for as a whole before the first: name their rate, noise and number");
}

/// Errors: configuration for a question that this model does not answer, or that needs another kind of run.
[[nodiscard]] inline Measure measure_all_rows(OwnerContext context) {
  return [context = std::move(context)](const Query& query) {
    return std::visit([&](const auto& asked) { return measure(asked, context); }, query);
  };
}

}  // namespace sotto
