// Every published or independently computed value lies inside our bounds, and the bounds are narrow.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "sotto/accountant/calibrate.hpp"
#include "sotto/accountant/pld/tight.hpp"

namespace sotto {
namespace {

using nlohmann::json;

struct Case {
  Event event;
  Adjacency adjacency;
  std::optional<int>
      direction;  // the reference gives one direction only: 0 either is the larger, -1 not the larger
};

double number(const json& params, const char* key, double fallback) {
  return params.contains(key) ? params.at(key).get<double>() : fallback;
}

// The events of a tuple; empty for what the tight accountant does not cover.
std::optional<Case> case_of(const json& tuple) {
  const std::string mechanism = tuple.at("mechanism");
  const std::string adjacency = tuple.at("adjacency");
  const json& p = tuple.at("params");
  const auto count = tuple.at("compositions").get<std::uint64_t>();
  const bool substitute =
      adjacency.find("substitute") != std::string::npos || adjacency.find("replace") != std::string::npos;
  const Adjacency neighbours = substitute ? Adjacency::substitute : Adjacency::add_remove;
  const double sensitivity = number(p, "sensitivity", 1);
  if (mechanism == "gaussian") {
    return Case{{GaussianEvent{sensitivity, p.at("sigma")}, count}, Adjacency::substitute, 0};
  }
  if (mechanism == "laplace")
    return Case{{LaplaceEvent{sensitivity, p.at("b")}, count}, Adjacency::substitute, 0};
  if (mechanism == "discrete gaussian (untruncated)") {
    return Case{{DiscreteGaussianEvent{sensitivity, std::sqrt(p.at("sigma2").get<double>()), 1}, count},
                neighbours,
                0};
  }
  if (mechanism == "poisson-subsampled laplace") {
    return Case{{SubsampledLaplaceEvent{sensitivity, p.at("b"), p.at("q"), Sampling::poisson}, count},
                neighbours,
                adjacency == "add" ? -1 : 0};
  }
  if (mechanism == "poisson-subsampled gaussian" || mechanism == "poisson-subsampled gaussian (gold)") {
    return Case{{SubsampledGaussianEvent{sensitivity, p.at("sigma"), p.at("q"), Sampling::poisson}, count},
                neighbours,
                adjacency == "add" ? -1 : 0};
  }
  if (mechanism.find("WITHOUT replacement, records clipped") != std::string::npos) {
    return Case{{SubsampledGaussianEvent{1, p.at("sigma"), p.at("q"), Sampling::without_replacement}, count},
                Adjacency::substitute,
                0};
  }
  if (mechanism == "heterogeneous poisson-subsampled gaussian") {
    CompositionEvent steps;
    for (int i = 0; i < 10; ++i) {
      steps.parts.push_back(
          {SubsampledGaussianEvent{1, 1.6 + 0.2 * i / 9, 0.05 + 0.01 * i / 9, Sampling::poisson}, 10});
    }
    return Case{{steps, 1}, Adjacency::substitute, 0};
  }
  return std::nullopt;
}

TEST(Reference, every_tuple_lies_inside_narrow_bounds) {
  std::ifstream file(std::string(SOTTO_TEST_DATA) + "/accounting.json");
  const json tuples = json::parse(file).at("tuples");
  int checked = 0;
  for (const json& tuple : tuples) {
    const std::optional<Case> c = case_of(tuple);
    if (!c) continue;
    const int id = tuple.at("id");
    SCOPED_TRACE("tuple " + std::to_string(id));
    const std::string quantity = tuple.at("quantity");
    const double value = tuple.at("value");
    const double tolerance = tuple.at("tolerance");
    Bounds bounds;
    if (quantity == "delta") {
      bounds = tight_delta(c->event, c->adjacency, Epsilon(tuple.at("given").at("epsilon")));
    } else if (quantity.starts_with("epsilon")) {
      bounds = tight_epsilon(c->event, c->adjacency, Delta(tuple.at("given").at("delta")));
    } else {
      continue;
    }
    ++checked;
    EXPECT_LE(bounds.lower, bounds.upper);
    if (quantity.starts_with("epsilon interval")) {
      const double top = std::stod(tuple.at("note").get<std::string>().substr(8));
      EXPECT_NEAR(bounds.lower, value, tolerance);
      EXPECT_NEAR(bounds.upper, top, 1e-4 * top);
      continue;
    }
    if (c->direction == -1) {
      EXPECT_GE(bounds.upper, value - tolerance);  // one direction: no more than the larger of both
      continue;
    }
    EXPECT_LE(bounds.lower, value + tolerance);
    EXPECT_GE(bounds.upper, value - tolerance);
    EXPECT_LE(bounds.upper - bounds.lower, 1e-3 * bounds.upper);
  }
  EXPECT_GE(checked, 30);
}

TEST(Reference, tiny_deltas_keep_relative_accuracy) {
  const auto steps = [](std::uint64_t count) {
    return Event{SubsampledGaussianEvent{1, 4, 0.01, Sampling::poisson}, count};
  };
  const Bounds many = tight_delta(steps(10000), Adjacency::add_remove, Epsilon(1));
  EXPECT_LE(many.lower, 4.243484252431285e-6 * (1 + 1e-9));
  EXPECT_GE(many.upper, 4.243484252431285e-6 * (1 - 1e-9));
  EXPECT_LE(many.upper / many.lower, 1.001);
  const Bounds few = tight_delta(steps(1000), Adjacency::add_remove, Epsilon(1));
  EXPECT_LE(few.lower, 1.0062142474574948e-34 * (1 + 1e-6));
  EXPECT_GE(few.upper, 1.0062142474574948e-34 * (1 - 1e-6));
  EXPECT_LE(few.upper / few.lower, 1.001);
}

TEST(Reference, calibrated_noise_matches_and_never_overshoots) {
  const auto check = [](const Event& mechanism, const Target& target, double published, double tolerance) {
    const double sigma = smallest_noise(mechanism, target);
    EXPECT_NEAR(sigma, published, tolerance);
    EXPECT_GE(sigma, published * (1 - 1e-5));
  };
  check({GaussianEvent{1, 1}}, {Epsilon(1), Delta(6.486452831e-47)}, 14, 1e-4);
  check({GaussianEvent{1, 1}}, {Epsilon(1), Delta(1e-6)}, 17.922 / 4.242640687119286, 0.02 / 4.2);
  Target target{Epsilon(1), Delta(1e-5)};
  target.adjacency = Adjacency::add_remove;
  check({SubsampledGaussianEvent{1, 1, 0.01, Sampling::poisson}}, target, 0.67379294682, 1e-4);
}

}  // namespace
}  // namespace sotto
