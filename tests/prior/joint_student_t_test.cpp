#include "sotto/prior/joint_student_t.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sotto {
namespace {

JointStudentT of_two() {
  JointStudentT prior;
  prior.add(0, 0.5, 2);
  prior.add(2, -1, 0.3);
  return prior;
}

// b = location + scale z / sqrt(w), w a gamma variable of mean 1 and shape 7 / 2: by the midpoint rule over log w.
TEST(JointStudentT, is_a_normal_whose_scale_is_integrated_out) {
  const auto integral = [](const Position& at) {
    const double z2 = std::pow((at[0] - 0.5) / 2, 2) + std::pow((at[2] + 1) / 0.3, 2);
    double sum = 0;
    for (double l = -30; l < 8; l += 1e-3) {
      const double w = std::exp(l);
      sum += std::exp(l * (3.5 + 1) - 3.5 * w - w * z2 / 2);
    }
    return std::log(sum);
  };
  const JointStudentT prior = of_two();
  const Position at0{{0.5, 9, -1}};
  for (const Position& at : {Position{{1, 0, 0}}, Position{{-7, 3, -1.2}}, Position{{0.5, 0, 30}}}) {
    EXPECT_NEAR(prior.log_density(at) - prior.log_density(at0), integral(at) - integral(at0), 1e-9);
  }
}

TEST(JointStudentT, one_alone_is_a_student_t) {
  JointStudentT prior;
  prior.add(1, 0.5, 2);
  const CoefficientPrior alone = JointStudentT::alone(0.5, 2);
  const auto of = [&](double x) { return prior.log_density(Position{{4, x}}) - alone.log_density(x); };
  EXPECT_NEAR(of(3), of(-11), 1e-12);
  EXPECT_TRUE(prior.has(1));
  EXPECT_FALSE(prior.has(0));
}

TEST(JointStudentT, the_ratio_is_that_to_normals_of_its_standard_deviations) {
  const JointStudentT prior = of_two();
  const auto normals = [](const Position& at) {
    const auto one = [](double off, double scale) {
      return -0.5 * std::pow(off * JointStudentT::kScale / scale, 2);
    };
    return one(at[0] - 0.5, 2) + one(at[2] + 1, 0.3);
  };
  const Position a{{1, 0, 0}}, b{{-7, 3, -1.2}};
  EXPECT_NEAR(prior.log_ratio(a) - prior.log_ratio(b),
              prior.log_density(a) - normals(a) - prior.log_density(b) + normals(b), 1e-12);
}

}  // namespace
}  // namespace sotto
