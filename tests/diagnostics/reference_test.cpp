#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>

#include "sotto/diagnostics/effective_sample_size.hpp"
#include "sotto/diagnostics/monte_carlo_error.hpp"
#include "sotto/diagnostics/rhat.hpp"

namespace sotto {
namespace {

// Compares one number with ArviZ's in every kept case.
void compare(const char* key, const std::function<double(const Matrix&)>& ours) {
  std::ifstream file(SOTTO_REFERENCE);
  const auto kept = nlohmann::json::parse(file);
  ASSERT_GE(kept["cases"].size(), 10U);
  for (const auto& item : kept["cases"]) {
    const auto chains = item["draws"].get<std::vector<std::vector<double>>>();
    Matrix x(static_cast<Eigen::Index>(chains[0].size()), static_cast<Eigen::Index>(chains.size()));
    for (Eigen::Index c = 0; c < x.cols(); ++c) {
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        x(i, c) = chains[static_cast<std::size_t>(c)][static_cast<std::size_t>(i)];
      }
    }
    const double theirs = item[key].get<double>();
    EXPECT_NEAR(ours(x), theirs, 1e-9 * std::abs(theirs)) << key << ", " << item["name"];
  }
}

TEST(Reference, rhat_agrees_with_arviz) { compare("rhat", rhat); }

TEST(Reference, ess_agrees_with_arviz) {
  compare("ess_bulk", ess_bulk);
  compare("ess_tail", ess_tail);
  compare("ess_mean", ess_mean);
  compare("ess_median", [](const Matrix& x) { return ess_quantile(x, 0.5); });
}

TEST(Reference, mcse_agrees_with_arviz) {
  compare("mcse_mean", mcse_mean);
  compare("mcse_sd", mcse_sd);
  compare("mcse_median", [](const Matrix& x) { return mcse_quantile(x, 0.5); });
  compare("mcse_q95", [](const Matrix& x) { return mcse_quantile(x, 0.95); });
}

}  // namespace
}  // namespace sotto
