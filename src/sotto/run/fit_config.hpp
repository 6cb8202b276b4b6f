// What a fit is asked to do: every setting, with the defaults that work.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "sotto/base/numbers.hpp"
#include "sotto/prior/coefficient_prior.hpp"

namespace sotto {

/// [model]: a regression by formula, a multivariate normal mean, or the banana.
struct ModelConfig {
  std::string family = "bernoulli";  ///< of model/glm/family.hpp, or categorical, normal-mean, banana
  std::string formula;               ///< regressions
  std::vector<double> cuts;          ///< of a time at risk: where its pieces meet
  std::optional<double> sigma;       ///< of families that have one: known sigma; none: unknown
  std::vector<std::string> columns;  ///< normal-mean, banana: the row's values
  std::vector<double> sd;            ///< normal-mean, banana: known standard deviations of the columns
  std::vector<std::vector<double>> covariance;  ///< in the place of sd: a row's known covariance, row by row
  std::string covariance_file;                  ///< that holds it (sotto_io/covariance_file.hpp)
  double a = 0, b = 0, m = 0;                   ///< banana
  double likelihood_power = 1;                  ///< power of the likelihood, n0 / n
};

/// Normal rows with known covariance.
[[nodiscard]] inline bool is_location(const ModelConfig& model) {
  return model.family == "normal-mean" || model.family == "banana";
}

/// The shares of a category's levels.
[[nodiscard]] inline bool is_categorical(const ModelConfig& model) { return model.family == "categorical"; }

/// [proposal]: how penalty and barker propose.
struct ProposalConfig {
  std::string name;  ///< normal, truncated, independence or coordinate; empty: the method's own
  double bound =
      2;  ///< truncated: of a coordinate's move, in the standard deviations that the walk starts from
};

/// [method]
struct MethodConfig {
  std::string name = "auto";
  std::size_t chains = 4;
  std::size_t warmup = 0;     ///< 0: chosen
  std::size_t draws = 0;      ///< per chain; 0: what suits the method
  std::size_t thin = 0;       ///< steps per draw; 0: what the budget has a use for (run_length.hpp)
  std::uint64_t seed = 1;     ///< of the chains; never of the noise
  int leapfrog_steps = 5;     ///< hmc
  bool adapt_length = false;  ///< hmc: learn their number in warmup
  double batch_rate = 1;      ///< hmc: with which a row enters the batch of a gradient; 1: all rows
  double step_size = 0;       ///< 0: chosen and adapted
  double jitter = 0.5;        ///< hmc
  double noise_variance = 2;  ///< barker: 0.5, 1, 1.5, 1.75, 2 or 2.5; less costs more and is nearer to exact
  std::size_t batch = 0;      ///< penalty-subsampled, barker-subsampled: rows of a batch; 0: nine in ten
  double rate = 0.1;          ///< sgld, sgnht: with which a row enters a batch
  double decay = 0;           ///< sgld: the power with which steps get shorter
  ProposalConfig proposal = {};
  std::optional<double> clip_ratio;     ///< for study: of a row's |log ratio| over the length of the move
  std::optional<double> clip_gradient;  ///< for study: of the norm of a row's gradient
};

/// An owner in another process.
struct OwnerAddress {
  std::string name;     ///< in its certificate
  std::string address;  ///< HOST:PORT
  std::string key;      ///< path of the public half of its signing key
};

struct FitConfig {
  std::string data;                 ///< path of the table; none for a model of one's own
  std::string schema;               ///< path of its declaration; none for a model of one's own
  std::vector<std::string> owners;  ///< [[owner]]: paths of several owners' tables, in the place of `data`
  std::vector<OwnerAddress> elsewhere{};  ///< owners in other processes, asked after those of `owners`
  ModelConfig model;
  CoefficientPrior default_prior;  ///< of coefficients of columns scaled to [-1, 1] by their declared bounds
  bool default_prior_given = false;  ///< else release-once takes scales from released spreads
  std::map<std::string, CoefficientPrior> priors;
  bool allow_flat = false;
  std::optional<double> epsilon;
  std::optional<double> delta;
  bool not_private = false;          ///< for study only
  bool compare_not_private = false;  ///< also fit without privacy, marked NOT PRIVATE
  bool force = false;                ///< fit also where made-up rows show that the budget gives no answer
  bool rehearsal = false;  ///< rows are made up: no draws where the noise is seen to dominate before them
  MethodConfig method;
  std::map<std::string, double>
      start;  ///< [start]: where all chains begin, by the names of parameters as reported
  std::string out = "out";
  bool timing = false;  ///< publish how long the run took, which depends on the rows
  int threads = 0;      ///< 0: all cores
  /// What it was read from, with the overrides and without [output]: read again it is the same. Empty for one made in code.
  std::string toml;
};

/// Reads a configuration. `overrides` are "KEY=VALUE" with dotted keys, e.g. "privacy.epsilon=2"; VALUE is TOML, or taken as
/// a string when it is not. Errors: configuration, naming the key that is unknown, missing or of the wrong type.
[[nodiscard]] FitConfig parse_fit_config(std::string_view toml, const std::vector<std::string>& overrides);

/// Of passes over the rows, and of chains that run side by side.
[[nodiscard]] inline int threads_of(const FitConfig& config) {
  const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return config.threads > 0 ? config.threads : all;
}

/// Budget and settings of methods. Errors: configuration, naming the key that is missing or out of range.
void check_fit_config(const FitConfig& config);

/// Settings that were given and are of chains alone, by their dotted keys: a method without chains does not read them.
[[nodiscard]] std::vector<std::string> chain_settings_given(const FitConfig& config);

/// Every setting of a configuration, as written to manifest.json.
[[nodiscard]] nlohmann::ordered_json to_json(const FitConfig& config);

}  // namespace sotto
