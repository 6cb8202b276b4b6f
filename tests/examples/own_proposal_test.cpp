// The example of a proposal of one's own: run as a reader runs it, from zero, with the system's noise.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <sstream>
#include <string>

#include "../../examples/crank_nicolson.hpp"

namespace sotto::own_proposal {
namespace {

constexpr double kLogTwoPi = 1.8378770664093453;

// From the density of a move: normal, with standard deviation b scale.
TEST(OwnProposal, says_how_much_likelier_the_way_back_is) {
  const example::CrankNicolson walk{.centre = Position{{1, -2}}, .scale = Position{{5, 0.5}}};
  const auto log_density = [&](const Position& from, const Position& to, double b) {
    const Position mean = walk.centre + std::sqrt(1 - b * b) * (from - walk.centre);
    const Position sd = b * walk.scale;
    return -(to - mean).cwiseQuotient(sd).squaredNorm() / 2 - sd.array().log().sum() - kLogTwoPi;
  };
  ChainRng rng(3);
  for (const double size : {0.01, 0.5, 0.99}) {
    const Position from{{3, -2.5}};
    const Position to = walk.propose(from, size, rng);
    const double expected = log_density(to, from, size) - log_density(from, to, size);
    EXPECT_NEAR(walk.log_ratio(from, to, size), expected, 1e-7 * (1 + std::abs(expected))) << size;
  }
}

// The rows are always the same, the noise is not: means lie 2.0 and 1.2 posterior standard deviations from the truth, which is the
// rows' own doing. In six runs R-hat lay below 1.03.
TEST(OwnProposal, finds_the_slopes) {
  const auto close = [](std::FILE* file) { ::pclose(file); };
  const std::unique_ptr<std::FILE, decltype(close)> output(::popen("'" SOTTO_OWN_PROPOSAL "'", "r"), close);
  ASSERT_NE(output, nullptr);
  std::string text;
  std::array<char, 4096> part{};
  while (std::fgets(part.data(), static_cast<int>(part.size()), output.get()) != nullptr) text += part.data();
  std::istringstream lines(text);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  EXPECT_TRUE(line.starts_with("epsilon 7.9") || line.starts_with("epsilon 8.000")) << line;
  ASSERT_TRUE(std::getline(lines, line));
  const std::pair<const char*, double> truth[] = {{"intercept", 1}, {"slope", -2}};
  for (const auto& [parameter, value] : truth) {
    ASSERT_TRUE(std::getline(lines, line));
    std::istringstream cells(line);
    std::string name;
    double mean = 0, sd = 0, low = 0, middle = 0, high = 0, bulk = 0, tail = 0, rhat = 0;
    ASSERT_TRUE(cells >> name >> mean >> sd >> low >> middle >> high >> bulk >> tail >> rhat) << line;
    EXPECT_EQ(name, parameter);
    EXPECT_LT(std::abs(mean - value), 4 * sd) << line;
    EXPECT_LT(sd, 0.02) << line;
    EXPECT_LT(rhat, 1.1) << line;
  }
}

}  // namespace
}  // namespace sotto::own_proposal
