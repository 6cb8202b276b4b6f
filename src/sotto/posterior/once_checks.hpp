// Whether a release-once posterior is sound, from released numbers alone.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "sotto/posterior/once_posterior.hpp"

namespace sotto {

struct OnceVerdict {
  std::vector<std::string> warnings;  ///< one plain sentence each: what is wrong, and what to do
  std::vector<std::string> notes;     ///< what was found and allowed for
  std::vector<Eigen::Index>
      curved;  ///< columns of the design whose effect is no line: a warning that needs their names
  std::vector<Eigen::Index>
      maybe_curved{};  ///< columns of whose effect the noise may hide that it is no line: a note that needs names
  std::vector<Eigen::Index>
      leaning{};  ///< where rows far out seem to leave the line that fits the others: a warning
  std::vector<Eigen::Index> differing{};  ///< columns whose effect differs between thresholds: likewise
  struct Sensitive {
    Eigen::Index column;
    double sensitivity;  ///< see prior_sensitivity.hpp
    bool far_out;        ///< in its prior
  };
  std::vector<Sensitive>
      sensitive{};  ///< columns whose coefficient the prior moves, and not hidden: likewise
  struct Moved {
    Eigen::Index column;
    double by;  ///< of its coefficient, in its standard deviations
  };
  std::vector<Moved>
      unseen_far{};  ///< columns whose rows far out could leave the line unseen, and by how much then: likewise
  std::vector<Moved> uneven{};  ///< columns whose rows have tails that others do not have: likewise
  struct DrawnOff {
    Eigen::Index parameter;
    bool up;
    double held;  ///< how often its 90 % intervals hold the truth
  };
  std::vector<DrawnOff> drawn_off{};  ///< parameters that wide priors move, see matching_shift.hpp: likewise
  std::vector<Eigen::Index> far_rows{};  ///< columns in which rows far out do not follow the others: likewise
  double far_share = 0;                  ///< of the rows, far from the others
  std::vector<Eigen::Index>
      few_events{};                    ///< columns of two values where hardly anything is counted: likewise
  bool few_in_first = false;           ///< and the levels that others are compared with
  std::vector<Eigen::Index> hidden{};  ///< columns of which little but the prior is left: likewise
  std::vector<Eigen::Index> held{};  ///< of these, where it is not for the noise but for a prior that was set
  std::vector<AtBound> at_bounds{};  ///< where values lay beyond what is declared: likewise
  double unseen = 0;                 ///< share of rows far from the others that the noise may hide: a note
  bool unreliable = false;           ///< intervals are no answer
  bool noise_dominates = false;      ///< intervals would show the prior and the noise, hardly the data

  /// Notes, and priors that count, apart: something is wrong.
  [[nodiscard]] bool warns() const {
    return !warnings.empty() || !curved.empty() || !differing.empty() || !uneven.empty() ||
           !far_rows.empty() || !hidden.empty() || !held.empty() || !leaning.empty() || !unseen_far.empty() ||
           !few_events.empty() || few_in_first || !drawn_off.empty() ||
           std::ranges::any_of(at_bounds, [](const AtBound& end) { return !end.only_ends; });
  }
};

/// Whether the noise dominates, whatever draws will be.
[[nodiscard]] bool hidden_by_noise(const OnceRelease& release);

/// What releases tell of the table (posterior/told_of_table.hpp), and what they and draws tell of the posterior. `reported`: shape
/// (parameters, dim), what is reported of a position, the parameter of each column in its place; empty: positions.
[[nodiscard]] OnceVerdict check_once(const OnceRelease& release, const OncePosterior& posterior,
                                     const Matrix& reported = {});

}  // namespace sotto
