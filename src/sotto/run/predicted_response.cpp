#include "sotto/run/predicted_response.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/random/gamma_distribution.hpp>
#include <boost/random/poisson_distribution.hpp>
#include <cmath>
#include <cstdint>

#include "sotto/base/error.hpp"

namespace sotto {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }

/// Of mean m and variance `variance`, both above 0.
double draw_gamma_of(double mean, double variance, ChainRng& rng) {
  const double scale = variance / mean;
  return boost::random::gamma_distribution<double>(mean / scale, scale)(rng);
}

/// A count; beyond the whole numbers that doubles tell apart, its mean.
double draw_count_of(double mean, ChainRng& rng) {
  constexpr double kLargest = 1e15;
  if (!(mean > 0)) return 0;
  if (!(mean < kLargest)) return mean;
  return static_cast<double>(boost::random::poisson_distribution<std::int64_t>(mean)(rng));
}

}  // namespace

PredictedResponse::PredictedResponse(const GlmFamily& family, const Response& response,
                                     std::optional<double> dispersion)
    : link_(Link::identity),
      ordered_(has_thresholds(family)),
      steps_(steps_of(family).has_value()),
      unit_(response.unit),
      dispersion_(dispersion),
      parts_{""} {
  const auto link = link_of(family);
  if (!link)
    refuse(fmt::format("what a {} model says of a new row is not known: predict from its draws",
                       family_name(family)));
  link_ = *link;
  if (ordered_) {
    part_ = "category";
    parts_ = response.source.levels;
  }
  if (response.time_at_risk) {
    part_ = "time";
    parts_.clear();
    for (const double end : response.time_at_risk->ends) parts_.push_back(fmt::format("{}", end));
  }
}

void PredictedResponse::means(std::span<const double> predictors, std::span<double> means) const {
  if (ordered_) {
    double beyond = 1;  // the probability of what lies beyond the threshold before
    for (std::size_t k = 0; k < predictors.size(); ++k) {
      const double next = std::min(logistic(predictors[k]), beyond);
      means[k] = beyond - next;
      beyond = next;
    }
    means[predictors.size()] = beyond;
    return;
  }
  switch (link_) {
    case Link::logit:
      means[0] = logistic(predictors[0]);
      return;
    case Link::log:
      means[0] = unit_ * std::exp(predictors[0]);
      return;
    case Link::identity:
      means[0] = predictors[0];
      return;
    case Link::log_rate: {
      double hazard = 0;  // in all
      for (std::size_t k = 0; k < predictors.size(); ++k) {
        hazard += std::exp(predictors[k]);
        means[k] = std::exp(-hazard);
      }
      return;
    }
  }
}

void PredictedResponse::check_draws() const {
  if (ordered_)
    refuse(
        "a new response is one of the categories, and these have no mean: --quantity mean has the "
        "probability "
        "of each");
  if (link_ == Link::log_rate)
    refuse(
        "a new time may lie beyond the end of the follow-up, where the model says nothing: --quantity mean "
        "has "
        "the probability to live beyond each time");
  if (link_ == Link::log && (!dispersion_ || (steps_ && *dispersion_ == 0)))
    refuse(
        "the noise of this fit hid how much responses vary about their mean, so that new ones cannot be "
        "drawn: --quantity mean has their means");
}

double PredictedResponse::draw(double predictor, double sigma, ChainRng& rng) const {
  if (link_ == Link::logit) return rng.uniform() < logistic(predictor) ? 1 : 0;
  if (link_ == Link::identity) return predictor + sigma * rng.normal();
  const double mean = std::exp(predictor);
  const double dispersion = dispersion_.value_or(0);
  if (dispersion > 0 && mean > 0 && std::isfinite(mean)) {
    const double gamma = draw_gamma_of(mean, dispersion * mean * mean, rng);
    return steps_ ? unit_ * gamma : draw_count_of(gamma, rng);
  }
  return steps_ ? unit_ * mean : draw_count_of(mean, rng);
}

}  // namespace sotto
