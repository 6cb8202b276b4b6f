// A noisy count of rows, of rows with response 1, of times at risk or of their events, or how much time was at risk, in all pieces or
// the last.
//
// Query        sum over the rows of 1, of a binary response, of 1 where the row is a time's first piece, of a piece's event, or of the
//              share of it, or of the last piece, that was lived through; over units whose rows stand side by side of their mean, so
//              that 1 counts units
// Adjacency    as declared; a unit holds at most rows_per_unit rows
// Sensitivity  in [0, 1]; of the first pieces, of the last, and of the events, of one time at risk together;
//              in integers: measurement/vector_sum.hpp
// Noise, charge, source: measurement/vector_noise.hpp
// Errors: configuration for a model that is no regression, or a likelihood to a power.
// Checked by tests/measurement/regression_sums_test.cpp: no_row_moves_a_total_further_than_declared
// Checked by tests/measurement/time_at_risk_sums_test.cpp: no_life_moves_a_total_further_than_declared

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
    case TotalOf::times:
    case TotalOf::events:
    case TotalOf::time_at_risk:
    case TotalOf::last_piece:
      return times;
  }
  return false;
}

double value_of(TotalOf quantity, double y, double piece, std::size_t pieces) {
  switch (quantity) {
    case TotalOf::rows:
      break;
    case TotalOf::ones:
      return y;
    case TotalOf::times:
      return piece == 0 ? 1 : 0;
    case TotalOf::events:
      return PieceResponse::of(y).event;
    case TotalOf::time_at_risk:
      return PieceResponse::of(y).share;
    case TotalOf::last_piece:
      return piece + 1 == static_cast<double>(pieces) ? PieceResponse::of(y).share : 0;
  }
  return 1;
}

const char* name_of(TotalOf quantity) {
  switch (quantity) {
    case TotalOf::rows:
      break;
    case TotalOf::ones:
      return "number of ones";
    case TotalOf::times:
      return "number of times at risk";
    case TotalOf::events:
      return "number of events";
    case TotalOf::time_at_risk:
      return "time at risk";
    case TotalOf::last_piece:
      return "time at risk in the last interval";
  }
  return "number of rows";
}

}  // namespace

template <>
std::optional<Measurements> measure(const TotalQuery& query, const OwnerContext& context) {
  const Glm& regression = asked_regression(context);
  if (!legal(query.quantity, regression)) return std::nullopt;
  const RowLaw law(regression);
  const auto add = [law, quantity = query.quantity](const GlmTiles& tiles, IntegerSums& sums) {
    TileNumbers piece;
    for_each_unit(
        tiles, [&](const auto& x) { piece = law.piece(x); },
        [&](Eigen::Index lane, double y) {
          sums.entries[0] += sums.factor * value_of(quantity, y, piece[lane], law.pieces.count);
        },
        [&](std::size_t rows) { sums.add_mean(rows); });
  };
  const bool once = query.quantity == TotalOf::times || query.quantity == TotalOf::events ||
                    query.quantity == TotalOf::last_piece;
  return measure_vector({name_of(query.quantity), {1, 1}, 1, add, once ? law.together(context.unit) : 1},
                        context, query.cost);
}

}  // namespace sotto
