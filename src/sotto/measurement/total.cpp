// A noisy count of rows, of rows with response 1 or of events, or the time at risk.
//
// Query        sum over the rows of 1, of a binary response, of a piece's event, or of the share of it that was lived through
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  in [0, 1];
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp

#include "sotto/measurement/all_rows.hpp"
#include "sotto/measurement/regression_rows.hpp"
#include "sotto/measurement/vector_sum.hpp"

namespace sotto {

namespace {

/// Whether a family's responses have that quantity; it lies in [0, 1].
bool legal(TotalOf quantity, const Glm& regression) {
  const bool times = known_link(regression.family()) == Link::log_rate;
  switch (quantity) {
    case TotalOf::rows:
      return true;
    case TotalOf::ones:
      return !times && regression.response().lower >= 0 && regression.response().upper <= 1;
    case TotalOf::events:
    case TotalOf::time_at_risk:
      return times;
  }
  return false;
}

double value_of(TotalOf quantity, double y) {
  switch (quantity) {
    case TotalOf::rows:
      break;
    case TotalOf::ones:
      return y;
    case TotalOf::events:
      return PieceResponse::of(y).event;
    case TotalOf::time_at_risk:
      return PieceResponse::of(y).share;
  }
  return 1;
}

const char* name_of(TotalOf quantity) {
  switch (quantity) {
    case TotalOf::rows:
      break;
    case TotalOf::ones:
      return "number of ones";
    case TotalOf::events:
      return "number of events";
    case TotalOf::time_at_risk:
      return "time at risk";
  }
  return "number of rows";
}

}  // namespace

template <>
std::optional<Measurements> measure(const TotalQuery& query, const OwnerContext& context) {
  if (!legal(query.quantity, asked_regression(context))) return std::nullopt;
  const auto add = [quantity = query.quantity](const GlmTiles& tiles, IntegerSums& sums) {
    for_each_row(
        tiles, [](const auto&) {},
        [&](Eigen::Index, double y) {
          sums.entries[0] = sums.factor * value_of(quantity, y);
          sums.add();
        });
  };
  return measure_vector({name_of(query.quantity), {1, 1}, 1, add}, context, query.cost);
}

}  // namespace sotto
