#include "sotto/mixture/point_partition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "sotto/base/error.hpp"

namespace sotto::mixture {
namespace {

int labels(std::span<const int> a) { return a.empty() ? 0 : 1 + *std::max_element(a.begin(), a.end()); }

struct Contingency {
  Contingency(std::span<const int> a, std::span<const int> b)
      : rows(labels(a), 0), columns(labels(b), 0), cells(rows.size() * columns.size(), 0) {
    if (a.size() != b.size())
      throw Error(ErrorCode::internal, "partitions of different data cannot be compared");
    for (std::size_t i = 0; i < a.size(); ++i) {
      ++rows[a[i]];
      ++columns[b[i]];
      ++cells[a[i] * columns.size() + b[i]];
    }
  }
  std::vector<double> rows, columns, cells;
};

double sum_of(const std::vector<double>& counts, auto term) {
  double sum = 0;
  for (const double count : counts) sum += term(count);
  return sum;
}

double n_log_n(double n) { return n > 0 ? n * std::log(n) : 0; }
double pairs(double n) { return n * (n - 1) / 2; }

Allocation by_first_appearance(const Allocation& allocation) {
  std::vector<int> name(labels(allocation), -1);
  Allocation renamed;
  int next = 0;
  for (const int label : allocation) {
    if (name[label] < 0) name[label] = next++;
    renamed.push_back(name[label]);
  }
  return renamed;
}

// Shape (n, n): the number of draws in which two data are in one cluster.
Matrix times_together(const std::vector<Allocation>& draws) {
  const std::size_t n = draws[0].size();
  Matrix together(n, n);
  std::vector<int> with_one(n);
  for (std::size_t j = 0; j < n; ++j) {
    std::fill(with_one.begin(), with_one.end(), 0);
    for (const Allocation& draw : draws)
      for (std::size_t i = j; i < n; ++i) with_one[i] += draw[i] == draw[j] ? 1 : 0;
    for (std::size_t i = j; i < n; ++i) together(i, j) = together(j, i) = with_one[i];
  }
  return together;
}

// Expected loss of a growing partition, as data enter and leave its clusters. Only differences matter to the
// search: `cost(i, h)` is what the expected loss grows by when datum i enters cluster h.
class ExpectedVi {
 public:
  ExpectedVi(const std::vector<Allocation>& draws, int most_clusters)
      : draws_(draws), most_(most_clusters), sizes_(most_clusters, 0), step_(draws[0].size() + 1) {
    for (std::size_t n = 0; n < step_.size(); ++n) step_[n] = n_log_n(n + 1.0) - n_log_n(n);
    for (const Allocation& draw : draws) {
      offsets_.push_back(cells_.size());
      cells_.resize(cells_.size() + static_cast<std::size_t>(labels(draw)) * most_clusters, 0);
    }
  }
  void clear() {
    std::fill(cells_.begin(), cells_.end(), 0);
    std::fill(sizes_.begin(), sizes_.end(), 0);
  }
  void put(std::size_t i, int h, int change) {
    sizes_[h] += change;
    for (std::size_t s = 0; s < draws_.size(); ++s) cells_[offsets_[s] + draws_[s][i] * most_ + h] += change;
  }
  [[nodiscard]] double cost(std::size_t i, int h) const {
    double joint = 0;
    for (std::size_t s = 0; s < draws_.size(); ++s)
      joint += step_[cells_[offsets_[s] + draws_[s][i] * most_ + h]];
    return step_[sizes_[h]] - 2 * joint / static_cast<double>(draws_.size());
  }

 private:
  const std::vector<Allocation>& draws_;
  int most_;
  std::vector<int> sizes_;
  std::vector<int> cells_;  // per draw: shape (its clusters, most)
  std::vector<std::size_t> offsets_;
  std::vector<double> step_;  // (n + 1) ln(n + 1) - n ln n
};

class ExpectedBinder {
 public:
  ExpectedBinder(const std::vector<Allocation>& draws, int most_clusters)
      : together_(times_together(draws)),
        draws_(static_cast<double>(draws.size())),
        sizes_(most_clusters, 0),
        with_members_(together_.rows(), most_clusters) {}
  void clear() {
    std::fill(sizes_.begin(), sizes_.end(), 0);
    with_members_.setZero();
  }
  void put(std::size_t i, int h, int change) {
    sizes_[h] += change;
    with_members_.col(h) += change * together_.col(static_cast<Eigen::Index>(i));
  }
  // Each member j of the cluster costs (1 - p_ij) instead of p_ij.
  [[nodiscard]] double cost(std::size_t i, int h) const {
    return sizes_[h] - 2 * with_members_(static_cast<Eigen::Index>(i), h) / draws_;
  }

 private:
  Matrix together_;  // counts, whose sums are exact
  double draws_;
  std::vector<int> sizes_;
  Matrix
      with_members_;  // shape (data, most): how often a datum is together with the members, summed over them
};

template <class Expected>
class Search {
 public:
  Search(const std::vector<Allocation>& draws, int most_clusters, ChainRng& rng)
      : expected_(draws, most_clusters), sizes_(most_clusters), order_(draws[0].size()), rng_(rng) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
  }

  Allocation from_nothing() {
    begin();
    Allocation allocation(order_.size(), -1);
    shuffle();
    for (const std::size_t i : order_) enter(allocation, i, best(i));
    return polish(std::move(allocation));
  }
  Allocation from(const Allocation& start) {
    begin();
    Allocation allocation(start.size(), -1);
    for (std::size_t i = 0; i < start.size(); ++i) enter(allocation, i, start[i]);
    return polish(std::move(allocation));
  }

 private:
  void begin() {
    expected_.clear();
    std::fill(sizes_.begin(), sizes_.end(), 0);
  }
  void shuffle() {
    for (std::size_t i = order_.size(); i > 1; --i) std::swap(order_[i - 1], order_[rng_.below(i)]);
  }
  void enter(Allocation& allocation, std::size_t i, int h) {
    allocation[i] = h;
    ++sizes_[h];
    expected_.put(i, h, 1);
  }
  // The cluster of least cost: occupied ones and one empty one.
  [[nodiscard]] int best(std::size_t i) const {
    int chosen = -1;
    double least = std::numeric_limits<double>::infinity();
    bool empty_seen = false;
    for (int h = 0; h < static_cast<int>(sizes_.size()); ++h) {
      if (sizes_[h] == 0 && std::exchange(empty_seen, true)) continue;
      const double cost = expected_.cost(i, h);
      if (cost < least) least = cost, chosen = h;
    }
    return chosen;
  }
  Allocation polish(Allocation allocation) {
    for (int pass = 0; pass < 100; ++pass) {
      bool moved = false;
      shuffle();
      for (const std::size_t i : order_) {
        const int own = allocation[i];
        --sizes_[own];
        expected_.put(i, own, -1);
        const int other = best(i);
        // Stay unless it helps: equal costs would let passes go round in circles.
        const bool better = other != own && expected_.cost(i, other) < expected_.cost(i, own) - 1e-12;
        enter(allocation, i, better ? other : own);
        moved = moved || better;
      }
      if (!moved) break;
    }
    return allocation;
  }

  Expected expected_;
  std::vector<int> sizes_;
  std::vector<std::size_t> order_;
  ChainRng& rng_;
};

// The mean loss of a partition to the draws, without a table for each.
class MeanLoss {
 public:
  MeanLoss(const std::vector<Allocation>& draws, PartitionLoss loss) : draws_(draws) {
    const bool binder = loss == PartitionLoss::binder;
    const auto n = static_cast<double>(draws[0].size());
    scale_ = binder ? (n > 1 ? 1 / pairs(n) : 0) : 1 / n;
    for (std::size_t count = 0; count <= draws[0].size(); ++count)
      term_.push_back((binder ? pairs : n_log_n)(static_cast<double>(count)));
    for (const Allocation& draw : draws) {
      clusters_.push_back(static_cast<std::size_t>(labels(draw)));
      std::vector<int> sizes(clusters_.back(), 0);
      for (const int label : draw) ++sizes[static_cast<std::size_t>(label)];
      own_ += sum(sizes) / static_cast<double>(draws.size());
    }
  }
  [[nodiscard]] double operator()(const Allocation& candidate) const {
    const auto most = static_cast<std::size_t>(labels(candidate));
    std::vector<int> cells(most, 0);
    for (const int label : candidate) ++cells[static_cast<std::size_t>(label)];
    double mean = own_ + sum(cells);
    for (std::size_t s = 0; s < draws_.size(); ++s) {
      cells.assign(most * clusters_[s], 0);
      for (std::size_t i = 0; i < candidate.size(); ++i)
        ++cells[static_cast<std::size_t>(candidate[i]) * clusters_[s] +
                static_cast<std::size_t>(draws_[s][i])];
      mean -= 2 * sum(cells) / static_cast<double>(draws_.size());
    }
    return std::max(0.0, scale_ * mean);
  }

 private:
  [[nodiscard]] double sum(const std::vector<int>& counts) const {
    double total = 0;
    for (const int count : counts) total += term_[static_cast<std::size_t>(count)];
    return total;
  }
  const std::vector<Allocation>& draws_;
  std::vector<double> term_;           // of a count
  std::vector<std::size_t> clusters_;  // of each draw
  double own_ = 0;                     // the draws' own clusters, on average
  double scale_ = 1;
};

template <class Expected>
PointPartition search(const std::vector<Allocation>& draws, PartitionLoss loss, ChainRng& rng,
                      const SearchSettings& settings, int most_clusters) {
  Search<Expected> search(draws, most_clusters, rng);
  PointPartition best{{}, std::numeric_limits<double>::infinity()};
  const MeanLoss mean_loss(draws, loss);
  const auto consider = [&](const Allocation& candidate) {
    const double value = mean_loss(candidate);
    if (value < best.expected_loss) best = {by_first_appearance(candidate), value};
  };
  for (int start = 0; start < settings.starts; ++start) consider(search.from_nothing());
  // A drawn partition as a start too: the most typical of a few is often close.
  const std::size_t stride = std::max<std::size_t>(1, draws.size() / 50);
  std::vector<Allocation> few;
  for (std::size_t s = 0; s < draws.size(); s += stride) few.push_back(draws[s]);
  const MeanLoss mean_loss_to_few(few, loss);
  PointPartition typical{{}, std::numeric_limits<double>::infinity()};
  for (const Allocation& draw : few) {
    const double value = mean_loss_to_few(draw);
    if (value < typical.expected_loss) typical = {by_first_appearance(draw), value};
  }
  if (labels(typical.allocation) <= most_clusters) consider(search.from(typical.allocation));
  return best;
}

}  // namespace

double variation_of_information(std::span<const int> a, std::span<const int> b) {
  const Contingency table(a, b);
  const double sum =
      sum_of(table.rows, n_log_n) + sum_of(table.columns, n_log_n) - 2 * sum_of(table.cells, n_log_n);
  return std::max(0.0, sum / static_cast<double>(a.size()));
}

double binder_loss(std::span<const int> a, std::span<const int> b) {
  if (a.size() < 2) return 0;
  const Contingency table(a, b);
  const double apart =
      sum_of(table.rows, pairs) + sum_of(table.columns, pairs) - 2 * sum_of(table.cells, pairs);
  return apart / pairs(static_cast<double>(a.size()));
}

double adjusted_rand_index(std::span<const int> a, std::span<const int> b) {
  const Contingency table(a, b);
  const double rows = sum_of(table.rows, pairs);
  const double columns = sum_of(table.columns, pairs);
  const double all = pairs(static_cast<double>(a.size()));
  const double expected = all > 0 ? rows * columns / all : 0;
  const double largest = (rows + columns) / 2;
  if (largest == expected) return 1;  // both trivial, and therefore equal
  return (sum_of(table.cells, pairs) - expected) / (largest - expected);
}

Matrix co_clustering(const std::vector<Allocation>& draws) {
  if (draws.empty()) throw Error(ErrorCode::internal, "co-clustering needs draws");
  return times_together(draws) / static_cast<double>(draws.size());
}

PointPartition minimise_expected_loss(const std::vector<Allocation>& draws, PartitionLoss loss, ChainRng& rng,
                                      SearchSettings settings) {
  if (draws.empty() || draws[0].empty()) throw Error(ErrorCode::internal, "a point partition needs draws");
  int most = settings.most_clusters;
  if (most <= 0) {
    for (const Allocation& draw : draws) most = std::max(most, 2 * labels(draw));
    most = std::min(most, static_cast<int>(draws[0].size()));
  }
  if (loss == PartitionLoss::binder) return search<ExpectedBinder>(draws, loss, rng, settings, most);
  return search<ExpectedVi>(draws, loss, rng, settings, most);
}

}  // namespace sotto::mixture
