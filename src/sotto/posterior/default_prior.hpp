// Priors: the analyst's own, and defaults on the scale of released spreads.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sotto/posterior/once_facts.hpp"
#include "sotto/posterior/stand_in.hpp"
#include "sotto/posterior/start.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "sotto/prior/joint_student_t.hpp"

namespace sotto {

/// The log of the prior over its normal stand-in, at a position; empty when the prior is that normal.
using PriorRatio = std::function<double(const Position&)>;

struct ResolvedPrior {
  JointNormalPrior normal;
  PriorRatio ratio;
  Position
      alone{};  ///< precisions of the coefficients with priors of their own: all but an intercept's and levels'
  /// Where intercepts or slopes vary, one for each group: the part of a position that the levels' deviations from the rows' mean are,
  /// shape (dim, dim), of rank one less than there are levels. They may all be small: their spread is then little known.
  std::vector<Matrix> deviations{};
  std::vector<double> group_scales{};  ///< of the groups' priors of their spread
  JointStudentT slopes{};              ///< of slopes without a prior of their own, where there are many
  /// Log density of the coefficients' own priors at a position, up to a constant: all but an offset's and those of groups' levels, which
  /// are priors given a spread.
  std::function<double(const Position&)> own{};
};

/// One prior per coefficient; none: the default. With s_j the released standard deviation of column j and `unit` that of a
/// normal response's residuals (1 for other families):
///   slope                 N(0, (2.5 unit / (2 s_j))^2), two standard deviations of a column move the predictor by 2.5 or so
///   column of two values  N(0, (2.5 unit)^2) on the difference between them
///   many of these         what they make of the linear predictor over the rows, were columns not correlated, is kept at 2.8 unit: no
///                         column's part may exceed a common bound, and those that would have a JointStudentT of that scale.
///                         With independent ones twenty columns would make it 5.6, so that hardly any response is left to chance
///   intercept             N(centre, (5 unit)^2 + its doubt^2) on the linear predictor at the covariates' mean
///   all levels, without   the same of each level's predictor there
///   an intercept
///   groups' levels        VaryingEffects of scale 2.5 unit, of slopes 2.5 unit / (2 s_j)
/// Other families of prior are a normal with their location and standard deviation, times a ratio.
[[nodiscard]] ResolvedPrior resolve_prior(const std::vector<std::optional<CoefficientPrior>>& own,
                                          const OnceFacts& facts, const StandIn& stand_in, double unit,
                                          const FirstIntercept& centre);

/// For positions on the way only: the linear predictor's spread over the rows is about `reach`, and no coefficient is freer
/// than `prior` leaves it. It stops directions that are not known from running away, also those of rare levels.
[[nodiscard]] JointNormalPrior locating_prior(const StandIn& stand_in, const OnceFacts& facts, double reach,
                                              double unit, const ResolvedPrior& prior);

}  // namespace sotto
