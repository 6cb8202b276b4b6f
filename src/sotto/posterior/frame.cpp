#include "sotto/posterior/frame.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "sotto/math/decomposition.hpp"
#include "sotto/posterior/entrywise_frame.hpp"
#include "sotto/posterior/usable_rows.hpp"

namespace sotto {
namespace {

constexpr int kRounds = 4;
constexpr int kMostFrameRounds = 7;  // where rounds are cheap: each takes bounds too wide by 1 / sqrt(edge)
constexpr double kCheap = 0.02;
constexpr double kWantedEdge = 0.08;          // of the noise's spectrum, where the moments' own is about 1
constexpr double kWantedEdgeOfCounts = 0.05;  // their means are exponentials of what the moments say
constexpr double kResolved = 2;               // eigenvalues above so many edges are resolved
constexpr double kHiddenAtFirst = 0.7;        // edge of the noise's spectrum in the first round
constexpr double kHiddenOfMany = 0.4;
constexpr double kHopelessAtFirst = 3;
constexpr Eigen::Index kManyColumns = 20;
constexpr double kManyShare = 0.07;  // of the cost, of each of their later rounds
constexpr double kLeastMass =
    0.3;  // of the rows: weights take away less where rows are far from what the schema guesses
constexpr double kLeastMoments = 0.1;        // of the rows, as weighted: else they say nothing of the columns
constexpr double kLeastApart = 1e-3;         // of a column's variance, given the others'
constexpr double kRareShare = 0.05;          // of the rows, that have one of two values
constexpr double kWantedRareNoise = 0.0025;  // of the rows: noise on how many have it
constexpr double kHiddenRareNoise = 0.005;   // likewise: more tells nothing of what is rare
constexpr double kClearRare = 2;             // standard deviations of that noise
constexpr double kDoubtOfHidden =
    0.003;  // of the rows: with more, values that noise hides are left with the other columns
constexpr double kBoundHeadroom = 1.3;  // of the bound over a typical |z|^2

Matrix inverse_of_symmetric(const Matrix& matrix, double least) {
  const Spectrum spectrum(matrix);
  return spectrum.with(spectrum.values().cwiseMax(least).cwiseInverse());
}

/// Means and a covariance of columns that are not correlated but for what the design is sure of: of a category's levels at most one is
/// taken, and where slopes vary their columns add up to the slope's own.
struct PlainMoments {
  Position mean;
  Matrix covariance;
};

/// Whether no column but the first, the intercept, follows from the others.
bool all_apart(const Matrix& covariance) {
  const Eigen::Index rest = covariance.rows() - 1;
  const Matrix columns = covariance.bottomRightCorner(rest, rest);
  const Cholesky root(columns);
  return root.is_positive_definite() &&
         (root.lower().diagonal().array().square() > kLeastApart * columns.diagonal().array()).all();
}

/// `mean`, `square`: of each column.
PlainMoments plain_moments(const OnceFacts& facts, Position mean, Position square) {
  Matrix covariance = (square - Position(mean.cwiseAbs2())).asDiagonal();
  const auto sure = [&](const std::vector<Eigen::Index>& columns, const Matrix& products) {
    const Position of = mean(columns);
    Matrix with = covariance;
    with(columns, columns) = products - of * of.transpose();
    if (all_apart(with)) covariance = std::move(with);  // not where two groups share a slope
  };
  for (const std::vector<Eigen::Index>& levels : facts.factors)
    sure(levels, Position(mean(levels)).asDiagonal());
  for (const VaryingColumns& group : facts.groups) {
    if (group.mean == 0) continue;
    std::vector<Eigen::Index> columns{group.mean};
    columns.insert(columns.end(), group.columns.begin(), group.columns.end());
    Matrix products = Position(square(columns)).asDiagonal();
    products.row(0) = products.diagonal();
    products.col(0) = products.diagonal();
    sure(columns, products);
  }
  return {std::move(mean), std::move(covariance)};
}

/// Centres all columns but the intercept, and gives them a covariance of I.
Matrix whitening(const PlainMoments& moments) {
  const Eigen::Index rest = moments.mean.size() - 1;
  Matrix frame = Matrix::Identity(rest + 1, rest + 1);
  if (rest == 0) return frame;
  const Matrix scale = Cholesky(moments.covariance.bottomRightCorner(rest, rest)).lower();
  frame.bottomRightCorner(rest, rest) = inverse(scale);
  frame.bottomLeftCorner(rest, 1) = -frame.bottomRightCorner(rest, rest) * moments.mean.tail(rest);
  return frame;
}

/// As the schema guesses.
Matrix guessed_frame(const OnceFacts& facts) {
  const Position square = facts.column_scale().cwiseAbs2();
  if (!facts.intercept) return square.cwiseSqrt().cwiseInverse().asDiagonal();
  return whitening(plain_moments(facts, facts.column_mean, square));
}

/// The same from what was released in the guessed frame: each column's mean and mean square. `least`: of a variance, and of a level's
/// share, over what is guessed.
Matrix plain_frame(const OnceFacts& facts, const Matrix& guessed, const Matrix& released, double least) {
  const Matrix back = inverse(guessed);
  const Matrix moments = back * released * back.transpose();
  const Position variance = facts.column_sd.cwiseAbs2();
  if (!facts.intercept)
    return moments.diagonal()
        .cwiseMax(least * facts.column_scale().cwiseAbs2())
        .cwiseSqrt()
        .cwiseInverse()
        .asDiagonal();
  const double mass = moments(0, 0);
  if (!(mass > kLeastMoments)) return guessed;
  Position mean = moments.col(0) / mass;
  mean[0] = 1;
  Position square = (moments.diagonal() / mass).cwiseMax(mean.cwiseAbs2() + least * variance);
  for (const std::vector<Eigen::Index>& levels : facts.factors) {
    const Position guess = facts.column_mean(levels);
    Position shares = Position(mean(levels)).cwiseMax(least * guess);
    const double most = 1 - least * (1 - guess.sum());  // the first level has the rest
    if (shares.sum() > most) shares *= most / shares.sum();
    mean(levels) = shares;
    square(levels) = shares;
  }
  square[0] = 1;
  return whitening(plain_moments(facts, std::move(mean), std::move(square)));
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

/// Columns of two values, one of which may be rare by the first round's means. `noise`: of an entry of `moments`.
std::vector<Eigen::Index> may_be_rare(const OnceFacts& facts, const Matrix& guessed, const Matrix& moments,
                                      double noise) {
  const Position mean = inverse(guessed) * moments.col(0) / moments(0, 0);
  std::vector<Eigen::Index> columns;
  for (Eigen::Index j = 1; j < facts.dim(); ++j) {
    if (!facts.indicator[static_cast<std::size_t>(j)] || facts.in_group(j) || facts.is_threshold(j)) continue;
    const Interval& range = facts.range[static_cast<std::size_t>(j)];
    if (!(range.width() > 0)) continue;
    const double share = (mean[j] - range.lower) / range.width();
    const double doubt = noise * facts.column_sd[j] / range.width();
    if (std::min(share, 1 - share) < kRareShare + doubt) columns.push_back(j);
  }
  return columns;
}

/// How many of the rows have the upper value of such columns, where one value is rare and stands clear of the noise.
struct RareValue {
  Eigen::Index column;
  double mean, sd;  ///< of the column
};
std::vector<RareValue> count_rare(const OnceFacts& facts, const std::vector<Eigen::Index>& columns,
                                  double rows, PaidQuestions& questions) {
  if (columns.empty()) return {};
  constexpr std::size_t kBins = 2;  // between the ends, where nothing is
  constexpr auto kEach = static_cast<Eigen::Index>(kBins) + 2;
  const double sensitivity = std::sqrt(static_cast<double>(columns.size())) * facts.matrix_reach();
  const double wanted = sensitivity / (kWantedRareNoise * rows);
  const double share = std::clamp(wanted * wanted / (2 * questions.rho()), 0.001, 0.05);
  const double doubt = questions.noise_sd(sensitivity, share) / rows;
  if (doubt > kHiddenRareNoise) return {};
  std::vector<Interval> windows;
  windows.reserve(columns.size());
  for (const Eigen::Index j : columns) windows.push_back(facts.range[static_cast<std::size_t>(j)]);
  const auto counts = questions.ask_of_rows<NoisyVector>(
      ColumnHistogramsQuery{columns, windows, kBins, questions.pay(share)}, facts.mean_unit_rows());
  std::vector<RareValue> rare;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const Eigen::Index first = static_cast<Eigen::Index>(k) * kEach;
    const double lower = counts.value[first];
    const double upper = counts.value[first + kEach - 1];
    if (!(lower + upper > 0)) continue;
    const double having = upper / (lower + upper);
    const double counted = std::min(having, 1 - having);
    const bool clear = counted > kClearRare * doubt;
    if (counted > kRareShare || !(clear || doubt < kDoubtOfHidden)) continue;
    const double share =
        std::max(counted, kClearRare * doubt);  // else what rows have it would be too far out
    const double width = windows[k].width();
    const double mean = having < 0.5 ? share : 1 - share;
    rare.push_back({columns[k], windows[k].lower + width * mean, width * std::sqrt(mean * (1 - mean))});
  }
  return rare;
}

/// They have a coordinate of their own from then on.
void set_apart(const std::vector<RareValue>& rare, Matrix& frame, Rounds& rounds) {
  for (const auto& [column, mean, sd] : rare) {
    frame.row(column).setZero();
    frame(column, column) = 1 / sd;
    frame(column, 0) = -mean / sd;
    std::erase(rounds.open, column);
  }
}

/// Of many columns, whose directions noise hides: each pair of them by itself.
/// `frame`: from the means and variances of the first round, whose noise is that of an entry. `bound`: of a row's squared length.
Frame frame_of_many(const OnceFacts& facts, const Matrix& frame, double first_noise, double bound,
                    double rows, PaidQuestions& questions) {
  const auto ask = [&](const Matrix& at) -> AskedMoments {
    const double noise = questions.noise_sd(bound * facts.matrix_reach(), kManyShare) / rows;
    const auto released = questions.ask_of_rows<NoisyMatrix>(
        MomentsQuery{at, bound, questions.pay(kManyShare)}, facts.mean_unit_rows());
    return {at, released.value / rows, noise};
  };
  std::vector<AskedMoments> asked{ask(frame)};
  const Matrix better = plain_frame(facts, frame, asked[0].moments, first_noise / 2);
  asked.push_back(ask(better));
  // Rows that lie far out where columns go together weigh little until that is known.
  const Matrix whitened = entrywise_frame(asked, better).matrix;
  asked.push_back(ask(whitened));
  return entrywise_frame(asked, whitened);
}

}  // namespace

Frame find_frame(const OnceFacts& facts, double rows, PaidQuestions& questions) {
  const Eigen::Index d = facts.dim();
  const auto dim = static_cast<double>(d);
  const bool many = d >= kManyColumns;
  Frame frame{guessed_frame(facts), false};
  Rounds rounds;
  for (Eigen::Index j = 0; j < d; ++j) rounds.open.push_back(j);
  const double wanted_edge = facts.link == Link::log ? kWantedEdgeOfCounts : kWantedEdge;
  const double bound = kBoundHeadroom * dim;
  const double sensitivity = bound * facts.matrix_reach();
  for (int round = 0; round < kMostFrameRounds && !rounds.open.empty(); ++round) {
    const double wanted = std::sqrt(2 * dim) * sensitivity / (rows * wanted_edge);
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
    if (round == 0 && noise * std::sqrt(2 * dim) > (many ? kHiddenOfMany : kHiddenAtFirst)) {
      frame.matrix = plain_frame(facts, frame.matrix, moments, noise);
      if (noise * std::sqrt(2 * dim) > kHopelessAtFirst) return frame;
      if (many) {
        Frame of_many = frame_of_many(facts, frame.matrix, noise, bound, rows, questions);
        of_many.few_usable = frame.few_usable;
        return of_many;
      }
      continue;
    }
    if (round == 0 && facts.intercept)
      set_apart(count_rare(facts, may_be_rare(facts, frame.matrix, moments, noise), rows, questions),
                frame.matrix, rounds);
    const double edge = noise * std::sqrt(2 * static_cast<double>(rounds.open.size()));
    frame.matrix = refine(moments, noise, edge, rounds) * frame.matrix;
  }
  frame.resolved = rounds.open.empty();
  return frame;
}

}  // namespace sotto
