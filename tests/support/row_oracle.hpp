// Answers release-once's questions from rows with continuous noise: what the analyst's side is tested with alone.
#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include "sotto/model/glm/bounded_residual.hpp"
#include "sotto/posterior/once_facts.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/release/query.hpp"
#include "support/bounded_row.hpp"
#include "support/released_for_tests.hpp"

namespace sotto {

class RowOracle final : public QueryInterface {
 public:
  RowOracle(const OnceFacts& facts, Matrix x, Position y, Rho budget, std::uint64_t seed)
      : facts_(facts), x_(std::move(x)), y_(std::move(y)), left_(budget.value()), rng_(seed, 0x0c1e) {}

  [[nodiscard]] std::vector<Answer> answer(std::span<const Query> queries) override {
    std::vector<Answer> answers;
    for (const Query& query : queries) {
      answers.push_back(std::visit([this](const auto& q) { return one(q); }, query));
    }
    return answers;
  }
  [[nodiscard]] Rho left() const override { return Rho(std::max(left_, 0.0)); }

 private:
  template <class Other>
  Answer one(const Other&) {
    return QueryStatus::out_of_range;
  }

  double sd(double sensitivity, Rho cost) {
    left_ -= cost.value();
    return sensitivity / std::sqrt(2 * cost.value());
  }
  Answer vector(Position value, double sensitivity, Rho cost) {
    const double s = sd(sensitivity, cost);
    value += s * rng_.normals(value.size());
    return ReleasedForTests::make(NoisyVector{std::move(value), s * s});
  }
  Answer matrix(Matrix value, double bound, Rho cost) {
    const double s = sd(bound * facts_.matrix_reach(), cost);
    for (Eigen::Index i = 0; i < value.rows(); ++i) {
      value(i, i) += s * rng_.normal();
      for (Eigen::Index j = i + 1; j < value.cols(); ++j) {
        value(i, j) += s / std::numbers::sqrt2 * rng_.normal();
        value(j, i) = value(i, j);
      }
    }
    return ReleasedForTests::make(NoisyMatrix{std::move(value), s * s});
  }

  struct Weighted {
    Matrix z;
    Position c, psi, largest, slope, length2;
  };
  Weighted weighted(const BoundedWeighting& w) const {
    const Eigen::Index n = y_.size();
    Weighted r{x_ * w.frame.transpose(), Position(n), Position(n), Position(n), Position(n), Position(n)};
    const Position eta = x_ * w.at;
    for (Eigen::Index i = 0; i < n; ++i) {
      const double mean = testing_reference::mean_at(facts_.link, eta[i]);
      const BoundedResidual b = with_response(
          facts_.link, [&](auto response) { return response.residual(y_[i], mean, w.clip, w.dispersion); });
      r.length2[i] = r.z.row(i).squaredNorm();
      r.c[i] = std::min({1.0, w.score_bound / (b.largest * std::sqrt(r.length2[i])),
                         w.information_bound / (b.largest_slope * r.length2[i])});
      r.psi[i] = b.psi;
      r.largest[i] = b.largest;
      r.slope[i] = b.slope;
    }
    return r;
  }

  Answer one(const BoundedScoreQuery& q) {
    const Weighted r = weighted(q.weighting);
    return vector(r.z.transpose() * r.c.cwiseProduct(r.psi), facts_.vector_reach() * q.weighting.score_bound,
                  q.cost);
  }
  Answer one(const BoundedInformationQuery& q) {
    const Weighted r = weighted(q.weighting);
    return matrix(r.z.transpose() * r.c.cwiseProduct(r.slope).asDiagonal() * r.z,
                  q.weighting.information_bound, q.cost);
  }
  Answer one(const ScoreSquaresQuery& q) {
    const Weighted r = weighted(q.weighting);
    const Position squares = (r.c.array() * r.psi.array()).square();
    return matrix(r.z.transpose() * squares.asDiagonal() * r.z,
                  q.weighting.score_bound * q.weighting.score_bound, q.cost);
  }
  Answer one(const MomentsQuery& q) {
    const Matrix z = x_ * q.frame.transpose();
    const Position c = (q.bound / z.rowwise().squaredNorm().array().max(1e-300)).min(1.0);
    return matrix(z.transpose() * c.asDiagonal() * z, q.bound, q.cost);
  }
  Answer one(const ResidualSquaresQuery& q) {
    const Position eta = x_ * q.at;
    double sum = 0;
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      const double r = std::clamp(y_[i] - testing_reference::mean_at(facts_.link, eta[i]), -q.clip, q.clip);
      sum += r * r;
    }
    return vector(Position::Constant(1, sum), q.clip * q.clip, q.cost);
  }
  Answer one(const HistogramQuery& q) {
    const Eigen::Index bins = q.edges.size() - 1;
    Position counts = Position::Zero(bins * (q.split ? 2 : 1));
    const Position eta = q.at.size() > 0 ? Position(x_ * q.at) : Position::Zero(y_.size());
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      double value = y_[i];
      if (q.quantity == HistogramOf::log_response) value = std::log(y_[i] + 0.5);
      if (q.quantity == HistogramOf::residual) value = y_[i] - eta[i];
      if (q.quantity == HistogramOf::absolute_residual) {
        const double m = testing_reference::mean_at(facts_.link, eta[i]);
        value = std::abs(y_[i] - m) / (facts_.link == Link::log ? std::max(1.0, std::sqrt(m)) : 1);
      }
      const auto above = std::upper_bound(q.edges.begin(), q.edges.end(), value) - q.edges.begin();
      counts[std::clamp<Eigen::Index>(above - 1, 0, bins - 1) + (q.split && eta[i] >= *q.split ? bins : 0)] +=
          1;
    }
    return vector(counts, facts_.matrix_reach(), q.cost);
  }
  Answer one(const ColumnHistogramsQuery& q) {
    const auto bins = static_cast<double>(q.bins);
    Position counts = Position::Zero(static_cast<Eigen::Index>(q.columns.size() * (q.bins + 2)));
    for (std::size_t k = 0; k < q.columns.size(); ++k) {
      for (const double x : x_.col(q.columns[k])) {
        const double place = (x - q.windows[k].lower) / q.windows[k].width() * bins;
        const double bin = x <= q.windows[k].lower   ? 0
                           : x >= q.windows[k].upper ? bins + 1
                                                     : 1 + std::floor(std::min(place, bins - 0.5));
        counts[static_cast<Eigen::Index>(k * (q.bins + 2)) + static_cast<Eigen::Index>(bin)] += 1;
      }
    }
    return vector(counts, std::sqrt(static_cast<double>(q.columns.size())) * facts_.matrix_reach(), q.cost);
  }
  Answer one(const GroupedResidualsQuery& q) {
    const Eigen::Index bins = q.bins();
    const Position eta = x_ * q.at;
    Position counts = Position::Zero(q.entries());
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      const double mean = testing_reference::mean_at(facts_.link, eta[i]);
      const double residual = facts_.link == Link::log ? y_[i] / mean : y_[i] - mean;
      const auto above = std::upper_bound(q.edges.begin(), q.edges.end(), residual) - q.edges.begin();
      Eigen::Index first = std::clamp<Eigen::Index>(above - 1, 0, bins - 1);
      for (const Grouping& grouping : q.groupings) {
        Eigen::Index group = 0;
        while (group < grouping.cuts.size() &&
               x_(i, grouping.columns[static_cast<std::size_t>(group)]) < grouping.cuts[group]) {
          ++group;
        }
        counts[first + group * bins] += grouping.weight;
        first += grouping.groups() * bins;
      }
    }
    return vector(counts, q.reach() * facts_.matrix_reach(), q.cost);
  }
  Answer one(const CurvesQuery& q) {
    const auto entries = static_cast<Eigen::Index>(q.curves.size());
    const Position eta = x_ * q.at;
    Position sum = Position::Zero(entries);
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      const double mean = testing_reference::mean_at(facts_.link, eta[i]);
      const BoundedResidual r = with_response(
          facts_.link, [&](auto response) { return response.residual(y_[i], mean, q.clip, q.dispersion); });
      Position value(entries);
      for (Eigen::Index k = 0; k < entries; ++k) {
        const ColumnCurve& curve = q.curves[static_cast<std::size_t>(k)];
        const double w = (x_(i, curve.column) - curve.centre) / curve.scale;
        const double v = std::max(w, 0.0);
        value[k] = curve.shape == CurveShape::square ? std::min(w * w, 4.0) - 0.92054966 : (v - 1) / (v + 1);
      }
      sum += std::min(1.0, q.bound / (r.largest * value.norm())) * r.psi * value;
    }
    return vector(sum, facts_.vector_reach() * q.bound, q.cost);
  }
  Answer one(const RemainderQuery& q) {
    const Weighted r = weighted(q.weighting);
    const Position eta = x_ * q.weighting.at;
    Position sum = Position::Zero(x_.cols());
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      const double mean = testing_reference::mean_at(facts_.link, eta[i]);
      const WiderResidual wider = with_response(facts_.link, [&](auto response) {
        return response.wider(y_[i], mean, q.weighting.clip, q.wide_clip, q.weighting.dispersion);
      });
      const double w = std::min(r.c[i], q.bound / (wider.most * std::sqrt(r.length2[i])));
      sum += w * wider.more * r.z.row(i).transpose();
    }
    return vector(sum, facts_.vector_reach() * q.bound, q.cost);
  }
  Answer one(const LightRowsQuery& q) {
    const Weighted r = weighted(q.weighting);
    Position sum = Position::Zero(x_.cols() + 1);
    for (Eigen::Index i = 0; i < y_.size(); ++i) {
      if (r.c[i] < 0.5) sum[0] += 0.5;
      sum.tail(x_.cols()) +=
          std::min(r.c[i], 1 - r.c[i]) * r.psi[i] / q.weighting.score_bound * r.z.row(i).transpose();
    }
    return vector(
        sum,
        facts_.unit_rows * (facts_.adjacency == Adjacency::substitute ? std::sqrt(4.25) : std::sqrt(1.25)),
        q.cost);
  }
  Answer one(const TotalQuery& q) {
    const double sum = q.quantity == TotalOf::rows ? static_cast<double>(y_.size()) : y_.sum();
    return vector(Position::Constant(1, sum), 1, q.cost);
  }

  OnceFacts facts_;
  Matrix x_;
  Position y_;
  double left_;
  ChainRng rng_;
};

}  // namespace sotto
