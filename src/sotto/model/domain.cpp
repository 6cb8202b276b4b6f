#include "sotto/model/domain.hpp"

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

double Domain::max_norm(const Position& scale) const {
  double square = 0;
  for (const DomainComponent& component : components_) {
    const Position squares = scale(component.columns).array().square();
    square += (component.vertices.array().square().matrix() * squares).maxCoeff();
  }
  return std::sqrt(square);
}

}  // namespace sotto
