// A point in parameter space.
#pragma once

#include <Eigen/Dense>

namespace sotto {

using Position = Eigen::VectorXd;  ///< shape (dim)
using Matrix = Eigen::MatrixXd;

}  // namespace sotto
