#include "sotto/posterior/frame.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/usable_rows.hpp"

namespace sotto {
namespace {

constexpr int kRounds = 4;
constexpr int kMostFrameRounds = 7;  // where rounds are cheap: each takes bounds too wide by 1 / sqrt(edge)
constexpr double kCheap = 0.02;
constexpr double kWantedEdge = 0.08;  // of the noise's spectrum, where the moments' own is about 1
constexpr double kResolved = 2;       // eigenvalues above so many edges are resolved
constexpr double kLeastMass =
    0.3;  // of the rows: weights take away less where rows are far from what the schema guesses
constexpr double kBoundHeadroom = 1.3;  // of the bound over a typical |z|^2

Matrix inverse_of_symmetric(const Matrix& matrix, double least) {
  const Spectrum spectrum(matrix);
  return spectrum.with(spectrum.values().cwiseMax(least).cwiseInverse());
}

/// Centres and scales each column by its mean and variance: the intercept's row and the diagonal of `moments`.
Matrix centre_and_scale(const Matrix& moments, bool intercept, double least) {
  const Eigen::Index d = moments.rows();
  Matrix change = Matrix::Identity(d, d);
  const double mass = intercept ? std::max(moments(0, 0), 0.1) : 1;
  for (Eigen::Index j = intercept ? 1 : 0; j < d; ++j) {
    const double mean = intercept ? moments(0, j) / mass : 0;
    const double sd = std::sqrt(std::max(moments(j, j) / mass - mean * mean, least));
    change(j, j) = 1 / sd;
    if (intercept) change(j, 0) = -mean / sd;
  }
  return change;
}

/// Columns centred and scaled as the schema guesses.
Matrix guessed_frame(const OnceFacts& facts) {
  if (!facts.intercept) return facts.column_scale().cwiseInverse().asDiagonal();
  Matrix frame = Matrix::Identity(facts.dim(), facts.dim());
  for (Eigen::Index j = 1; j < facts.dim(); ++j) {
    frame(j, j) = 1 / facts.column_sd[j];
    frame(j, 0) = -facts.column_mean[j] / facts.column_sd[j];
  }
  return frame;
}

/// The rounds' state: which coordinates are resolved, and what the round before says in today's coordinates.
struct Rounds {
  std::vector<Eigen::Index> resolved, open;
  std::optional<Matrix> before;
  double noise_before = 0;
};

/// One round: removes from the open coordinates what the resolved ones predict, and scales the directions that are left.
/// Returns the change of frame. `noise`: of a diagonal entry of `moments`; `edge`: of the noise's spectrum there.
Matrix refine(const Matrix& moments, double noise, double edge, Rounds& rounds) {
  const Eigen::Index d = moments.rows();
  Matrix remove = Matrix::Identity(d, d);
  Matrix rest = moments(rounds.open, rounds.open);
  if (!rounds.resolved.empty()) {
    const Matrix across = moments(rounds.open, rounds.resolved);
    const Matrix predicts = across * inverse_of_symmetric(moments(rounds.resolved, rounds.resolved), 0.1);
    remove(rounds.open, rounds.resolved) = -predicts;
    rest -= predicts * across.transpose();
  }
  const Spectrum spectrum(rest);
  Position values = spectrum.values();
  const Matrix& vectors = spectrum.vectors();
  if (rounds.before) {
    // Weights shrink rare directions: the round before, less weighted, knows better how long they are.
    const Matrix moved = remove * *rounds.before * remove.transpose();
    const Matrix known = moved(rounds.open, rounds.open);
    for (Eigen::Index k = 0; k < values.size(); ++k) {
      const double predicted = vectors.col(k).dot(known * vectors.col(k)) - rounds.noise_before;
      values[k] = std::clamp(predicted, values[k], std::max(values[k], 1.0));
    }
  }
  std::vector<bool> clear(rounds.open.size());
  for (std::size_t i = 0; i < clear.size(); ++i) {
    clear[i] = values[static_cast<Eigen::Index>(i)] > kResolved * edge;
  }
  Matrix scale = Matrix::Identity(d, d);
  scale(rounds.open, rounds.open) =
      values.cwiseMax(edge).cwiseSqrt().cwiseInverse().asDiagonal() * vectors.transpose();
  Matrix change = scale * remove;
  rounds.before = change * moments * change.transpose();
  rounds.noise_before = noise / edge;
  std::vector<Eigen::Index> open;
  for (std::size_t i = 0; i < clear.size(); ++i) {
    (clear[i] ? rounds.resolved : open).push_back(rounds.open[i]);
  }
  std::sort(rounds.resolved.begin(), rounds.resolved.end());
  rounds.open = std::move(open);
  return change;
}

}  // namespace

Frame find_frame(const OnceFacts& facts, double rows, PaidQuestions& questions) {
  const Eigen::Index d = facts.dim();
  const auto dim = static_cast<double>(d);
  Frame frame{guessed_frame(facts), false};
  Rounds rounds;
  for (Eigen::Index j = 0; j < d; ++j) rounds.open.push_back(j);
  const double bound = kBoundHeadroom * dim;
  const double sensitivity = bound * facts.matrix_reach();
  for (int round = 0; round < kMostFrameRounds && !rounds.open.empty(); ++round) {
    const double wanted = std::sqrt(2 * dim) * sensitivity / (rows * kWantedEdge);
    const double share = std::clamp(wanted * wanted / (2 * questions.rho()), 0.005, 0.04);
    const double noise = questions.noise_sd(sensitivity, share) / rows;
    if (round == 0 && noise > 0.35) return frame;
    if (round >= kRounds && share > kCheap) break;
    const auto released = questions.ask_of_rows<NoisyMatrix>(
        MomentsQuery{frame.matrix, bound, questions.pay(share)}, facts.mean_unit_rows());
    const Matrix moments = released.value / rows;
    if (round == 0 && facts.intercept) {
      frame.few_usable = few_usable({Position{{released.value(0, 0)}}, released.variance}, rows, kLeastMass);
    }
    if (round == 0 && noise * std::sqrt(2 * dim) > 0.7) {
      frame.matrix = centre_and_scale(moments, facts.intercept, noise) * frame.matrix;
      if (noise * std::sqrt(2 * dim) > 3) return frame;
      continue;
    }
    const double edge = noise * std::sqrt(2 * static_cast<double>(rounds.open.size()));
    frame.matrix = refine(moments, noise, edge, rounds) * frame.matrix;
  }
  frame.resolved = rounds.open.empty();
  return frame;
}

}  // namespace sotto
