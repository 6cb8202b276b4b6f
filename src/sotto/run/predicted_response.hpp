// What one draw from the posterior says of a response whose linear predictor is known: its mean, and a new response.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sotto/model/glm/family.hpp"
#include "sotto/model/response.hpp"
#include "sotto/random/chain_rng.hpp"

namespace sotto {

/// Of ordered categories the mean is the probability of each; of times to an event, that to live beyond the end of each piece.
class PredictedResponse {
 public:
  /// `dispersion`: of counts, and of responses in steps; 0 where these are Poisson counts; none: not known.
  /// Errors: configuration for a family whose link is not known.
  PredictedResponse(const GlmFamily& family, const Response& response, std::optional<double> dispersion);

  /// "category" or "time"; empty where a response has one mean.
  [[nodiscard]] const std::string& part() const { return part_; }
  /// The categories, or the times; one without a name where a response has one mean.
  [[nodiscard]] const std::vector<std::string>& parts() const { return parts_; }

  /// `predictors`: linear predictors of a response's rows of the design; `means`: one for each of `parts`.
  /// Checked by tests/run/predicted_response_test.cpp: means_are_those_of_the_laws
  void means(std::span<const double> predictors, std::span<double> means) const;

  /// Errors: configuration where a new response is no number, lies where the model says nothing, or varies nobody knows how much.
  void check_draws() const;
  /// A new response. `sigma`: of a normal one.
  /// Checked by tests/run/predicted_response_test.cpp: new_responses_have_the_moments_of_their_laws
  [[nodiscard]] double draw(double predictor, double sigma, ChainRng& rng) const;

 private:
  Link link_;
  bool ordered_;
  bool steps_;
  double unit_;  ///< responses are counted in it
  std::optional<double> dispersion_;
  std::string part_;
  std::vector<std::string> parts_;
};

}  // namespace sotto
