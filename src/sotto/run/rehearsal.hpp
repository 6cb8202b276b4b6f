// What a privacy budget buys: the very fit, on made-up rows, before any row is read.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/made_up_rows.hpp"

namespace sotto {

struct RehearsedParameter {
  std::string name;
  double sd = 0;            ///< posterior sd, as reported; median over the repeats
  double sd_inflation = 0;  ///< over that of a fit without noise of the same rows; median over the repeats
  double ess = 0;           ///< bulk effective draws; median over the repeats
  double covered = 0;       ///< share of the repeats whose 90 % interval holds what the rows were made from
  std::vector<double> ranks{};  ///< of that among the draws, in [0, 1]; one per repeat
};

enum class Prospect { good, poor, hopeless };

/// One budget, over all repeats.
struct RehearsedBudget {
  double epsilon = 0;
  std::vector<RehearsedParameter> parameters;  ///< none where no repeat gave a draw
  Prospect prospect = Prospect::good;
  std::string why;  ///< a clause: what the worst parameter or run was
};

struct Rehearsal {
  std::string model, method;
  std::string unread;        ///< a note of settings that the method does not read, or empty
  std::string privacy_unit;  ///< as privacy.json says it
  double delta = 0;
  Adjacency adjacency = Adjacency::substitute;
  std::size_t rows = 0, repeats = 0;
  std::string caveat;                             ///< what made-up rows leave out, in sentences
  std::vector<RehearsedParameter> without_noise;  ///< inflation 1
  std::vector<RehearsedBudget> budgets;           ///< in the order of the epsilons
};

/// A prospect is poor where the median parameter's inflation is beyond the first, or one parameter's beyond the second; it is
/// hopeless where most fits tell nothing (`hopeless`) or the budget does not pay for a draw.
inline constexpr double kPoor = 1.5;
inline constexpr double kVeryPoor = 5;

/// Fits `repeats` made-up tables under each budget with the configuration's method, on noise from `entropy`. Each table is also
/// fitted by release-once with a budget so large that its noise does not count. No epsilons: the configuration's, half and twice
/// of it; no rows: as many as `made.like` has. `progress`: share done; false ends it.
/// Errors: those of make_up; configuration without delta or epsilon; interrupted.
[[nodiscard]] Rehearsal rehearse(const FitConfig& config, const Schema& schema, MadeUpRows made,
                                 std::vector<double> epsilons, std::size_t repeats, EntropySource& entropy,
                                 const std::function<bool(double)>& progress = {});

/// good, poor or hopeless.
[[nodiscard]] const char* name_of(Prospect prospect);

}  // namespace sotto
