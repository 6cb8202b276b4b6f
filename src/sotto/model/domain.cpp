#include "sotto/model/domain.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace sotto {

Domain::Domain(std::vector<DomainComponent> components) : components_(std::move(components)) {
  for (const DomainComponent& component : components_) {
    columns_ += static_cast<Eigen::Index>(component.columns.size());
  }
  max_norm_ = max_norm(Position::Ones(columns_));
}

Interval Domain::range(const Position& direction) const {
  Interval range;
  for (const DomainComponent& component : components_) {
    const Position values = component.vertices * direction(component.columns);
    range.lower += values.minCoeff();
    range.upper += values.maxCoeff();
  }
  return range;
}

// Divided by the largest entry before it is squared, so that nothing is lost below or above the range of doubles.
double Domain::max_norm(const Position& scale) const {
  std::vector<Matrix> scaled;
  double top = 0;
  for (const DomainComponent& component : components_) {
    scaled.push_back((component.vertices * scale(component.columns).asDiagonal()).cwiseAbs());
    top = std::max(top, scaled.back().maxCoeff());
  }
  if (top == 0 || !std::isfinite(top)) return top;
  double square = 0;
  for (const Matrix& vertices : scaled) square += (vertices / top).rowwise().squaredNorm().maxCoeff();
  return top * std::sqrt(square) * (1 + 0x1p-48);
}

}  // namespace sotto
