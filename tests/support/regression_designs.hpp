// Named designs of the coverage experiment: one line says what is hard about each.
#pragma once

#include "support/non_private_fit.hpp"
#include "support/simulated_regression.hpp"

namespace sotto {

struct RegressionDesign {
  std::string name;
  std::function<SimulatedRegression(Eigen::Index rows, ChainRng& rng)> simulate;
};

namespace designs {

inline SimulatedRegression uniform_logistic(Eigen::Index rows, Eigen::Index dim, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  for (Eigen::Index j = 1; j < dim; ++j) builder.numeric(builder.uniforms(-1, 1), {-1, 1});
  return builder.covariates();
}

/// Standard normal covariates with equal correlations.
inline SimulatedRegression correlated(Eigen::Index rows, Eigen::Index dim, double correlation, double bound,
                                      ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  const Position common = rng.normals(rows);
  for (Eigen::Index j = 1; j < dim; ++j) {
    builder.numeric(std::sqrt(correlation) * common + std::sqrt(1 - correlation) * rng.normals(rows),
                    {-bound, bound});
  }
  return builder.covariates();
}

inline SimulatedRegression lognormal(Eigen::Index rows, double upper, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  for (int j = 0; j < 4; ++j) builder.numeric((0.7 * rng.normals(rows)).array().exp(), {0, upper});
  return builder.covariates();
}

inline SimulatedRegression logistic(SimulatedRegression data, double sd, double centre, ChainRng& rng) {
  data.link = Link::logit;
  data.truth = slopes(data.x, sd, centre, rng);
  respond(data, {0, 1}, rng);
  return data;
}

inline SimulatedRegression base(Eigen::Index rows, Eigen::Index dim, ChainRng& rng) {
  SimulatedRegression data = uniform_logistic(rows, dim, rng);
  data.truth = 0.5 * rng.normals(dim);
  respond(data, {0, 1}, rng);
  return data;
}

inline SimulatedRegression rare_level(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(builder.uniforms(-1, 1), {-1, 1}).numeric(builder.uniforms(-1, 1), {-1, 1});
  SimulatedRegression data = builder.factor({.3, .25, .2, .14, .1, .01}).covariates();
  data.truth = 0.5 * rng.normals(data.x.cols());
  data.truth[0] = -0.3;
  respond(data, {0, 1}, rng);
  return data;
}

/// Columns of two values, one of which is as rare as a level of 1 %.
inline SimulatedRegression rare_indicator(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(builder.uniforms(-1, 1), {-1, 1}).numeric(builder.uniforms(-1, 1), {-1, 1});
  SimulatedRegression data = builder.factor({.6, .4}).factor({.99, .01}).factor({.8, .2}).covariates();
  data.truth = 0.5 * rng.normals(data.x.cols());
  data.truth[0] = -0.3;
  respond(data, {0, 1}, rng);
  return data;
}

/// A level with a twentieth of the rows, nearly all of whose responses are alike.
inline SimulatedRegression extreme_level(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(builder.uniforms(-1, 1), {-1, 1}).numeric(builder.uniforms(-1, 1), {-1, 1});
  SimulatedRegression data = builder.factor({.4, .35, .2, .05}).covariates();
  data.truth = Position{{-.5, .6, -.4, .5, -.5, 5}};
  respond(data, {0, 1}, rng);
  return data;
}

/// Two categories whose levels differ much.
inline SimulatedRegression strong_levels(Eigen::Index rows, Link link, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(builder.uniforms(-1, 1), {-1, 1});
  SimulatedRegression data =
      builder.factor({.3, .25, .2, .15, .07, .03}).factor({.5, .3, .15, .05}).covariates();
  data.link = link;
  data.truth = (link == Link::log ? .7 : 1.5) * rng.normals(data.x.cols());
  data.truth[0] = link == Link::log ? 2 : -.5;
  respond(data, {0, link == Link::log ? 1000.0 : 1.0}, rng);
  return data;
}

/// Counts of levels of which the first has few rows and small counts.
inline SimulatedRegression low_first_level(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(builder.uniforms(-1, 1), {-1, 1});
  SimulatedRegression data = builder.factor({.06, .24, .24, .23, .23}).covariates();
  data.link = Link::log;
  data.truth = Position{{0, .3, 1.5, 2, 2.3, 2.7}};
  respond(data, {0, 200}, rng);
  return data;
}

/// Counts of groups whose rates differ a hundredfold; that of the smallest counts has the most rows.
inline SimulatedRegression unlike_rates(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(rng.normals(rows), {-8, 8});
  SimulatedRegression data = builder.factor({.4, .3, .2, .1}).covariates();
  data.link = Link::log;
  data.truth = Position{{-1.6, 2, 1.6, 3.2, 4.6}};
  respond(data, {0, 500}, rng);
  return data;
}

inline SimulatedRegression rare_ones(Eigen::Index rows, ChainRng& rng) {
  SimulatedRegression data = uniform_logistic(rows, 5, rng);
  data.truth = 0.7 * rng.normals(5);
  data.truth[0] = -4.1;
  respond(data, {0, 1}, rng);
  return data;
}

inline SimulatedRegression normal(Eigen::Index rows, double bound, ChainRng& rng) {
  SimulatedRegression data = uniform_logistic(rows, 5, rng);
  data.link = Link::identity;
  data.truth = rng.normals(5);
  respond(data, {-bound, bound}, rng);
  return data;
}

/// Two numbers and a category, as people declare them: covariates of the models of money below.
inline SimulatedRegression ages_and_regions(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(45 + 14 * rng.normals(rows).array(), {18, 100})
      .numeric(12 + 3 * rng.normals(rows).array(), {0, 25});
  SimulatedRegression data = builder.factor({.6, .3, .1}).covariates();
  data.link = Link::identity;
  return data;
}

/// Money: a response from 0 to 200,000 whose residuals are gamma distributed about their mean.
inline SimulatedRegression skewed(Eigen::Index rows, ChainRng& rng) {
  SimulatedRegression data = ages_and_regions(rows, rng);
  data.sigma = 5000;
  data.truth = slopes(data.x, 4000, 21000, rng);
  const Position eta = data.x * data.truth;
  data.response = {0, 200000};
  data.y.resize(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double gamma = -(std::log1p(-rng.uniform()) + std::log1p(-rng.uniform()));  // mean 2, variance 2
    data.y[i] = std::clamp(eta[i] + data.sigma * (gamma - 2) / std::sqrt(2.0), 0.0, 200000.0);
  }
  return data;
}

/// A response that is not linear in the covariates with symmetric errors: `draw` is given a standardised predictor. The truth is
/// the fit without a prior to 400,000 rows of the same kind.
template <class Draw>
SimulatedRegression skewed_with_mean(Eigen::Index rows, Interval response, ChainRng& rng, const Draw& draw) {
  const Position weights = rng.normals(5);
  const auto simulate = [&](Eigen::Index n) {
    SimulatedRegression data = ages_and_regions(n, rng);
    const Position slopes = weights.head(data.x.cols());
    Position eta = data.x.rightCols(data.x.cols() - 1) * slopes.tail(slopes.size() - 1);
    eta = (eta.array() - eta.mean()) / std::sqrt((eta.array() - eta.mean()).square().mean());
    data.response = response;
    data.y.resize(n);
    for (Eigen::Index i = 0; i < n; ++i)
      data.y[i] = std::clamp(draw(eta[i], rng), response.lower, response.upper);
    return data;
  };
  SimulatedRegression data = simulate(rows);
  data.truth = non_private(simulate(400000), false).mean;
  return data;
}

/// Incomes: log-normal about a log-linear mean.
inline SimulatedRegression incomes(Eigen::Index rows, ChainRng& rng) {
  return skewed_with_mean(rows, {0, 500000}, rng, [](double eta, ChainRng& r) {
    return 30000 * std::exp(0.4 * eta + 0.7 * r.normal());
  });
}

/// Spending: gamma of shape 2 about a linear mean.
inline SimulatedRegression spending(Eigen::Index rows, ChainRng& rng) {
  return skewed_with_mean(rows, {0, 100}, rng, [](double eta, ChainRng& r) {
    const double gamma = -(std::log1p(-r.uniform()) + std::log1p(-r.uniform())) / 2;
    return std::max(5 + 1.5 * eta, 0.2) * gamma;
  });
}

/// Hours: three quarters zeros.
inline SimulatedRegression many_zeros(Eigen::Index rows, ChainRng& rng) {
  return skewed_with_mean(rows, {0, 60}, rng,
                          [](double eta, ChainRng& r) { return 8 * (0.5 * eta + r.normal() - 0.75); });
}

inline SimulatedRegression poisson(Eigen::Index rows, ChainRng& rng) {
  SimulatedRegression data = uniform_logistic(rows, 5, rng);
  data.link = Link::log;
  data.truth = 0.4 * rng.normals(5);
  data.truth[0] = 0.6;
  respond(data, {0, 30}, rng);
  return data;
}

inline SimulatedRegression poisson_with_offset(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  const Position common = rng.normals(rows);
  for (int j = 0; j < 4; ++j) {
    builder.numeric(std::sqrt(.6) * common + std::sqrt(.4) * rng.normals(rows), {-4, 4});
  }
  const Interval exposure{std::log(.1), std::log(10)};
  SimulatedRegression data = builder.factor({.9, .1})
                                 .numeric(builder.uniforms(exposure.lower, exposure.upper), exposure)
                                 .covariates();
  data.link = Link::log;
  data.offset = exposure.width() / 2;
  data.truth = Position::Zero(data.x.cols());
  data.truth << slopes(data.x.leftCols(data.x.cols() - 1), 0.7, -0.5, rng), *data.offset;
  respond(data, {0, 100}, rng);
  return data;
}

/// Age, income, children, region: bounds and units as people declare them.
inline SimulatedRegression survey(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  const Position a = rng.normals(rows);
  const Position b = 0.5 * a + std::sqrt(.75) * rng.normals(rows);
  Position children(rows);
  for (double& c : children) c = poisson_draw(1.2, rng);
  builder.numeric(45 + 14 * a.array(), {18, 100}).numeric(30 * (0.6 * b).array().exp(), {0, 1000});
  builder.numeric(children, {0, 12}).factor({.4, .3, .2, .08, .02});
  return logistic(builder.covariates(), 0.8, -1.3, rng);
}

/// Student t covariates, and a quadratic term that the model leaves out.
inline SimulatedRegression heavy_tails(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  for (int j = 0; j < 4; ++j) {
    Position x(rows);
    for (double& value : x) {
      const double s = rng.normals(3).squaredNorm() / 3;
      value = rng.normal() / std::sqrt(s);
    }
    builder.numeric(x, {-10, 10});
  }
  SimulatedRegression data = builder.covariates();
  return data;
}

inline void respond_with_quadratic(SimulatedRegression& data, ChainRng& rng) {
  data.y.resize(data.x.rows());
  const Position eta = data.x * data.truth;
  for (Eigen::Index i = 0; i < eta.size(); ++i) {
    const double x = 10 * data.x(i, 1);
    const double e = eta[i] + .15 * (std::min(x * x, 9.0) - 1.6);
    data.y[i] = rng.uniform() < 1 / (1 + std::exp(-e)) ? 1 : 0;
  }
}

/// The truth is then the fit without a prior to 200,000 rows of the same kind.
inline SimulatedRegression misfit(Eigen::Index rows, ChainRng& rng) {
  SimulatedRegression data = heavy_tails(rows, rng);
  data.truth = slopes(data.x, 1, 0, rng);
  respond_with_quadratic(data, rng);
  SimulatedRegression many = heavy_tails(200000, rng);
  many.truth = data.truth;
  respond_with_quadratic(many, rng);
  data.truth = non_private(many, false).mean;
  return data;
}

/// Counts twice as variable as the model says (gamma frailty).
inline SimulatedRegression overdispersed(Eigen::Index rows, ChainRng& rng) {
  SimulatedRegression data = poisson(rows, rng);
  const Position eta = data.x * data.truth;
  for (Eigen::Index i = 0; i < rows; ++i) {
    // Gamma of shape 2 and mean 1: the sum of two exponentials, halved.
    const double frailty = -(std::log1p(-rng.uniform()) + std::log1p(-rng.uniform())) / 2;
    data.y[i] = std::min(poisson_draw(std::exp(eta[i]) * frailty, rng), 30.0);
  }
  return data;
}

/// A centred error by the row's group, which the last column tells: `draw` is given whether the row is in it.
template <class Draw>
SimulatedRegression errors_by_group(Eigen::Index rows, double share, double sd, ChainRng& rng,
                                    const Draw& draw) {
  RegressionBuilder builder(rows, rng);
  builder.numeric(45 + 14 * rng.normals(rows).array(), {18, 100})
      .numeric(12 + 3 * rng.normals(rows).array(), {0, 25});
  SimulatedRegression data = builder.factor({1 - share, share}).covariates();
  data.link = Link::identity;
  data.truth = slopes(data.x, sd / 2, 8 * sd, rng);
  data.response = {0, 60 * sd};
  data.y = data.x * data.truth;
  double squares = 0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double error = sd * draw(data.x(i, 3) > 0, rng);
    squares += error * error;
    data.y[i] = std::clamp(data.y[i] + error, 0.0, data.response.upper);
  }
  data.sigma = std::sqrt(squares / static_cast<double>(rows));
  return data;
}

/// Costs: log-normal errors in a group, normal ones outside.
inline SimulatedRegression skewed_in_group(Eigen::Index rows, double share, double log_sd, ChainRng& rng) {
  return errors_by_group(rows, share, 5000, rng, [log_sd](bool inside, ChainRng& r) {
    const double u = r.normal();
    return inside ? std::exp(log_sd * u) - std::exp(log_sd * log_sd / 2) : u;
  });
}

/// Counts up to `largest` whose means are multiplied by an effect of the row's own, which draws from `rng` too.
template <class Effect>
void respond_with_effects(SimulatedRegression& data, double largest, ChainRng& rng, const Effect& effect) {
  data.link = Link::log;
  data.truth = 0.4 * rng.normals(data.x.cols());
  data.truth[0] = 0.6;
  data.response = {0, largest};
  data.y.resize(data.x.rows());
  const Position eta = data.x * data.truth;
  for (Eigen::Index i = 0; i < data.y.size(); ++i) {
    const double own = effect(i);
    data.y[i] = std::min(poisson_draw(std::exp(eta[i]) * own, rng), largest);
  }
}

/// Counts whose means differ by log-normal effects of the rows, of mean 1.
inline SimulatedRegression log_normal_counts(Eigen::Index rows, double log_sd, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  for (int j = 0; j < 2; ++j) builder.numeric(rng.normals(rows), {-4, 4});
  SimulatedRegression data = builder.factor({.6, .4}).covariates();
  respond_with_effects(data, 1000, rng,
                       [&](Eigen::Index) { return std::exp(log_sd * rng.normal() - log_sd * log_sd / 2); });
  return data;
}

/// Counts that are Poisson outside a group and vary with m + dispersion m^2 in it: a frailty of mean 1.
inline SimulatedRegression dispersed_in_group(Eigen::Index rows, double share, bool log_normal,
                                              ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  for (int j = 0; j < 3; ++j) builder.numeric(builder.uniforms(-1, 1), {-1, 1});
  SimulatedRegression data = builder.factor({1 - share, share}).covariates();
  respond_with_effects(data, 100, rng, [&](Eigen::Index i) {
    const double frailty = log_normal ? std::exp(0.8 * rng.normal() - 0.32) : -std::log1p(-rng.uniform());
    return data.x(i, 4) == 0 ? 1 : frailty;
  });
  return data;
}

/// A few rows, far out in one column, with a slope of their own; the truth is the fit without a prior to 200,000 rows.
inline SimulatedRegression far_out(Eigen::Index rows, double share, double distance, Link link,
                                   ChainRng& rng) {
  const Position weights = rng.normals(5);
  const auto simulate = [&](Eigen::Index n) {
    RegressionBuilder builder(n, rng);
    Position first = rng.normals(n);
    std::vector<bool> far(static_cast<std::size_t>(n));
    for (Eigen::Index i = 0; i < n; ++i) {
      if (rng.uniform() >= share) continue;
      far[static_cast<std::size_t>(i)] = true;
      first[i] += distance;
    }
    builder.numeric(first, {-20, 20});
    for (int j = 0; j < 3; ++j) builder.numeric(rng.normals(n), {-5, 5});
    SimulatedRegression data = builder.covariates();
    data.link = link;
    data.response = link == Link::identity ? Interval{-20, 20} : Interval{0, 1};
    data.y.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      double eta = 0.5 * weights[0];
      for (int j = 2; j < 5; ++j) eta += 2.5 * weights[j] * data.x(i, j);
      eta += far[static_cast<std::size_t>(i)] ? 0 : 0.5 * first[i];
      const double y = link == Link::identity ? eta + rng.normal()
                                              : (rng.uniform() < 1 / (1 + std::exp(-eta)) ? 1.0 : 0.0);
      data.y[i] = std::clamp(y, data.response.lower, data.response.upper);
    }
    return data;
  };
  SimulatedRegression data = simulate(rows);
  data.truth = non_private(simulate(200000), false).mean;
  return data;
}

/// Fifty coded columns: ten correlated numbers, nine categories of 2 to 9 levels, some rare.
inline SimulatedRegression coded(Eigen::Index rows, ChainRng& rng) {
  RegressionBuilder builder(rows, rng);
  const Position f = rng.normals(rows);
  const Position g = rng.normals(rows);
  for (int j = 0; j < 10; ++j) {
    const double a = 0.7 * std::cos(1.7 * j);
    const double b = 0.7 * std::sin(2.3 * j + 1);
    builder.numeric(a * f + b * g + 0.7 * rng.normals(rows), {-5, 5});
  }
  for (const int levels : {2, 3, 4, 5, 6, 7, 8, 9, 4}) {
    std::vector<double> p(static_cast<std::size_t>(levels));
    double sum = 0;
    for (std::size_t k = 0; k < p.size(); ++k) sum += p[k] = std::pow(0.65, static_cast<double>(k)) + 0.02;
    for (double& share : p) share /= sum;
    builder.factor(p);
  }
  return logistic(builder.covariates(), 1.2, -1, rng);
}

}  // namespace designs

inline const std::vector<RegressionDesign>& regression_designs() {
  using namespace designs;
  using N = Eigen::Index;
  static const std::vector<RegressionDesign> table = {
      {"logistic, d 5", [](N n, ChainRng& r) { return base(n, 5, r); }},
      {"logistic, d 2", [](N n, ChainRng& r) { return base(n, 2, r); }},
      {"logistic, d 20", [](N n, ChainRng& r) { return base(n, 20, r); }},
      {"logistic, d 100", [](N n, ChainRng& r) { return logistic(uniform_logistic(n, 100, r), 1, 0, r); }},
      {"strong signal", [](N n, ChainRng& r) { return logistic(uniform_logistic(n, 5, r), 3, 0, r); }},
      {"correlation .8, d 9", [](N n, ChainRng& r) { return logistic(correlated(n, 9, .8, 4, r), 1, 0, r); }},
      {"correlation .9, d 9", [](N n, ChainRng& r) { return logistic(correlated(n, 9, .9, 4, r), 1, 0, r); }},
      {"lognormal, bounds 10x", [](N n, ChainRng& r) { return logistic(lognormal(n, 50, r), 1, 0, r); }},
      {"normal, bounds 100x",
       [](N n, ChainRng& r) { return logistic(correlated(n, 5, 0, 300, r), 1, -.5, r); }},
      {"level of 1 %", [](N n, ChainRng& r) { return rare_level(n, r); }},
      {"two values, one of 1 %", [](N n, ChainRng& r) { return rare_indicator(n, r); }},
      {"level nearly all alike", [](N n, ChainRng& r) { return extreme_level(n, r); }},
      {"strong levels", [](N n, ChainRng& r) { return strong_levels(n, Link::logit, r); }},
      {"counts, strong levels", [](N n, ChainRng& r) { return strong_levels(n, Link::log, r); }},
      {"counts, low first level", [](N n, ChainRng& r) { return low_first_level(n, r); }},
      {"counts, unlike rates", [](N n, ChainRng& r) { return unlike_rates(n, r); }},
      {"2 % ones", [](N n, ChainRng& r) { return rare_ones(n, r); }},
      {"survey units", [](N n, ChainRng& r) { return survey(n, r); }},
      {"normal, |y| <= 10", [](N n, ChainRng& r) { return normal(n, 10, r); }},
      {"normal, |y| <= 100", [](N n, ChainRng& r) { return normal(n, 100, r); }},
      {"skewed errors, large units", [](N n, ChainRng& r) { return skewed(n, r); }},
      {"log-normal incomes", [](N n, ChainRng& r) { return incomes(n, r); }},
      {"gamma spending", [](N n, ChainRng& r) { return spending(n, r); }},
      {"three quarters zeros", [](N n, ChainRng& r) { return many_zeros(n, r); }},
      {"Poisson, mean 2", [](N n, ChainRng& r) { return poisson(n, r); }},
      {"Poisson, offset", [](N n, ChainRng& r) { return poisson_with_offset(n, r); }},
      {"overdispersed counts", [](N n, ChainRng& r) { return overdispersed(n, r); }},
      {"heavy tails, quadratic omitted", [](N n, ChainRng& r) { return misfit(n, r); }},
      {"skewed in a group of 10 %", [](N n, ChainRng& r) { return skewed_in_group(n, .1, 1, r); }},
      {"skewed in half the rows", [](N n, ChainRng& r) { return skewed_in_group(n, .5, .8, r); }},
      {"dispersion by group", [](N n, ChainRng& r) { return dispersed_in_group(n, .2, false, r); }},
      {"log-normal counts", [](N n, ChainRng& r) { return log_normal_counts(n, 1.2, r); }},
      {"log-normal counts in a group", [](N n, ChainRng& r) { return dispersed_in_group(n, .3, true, r); }},
      {"few rows far out", [](N n, ChainRng& r) { return far_out(n, .03, 10, Link::logit, r); }},
      {"50 coded columns", [](N n, ChainRng& r) { return coded(n, r); }},
  };
  return table;
}

}  // namespace sotto
