// A question to the accountants as users put it, in numbers and words, and the answer with its terms.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sotto/accountant/calibrate.hpp"
#include "sotto/accountant/curve.hpp"

namespace sotto {

struct CostQuestion {
  std::optional<double> epsilon;  ///< asks for delta
  std::optional<double> delta;    ///< asks for epsilon
  std::string adjacency = "substitute";
  std::string bound = "tight";
  std::int64_t group = 1;         ///< rows whose joint suffering is priced
  double accuracy = kUsualWidth;  ///< how far apart, relatively, both tight bounds may be
  std::int64_t trade_off = 0;     ///< points of the trade-off function, or none
};

struct Cost {
  Event event;  ///< what was priced, of the group
  Bounds epsilon, delta;
  BoundKind by = BoundKind::tight;  ///< whose upper bound it is
  std::optional<double> rho;        ///< of zero-concentrated privacy, where one is proven
  std::optional<double> gdp_mu;     ///< of Gaussian privacy, where all noise is continuous Gaussian
  std::vector<ErrorTradeoff> trade_off;
  std::vector<std::string> warnings;
};

/// What the events cost, one after the other: epsilon for delta or delta for epsilon, of which the question gives one.
/// Errors: usage (a value out of range, no event, or no proof under this bound), and those of the events.
[[nodiscard]] Cost cost_of(const std::vector<Event>& events, const CostQuestion& question);

/// Both bounds, null for infinity, under the question's words.
[[nodiscard]] nlohmann::json cost_json(const Cost& cost, const CostQuestion& question);

/// What calibration must fit beside the other events; the question gives epsilon and delta. Errors: usage.
[[nodiscard]] Target target_of(const CostQuestion& question, std::vector<Event> others);

/// tight, rdp, zcdp or advanced.
[[nodiscard]] const char* name_of(BoundKind kind);

}  // namespace sotto
