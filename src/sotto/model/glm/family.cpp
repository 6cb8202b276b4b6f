#include "sotto/model/glm/family.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <type_traits>

#include "sotto/base/error.hpp"

namespace sotto {

std::vector<GlmFamily> families() {
  return []<class... F>(std::type_identity<std::variant<F...>>) {
    return std::vector<GlmFamily>{F()...};
  }(std::type_identity<GlmFamily>());
}

std::string family_names() {
  std::vector<std::string> names;
  for (const GlmFamily& family : families()) {
    const std::string_view alias =
        std::visit([](const auto& f) { return std::string_view(f.alias); }, family);
    names.push_back(alias.empty() ? std::string(family_name(family))
                                  : fmt::format("{} ({})", family_name(family), alias));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::optional<GlmFamily> find_family(std::string_view name, std::optional<double> sigma) {
  for (GlmFamily& found : families()) {
    const bool meant = std::visit(
        [&]<class F>(F& f) {
          if constexpr (HasSigma<F>) f.sigma = sigma;
          return name == f.name || (name == f.alias && !name.empty());
        },
        found);
    if (meant) return found;
  }
  return std::nullopt;
}

std::string_view family_name(const GlmFamily& family) {
  return std::visit([](const auto& f) { return f.name; }, family);
}

const std::optional<double>* sigma_of(const GlmFamily& family) {
  return std::visit(
      []<class F>(const F& f) -> const std::optional<double>* {
        if constexpr (HasSigma<F>) return &f.sigma;
        return nullptr;
      },
      family);
}

std::optional<Link> link_of(const GlmFamily& family) {
  return std::visit(
      [](const auto& f) -> std::optional<Link> {
        if constexpr (requires { f.link; }) return f.link;
        return std::nullopt;
      },
      family);
}

std::optional<double> steps_of(const GlmFamily& family) {
  return std::visit(
      [](const auto& f) -> std::optional<double> {
        if constexpr (requires { f.steps; }) return f.steps;
        return std::nullopt;
      },
      family);
}

bool has_thresholds(const GlmFamily& family) {
  return std::visit([]<class F>(const F&) { return HasThresholds<F>; }, family);
}

Link known_link(const GlmFamily& family) {
  if (const auto link = link_of(family)) return *link;
  throw Error(
      ErrorCode::configuration,
      fmt::format("release-once does not know the {} family: choose penalty or hmc", family_name(family)));
}

}  // namespace sotto
