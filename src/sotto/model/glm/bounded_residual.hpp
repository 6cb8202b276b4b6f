// psi, M, b and B of release/regression_query.hpp for one response, by link: what release-once knows of the laws of responses.
#pragma once

#include <algorithm>
#include <cmath>

#include "sotto/math/clipped_count.hpp"
#include "sotto/math/mean_function.hpp"
#include "sotto/model/time_at_risk.hpp"

namespace sotto {

/// |psi| <= M and 0 <= b <= B always.
struct BoundedResidual {
  double psi, largest, slope, largest_slope;
};

/// psi at a wider clip less psi, and the largest absolute value of that over the responses.
struct WiderResidual {
  double more, most;
};

struct BinaryResponse {
  static double mean(double eta) {
    const double e = std::exp(-std::abs(eta));
    return eta < 0 ? e / (1 + e) : 1 / (1 + e);
  }
  /// What absolute residuals are counted in.
  static double unit(double) { return 1; }
  static BoundedResidual residual(double y, double mean, double, double) {
    const double variance = mean * (1 - mean);
    return {y - mean, std::max(mean, 1 - mean), variance, variance};
  }
  static WiderResidual wider(double, double, double, double, double) { return {0, 0}; }
};

/// The bounds are those of one piece of a time at risk: measurement/regression_rows.hpp has those of all of them.
struct EventResponse {
  static double mean(double eta) { return count_mean(eta); }
  static double unit(double) { return 1; }
  static BoundedResidual residual(double y, double mean, double, double) {
    const PieceResponse piece = PieceResponse::of(y);
    return {piece.event - piece.share * mean, std::max(mean, 1.0), piece.share * mean, mean};
  }
  static WiderResidual wider(double, double, double, double, double) { return {0, 0}; }
};

struct CountResponse {
  static double mean(double eta) { return count_mean(eta); }
  static double unit(double mean) { return std::max(1.0, std::sqrt(mean)); }
  static BoundedResidual residual(double y, double mean, double clip, double dispersion) {
    const Window w = window(mean, clip, dispersion);
    const ClippedCount model = clipped_count({mean, dispersion}, w.low, w.high);
    const double slope = std::max(model.slope, 1e-12);
    return {std::clamp(y, w.low, w.high) - model.mean, std::max(w.high - model.mean, model.mean - w.low),
            slope, slope};
  }
  /// Clipping later adds between -(l - l') and u' - u, and takes off its own mean under the model.
  static WiderResidual wider(double y, double mean, double clip, double wide, double dispersion) {
    const Window w = window(mean, clip, dispersion);
    const Window wider = window(mean, wide, dispersion);
    const double expected = clipped_count({mean, dispersion}, wider.low, wider.high).mean -
                            clipped_count({mean, dispersion}, w.low, w.high).mean;
    return {std::clamp(y, wider.low, wider.high) - std::clamp(y, w.low, w.high) - expected,
            std::max(wider.high - w.high - expected, w.low - wider.low + expected)};
  }

 private:
  struct Window {
    double low, high;
  };
  static Window window(double mean, double clip, double dispersion) {
    const double reach = clip * unit(mean + dispersion * mean * mean);
    return {std::max(mean - reach, 0.0), mean + reach};
  }
};

struct RealResponse {
  static double mean(double eta) { return eta; }
  static double unit(double) { return 1; }
  static BoundedResidual residual(double y, double mean, double clip, double) {
    const double residual = y - mean;
    return {std::clamp(residual, -clip, clip), clip, std::abs(residual) < clip ? 1.0 : 0.0, 1};
  }
  static WiderResidual wider(double y, double mean, double clip, double wide, double) {
    const double residual = y - mean;
    return {std::clamp(residual, -wide, wide) - std::clamp(residual, -clip, clip), wide - clip};
  }
};

/// Calls visit(response) for the link's; once a pass, not once a row.
template <class Visit>
auto with_response(Link link, const Visit& visit) {
  switch (link) {
    case Link::logit:
      return visit(BinaryResponse());
    case Link::log:
      return visit(CountResponse());
    case Link::log_rate:
      return visit(EventResponse());
    case Link::identity:
      break;
  }
  return visit(RealResponse());
}

}  // namespace sotto
