// The families of generalised linear models: the list of them, and what each must tell.
#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "sotto/model/glm/family/bernoulli.hpp"
#include "sotto/model/glm/family/cumulative_logit.hpp"
#include "sotto/model/glm/family/gamma.hpp"
#include "sotto/model/glm/family/normal.hpp"
#include "sotto/model/glm/family/piecewise_exponential.hpp"
#include "sotto/model/glm/family/poisson.hpp"

namespace sotto {

/// The closed list: a new family is a file in model/glm/family that satisfies `ResponseFamily`, and its line here. Passes over
/// the rows visit it once, never for each row.
using GlmFamily = std::variant<family::Bernoulli, family::Poisson, family::Normal,
                               family::PiecewiseExponential, family::CumulativeLogit, family::Gamma>;

/// name, alias         in a configuration; the alias is R's name, or empty
/// ratio               what exp of a coefficient is called; empty: nothing
/// title()             in the report
/// response, support   the most general kind of response it takes, and their legal values
/// needs               what to say, and what to change, of other responses
/// log_density, score  log p(y | eta) up to terms free of the position, and its derivative by eta, which falls in eta and rises in
///                     y: bounds over intervals are its values at their ends; or `thresholds`, true, of a family whose likelihood
///                     is that of several rows together (model/glm/ordered_row.hpp)
/// information(range)  of a row about its linear predictor, given the responses' range; rough: only where warmup starts
///
/// Where these fit no family, it leaves them out:
/// link                what release-once takes it for; without one it refuses the family
/// sigma               optional, none: unknown, and its logarithm is the position's last coordinate. Then also
///                     sigma_score, d log p / d log(sigma), and sigma_score_range(eta, y, spread) over intervals
/// steps               in how many of its upper bound a response is counted, whose law is known up to its first two moments: release-once
///                     alone fits it
/// score_range(eta)    where the score does not rise in y: its range over all legal responses
/// ratio_range(from, spread, to, spread, linear)   of log-likelihood ratios, where the mean value theorem in eta does not give
///                     it: always with a sigma; linear(a, b) is the range of a y + b' x
template <class F>
concept RowByRow = law::Term<decltype(F::log_density)> && law::Term<decltype(F::score)>;
template <class F>
concept HasThresholds = F::thresholds;
template <class F>
concept ResponseFamily = (RowByRow<F> || HasThresholds<F>)&&requires(const F& family, const Interval& range) {
  { F::name } -> std::convertible_to<std::string_view>;
  { F::alias } -> std::convertible_to<std::string_view>;
  { F::ratio } -> std::convertible_to<std::string_view>;
  { family.title() } -> std::same_as<std::string>;
  { F::response } -> std::convertible_to<ResponseKind>;
  { F::support } -> std::convertible_to<Interval>;
  { F::needs } -> std::convertible_to<std::string_view>;
  { family.information(range) } -> std::same_as<double>;
};

template <class List>
inline constexpr bool are_families = false;
template <ResponseFamily... F>
inline constexpr bool are_families<std::variant<F...>> = true;
static_assert(are_families<GlmFamily>);

template <class F>
concept HasSigma = requires(const F& family) {
  { family.sigma } -> std::convertible_to<std::optional<double>>;
};

/// One of each of the list.
[[nodiscard]] std::vector<GlmFamily> families();
/// All names, with commas between them.
[[nodiscard]] std::string family_names();
/// The family of that name or alias, with this sigma if it has one; none if there is no such family.
[[nodiscard]] std::optional<GlmFamily> find_family(std::string_view name, std::optional<double> sigma = {});

[[nodiscard]] std::string_view family_name(const GlmFamily& family);
[[nodiscard]] const std::optional<double>* sigma_of(const GlmFamily& family);  ///< null: it has none
/// The link that release-once knows the family by; known_link throws Error configuration where there is none.
[[nodiscard]] std::optional<Link> link_of(const GlmFamily& family);
[[nodiscard]] Link known_link(const GlmFamily& family);
/// In how many steps of their upper bound responses are counted; none: they are taken as they are.
[[nodiscard]] std::optional<double> steps_of(const GlmFamily& family);
/// Whether responses are ordered categories, a row for each threshold between them.
[[nodiscard]] bool has_thresholds(const GlmFamily& family);

}  // namespace sotto
