// What release-once asks of a regression's rows: totals, histograms, moments, and a bounded weighted score.
#pragma once

#include <cmath>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto/base/numbers.hpp"
#include "sotto/base/position.hpp"

namespace sotto {

// What answers a question, its `Answered`: so many `entries` of a vector, or rows and columns of a matrix. Both below.
struct NoisyVector;
struct NoisyMatrix;

/// Public weights that bound what one row can do. With z = frame x, eta = x' at and the mean m of y there:
///   residual  logistic  psi = y - m                       M = max(m, 1 - m)              b = B = m (1 - m)
///             normal    psi = clip(y - m, -h, h)          M = h                          b = 1{|y - m| < h}, B = 1
///             counts    psi = clip(y, l, u) - E clip(Y, l, u), Y of mean m and variance V = m + dispersion m^2, Poisson
///                       or negative binomial; l, u = m -+ h max(1, sqrt V), l at least 0
///                       M = max(u - E, E - l)             b = B = m dE/dm
///             events in a piece of time at risk, of which the share s is lived through: psi = y - s m, b = s m, up to where
///                       the hazard at this position, cumulated over the time's pieces, has come to h: what comes later counts
///                       nothing; M and B bound the sums of |psi| and b over all pieces (measurement/regression_rows.hpp)
///   weight    c = min(1, score_bound / (M |z|), information_bound / (B |z|^2))
/// M and B are the largest |psi| and b over the responses, so the weight is a function of the covariates alone and the
/// weighted score has mean zero at the true position. Where a unit's rows stand side by side they have one weight,
///   c = min(1, score_bound / sum M |z|, information_bound / sum B |z|^2).
/// Ordered categories, of whose response the rows z_k are the thresholds', each of a weight w_k: psi z stands for
///   s = sum over k of w_k (1{y > k} - m_k) z_k,   b z z' for the sum over k of w_k m_k (1 - m_k) z_k z_k',
/// and c = min(1, score_bound / S, information_bound / T), S the largest |s| over the categories, T the matrix's trace.
struct BoundedWeighting {
  Position at;
  Matrix frame;              ///< shape (dim, dim), invertible
  double score_bound;        ///< > 0
  double information_bound;  ///< > 0
  double clip;               ///< h > 0; logistic residuals need none and ignore it
  double dispersion = 0;     ///< of counts, >= 0; other residuals ignore it
  Position thresholds{};     ///< of ordered categories: the weights w, each > 0; else empty

  static BoundedWeighting blank() {
    return {.at = {}, .frame = {}, .score_bound = 1, .information_bound = 1, .clip = 1};
  }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("frame", of.frame), visit("score_bound", of.score_bound),
        visit("information_bound", of.information_bound), visit("clip", of.clip),
        visit("dispersion", of.dispersion), visit("thresholds", of.thresholds);
  }
};

/// Asks for the sum over the rows of  c psi z.
struct BoundedScoreQuery {
  BoundedWeighting weighting;
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const { return weighting.at.size(); }
  static constexpr std::string_view name = "bounded score";
  static BoundedScoreQuery blank() { return {BoundedWeighting::blank(), Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("weighting", of.weighting), visit("cost", of.cost);
  }
};

/// Asks for the sum over the rows of  c b z z'.
struct BoundedInformationQuery {
  BoundedWeighting weighting;
  Rho cost;

  using Answered = NoisyMatrix;
  [[nodiscard]] Eigen::Index entries() const { return weighting.at.size(); }
  static constexpr std::string_view name = "bounded information";
  static BoundedInformationQuery blank() { return {BoundedWeighting::blank(), Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("weighting", of.weighting), visit("cost", of.cost);
  }
};

/// Asks for the sum over the rows of  c^2 psi^2 z z': the score's own variance. Where a unit's rows stand side by side, for that over the
/// units of s s' with s = sum c psi z: rows of a unit may be alike.
struct ScoreSquaresQuery {
  BoundedWeighting weighting;
  Rho cost;
  /// Scores are shortened to this before they are squared; none: to the weighting's score_bound, which none is longer than.
  std::optional<double> longest = {};  ///< > 0

  using Answered = NoisyMatrix;
  [[nodiscard]] Eigen::Index entries() const { return weighting.at.size(); }
  static constexpr std::string_view name = "score squares";
  static ScoreSquaresQuery blank() { return {BoundedWeighting::blank(), Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("weighting", of.weighting), visit("longest", of.longest), visit("cost", of.cost);
  }
};

/// Asks for the sum over the rows of  min(1, bound / |z|^2) z z'. Where a unit's rows stand side by side this, as what residual squares,
/// histograms and totals ask for, is the sum over the units of the mean over their rows.
struct MomentsQuery {
  Matrix frame;
  double bound;  ///< > 0
  Rho cost;

  using Answered = NoisyMatrix;
  [[nodiscard]] Eigen::Index entries() const { return frame.rows(); }
  static constexpr std::string_view name = "moments";
  static MomentsQuery blank() { return {.frame = {}, .bound = 1, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("frame", of.frame), visit("bound", of.bound), visit("cost", of.cost);
  }
};

/// Asks for the sum over the rows of  clip(y - m, -h, h)^2  at a position of a normal model.
struct ResidualSquaresQuery {
  Position at;
  double clip;  ///< h > 0
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] static Eigen::Index entries() { return 1; }
  static constexpr std::string_view name = "residual squares";
  static ResidualSquaresQuery blank() { return {.at = {}, .clip = 1, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("clip", of.clip), visit("cost", of.cost);
  }
};

/// What a histogram counts; a value beyond the edges is counted in the first or last bin.
enum class HistogramOf {
  response,           ///< y
  log_response,       ///< log(y + 1/2)
  residual,           ///< y - m of a normal model
  absolute_residual,  ///< |y - m| / max(1, sqrt m) of a Poisson model
  unit_rows,          ///< how many rows a unit has that stand side by side; units are counted, not rows
};

/// Asks how many rows fall between neighbouring edges.
struct HistogramQuery {
  HistogramOf quantity;
  Position at;     ///< residuals only
  Position edges;  ///< ascending, at least two
  Rho cost;
  /// Residuals only: rows whose linear predictor is at least this are counted in bins of their own, behind the others'.
  std::optional<double> split = {};

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const { return (edges.size() - 1) * (split ? 2 : 1); }
  static constexpr std::string_view name = "histogram";
  static HistogramQuery blank() {
    return {.quantity = HistogramOf::response, .at = {}, .edges = {}, .cost = Rho(0)};
  }
  static void fields(auto& of, const auto& visit) {
    visit("quantity", of.quantity), visit("at", of.at), visit("edges", of.edges), visit("split", of.split),
        visit("cost", of.cost);
  }
};

/// Asks, for each of some columns, how many rows fall into each of `bins` bins of equal width over a window, and how many lie at
/// either end of it or beyond. The answer holds bins + 2 counts of each column, one column after the other: at the lower
/// end, in the bins, at the upper end.
struct ColumnHistogramsQuery {
  std::vector<Eigen::Index> columns;  ///< at least one, each at most once
  std::vector<Interval> windows;      ///< one per column, of positive width
  std::size_t bins;                   ///< at least two
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const {
    return static_cast<Eigen::Index>(columns.size() * (bins + 2));
  }
  static constexpr std::string_view name = "column histograms";
  static ColumnHistogramsQuery blank() { return {.columns = {}, .windows = {}, .bins = 2, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("columns", of.columns), visit("windows", of.windows), visit("bins", of.bins),
        visit("cost", of.cost);
  }
};

/// Groups of rows: a row is in that of the first of the columns whose value is at least its cut, or else in the last group.
struct Grouping {
  std::vector<Eigen::Index> columns;  ///< at least one, each at most once
  Position cuts;                      ///< one per column
  double weight = 1;                  ///< > 0: what a row adds to its count

  [[nodiscard]] Eigen::Index groups() const { return cuts.size() + 1; }

  static void fields(auto& of, const auto& visit) {
    visit("columns", of.columns), visit("cuts", of.cuts), visit("weight", of.weight);
  }
};

/// Asks, for each of some groupings, how many rows of each group, by its weight, have residuals between neighbouring edges: y - m of a normal model,
/// y / m of counts. A residual beyond the edges is counted in the first or last bin. The answer holds the first grouping's
/// first group's counts, those of its next group, and so on.
struct GroupedResidualsQuery {
  Position at;
  Position edges;  ///< ascending, at least two
  std::vector<Grouping> groupings;
  Rho cost;

  [[nodiscard]] Eigen::Index bins() const { return edges.size() - 1; }
  /// How far a row can move the answer.
  [[nodiscard]] double reach() const {
    double square = 0;
    for (const Grouping& one : groupings) square += one.weight * one.weight;
    return std::sqrt(square);
  }
  [[nodiscard]] Eigen::Index entries() const {
    Eigen::Index groups = 0;
    for (const Grouping& one : groupings) groups += one.groups();
    return groups * bins();
  }

  using Answered = NoisyVector;
  static constexpr std::string_view name = "grouped residuals";
  static GroupedResidualsQuery blank() { return {.at = {}, .edges = {}, .groupings = {}, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("edges", of.edges), visit("groupings", of.groupings), visit("cost", of.cost);
  }
};

enum class CurveShape {
  square,  ///< min(w^2, 4) - E min(W^2, 4), W standard normal
  levelling  ///< (v - 1) / (v + 1), v = max(w, 0): of columns with a long upper tail, or a pile at their lower end
};

/// A function of a column's value x, by w = (x - centre) / scale.
struct ColumnCurve {
  Eigen::Index column = 0;
  CurveShape shape = CurveShape::square;
  double centre = 0;
  double scale = 1;  ///< > 0

  static void fields(auto& of, const auto& visit) {
    visit("column", of.column), visit("shape", of.shape), visit("centre", of.centre),
        visit("scale", of.scale);
  }
};

/// Asks whether the effects of some columns are curved: for the sum over the rows of  c psi q  with
///   q the curves' values,  c = min(1, bound / (M |q|))
/// and psi and M as of a BoundedWeighting; of ordered categories the sum is over the responses, psi the sum over k of
/// w_k (1{y > k} - m_k), and M the largest |psi| over the categories.
struct CurvesQuery {
  Position at;
  double clip;                      ///< > 0
  double dispersion;                ///< >= 0
  std::vector<ColumnCurve> curves;  ///< at least one
  double bound;                     ///< > 0
  Rho cost;
  Position thresholds = {};  ///< of ordered categories: the weights w, each > 0; else empty

  static constexpr double kLargestSquare = 4;
  static constexpr double kMeanSquare = 0.92054966;  ///< E min(W^2, 4)

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const { return static_cast<Eigen::Index>(curves.size()); }
  static constexpr std::string_view name = "curves";
  static CurvesQuery blank() {
    return {.at = {}, .clip = 1, .dispersion = 0, .curves = {}, .bound = 1, .cost = Rho(0)};
  }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("clip", of.clip), visit("dispersion", of.dispersion),
        visit("curves", of.curves), visit("bound", of.bound), visit("thresholds", of.thresholds),
        visit("cost", of.cost);
  }
};

/// Asks whether columns' effects on ordered categories differ between the K - 1 thresholds, and whether m climbs otherwise than by the
/// logistic curve: for the sum over the responses of c v,  v = (q t', contrast by contrast, u),  with
///   q = (x - centre) / scale of each column,  t = contrasts' r,  r_k = 1{y > k} - m_k
///   u = sum over k of tails_k ((1 - 2 m_k)^2 - level) r_k: beside a skewed curve, responses are off alike in both tails
///   c = min(1, bound / the largest |v| over the categories).
struct ThresholdEffectsQuery {
  Position at;
  std::vector<Eigen::Index> columns;  ///< at least one, each at most once
  Position centre;                    ///< one entry per column
  Position scale;                     ///< likewise, > 0
  Matrix contrasts;                   ///< shape (K - 1, at least one)
  Position tails;                     ///< of size K - 1
  double level;
  double bound;  ///< > 0
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const {
    return static_cast<Eigen::Index>(columns.size()) * contrasts.cols() + 1;
  }
  static constexpr std::string_view name = "threshold effects";
  static ThresholdEffectsQuery blank() {
    return {.at = {},
            .columns = {},
            .centre = {},
            .scale = {},
            .contrasts = {},
            .tails = {},
            .level = 0,
            .bound = 1,
            .cost = Rho(0)};
  }
  static void fields(auto& of, const auto& visit) {
    visit("at", of.at), visit("columns", of.columns), visit("centre", of.centre), visit("scale", of.scale),
        visit("contrasts", of.contrasts), visit("tails", of.tails), visit("level", of.level),
        visit("bound", of.bound), visit("cost", of.cost);
  }
};

/// Asks what a wider clip would add to a score: for the sum over the rows of  w (psi' - psi) z, with psi' as psi but clipped at
/// `wide_clip`, D the largest |psi' - psi| over the responses, and w = min(c, bound / (D |z|)): zero where the weighting's own
/// clip takes nothing off that the model does not put back.
struct RemainderQuery {
  BoundedWeighting weighting;  ///< of a model that clips: normal or counts
  double wide_clip;            ///< > weighting.clip
  double bound;                ///< > 0
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const { return weighting.at.size(); }
  static constexpr std::string_view name = "remainder";
  static RemainderQuery blank() {
    return {.weighting = BoundedWeighting::blank(), .wide_clip = 1, .bound = 1, .cost = Rho(0)};
  }
  static void fields(auto& of, const auto& visit) {
    visit("weighting", of.weighting), visit("wide_clip", of.wide_clip), visit("bound", of.bound),
        visit("cost", of.cost);
  }
};

/// Asks about the rows far out that a weighting takes something of: for the sum over the rows of
///   (1{c < 1/2} / 2, min(c, 1 - c) psi z / score_bound):
/// how many are left less than half (half a row each, so that the other part has nearly all of the sensitivity), and what twice the
/// weighting's bounds would add to the score, which is nothing but noise where these rows follow the model that the others were
/// fitted by. Of ordered categories s for psi z, once a response; of a time at risk its first piece is counted.
struct LightRowsQuery {
  BoundedWeighting weighting;
  Rho cost;

  static constexpr double kLight = 0.5;  ///< c below this
  static constexpr double kCount = 0.5;  ///< what a row adds to the count

  using Answered = NoisyVector;
  [[nodiscard]] Eigen::Index entries() const { return weighting.at.size() + 1; }
  static constexpr std::string_view name = "light rows";
  static LightRowsQuery blank() { return {BoundedWeighting::blank(), Rho(0)}; }
  static void fields(auto& of, const auto& visit) {
    visit("weighting", of.weighting), visit("cost", of.cost);
  }
};

enum class TotalOf {
  rows,          ///< 1 for each row
  ones,          ///< y of a binary response
  times,         ///< of times at risk: 1 for the first piece of each
  events,        ///< of a time at risk: 1 for the piece in which it came
  time_at_risk,  ///< the share of each piece that was lived through
  last_piece,    ///< likewise of the last piece alone
};

/// Asks for one sum over the rows.
struct TotalQuery {
  TotalOf quantity;
  Rho cost;

  using Answered = NoisyVector;
  [[nodiscard]] static Eigen::Index entries() { return 1; }
  static constexpr std::string_view name = "total";
  static TotalQuery blank() { return {.quantity = TotalOf::rows, .cost = Rho(0)}; }
  static void fields(auto& of, const auto& visit) { visit("quantity", of.quantity), visit("cost", of.cost); }
};

/// Query (release/query.hpp), given the questions that stand there: an alternative for each, and for each of the above.
template <class... Others>
using WithRegressionQueries =
    std::variant<Others..., BoundedScoreQuery, BoundedInformationQuery, ScoreSquaresQuery, MomentsQuery,
                 ResidualSquaresQuery, ColumnHistogramsQuery, GroupedResidualsQuery, HistogramQuery,
                 CurvesQuery, ThresholdEffectsQuery, RemainderQuery, LightRowsQuery, TotalQuery>;

/// Answers of several owners add up: values and, as their noise is independent, variances.
struct NoisyVector {
  Position value;
  double variance;  ///< of the noise of each entry; independent over the entries

  friend NoisyVector operator+(const NoisyVector& a, const NoisyVector& b) {
    return {a.value + b.value, a.variance + b.variance};
  }
};
struct NoisyMatrix {
  Matrix value;     ///< symmetric
  double variance;  ///< of the noise of a diagonal entry; half of that off the diagonal

  friend NoisyMatrix operator+(const NoisyMatrix& a, const NoisyMatrix& b) {
    return {a.value + b.value, a.variance + b.variance};
  }
};

}  // namespace sotto
