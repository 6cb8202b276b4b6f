#include "sotto/run/made_up_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/poisson_distribution.hpp>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/model/design.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/run/distribution_problem.hpp"
#include "sotto/run/made_up_cells.hpp"
#include "sotto/run/made_up_means.hpp"

namespace sotto {
namespace {

constexpr const char* kNoPlan =
    "a plan simulates regressions and normal means: what the noise on each level's count, or on a "
    "distribution's statistic, "
    "amounts to does not depend on the rows, and the fit says it";
constexpr double kSpreadOfOdds = 0.7;
constexpr double kSpreadOfRates = 0.5;
constexpr double kSpreadOfNumbers = 0.5;  // of the residuals' standard deviation
constexpr double kUpperOverMean = 20;     // of responses in steps
constexpr double kResiduals = 12;         // standard deviations of residuals in the responses' declared range
constexpr double kLeastExpectedDispersion = 0.02;
constexpr double kMostExpectedDispersion = 50;

/// What the schema says of the responses; of a time at risk, of its event. Nothing of a function of a column.
ExpectedValues expected_responses(const Response& response) {
  const Source& source = response.event ? *response.event : response.source;
  const bool plain = source.variable.function == nullptr && !source.comparison;
  return plain ? source.declared.expected : ExpectedValues{};
}

/// The first source that reads the same column, of each: a column may stand in several terms.
std::vector<std::size_t> first_of_column(const Design& design) {
  std::map<std::string, std::size_t> first;
  std::vector<std::size_t> of_each;
  for (std::size_t s = 0; s < design.sources().size(); ++s) {
    const bool piece = s == design.piece_source();
    of_each.push_back(piece ? s : first.try_emplace(design.sources()[s].variable.column, s).first->second);
  }
  return of_each;
}

/// The design's scaled columns, shape (rows, columns); of a time at risk in its first piece.
Matrix covariates(const Design& design, const MadeUpRows& made, ChainRng& rng) {
  const std::vector<Source>& sources = design.sources();
  std::vector<std::size_t> whole;  // rows of `like` that have all their cells
  for (std::size_t i = 0; made.like != nullptr && i < made.like->rows(); ++i) {
    if (made.like->kept(i)) whole.push_back(i);
  }
  if (made.like != nullptr && whole.empty()) refuse("the table that rows are to be like has no whole row");
  Matrix x(static_cast<Eigen::Index>(made.rows), design.columns());
  std::vector<double> values(sources.size());
  const std::vector<std::size_t> first = first_of_column(design);
  std::vector<double> cells(sources.size());
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    const std::size_t drawn = made.like != nullptr ? whole[rng.below(whole.size())] : 0;
    for (std::size_t s = 0; s < sources.size(); ++s) {
      if (s == design.piece_source()) continue;
      if (first[s] == s) {
        cells[s] = made.like != nullptr ? made.like->column(sources[s].variable.column)[drawn]
                                        : made_up_cell(sources[s].declared, rng);
      }
      values[s] = sources[s].value(cells[first[s]]);
    }
    for (Eigen::Index j = 0; j < x.cols(); ++j) x(i, j) = design.column(j).scaled(values);
  }
  return x;
}

/// Slopes of random signs and like effects, that give the linear predictor this spread.
Position slopes(const Matrix& x, bool intercept, double spread, ChainRng& rng) {
  Position slope = Position::Zero(x.cols());
  for (Eigen::Index j = intercept ? 1 : 0; j < x.cols(); ++j) {
    const double sd = std::sqrt((x.col(j).array() - x.col(j).mean()).square().mean());
    if (sd > 0) slope[j] = rng.normal() / sd;
  }
  const Position eta = x * slope;
  const double sd = std::sqrt((eta.array() - eta.mean()).square().mean());
  return sd > 0 ? Position(slope * (spread / sd)) : slope;
}

/// The intercept with which responses have this mean; of times to an event, with which so many have it before the end.
double intercept_for(Link link, const Position& eta, double mean) {
  if (link == Link::identity) return mean - eta.mean();
  if (link == Link::log) return std::log(mean / eta.array().exp().mean());
  double low = -50;
  double high = 50;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::midpoint(low, high);
    const Eigen::ArrayXd e = (eta.array() + middle).exp();
    const double found = link == Link::logit ? (e / (1 + e)).mean() : 1 - (-e).exp().mean();
    (found < mean ? low : high) = middle;
  }
  return low;
}

/// The laws that responses are drawn from.
struct ResponseLaw {
  Link link;
  bool steps;         ///< responses are counted in steps: gamma
  double sigma;       ///< of normal ones
  double dispersion;  ///< squared relative spread of a response about its mean, but for that of a count

  double draw(double eta, ChainRng& rng) const {
    if (steps) return varied(std::exp(eta), rng);
    switch (link) {
      case Link::logit:
        return rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1 : 0;
      case Link::log:
        return static_cast<double>(boost::random::poisson_distribution<std::int64_t>(
            std::max(varied(std::exp(std::min(eta, 20.0)), rng), kLeastMean))(rng));
      case Link::identity:
        return eta + sigma * rng.normal();
      case Link::log_rate:  // the time, over that to the end
        return -std::log1p(-rng.uniform()) / std::exp(eta);
    }
    return eta;
  }

 private:
  static constexpr double kLeastMean = 1e-300;
  double varied(double mean, ChainRng& rng) const {
    if (dispersion == 0) return mean;
    return boost::random::gamma_distribution<double>(1 / dispersion, mean * dispersion)(rng);
  }
};

/// What is left of the expected spread when that of the means, and of a count about its own, is taken off; none expected: that of
/// the exponential law for numbers, none for counts.
double expected_dispersion(bool steps, const ExpectedValues& expected) {
  if (!expected.mean || !expected.sd) return steps ? 1 : 0;
  const double relative = *expected.sd / *expected.mean;
  const double of_means = std::expm1(kSpreadOfRates * kSpreadOfRates);
  const double left = relative * relative - of_means - (steps ? 0 : 1 / *expected.mean);
  const double dispersion = left / (1 + of_means);
  if (dispersion < kLeastExpectedDispersion) return steps ? kLeastExpectedDispersion : 0;
  return std::min(dispersion, kMostExpectedDispersion);
}

double sigma_of_responses(const GlmFamily& family, const Interval& response, const ExpectedValues& expected) {
  const auto* known = sigma_of(family);
  if (known != nullptr && known->has_value()) return **known;
  return expected.sd ? *expected.sd / std::hypot(1, kSpreadOfNumbers) : response.width() / kResiduals;
}

double usual_mean(Link link, bool steps, const Interval& response) {
  if (steps) return response.upper / kUpperOverMean;
  switch (link) {
    case Link::logit:
      return 0.5;
    case Link::log:
      return std::min(1.0, response.upper / 4);
    case Link::log_rate:
      return 0.5;
    case Link::identity:
      break;
  }
  return std::midpoint(response.lower, response.upper);
}

Design design_of(const FitConfig& config, const Schema& schema) {
  if (config.model.formula.empty())
    refuse("which model? give --formula, or model.formula; for means family normal-mean and model.columns");
  return {parse_formula(config.model.formula), schema, config.model.cuts};
}

/// Hazards are the same in all pieces: what those of the pieces add to the predictor, over all of the time.
Position pieces_of_even_hazard(const Design& design) {
  const TimeAtRisk& time = *design.response().time_at_risk;
  Position of_pieces = -design.to_units();
  of_pieces[0] = std::log(time.width(0) / time.ends.back());
  return of_pieces;
}

/// Persons have as many rows as they may.
Rows rows_of(const Matrix& x, const Position& y, const PrivacyUnit& unit) {
  const auto columns = static_cast<std::size_t>(x.cols());
  const auto count = static_cast<std::size_t>(x.rows());
  std::vector<std::size_t> units{0};  // where they begin, and the end
  const std::size_t of_unit = unit.side_by_side ? unit.rows_per_unit : count;
  for (std::size_t placed = 0; placed < count; placed += of_unit) {
    const std::size_t size = std::min(of_unit, count - placed);
    if (unit.side_by_side) units.back() = Rows::next_unit(units.back(), size);
    units.push_back(units.back() + size);
  }
  Rows rows(units.back(), columns + 1);
  if (unit.side_by_side) rows.stand_by_units();
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = units[i / of_unit] + i % of_unit;
    if (unit.side_by_side && i % of_unit == 0) rows.start_unit(at);
    for (std::size_t j = 0; j < columns; ++j)
      rows.at(at, j) = x(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    rows.at(at, columns) = y[static_cast<Eigen::Index>(i)];
    rows.weight(at) = 1;
  }
  return rows;
}

/// `y`: ordered categories.
Rows rows_of(const Matrix& x, const Position& y, const Pieces& thresholds) {
  const auto columns = static_cast<std::size_t>(x.cols());
  Rows rows(static_cast<std::size_t>(x.rows()) * thresholds.count, columns + 1);
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const auto i = static_cast<Eigen::Index>(row / thresholds.count);
    const std::size_t k = row % thresholds.count;
    for (std::size_t j = 0; j < columns; ++j) rows.at(row, j) = x(i, static_cast<Eigen::Index>(j));
    if (k > 0) rows.at(row, static_cast<std::size_t>(thresholds.first) + k - 1) = 1;
    rows.at(row, columns) = y[i];
    rows.weight(row) = 1;
  }
  return rows;
}

/// Categories of these shares over all rows, and the thresholds that make them so. No shares: equally likely ones.
Position ordered_responses(const Matrix& x, const Pieces& thresholds, const std::vector<double>& shares,
                           Position& truth, ChainRng& rng) {
  const Position eta = x * truth.head(x.cols());
  Position beyond(static_cast<Eigen::Index>(thresholds.count));
  const std::vector<double> all(thresholds.count + 1, 1.0);
  const std::vector<double>& weights = shares.empty() ? all : shares;
  for (Eigen::Index k = 0; k < beyond.size(); ++k) {
    const double above = std::accumulate(weights.begin() + k + 1, weights.end(), 0.0);
    const double share = above / std::accumulate(weights.begin(), weights.end(), 0.0);
    beyond[k] = intercept_for(Link::logit, eta, share);
    if (k > 0) truth[thresholds.first + k - 1] = beyond[k] - beyond[0];
  }
  truth[0] = beyond[0];
  Position y(eta.size());
  for (Eigen::Index i = 0; i < y.size(); ++i) {
    const double u = rng.uniform();
    y[i] = static_cast<double>((u < 1 / (1 + (-eta[i] - beyond.array()).exp())).count());
  }
  return y;
}

/// `y`: times over that to the end, at which those end that are longer.
Rows rows_of(const Matrix& x, const Position& y, const TimeAtRisk& time, const Pieces& pieces) {
  const auto columns = static_cast<std::size_t>(x.cols());
  Rows rows(static_cast<std::size_t>(x.rows()) * pieces.count, columns + 1);
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    for (std::size_t k = 0; k < pieces.count; ++k) {
      const auto response = time.response(k, std::min(y[i], 1.0) * time.ends.back(), y[i] < 1);
      if (!response) break;
      const std::size_t row = static_cast<std::size_t>(i) * pieces.count + k;
      for (std::size_t j = 0; j < columns; ++j) rows.at(row, j) = x(i, static_cast<Eigen::Index>(j));
      if (k > 0) rows.at(row, static_cast<std::size_t>(pieces.first) + k - 1) = 1;
      rows.at(row, columns) = response->coded();
      rows.weight(row) = 1;
    }
  }
  return rows;
}

}  // namespace

std::vector<std::string> columns_of_right_side(const FitConfig& config, const Schema& schema) {
  if (is_distribution(config)) refuse(kNoPlan);
  if (is_location(config.model))
    refuse("rows of a normal mean are simulated from its covariance: drop --like and --response-mean");
  std::set<std::string> names;
  const Design design = design_of(config, schema);
  for (std::size_t s = 0; s < design.sources().size(); ++s) {
    if (s != design.piece_source()) names.insert(design.sources()[s].variable.column);
  }
  return {names.begin(), names.end()};
}

std::optional<double> expected_mean(const FitConfig& config, const Schema& schema) {
  if (is_distribution(config) || is_location(config.model)) return std::nullopt;
  return expected_responses(design_of(config, schema).response()).mean;
}

MadeUpProblem make_up(const FitConfig& config, const Schema& schema, const MadeUpRows& made) {
  if (is_distribution(config)) refuse(kNoPlan);
  if (is_location(config.model)) return make_up_means(config, schema, made);
  if (made.rows == 0) refuse("a plan needs the number of rows, one at least: give --rows");
  if (made.rows > kMostMadeUpRows)
    refuse(fmt::format("a plan takes at most {} rows (--rows): more hardly change what it tells",
                       kMostMadeUpRows));
  const Design design = design_of(config, schema);
  Table blank(schema.select(columns_read(config.model)));
  for (std::size_t i = 0; i < made.rows; ++i) blank.append_nothing();
  MadeUpProblem result{make_problem(config, blank), {}};
  const Glm& glm = *result.problem.model.as<Glm>();
  const Link link = known_link(glm.family());
  const Interval& response = glm.response();
  const bool ordered = has_thresholds(glm.family());
  const bool steps = steps_of(glm.family()).has_value();
  const double unit = steps ? design.response().range.upper / response.upper : 1;
  if (ordered && made.response_mean)
    refuse("ordered categories have no mean: drop --response-mean, and all are taken to be equally likely");
  const ExpectedValues expected = expected_responses(design.response());
  const std::optional<double> said = made.response_mean ? made.response_mean : expected.mean;
  const double mean = said ? *said / unit : usual_mean(link, steps, response);
  const bool possible = link == Link::identity
                            ? mean >= response.lower && mean <= response.upper
                            : mean > 0 && mean < (link == Link::log_rate ? 1 : response.upper);
  if (!possible)
    refuse(link == Link::log_rate ? "--response-mean of times to an event is the share of them that end with "
                                    "it: it must lie between "
                                    "0 and 1"
                                  : "the responses cannot have that mean (--response-mean, or expected_mean "
                                    "of the schema): it must "
                                    "lie between their declared bounds");

  ChainRng rng(made.seed);
  const Matrix x = covariates(design, made, rng);
  const double sigma = sigma_of_responses(glm.family(), response, expected);
  const double spread = link == Link::logit      ? kSpreadOfOdds
                        : link == Link::identity ? kSpreadOfNumbers * sigma
                                                 : kSpreadOfRates;
  Position truth = Position::Zero(glm.dim());
  const Eigen::Index unknown = x.cols() - (design.offset() ? 1 : 0);
  truth.head(unknown) = slopes(x.leftCols(unknown), design.has_intercept(), spread, rng);
  if (design.offset()) truth[unknown] = *design.offset();
  if (design.has_intercept()) truth[0] = intercept_for(link, x * truth.head(x.cols()), mean);
  if (glm.unknown_sigma()) truth[x.cols()] = std::log(sigma);
  Position y = x * truth.head(x.cols());
  const Interval legal = link == Link::log_rate ? Interval{0, HUGE_VAL} : response;
  const ResponseLaw law{link, steps, sigma, expected_dispersion(steps, expected)};
  for (double& value : y) value = std::clamp(law.draw(value, rng), legal.lower, legal.upper);
  if (ordered) {
    truth[0] = 0;
    y = ordered_responses(x, glm.pieces(), expected.shares, truth, rng);
  }
  if (link == Link::log_rate) truth.head(x.cols()) += pieces_of_even_hazard(design);
  const PublicProblem& known_problem = result.problem.public_info;
  const Position reported = known_problem.to_report(truth);
  result.truth = known_problem.groups.complete(reported, known_problem.groups.plain(reported));
  result.problem.rows = [x, y, ordered, time = design.response().time_at_risk, pieces = design.pieces(),
                         unit = result.problem.unit] {
    if (ordered) return rows_of(x, y, pieces);
    return time ? rows_of(x, y, *time, pieces) : rows_of(x, y, unit);
  };
  return result;
}

}  // namespace sotto
