#include "sotto/diagnostics/mmd.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

void require_two_samples(const Matrix& x, const Matrix& y) {
  if (x.cols() != y.cols() || x.rows() < 2 || y.rows() < 2) {
    throw Error(ErrorCode::usage,
                "MMD compares two samples of at least two points each, in the same dimension");
  }
}

// Sum of the kernel over all pairs. Points are columns here, so that one point is contiguous.
double kernel_sum(const Matrix& x, const Matrix& y, double width) {
  const double scale = -1 / (2 * width * width);
  double sum = 0;
  for (Eigen::Index i = 0; i < x.cols(); ++i) {
    sum += ((y.colwise() - x.col(i)).colwise().squaredNorm().array() * scale).exp().sum();
  }
  return sum;
}

Matrix evenly_spaced(const Matrix& x, std::size_t largest) {
  const auto count = std::min<Eigen::Index>(x.rows(), static_cast<Eigen::Index>(largest));
  Matrix chosen(count, x.cols());
  for (Eigen::Index i = 0; i < count; ++i) chosen.row(i) = x.row(i * x.rows() / count);
  return chosen;
}

}  // namespace

double median_distance(const Matrix& x, const Matrix& y, std::size_t largest) {
  require_two_samples(x, y);
  const Matrix from_x = evenly_spaced(x, largest);
  const Matrix from_y = evenly_spaced(y, largest);
  Matrix points(x.cols(), from_x.rows() + from_y.rows());
  points << from_x.transpose(), from_y.transpose();
  std::vector<double> squares;
  for (Eigen::Index i = 0; i < points.cols(); ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const double square = (points.col(i) - points.col(j)).squaredNorm();
      if (square > 0) squares.push_back(square);
    }
  }
  if (squares.empty()) throw Error(ErrorCode::usage, "MMD needs a kernel width: all points are the same");
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return std::sqrt(*middle);
}

double mmd_squared(const Matrix& x, const Matrix& y, double width) {
  require_two_samples(x, y);
  if (!(width > 0)) throw Error(ErrorCode::usage, "MMD needs a kernel width > 0");
  const Matrix xt = x.transpose();
  const Matrix yt = y.transpose();
  const auto n = static_cast<double>(x.rows());
  const auto m = static_cast<double>(y.rows());
  // Each point's kernel with itself is 1.
  return (kernel_sum(xt, xt, width) - n) / (n * (n - 1)) + (kernel_sum(yt, yt, width) - m) / (m * (m - 1)) -
         2 * kernel_sum(xt, yt, width) / (n * m);
}

}  // namespace sotto
