// Simulated logistic data sets fitted by release-once, next to the non-private posterior.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "sotto/ledger/budget.hpp"
#include "sotto/owner/data_owner.hpp"
#include "sotto/posterior/once_sampler.hpp"
#include "sotto/run/once.hpp"

namespace sotto {

/// A design of the study: `dim` columns, the first 1, the others uniform on [-1, 1]; coefficients N(0, 1/4) with prior
/// N(0, 2.5^2). (Dividing the covariates by sqrt(dim) and multiplying the coefficients changes nothing.)
struct OnceCell {
  std::size_t rows = 20000;
  Eigen::Index dim = 5;
  double epsilon = 1;
  double delta = 1e-6;
  Adjacency adjacency = Adjacency::substitute;
};

/// Of one data set, averages over its coefficients.
struct OnceOutcome {
  double covered = 0;            ///< 90 % intervals that hold the true coefficient
  double covered_reference = 0;  ///< likewise of the non-private posterior
  double sd_ratio = 0;           ///< posterior sd over the non-private posterior's
  double predicted = 0;          ///< the same as predicted from releases
};

struct OnceStudy {
  static constexpr double kPriorSd = 2.5;
  std::size_t draws = 1000;

  [[nodiscard]] static Glm model(Eigen::Index dim) {
    std::vector<DomainComponent> components{{{0}, Matrix::Ones(1, 1)}};
    for (Eigen::Index j = 1; j < dim; ++j) components.push_back({{j}, Matrix{{-1.0}, {1.0}}});
    return Glm({Family::bernoulli}, Domain(std::move(components)), {0, 1});
  }

  struct Simulated {
    Rows rows;
    Matrix x;
    Position y, coefficients;
  };

  [[nodiscard]] static Simulated simulate(const OnceCell& cell, ChainRng& rng) {
    const auto n = static_cast<Eigen::Index>(cell.rows);
    Simulated data{Rows(cell.rows, static_cast<std::size_t>(cell.dim) + 1), Matrix(n, cell.dim), Position(n),
                   0.5 * rng.normals(cell.dim)};
    for (Eigen::Index i = 0; i < n; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Eigen::Index j = 0; j < cell.dim; ++j) {
        data.x(i, j) = j == 0 ? 1 : 2 * rng.uniform() - 1;
        data.rows.at(row, static_cast<std::size_t>(j)) = data.x(i, j);
      }
      data.y[i] = rng.uniform() < 1 / (1 + std::exp(-data.x.row(i).dot(data.coefficients))) ? 1 : 0;
      data.rows.at(row, static_cast<std::size_t>(cell.dim)) = data.y[i];
      data.rows.weight(row) = 1;
    }
    return data;
  }

  struct Normal {
    Position mean, sd;
  };

  /// The non-private posterior: its mode and curvature, by Newton's method.
  [[nodiscard]] static Normal non_private(const Simulated& data) {
    const double precision = 1 / (kPriorSd * kPriorSd);
    Normal posterior{Position::Zero(data.x.cols()), {}};
    Matrix curvature;
    for (int step = 0; step < 50; ++step) {
      const Eigen::ArrayXd p = (1 + (-(data.x * posterior.mean).array()).exp()).inverse();
      curvature = data.x.transpose() * (p * (1 - p)).matrix().asDiagonal() * data.x;
      curvature.diagonal().array() += precision;
      const Position move = curvature.ldlt().solve(data.x.transpose() * (data.y.array() - p).matrix() -
                                                   precision * posterior.mean);
      posterior.mean += move / std::max(1.0, move.norm() / 3);
      if (move.norm() < 1e-9) break;
    }
    posterior.sd = curvature.inverse().diagonal().cwiseSqrt();
    return posterior;
  }

  [[nodiscard]] OnceOutcome run(const OnceCell& cell, ChainRng& rng, EntropySource& entropy) const {
    Simulated data = simulate(cell, rng);
    const Normal reference = non_private(data);
    Budget budget(Epsilon(cell.epsilon), Delta(cell.delta));
    const Glm glm = model(cell.dim);
    const NormalPrior prior{Position::Zero(cell.dim), Position::Constant(cell.dim, kPriorSd)};
    const OnceSettings settings = once_settings(glm, true, prior, Rho(budget.left().value() * (1 - 1e-6)));
    DataOwner owner(std::move(data.rows), glm, {cell.adjacency, 1}, {}, budget, entropy);
    const OnceRelease release = release_once(settings, owner);
    const OncePosterior posterior = sample_once(release, prior, {}, {1, 100, draws, 3, rng()});

    OnceOutcome outcome;
    const double share = 1 / static_cast<double>(cell.dim);
    for (Eigen::Index j = 0; j < cell.dim; ++j) {
      const double truth = data.coefficients[j];
      Eigen::VectorXd column = posterior.chains[0].draws.col(j);
      const double sd = std::sqrt((column.array() - column.mean()).square().mean());
      const double below =
          static_cast<double>((column.array() < truth).count()) / static_cast<double>(column.size());
      outcome.covered += share * (below >= 0.05 && below <= 0.95 ? 1 : 0);
      outcome.covered_reference +=
          share * (std::abs(truth - reference.mean[j]) < 1.6448536 * reference.sd[j] ? 1 : 0);
      outcome.sd_ratio += share * sd / reference.sd[j];
    }
    outcome.predicted = posterior.sd_inflation.mean();
    return outcome;
  }
};

}  // namespace sotto
