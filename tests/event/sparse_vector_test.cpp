#include "sotto/event/sparse_vector.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "sotto/event/event.hpp"

namespace sotto {
namespace {

// Probability that so many queries, all at `low`, are below the threshold 0, and then so many, all at `last`, above: an integral
// over the threshold's noise.
double probability(const SparseVectorEvent& e, double below, double low, double above, double last) {
  const auto tail = [&](double x) {  // of the noise of a query
    const double far = std::exp(-std::abs(x) / e.query_scale) / 2;
    return x > 0 ? far : 1 - far;
  };
  const double reach = 60 * (e.threshold_scale + e.query_scale);
  const int steps = 200000;
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    const double z = reach * (2 * (i + 0.5) / steps - 1);
    sum += std::exp(-std::abs(z) / e.threshold_scale + (below > 0 ? below * std::log1p(-tail(z - low)) : 0) +
                    above * std::log(tail(z - last)));
  }
  return sum * 2 * reach / steps / (2 * e.threshold_scale);
}

// No outcome tells more than the guarantee; many answers below and then as many above as there may be tell nearly all of it.
TEST(SparseVector, loses_epsilon_and_not_more) {
  for (const SparseVectorEvent& e : {SparseVectorEvent{2, 4, 1, 0}, SparseVectorEvent{3, 9, 3, 0},
                                     SparseVectorEvent{1, 5, 1, 1}, SparseVectorEvent{3, 6, 2, 1}}) {
    const double epsilon = e.pure_epsilon(Adjacency::add_remove).value();
    const auto above = static_cast<double>(e.positives);
    double most = 0;
    for (const double below : {0.0, 1.0, 10.0, 1e3, 1e6, 1e9}) {
      const double one = probability(e, below, 0, above, 0);
      const double other = probability(e, below, 1, above, e.monotone == 1 ? 0 : -1);
      const double loss = std::log(one / other);
      EXPECT_LE(std::abs(loss), epsilon * (1 + 1e-6)) << below;
      most = std::max(most, loss);
    }
    EXPECT_GT(most, 0.97 * epsilon);
  }
}

// One query that moves from half above to half below: both sides of the answer's probability from the integral.
TEST(SparseVector, one_query_attains_the_lower_side) {
  for (const SparseVectorEvent& e :
       {SparseVectorEvent{2, 4, 1, 0}, SparseVectorEvent{3, 3, 2, 0}, SparseVectorEvent{5, 0.7, 1, 1}}) {
    const View<LossView> view = loss_view({e, 1}, Adjacency::add_remove, Side::lower);
    const auto& lattice = std::get<LatticeLoss>(view.value().forward);
    const double right = probability(e, 0, 0, 1, 0.5);
    EXPECT_NEAR(lattice.mass[1], right, 1e-4);
    EXPECT_LE(lattice.mass[1], right + 1e-7);
    EXPECT_LE(lattice.offset + lattice.step, std::log(right / (1 - right)) + 1e-6);
  }
}

// A row that is exchanged may move one count up and another down.
TEST(SparseVector, counts_are_monotone_where_rows_come_or_go) {
  const Event event = parse_event("sparse-vector:threshold=4,query=8,positives=3,monotone=1");
  EXPECT_NEAR(pure_epsilon_view(event, Adjacency::add_remove).value(), 0.25 + 3 / 8.0, 1e-12);
  EXPECT_NE(pure_epsilon_view(event, Adjacency::substitute).why_not(), "");
  EXPECT_NE(loss_view(event, Adjacency::substitute, Side::upper).why_not(), "");
  EXPECT_NE(renyi_view(event, Adjacency::substitute).why_not(), "");
  EXPECT_NE(rho_view(event, Adjacency::substitute).why_not(), "");
}

}  // namespace
}  // namespace sotto
