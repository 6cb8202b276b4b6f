// The posterior over all partitions of a few data, by brute force, and a chain's distance from it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <functional>
#include <map>
#include <numbers>
#include <span>
#include <vector>

namespace sotto::mixture {

inline std::vector<int> sizes_of(std::span<const int> labels, int clusters) {
  std::vector<int> sizes(static_cast<std::size_t>(clusters), 0);
  for (const int label : labels) ++sizes[static_cast<std::size_t>(label)];
  return sizes;
}

/// Every partition of n <= 8 data as a string c_1..c_n with c_1 = 0 and c_i <= 1 + max of those before it. Draws are counted in
/// 100 batches; their number is a multiple of 100.
class Enumeration {
 public:
  /// `log_score(labels, clusters)`: log of what the posterior is proportional to.
  Enumeration(int n, const std::function<double(std::span<const int>, int)>& log_score) : n_(n), next_(1) {
    std::vector<int> labels(static_cast<std::size_t>(n), 0);
    walk(labels, 0, 0, 0, log_score);
    double top = -HUGE_VAL;
    for (const double x : probability_) top = std::fmax(top, x);
    double total = 0;
    for (double& x : probability_) total += x = std::exp(x - top);
    for (double& x : probability_) x /= total;
    expect(0);
  }

  /// Starts a count of this many draws.
  void expect(std::size_t draws) {
    total_ = 0;
    batch_ = std::max<std::size_t>(1, draws / kBatches);
    visits_.assign(probability_.size(), 0);
    in_batch_.assign(probability_.size(), 0);
    batches_.clear();
  }

  /// Counts one draw of the chain.
  void visit(std::span<const int> allocation) {
    int label[16];
    for (int& x : label) x = -1;
    int fresh = 0;
    int at = 0;
    for (int i = 0; i < n_; ++i) {
      int& mine = label[allocation[static_cast<std::size_t>(i)]];
      if (mine < 0) mine = fresh++;
      at = next_[static_cast<std::size_t>(at)][static_cast<std::size_t>(mine)];
    }
    in_batch_[class_[static_cast<std::size_t>(at)]] += 1;
    if (++total_ % batch_ == 0) close_batch();
  }

  /// Half the sum of |frequency - probability| over all partitions.
  [[nodiscard]] double total_variation() const {
    double sum = 0;
    for (std::size_t p = 0; p < visits_.size(); ++p)
      sum += std::abs(visits_[p] / static_cast<double>(total_) - probability_[p]);
    return sum / 2;
  }
  /// Where a right chain's distance should be, its autocorrelation counted: each batch's distance from the mean of all batches says
  /// how far the whole is from the truth, sqrt(batches) times less.
  struct Spread {
    double mean, deviation;
  };
  [[nodiscard]] Spread own_error() const {
    const auto count = static_cast<double>(batches_.size());
    double sum = 0;
    double squares = 0;
    for (const std::vector<float>& batch : batches_) {
      double apart = 0;
      for (std::size_t p = 0; p < visits_.size(); ++p) apart += std::abs(batch[p] - visits_[p] / count);
      apart /= 2 * static_cast<double>(batch_);
      sum += apart;
      squares += apart * apart;
    }
    const double mean = sum / count;
    return {mean / std::sqrt(count - 1),
            std::sqrt(std::fmax(0, squares / count - mean * mean) / (count - 1))};
  }
  /// Tells partitions apart by the sizes of their clusters alone: all there is to tell of exchangeable data.
  void merge_by_sizes() {
    std::map<std::vector<int>, std::size_t> classes;
    std::vector<double> merged;
    for (std::size_t p = 0; p < probability_.size(); ++p) {
      const auto [found, fresh] = classes.try_emplace(sizes_[p], merged.size());
      if (fresh) merged.push_back(0);
      class_[p] = found->second;
      merged[found->second] += probability_[p];
    }
    probability_ = std::move(merged);
    expect(0);
  }
  [[nodiscard]] const std::vector<double>& probabilities() const { return probability_; }

 private:
  static constexpr std::size_t kBatches = 100;

  void close_batch() {
    for (std::size_t p = 0; p < visits_.size(); ++p) visits_[p] += in_batch_[p];
    batches_.push_back(in_batch_);
    in_batch_.assign(visits_.size(), 0);
  }

  // `node`: where the labels before `at` lead to.
  void walk(std::vector<int>& labels, int at, int clusters, int node,
            const std::function<double(std::span<const int>, int)>& log_score) {
    for (int label = 0; label <= clusters; ++label) {
      const int more = clusters + (label == clusters ? 1 : 0);
      labels[static_cast<std::size_t>(at)] = label;
      int& next = next_[static_cast<std::size_t>(node)][static_cast<std::size_t>(label)];
      if (at + 1 == n_) {
        next = static_cast<int>(probability_.size());
        probability_.push_back(log_score(labels, more));
        class_.push_back(class_.size());
        sizes_.push_back(sizes_of(labels, more));
        std::sort(sizes_.back().begin(), sizes_.back().end());
      } else {
        const int child = next = static_cast<int>(next_.size());
        next_.emplace_back();
        walk(labels, at + 1, more, child, log_score);
      }
    }
  }

  int n_;
  std::vector<std::array<int, 8>> next_;  ///< label by label to the partition's number
  std::vector<double> probability_;
  std::vector<std::size_t> class_;       ///< partition -> what is counted
  std::vector<std::vector<int>> sizes_;  ///< of each partition, rising
  std::vector<double> visits_;           ///< in whole batches
  std::vector<float> in_batch_;          ///< in the present batch; whole numbers below 2^24
  std::vector<std::vector<float>> batches_;
  std::size_t batch_ = 1;
  std::size_t total_ = 0;
};

/// The posterior where clusters are independent given the partition: eppf(c) prod_h exp(log_cluster(members
/// of h)).
inline Enumeration enumerate_clusters(int n, const std::function<double(std::span<const int>)>& log_cluster,
                                      const std::function<double(std::span<const int>)>& log_eppf) {
  std::vector<double> log_mask(std::size_t{1} << n, 0);
  for (std::size_t mask = 1; mask < log_mask.size(); ++mask) {
    std::vector<int> members;
    for (int i = 0; i < n; ++i)
      if (mask >> i & 1) members.push_back(i);
    log_mask[mask] = log_cluster(members);
  }
  return Enumeration(n, [&](std::span<const int> labels, int clusters) {
    double sum = log_eppf(sizes_of(labels, clusters));
    for (int h = 0; h < clusters; ++h) {
      std::size_t mask = 0;
      for (int i = 0; i < n; ++i)
        if (labels[static_cast<std::size_t>(i)] == h) mask |= std::size_t{1} << i;
      sum += log_mask[mask];
    }
    return sum;
  });
}

/// One point of a quadrature over the base measure: log weight, and log g(z_i | theta) for each datum.
struct BasePoint {
  double log_weight = 0;
  std::vector<double> log_g;
};

/// Scales the weights to a total of one.
inline void normalise(std::vector<BasePoint>& points) {
  double total = 0;
  for (const BasePoint& point : points) total += std::exp(point.log_weight);
  for (BasePoint& point : points) point.log_weight -= std::log(total);
}

/// log of sum over points of weight * prod_{i in members} g(z_i | theta)
inline double log_cluster(const std::vector<BasePoint>& points, std::span<const int> members) {
  double top = -HUGE_VAL;
  std::vector<double> terms;
  terms.reserve(points.size());
  for (const BasePoint& point : points) {
    double sum = point.log_weight;
    for (const int i : members) sum += point.log_g[static_cast<std::size_t>(i)];
    terms.push_back(sum);
    top = std::fmax(top, sum);
  }
  double total = 0;
  for (const double x : terms) total += std::exp(x - top);
  return top + std::log(total);
}

/// g(z_i | theta) for all i at once, by the trapezoid rule over y in [lower, upper]; `log_f(y)` is the
/// kernel.
template <class LogF, class LogQ>
std::vector<double> integrate_kernel(std::size_t n, double lower, double upper, int cells, LogF log_f,
                                     LogQ log_q) {
  std::vector<double> sum(n, 0);
  const double step = (upper - lower) / cells;
  for (int cell = 0; cell < cells; ++cell) {
    const double y = lower + (cell + 0.5) * step;
    const double f = std::exp(log_f(y)) * step;
    for (std::size_t i = 0; i < n; ++i) sum[i] += f * std::exp(log_q(i, y));
  }
  for (double& x : sum) x = std::log(x);
  return sum;
}

}  // namespace sotto::mixture
