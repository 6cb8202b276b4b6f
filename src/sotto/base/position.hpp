// A point in parameter space.
#pragma once

#include <Eigen/Core>

namespace sotto {

using Position = Eigen::VectorXd;  ///< shape (dim)
using Matrix = Eigen::MatrixXd;

}  // namespace sotto
