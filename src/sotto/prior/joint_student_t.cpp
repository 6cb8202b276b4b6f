#include "sotto/prior/joint_student_t.hpp"

#include <algorithm>
#include <cmath>

namespace sotto {

void JointStudentT::add(Eigen::Index column, double location, double scale) {
  columns_.push_back(column);
  locations_.push_back(location);
  scales_.push_back(scale);
}

bool JointStudentT::has(Eigen::Index column) const {
  return std::find(columns_.begin(), columns_.end(), column) != columns_.end();
}

double JointStudentT::squares(const Position& at) const {
  double sum = 0;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const double z = (at[columns_[i]] - locations_[i]) / scales_[i];
    sum += z * z;
  }
  return sum;
}

double JointStudentT::log_density(const Position& at) const {
  return -(kFreedom + static_cast<double>(columns_.size())) / 2 * std::log1p(squares(at) / kFreedom);
}

double JointStudentT::log_ratio(const Position& at) const {
  return log_density(at) + squares(at) * (kFreedom - 2) / kFreedom / 2;
}

}  // namespace sotto
