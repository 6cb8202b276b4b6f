// Release-once for a regression: from the model's public description to the settings of its releases.
#pragma once

#include "sotto/model/glm/glm.hpp"
#include "sotto/posterior/once_prior.hpp"
#include "sotto/posterior/once_release.hpp"

namespace sotto {

/// `intercept`: column 0 of the design is constant. `cost`: of all releases; leave a millionth of the budget for slack.
/// Errors: configuration when sigma is unknown.
[[nodiscard]] OnceSettings once_settings(const Glm& model, bool intercept, const NormalPrior& prior,
                                         Rho cost);

}  // namespace sotto
