#include "sotto/event/report_noisy_max.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sotto {
namespace {

// Probability that one score, `ahead` of so many others that are all alike, wins: an integral over its own noise.
double chance_to_win(double scale, double others, double ahead) {
  const double reach = 60 * scale;
  const int steps = 100000;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double noise = reach * (2 * (i + 0.5) / steps - 1);
    const double lead = noise + ahead;
    const double far = std::exp(-std::abs(lead) / scale) / 2;
    const double beaten = lead > 0 ? std::log1p(-far) : std::log(far);  // one of the others
    sum += std::exp(others * beaten - std::abs(noise) / scale);
  }
  return sum * 2 * reach / steps / (2 * scale);
}

// One row moves a score by one and all others the other way. No winner tells more than the guarantee; one among many, who needs noise
// that seldom occurs, tells nearly all of it.
TEST(ReportNoisyMax, loses_epsilon_and_not_more) {
  for (const double scale : {0.5, 2.0, 10.0}) {
    const ReportNoisyMaxEvent event{scale};
    for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
      const double epsilon = event.pure_epsilon(adjacency).value();
      double most = 0;
      for (const double others : {1.0, 2.0, 10.0, 1e3, 1e6, 1e9}) {
        const double loss = std::log(chance_to_win(scale, others, 1) / chance_to_win(scale, others, -1));
        EXPECT_LE(loss, epsilon * (1 + 1e-6)) << scale << ' ' << others;
        most = std::max(most, loss);
      }
      EXPECT_GT(most, 0.99 * epsilon) << scale;
    }
  }
}

}  // namespace
}  // namespace sotto
