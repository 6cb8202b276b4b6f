// Robust regression with 5 % wild outliers under differential privacy: a model of one's own, fitted like a built-in one.
// usage: example_student_t [FOLDER]
#include <fmt/core.h>

#include <cstdio>

#include "simulated_rows.hpp"
#include "sotto/sotto.hpp"
#include "sotto_io/sotto_io.hpp"
#include "student_t.hpp"

int main(int count, char** arguments) try {
  sotto::FitConfig config;
  config.epsilon = 8;
  config.delta = 1e-6;
  config.method.warmup = 300;
  config.method.draws = 1200;
  config.threads = 1;  // a pass over so few rows is short
  config.out = count > 1 ? arguments[1] : "out/student_t";
  const sotto::Problem problem =
      own_problem(config, {.title = "y ~ x with Student t errors",
                           .model = sotto::PerRow(sotto::AutoGradient(example::StudentT{})),
                           .rows = example::simulated_rows,
                           .parameters = {"intercept", "slope"},
                           .priors = {{.scale = 5}, {.scale = 5}},
                           .expected_rows = example::kRows});
  sotto::SystemEntropy entropy;
  const sotto::FitOutcome outcome = fit_to_directory(config, problem, entropy);
  const sotto::RunRecord& record = outcome.record;
  fmt::print("{}: {}\n{}", record.method, outcome.spent, posterior_table(record.draws));
  for (const std::string& warning : all_warnings(record, summarise(record.draws)))
    fmt::print("{}\n", warning);
} catch (const sotto::Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
