#include "sotto/run/prediction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <utility>

#include "sotto/base/error.hpp"
#include "sotto/diagnostics/sequences.hpp"
#include "sotto/model/formula.hpp"
#include "sotto/model/glm/glm.hpp"
#include "sotto/random/chain_rng.hpp"
#include "sotto/run/predicted_response.hpp"
#include "sotto/run/regression.hpp"
#include "sotto/run/regression_problem.hpp"

namespace sotto {
namespace {

constexpr std::size_t kRowsAtOnce = 64;  // of the table, whose predictors are computed at once, for all draws

/// The formula's left side, as it is written.
std::string left_side(const std::string& formula) {
  char quote = 0;
  std::size_t end = 0;
  for (; end < formula.size() && (quote != 0 || formula[end] != '~'); ++end) {
    const char c = formula[end];
    if (quote == 0 && (c == '`' || c == '\'' || c == '"')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    }
  }
  const std::size_t first = formula.find_first_not_of(" \t\n");
  const std::size_t last = end == 0 ? std::string::npos : formula.find_last_not_of(" \t\n", end - 1);
  return first < end && last != std::string::npos ? formula.substr(first, last + 1 - first) : std::string();
}

/// The columns of the formula's left side.
std::vector<std::string> responses_of(const ModelConfig& model) {
  const Formula formula = parse_formula(model.formula);
  std::vector<std::string> names{formula.response.column};
  if (formula.event) names.push_back(formula.event->column);
  return names;
}

/// What draws are of a row: coefficients of the design's scaled columns, and sigma.
struct Coefficients {
  Matrix of_columns;          ///< shape (draws, columns)
  std::vector<double> sigma;  ///< of each draw; 1 where the model has none
};

Coefficients coefficients_of(const Draws& draws, const PublicProblem& known, const Glm& glm) {
  const std::vector<std::string> names = known.groups.names(known.parameters);
  if (names != draws.parameters) {
    refuse(fmt::format(
        "the draws are of {}, and a regression by this formula has {}: there is nothing to predict by it",
        fmt::join(draws.parameters, ", "), fmt::join(names, ", ")));
  }
  Eigen::Index count = 0;
  for (const Chain& chain : draws.chains) count += chain.draws.rows();
  if (count == 0) throw Error(ErrorCode::data, "the fit has no draws");
  const Eigen::Index columns = glm.domain().columns();
  const auto* sigma = sigma_of(glm.family());
  const double known_sigma = sigma != nullptr ? sigma->value_or(1) : 1;
  Coefficients all{Matrix(count, columns), std::vector<double>(static_cast<std::size_t>(count), known_sigma)};
  Eigen::Index at = 0;
  for (const Chain& chain : draws.chains) {
    for (Eigen::Index i = 0; i < chain.draws.rows(); ++i, ++at) {
      const Position position = known.from_report(known.groups.differences(chain.draws.row(i)));
      all.of_columns.row(at) = position.head(columns);
      if (glm.unknown_sigma()) all.sigma[static_cast<std::size_t>(at)] = std::exp(position[columns]);
    }
  }
  return all;
}

/// `values`: one of each draw; they are sorted.
PredictedValue summary_of(std::vector<double>& values, double level) {
  const auto count = static_cast<double>(values.size());
  PredictedValue summary;
  summary.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double x : values) squares += (x - summary.mean) * (x - summary.mean);
  summary.sd = std::sqrt(squares / std::max(count - 1, 1.0));
  std::sort(values.begin(), values.end());
  summary.lower = quantile_of_sorted(values, (1 - level) / 2);
  summary.upper = quantile_of_sorted(values, (1 + level) / 2);
  return summary;
}

/// One row of the table after another.
class RowPredictor {
 public:
  RowPredictor(const PredictedResponse& law, const Coefficients& coefficients,
               const PredictionSettings& settings, std::size_t pieces)
      : law_(law),
        coefficients_(coefficients),
        settings_(settings),
        predictors_(pieces),
        means_(law.parts().size()),
        values_(means_.size(), std::vector<double>(coefficients.sigma.size())) {}

  /// `predictors`: shape (draws, pieces); `row`: its place in the table, which its new responses depend on alone.
  std::vector<PredictedValue> predict(const Eigen::Ref<const Matrix>& predictors, std::size_t row) {
    ChainRng rng(settings_.seed, kStream + row);
    for (std::size_t d = 0; d < coefficients_.sigma.size(); ++d) {
      for (std::size_t k = 0; k < predictors_.size(); ++k)
        predictors_[k] = predictors(static_cast<Eigen::Index>(d), static_cast<Eigen::Index>(k));
      if (settings_.quantity == PredictedQuantity::response) {
        values_[0][d] = law_.draw(predictors_[0], coefficients_.sigma[d], rng);
        continue;
      }
      law_.means(predictors_, means_);
      for (std::size_t part = 0; part < means_.size(); ++part) values_[part][d] = means_[part];
    }
    std::vector<PredictedValue> summaries;
    for (std::vector<double>& of_part : values_) summaries.push_back(summary_of(of_part, settings_.level));
    return summaries;
  }

 private:
  static constexpr std::uint64_t kStream = 0x9ed1c7;

  const PredictedResponse& law_;
  const Coefficients& coefficients_;
  const PredictionSettings& settings_;
  std::vector<double> predictors_, means_;
  std::vector<std::vector<double>> values_;  // by part, of all draws
};

}  // namespace

Schema schema_of_new_rows(const FittedRegression& fitted) {
  Schema schema = fitted.schema;
  schema.unit = {};
  for (const std::string& name : responses_of(fitted.model)) {
    SchemaColumn& column = schema.columns[schema.index(name)];
    column.missing = MissingPolicy::impute;
    column.imputed = column.range().upper;  // of a time the longest, which reaches all pieces
  }
  return schema;
}

std::vector<std::string> predictors_of(const FittedRegression& fitted) {
  const std::vector<std::string> responses = responses_of(fitted.model);
  std::vector<std::string> names;
  for (const SchemaColumn& column : fitted.schema.columns) {
    if (std::find(responses.begin(), responses.end(), column.name) == responses.end())
      names.push_back(column.name);
  }
  return names;
}

Predictions predict(const FittedRegression& fitted, const Table& rows, const PredictionSettings& settings,
                    const std::function<bool(double)>& progress) {
  static_cast<void>(interval_ends(settings.level));
  const Regression regression = regression_of(fitted.model, rows.schema());
  const PredictedResponse law(regression.family, regression.design.response(), fitted.dispersion);
  if (settings.quantity == PredictedQuantity::response) law.check_draws();
  FitConfig config;
  config.model = fitted.model;
  const Problem problem = regression_problem(config, rows, std::nullopt);
  const Coefficients coefficients =
      coefficients_of(fitted.draws, problem.public_info, *problem.model.as<Glm>());
  const Rows design = problem.rows();
  const std::size_t pieces = regression.design.pieces().count;
  RowPredictor predictor(law, coefficients, settings, pieces);
  Predictions predictions{
      left_side(fitted.model.formula), law.part(), law.parts(), {}, coefficients.sigma.size()};
  predictions.rows.resize(rows.rows());
  for (std::size_t first = 0; first < rows.rows(); first += kRowsAtOnce) {
    if (progress && !progress(static_cast<double>(first) / static_cast<double>(rows.rows())))
      throw Error(ErrorCode::interrupted, "stopped: no row was predicted");
    const std::size_t count = std::min(kRowsAtOnce, rows.rows() - first);
    Matrix block(static_cast<Eigen::Index>(count * pieces), coefficients.of_columns.cols());
    for (Eigen::Index i = 0; i < block.rows(); ++i) {
      for (Eigen::Index j = 0; j < block.cols(); ++j)
        block(i, j) = design.at(first * pieces + static_cast<std::size_t>(i), static_cast<std::size_t>(j));
    }
    const Matrix predictors = coefficients.of_columns * block.transpose();
    for (std::size_t i = 0; i < count; ++i) {
      if (!rows.kept(first + i)) continue;
      predictions.rows[first + i] = predictor.predict(
          predictors.middleCols(static_cast<Eigen::Index>(i * pieces), static_cast<Eigen::Index>(pieces)),
          first + i);
    }
  }
  return predictions;
}

std::pair<std::string, std::string> interval_ends(double level) {
  if (!(level >= 0.01 && level <= 0.9999))
    refuse("--level must lie between 0.01 and 0.9999: 0.9 is usual, and 95 % is 0.95");
  const auto name = [](double percent) {
    return fmt::format("q{}{:.6g}", percent < 9.9999995 ? "0" : "", percent);
  };
  return {name(50 * (1 - level)), name(50 * (1 + level))};
}

}  // namespace sotto
