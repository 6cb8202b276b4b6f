// Warmup: what a chain learns from its own past. It has paid for all of it already.
#pragma once

#include <cmath>
#include <cstddef>

#include "sotto/base/position.hpp"

namespace sotto {

/// A step size steered towards a target acceptance; what is used after warmup is the average of the second
/// half.
/// Computes   log size += (acceptance - target) * 10 / (10 + t)^0.6 / 2
/// Source     Robbins-Monro with averaging [AT08, Section 4]
class StepSize {
 public:
  explicit StepSize(double initial) : log_size_(std::log(initial)) {}
  [[nodiscard]] double value() const { return std::exp(log_size_); }

  void learn(double acceptance, double target, std::size_t t, std::size_t warmup) {
    log_size_ += (acceptance - target) * 10 / std::pow(10.0 + static_cast<double>(t), 0.6) / 2;
    if (2 * t >= warmup) {
      ++averaged_;
      mean_ += (log_size_ - mean_) / static_cast<double>(averaged_);
    }
    if (t + 1 == warmup) settle();
  }
  /// Ends the learning: from here on the size is the average of what was learnt.
  void settle() {
    if (averaged_ > 0) log_size_ = mean_;
  }

 private:
  double log_size_;
  double mean_ = 0;
  std::size_t averaged_ = 0;
};

/// Running mean and covariance of a chain's positions.
class RunningCovariance {
 public:
  void add(const Position& x) {
    if (count_ == 0) {
      mean_ = Position::Zero(x.size());
      scatter_ = Matrix::Zero(x.size(), x.size());
    }
    ++count_;
    const Position before = x - mean_;
    mean_ += before / static_cast<double>(count_);
    scatter_ += before * (x - mean_).transpose();
  }
  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] const Position& mean() const { return mean_; }
  /// Shrunk towards a multiple of `fallback`, so that it is positive definite however short the chain.
  /// Computes   (n S + 5 c F) / (n + 5),   c = mean of diag(S) / diag(F) scaled by n / (n + 5)
  [[nodiscard]] Matrix shrunk(const Matrix& fallback) const {
    if (count_ < 2) return fallback;
    const auto n = static_cast<double>(count_);
    const Matrix covariance = scatter_ / (n - 1);
    const double ratio = (covariance.diagonal().array() / fallback.diagonal().array()).mean();
    if (!(ratio > 0)) return fallback;
    return (n * covariance + 5 * ratio * fallback) / (n + 5);
  }

 private:
  std::size_t count_ = 0;
  Position mean_;
  Matrix scatter_;
};

}  // namespace sotto
