// Every accountant on every event: a price above zero or a refusal, never free.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "sotto/accountant/account.hpp"
#include "sotto/accountant/advanced.hpp"
#include "sotto/accountant/bounds.hpp"
#include "sotto/accountant/calibrate.hpp"
#include "sotto/accountant/curve.hpp"
#include "sotto/accountant/filter/renyi_filter.hpp"
#include "sotto/accountant/pld/loss_model.hpp"
#include "sotto/accountant/pld/single_step.hpp"
#include "sotto/accountant/pld/tight.hpp"
#include "sotto/accountant/rdp/renyi.hpp"
#include "sotto/accountant/zcdp/concentrated.hpp"

namespace sotto {
namespace {

constexpr std::size_t kKinds = std::variant_size_v<decltype(Event::mechanism)>;

// One event of every kind, with enough repetitions that none could cost nothing by rounding.
std::vector<Event> one_of_each() {
  std::vector<Event> events;
  for (const char* spec : {"gaussian:sigma=2,count=1000000",
                           "discrete-gaussian:sigma=3,grid=4,dim=2,count=1000000",
                           "laplace:scale=2,count=1000",
                           "subsampled-gaussian:sigma=1,rate=0.01,count=1000",
                           "subsampled-gaussian:sigma=1,rate=0.01,sampling=without-replacement,count=1000",
                           "subsampled-laplace:scale=1,rate=0.2,count=1000",
                           "subsampled-laplace:scale=1,rate=0.2,sampling=without-replacement,count=1000",
                           "randomized-response:probability=0.2,levels=3,count=1000000",
                           "pure:epsilon=0.5,count=1000000",
                           "dp-barker:rows=100000,batch=1000,count=1000000",
                           "variance-completed-barker:rows=100000,batch=1000,bound=1e-4,count=1000000",
                           "subsampled-penalty:tau=3,rate=0.1,count=1000000",
                           "zcdp:rho=0.1,count=1000",
                           "approximate:epsilon=0.5,delta=1e-9,count=100000",
                           "renyi:orders=2/4/8,costs=.1/.2/.4,count=1000",
                           "exponential-mechanism:epsilon=0.5,count=100000",
                           "report-noisy-max:scale=4,count=100000",
                           "tree:sigma=20,leaves=1000,count=1000",
                           "matrix:sigma=20,strategy=1/.5,steps=9,participations=3,separation=2,count=1000",
                           "gdp:mu=0.1,count=1000",
                           "sparse-vector:threshold=4,query=8,positives=2,count=1000",
                           "shuffled:epsilon=1,users=1000,count=1000",
                           "truncated-poisson:sigma=1,rate=0.01,rows=10000,largest=150,count=1000",
                           "random-allocation:sigma=1,steps=100,count=100"}) {
    events.push_back(parse_event(spec));
  }
  events.push_back({CompositionEvent{{events.back()}}, 3});
  return events;
}

// The price, or nothing where it is refused by an Error that says why.
std::optional<double> price(const std::function<double()>& accountant) {
  try {
    return accountant();
  } catch (const Error& error) {
    EXPECT_TRUE(error.code() == ErrorCode::usage || error.code() == ErrorCode::configuration);
    EXPECT_GT(std::string(error.what()).size(), 10U);
    return std::nullopt;
  }
}

TEST(FailClosed, the_list_names_every_kind_of_event) {
  std::set<std::size_t> seen;
  std::set<std::string> names;
  for (const Event& event : one_of_each()) {
    seen.insert(event.mechanism.index());
    names.insert(mechanism_name(event));
  }
  EXPECT_EQ(seen.size(), kKinds);
  EXPECT_EQ(names.size(), kKinds);
}

TEST(FailClosed, no_accountant_gives_an_event_away) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    for (const Event& event : one_of_each()) {
      SCOPED_TRACE(mechanism_name(event));
      int priced = 0;
      const auto expect = [&](const char* who, const std::function<double()>& accountant) {
        const std::optional<double> cost = price(accountant);
        if (!cost) return;
        EXPECT_GT(*cost, 0) << who;
        ++priced;
      };
      for (const BoundKind kind : {BoundKind::tight, BoundKind::rdp, BoundKind::zcdp, BoundKind::advanced}) {
        expect("epsilon", [&] { return upper_epsilon(event, adjacency, Delta(1e-6), kind); });
        expect("delta", [&] { return upper_delta(event, adjacency, Epsilon(1e-3), kind); });
      }
      expect("renyi", [&] { return renyi_cost(event, adjacency, 2); });
      expect("concentrated", [&] {
        const std::optional<double> rho = concentrated_rho(event, adjacency);
        return rho ? *rho : HUGE_VAL;
      });
      expect("filter", [&] {
        // A filter that grants the event a million times must have seen it cost something.
        RenyiFilter filter = RenyiFilter::for_event(Epsilon(1), Delta(1e-6), event, adjacency);
        const double cost = renyi_cost(event, adjacency, filter.order());
        EXPECT_TRUE(!filter.spend(cost) || filter.spent() > 0);
        return cost;
      });
      // Under substitution every kind of event is known to at least one accountant.
      if (adjacency == Adjacency::substitute) {
        EXPECT_GT(priced, 0);
      }
    }
  }
}

// Costs of batches of a few rows are known at the lowest orders only, or at none: between two unknown ones nothing is free.
TEST(FailClosed, batches_of_a_few_rows_are_not_free_between_orders) {
  for (int batch = 1; batch <= 30; ++batch) {
    const std::string rows = "rows=" + std::to_string(10 * batch) + ",batch=" + std::to_string(batch);
    for (const std::string& spec :
         {"dp-barker:" + rows, "variance-completed-barker:" + rows + ",bound=" +
                                   std::to_string(std::floor(9e5 * std::sqrt(batch)) / (1e7 * batch))}) {
      SCOPED_TRACE(spec);
      const Event once = parse_event(spec);
      Event often = once;
      often.count = 1000;
      for (double order = 1.05; order < 12; order += 0.05) {
        const double whole = renyi_cost(once, Adjacency::substitute, std::floor(order) + 1);
        EXPECT_GT(renyi_cost(once, Adjacency::substitute, order), 0) << order;
        if (std::isinf(renyi_cost(once, Adjacency::substitute, std::max(2.0, std::floor(order))))) {
          EXPECT_TRUE(std::isinf(whole));
          EXPECT_TRUE(std::isinf(renyi_cost(once, Adjacency::substitute, order))) << order;
        }
      }
      for (const BoundKind kind : {BoundKind::rdp, BoundKind::tight}) {
        const auto epsilon = [&](const Event& event) {
          return price([&] { return upper_epsilon(event, Adjacency::substitute, Delta(1e-6), kind); });
        };
        const auto few = epsilon(once);
        const auto many = epsilon(often);
        if (few && many) {
          EXPECT_TRUE(*many > *few || std::isinf(*few)) << *few << ' ' << *many;
        }
      }
    }
  }
}

// Noise far below its grid is none: an answer and its neighbour's lie 1 / (2 sigma^2) apart, or more.
TEST(FailClosed, noise_far_below_its_grid_is_not_cheap) {
  for (const double sigma : {1e-6, 1e-3, 0.01, 0.0101, 0.012, 0.02, 0.05, 0.1}) {
    for (const int dim : {1, 3}) {
      for (const int grid : {1, 2, 5}) {
        const std::string spec = "discrete-gaussian:grid=" + std::to_string(grid) +
                                 ",sigma=" + std::to_string(sigma) + ",dim=" + std::to_string(dim);
        SCOPED_TRACE(spec);
        for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
          const auto bounds = [&]() -> std::optional<Bounds> {
            try {
              return account_epsilon(parse_event(spec), adjacency, Delta(1e-5), BoundKind::tight);
            } catch (const Error&) {
              return std::nullopt;  // refused
            }
          }();
          if (!bounds) continue;
          EXPECT_LE(bounds->lower, bounds->upper);
          EXPECT_GT(bounds->upper, 0.9 / (2 * sigma * sigma));
        }
      }
    }
  }
}

// Nothing is paid for once and used for ever.
TEST(FailClosed, what_is_done_a_thousand_times_costs_more_than_once) {
  for (Event event : one_of_each()) {
    SCOPED_TRACE(mechanism_name(event));
    for (const BoundKind kind : {BoundKind::rdp, BoundKind::zcdp, BoundKind::advanced}) {
      const auto of = [&](std::uint64_t count) {
        event.count = count;
        return price([&] { return upper_delta(event, Adjacency::substitute, Epsilon(0.1), kind); });
      };
      const auto once = of(1);
      const auto often = of(1000);
      if (once && often) {
        EXPECT_TRUE(*often > *once || *once == 1) << *once << ' ' << *often;
      }
    }
  }
}

TEST(FailClosed, bounds_that_cross_are_no_bounds) {
  Narrowing known({0, HUGE_VAL});
  known.by({1, 5});
  known.by({2, HUGE_VAL});
  known.by({0, 3});
  EXPECT_EQ(known.bounds().lower, 2);
  EXPECT_EQ(known.bounds().upper, 3);
  known.by({2.5, 2.5});  // one point in common is no contradiction
  EXPECT_EQ(known.bounds().upper, 2.5);
  known.by({0, 2.25});
  EXPECT_EQ(known.bounds().lower, 0);
  EXPECT_EQ(known.bounds().upper, HUGE_VAL);
  known.by({2, 3});  // what was contradicted once is not believed later
  EXPECT_EQ(known.bounds().upper, HUGE_VAL);
}

TEST(FailClosed, the_larger_of_both_bounds_is_never_nothing) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    for (const Event& event : one_of_each()) {
      SCOPED_TRACE(mechanism_name(event));
      for (const BoundKind kind : {BoundKind::tight, BoundKind::rdp, BoundKind::zcdp, BoundKind::advanced}) {
        const auto upper = price([&] { return account_epsilon(event, adjacency, Delta(1e-6), kind).upper; });
        if (upper) {
          EXPECT_GT(*upper, 0);
        }
      }
    }
  }
}

// The installed header of the loss models asks nobody else first: an unknown loss is no empty model.
TEST(FailClosed, a_loss_model_is_never_empty) {
  for (const Adjacency adjacency : {Adjacency::substitute, Adjacency::add_remove}) {
    for (const Event& event : one_of_each()) {
      for (const Side side : {Side::lower, Side::upper}) {
        SCOPED_TRACE(mechanism_name(event));
        (void)price([&] {
          double least = HUGE_VAL;
          for (const LossModel& model : loss_models({event}, adjacency, side)) {
            double step = model.rho;
            for (const LossPart& part : model.parts) step += one_step_delta(part, 0, side);
            EXPECT_GT(step, 0);
            least = std::min(least, step);
          }
          return least;
        });
      }
    }
  }
}

TEST(FailClosed, calibration_grants_no_unlimited_count) {
  for (const Event& event : one_of_each()) {
    for (const BoundKind kind : {BoundKind::tight, BoundKind::rdp, BoundKind::zcdp, BoundKind::advanced}) {
      SCOPED_TRACE(mechanism_name(event));
      Target target{Epsilon(0.5), Delta(1e-6)};
      target.kind = kind;
      const std::optional<double> count =
          price([&] { return static_cast<double>(largest_count(event, target)); });
      if (count) {
        EXPECT_LT(*count, 1e9);
      }
    }
  }
}

TEST(FailClosed, a_curve_of_an_unpriced_event_is_refused) {
  EXPECT_THROW((void)event_curve(parse_event("dp-barker:rows=1000,batch=100"), Adjacency::add_remove), Error);
}

}  // namespace
}  // namespace sotto
