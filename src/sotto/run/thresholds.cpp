#include "sotto/run/thresholds.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>

namespace sotto {
namespace {

constexpr double kPriorSd = 5;

}  // namespace

bool Thresholds::has(Eigen::Index column) const {
  return !empty() && (column == 0 ||
                      (column >= first_ && column < first_ + static_cast<Eigen::Index>(names_.size()) - 1));
}

CoefficientPrior Thresholds::prior(Eigen::Index column) const {
  const auto log_odds_beyond = [this](double threshold) {
    return std::log((static_cast<double>(names_.size()) - threshold) / (threshold + 1));
  };
  const double first = log_odds_beyond(0);
  const double location =
      column == 0 ? first : log_odds_beyond(static_cast<double>(column - first_ + 1)) - first;
  return {PriorFamily::normal, location, kPriorSd};
}

LogPrior Thresholds::in_order(LogPrior prior) const {
  if (empty()) return prior;
  return {[prior, columns = *this](const Position& x) {
            double before = 0;
            for (std::size_t k = 1; k < columns.names_.size(); ++k) {
              const double shift = x[columns.column(k)];
              if (!(shift < before)) return -std::numeric_limits<double>::infinity();
              before = shift;
            }
            return prior.log_density(x);
          },
          prior.gradient};
}

std::vector<std::string> Thresholds::warnings(const std::vector<Eigen::Index>& hardly_any) const {
  if (hardly_any.empty()) return {};
  if (hardly_any.size() == categories_.size()) {
    return {
        "The noise hides how many responses every category has: thresholds come from the prior; take a "
        "larger "
        "epsilon, or join categories."};
  }
  std::vector<std::string> categories;
  categories.reserve(hardly_any.size());
  for (const Eigen::Index k : hardly_any) categories.push_back(categories_[static_cast<std::size_t>(k)]);
  return {fmt::format(
      "Hardly any response is {}, as far as the noise shows: thresholds next to such a category are known "
      "roughly at best; join it with one beside it, or take a larger epsilon.",
      fmt::join(categories, ", or "))};
}

void Thresholds::name(std::vector<std::string>& parameters) const {
  for (std::size_t k = 0; k < names_.size(); ++k) parameters[static_cast<std::size_t>(column(k))] = names_[k];
}

void Thresholds::report(Matrix& original) const {
  for (std::size_t k = 1; k < names_.size(); ++k)
    original.row(column(k)) = -original.row(column(k)) - original.row(0);
  original.row(0) *= -1;
}

}  // namespace sotto
