// From a configuration and a table to what a method needs: a model, its rows, its prior, and names for the report.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/base/privacy_unit.hpp"
#include "sotto/data/rows.hpp"
#include "sotto/data/table.hpp"
#include "sotto/model/any_model.hpp"
#include "sotto/prior/coefficient_prior.hpp"
#include "sotto/release/query.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/groups.hpp"
#include "sotto/run/thresholds.hpp"

namespace sotto {

/// What is public about a problem: all that a sampler may know.
struct PublicProblem {
  bool own = false;  ///< a model of one's own: the configuration says nothing of model and priors
  std::string title;
  std::string model;
  std::string privacy_unit;              ///< whose rows are protected, in words
  std::string person{};                  ///< the column that tells persons apart; empty: rows, or nobody said
  std::string declaration{};             ///< of the table: columns that are read, unit and adjacency
  Schema schema{};                       ///< the same; no columns: a model of one's own
  std::vector<std::string> parameters;   ///< as reported, but for groups
  std::vector<EffectCurve> curves{};     ///< regressions: of columns that have one
  std::vector<std::string> effects{};    ///< regressions: those of columns, unless there is no intercept
  std::string ratio{};                   ///< what exp of an effect is called; empty: nothing
  std::vector<std::string> coordinates;  ///< regressions: of the chain's position, an offset's too
  std::optional<double>
      offset;  ///< regressions: the coefficient of the design's last column, where it is known
  std::function<Position(const Position&)> to_report;    ///< chain's position -> reported parameters
  std::function<Position(const Position&)> from_report;  ///< back; none: nobody knows
  std::optional<Position> chosen_start;                  ///< of all chains, where the configuration names one
  Groups groups;                                         ///< completes what is reported
  bool steps = false;                  ///< responses are counted in steps of their upper bound
  Thresholds thresholds;               ///< between ordered categories
  std::vector<double> group_scales{};  ///< of the priors of their spreads
  LogPrior prior;                      ///< of the chain's position
  std::vector<CoefficientPrior>
      coefficient_priors;  ///< of each coordinate of the chain's position; normal-mean, banana: of the mean
  /// Regressions: what is added to priors' locations, by column. A piece of time has the first one's hazard, over its own length;
  /// responses in steps have means in those.
  Position prior_shift;
  std::vector<PriorDescription> prior_descriptions;
  Position prior_scale;     ///< rough sd of the posterior, from public facts: where warmup starts
  Matrix prior_covariance;  ///< of the same, where it is known to be correlated; else empty
  Position start;           ///< a central position
  Position reach;  ///< farther from `start` lies no posterior, from public facts; empty: nobody knows
  /// How far one privacy unit can move a log-likelihood ratio between two positions; infinite when that fits no grid.
  std::function<double(const Position&, const Position&)> ratio_sensitivity;
  /// Largest size of one row's log-likelihood ratio between two positions; infinite when that fits no grid.
  std::function<double(const Position&, const Position&)> ratio_bound;
  /// Largest norm of one row's gradient at a position, multiplied coordinate by coordinate with a scale.
  std::function<double(const Position&, const Position&)> gradient_norm;
  std::optional<double> rows;                  ///< their number, where it is public
  std::size_t owners = 1;                      ///< of the rows: each adds noise of its own
  std::vector<OwnerPromise> owner_promises{};  ///< of those in other processes
  bool yes_or_no = false;                      ///< regressions: responses are 0 or 1, which no bounds cut
  bool intercept = true;                       ///< regressions: coordinate 0 is the intercept's
  std::vector<bool> indicator;                 ///< regressions: per column, whether it takes two values alone
  std::vector<std::vector<Eigen::Index>> factors;  ///< regressions: per category, the columns of its levels
  std::vector<bool> from_zero;  ///< regressions: per column, whether its declared values begin at zero
  std::vector<bool>
      codes;  ///< regressions: per column, whether its declared ends are whole numbers near each other
  std::vector<std::string> warnings{};  ///< what may go wrong by what is declared, whatever the rows are
};

/// An owner whose rows are in another process: whoever makes a problem has begun a session with it.
struct OwnerElsewhere {
  std::string name;     ///< as it calls itself
  std::string address;  ///< where it was asked
  std::shared_ptr<QueryInterface> interface;
  double epsilon = 0, delta = 0;  ///< the cap of its own books, over all who ask it
  std::optional<double> rows;     ///< their number, where it is public
  std::string noise_source{};     ///< as it says
  bool noise_is_private = false;  ///< likewise
};

/// One of several owners: one of the two.
struct OwnerAccess {
  std::function<Rows()> rows{};
  std::shared_ptr<QueryInterface> elsewhere{};
};

/// The two sides of a fit. `rows` makes the curator's copy of the rows.
struct Problem {
  PublicProblem public_info;
  AnyModel model;
  std::function<Rows()> rows;
  PrivacyUnit unit;
  std::vector<OwnerAccess> owners{};  ///< where there are several, or one elsewhere
};

/// Fills in the bounds of what a row can do, which every question's noise follows from: ratio_sensitivity,
/// ratio_bound and gradient_norm, from model and unit. `likelihood_power`: n0 / n.
void state_bounds(Problem& problem, double likelihood_power);

/// What a schema protects. `pieces`: rows of a design for each of the table.
[[nodiscard]] PrivacyUnit unit_of(const Schema& schema, std::size_t pieces = 1);

/// Neighbours that differ by substituting one row have the same number of rows, which is then public.
[[nodiscard]] std::optional<double> public_rows(const Table& table);

/// Neighbours have equally many units, and a table of no rows has none: that is public. Errors: data.
void refuse_no_rows(const Table& table);

/// Whose rows are protected, in words. `person`: the column that tells persons apart, where it is known.
[[nodiscard]] std::string in_words(const PrivacyUnit& unit, const std::string& person);

/// The columns of the table that the model reads: nothing else is decoded. Errors: configuration.
[[nodiscard]] std::vector<std::string> columns_read(const ModelConfig& model);

/// Refuses what `make_problem` would, before any row is read. Errors: configuration.
void check_model(const FitConfig& config, const Schema& schema);

/// The table must hold those columns and outlive the problem. Errors: configuration when model and schema do not fit, and for a
/// configuration that names several owners; data for a table without rows where their number is public.
[[nodiscard]] Problem make_problem(const FitConfig& config, const Table& table);

/// The public side of a problem whose rows are not at hand: `rows` throws. `count`: their number, where it is public.
/// Errors: configuration as above.
[[nodiscard]] Problem make_problem_without_rows(const FitConfig& config, const Schema& schema,
                                                std::optional<double> count);

/// The same of several owners' tables, all of one schema. Errors: also configuration where the schema protects units of several rows.
[[nodiscard]] Problem make_problem(const FitConfig& config, std::span<const Table> owners);

/// The same where some owners, or a single one, are in other processes; `owners`: the tables at hand. `schema`: of all.
[[nodiscard]] Problem make_problem(const FitConfig& config, const Schema& schema,
                                   std::span<const Table> owners, std::span<const OwnerElsewhere> elsewhere);

}  // namespace sotto
