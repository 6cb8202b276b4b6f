#include "sotto/event/event.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace sotto {
namespace {

TEST(Event, survives_json) {
  CompositionEvent tree;
  for (const char* spec : {"gaussian:sigma=2",
                           "discrete-gaussian:sigma=3,grid=4,dim=2,count=7",
                           "laplace:scale=2",
                           "subsampled-gaussian:sigma=1,rate=0.1,sampling=without-replacement,count=1e3",
                           "subsampled-laplace:scale=1,rate=0.2",
                           "randomized-response:probability=0.2,levels=3",
                           "pure:epsilon=0.5",
                           "dp-barker:rows=1000,batch=100",
                           "variance-completed-barker:rows=1000,batch=100,bound=0.001",
                           "subsampled-penalty:tau=3,rate=0.1",
                           "zcdp:rho=0.1",
                           "approximate:epsilon=0.5,delta=1e-9",
                           "renyi:orders=2/4/8,costs=.1/.2/.4",
                           "exponential-mechanism:epsilon=0.5",
                           "report-noisy-max:scale=4",
                           "gdp:mu=0.3",
                           "sparse-vector:threshold=4,query=8,positives=2",
                           "shuffled:epsilon=1,users=1e4",
                           "matrix:sigma=3,strategy=1/-.5/0,steps=9,participations=3,separation=2",
                           "truncated-poisson:sigma=2,rate=0.01,rows=1e5,largest=1200",
                           "random-allocation:sigma=2,steps=50"}) {
    tree.parts.push_back(parse_event(spec));
  }
  const Event event{tree, 3};
  const nlohmann::json json = event;
  EXPECT_EQ(nlohmann::json(json.get<Event>()), json);
  EXPECT_EQ(flatten(event).size(), 21U);
  EXPECT_EQ(flatten(event)[3].count, 3000U);
}

TEST(Event, text_and_back) {
  const Event event = parse_event("renyi:orders=1.5/4,costs=0.25/1,count=3");
  EXPECT_EQ(event_text(event_from_text(event_text(event))), event_text(event));
  for (const char* text : {"", "{", "[]", "{\"mechanism\":\"gaussian\"}",
                           "{\"mechanism\":\"pure\",\"epsilon\":1,\"count\":1,\"count\":9}",
                           "{\"mechanism\":\"renyi\",\"orders\":[2,1],\"costs\":[1,1],\"count\":1}",
                           "{\"mechanism\":\"renyi\",\"orders\":[2],\"costs\":[],\"count\":1}"}) {
    EXPECT_THROW((void)event_from_text(text), Error) << text;
  }
}

TEST(Event, trees_are_nested_a_hundred_deep_at_the_most) {
  const auto nested = [](int depth) {
    std::string text = event_text(parse_event("gaussian:sigma=1"));
    for (int d = 0; d < depth; ++d) text = R"({"mechanism":"composition","count":1,"parts":[)" + text + "]}";
    return text;
  };
  EXPECT_EQ(flatten(event_from_text(nested(20))).size(), 1U);
  EXPECT_THROW((void)event_from_text(nested(10'000)), Error);
  // Brackets alone are as deep.
  EXPECT_THROW((void)event_from_text(std::string(100'000, '[')), Error);
}

TEST(Event, derived_names_stand_for_what_they_consist_of) {
  const Event sgd = parse_event("dp-sgd:noise=1.1,rows=60000,batch=250,epochs=1.001,count=2");
  EXPECT_EQ(event_text(sgd),
            event_text(parse_event("subsampled-gaussian:sigma=1.1,rate=0.004166666666666667,count=482")));
  for (const char* spec : {"dp-sgd:noise=1,rows=10,batch=11,epochs=1",
                           "dp-sgd:noise=1,rows=10,batch=0,epochs=1",
                           "dp-sgd:noise=1,rows=10,batch=5,epochs=0",
                           "dp-sgd:noise=1,rows=10,batch=5,epochs=1e300",
                           "tree:sigma=1,leaves=0",
                           "tree:leaves=4",
                           "renyi:orders=2/4,costs=.1",
                           "renyi:orders=,costs=",
                           "renyi:orders=2/,costs=1/2",
                           "zcdp:rho=-1",
                           "gdp:mu=-1",
                           "sparse-vector:threshold=1,query=1,positives=0",
                           "sparse-vector:threshold=1,query=0.001,positives=1",
                           "sparse-vector:threshold=1,query=1,positives=1,monotone=2",
                           "shuffled:epsilon=1,users=0",
                           "shuffled:epsilon=31,users=9",
                           "truncated-poisson:sigma=1,rate=1.1,rows=9,largest=2",
                           "truncated-poisson:sigma=1,rate=0.1,rows=0,largest=2",
                           "truncated-poisson:sigma=1,rate=0.1,rows=1e17,largest=2",
                           "truncated-poisson:sigma=1,rate=0.1,rows=9,largest=0",
                           "truncated-poisson:sigma=0,rate=0.1,rows=9,largest=2",
                           "random-allocation:sigma=1,steps=0",
                           "random-allocation:sigma=1,steps=1e7",
                           "approximate:epsilon=1,delta=2",
                           "report-noisy-max:scale=0.001",
                           "matrix:sigma=1,strategy=1,steps=0",
                           "matrix:sigma=1,strategy=1/2,steps=1",
                           "matrix:sigma=1,strategy=0/1,steps=2",
                           "matrix:sigma=1,strategy=1,steps=2,participations=0",
                           "matrix:sigma=1,strategy=1,steps=2,separation=0",
                           "matrix:sigma=1,strategy=1/1e-101,steps=2",
                           "matrix:sigma=1,strategy=1,steps=1e9,participations=1e9"}) {
    EXPECT_THROW((void)parse_event(spec), Error) << spec;
  }
}

// Nodes that one neighbour may change, by marking what is above a leaf: of one row more, and of one that moves between any two.
TEST(Event, a_tree_costs_what_its_nodes_do) {
  const auto above = [](std::uint64_t leaf, int levels) {
    std::set<std::pair<int, std::uint64_t>> nodes;
    for (int level = 0; level < levels; ++level) nodes.insert({level, leaf >> level});
    return nodes;
  };
  for (const auto& [leaves, levels] :
       std::vector<std::pair<std::uint64_t, int>>{{1, 1}, {2, 2}, {5, 4}, {8, 4}}) {
    std::size_t exchanged = 0;
    for (std::uint64_t from = 0; from < leaves; ++from) {
      for (std::uint64_t to = 0; to < leaves; ++to) {
        auto nodes = above(from, levels);
        nodes.merge(above(to, levels));
        exchanged = std::max(exchanged, nodes.size());
      }
    }
    const TreeEvent tree{5, leaves};
    EXPECT_NEAR(tree.rho(Adjacency::add_remove).value(), levels / 50.0, 1e-12) << leaves;
    EXPECT_NEAR(tree.rho(Adjacency::substitute).value(), static_cast<double>(exchanged) / 50.0, 1e-12)
        << leaves;
  }
}

// The longest C u over all patterns of taking part and all signs, by trying every one.
double longest(const MatrixEvent& event) {
  const auto steps = static_cast<int>(event.steps);
  double longest = 0;
  const auto column_sum = [&](const std::vector<int>& signs) {
    double squares = 0;
    for (int i = 0; i < steps; ++i) {
      double sum = 0;
      for (int j = 0; j <= i; ++j) {
        if (i - j < static_cast<int>(event.strategy.size())) sum += signs[j] * event.strategy[i - j];
      }
      squares += sum * sum;
    }
    return std::sqrt(squares);
  };
  std::vector<int> signs(event.steps, 0);
  const std::function<void(int, std::uint64_t)> extend = [&](int from, std::uint64_t left) {
    longest = std::max(longest, column_sum(signs));
    if (left == 0) return;
    for (int j = from; j < steps; ++j) {
      for (const int sign : {-1, 1}) {
        signs[j] = sign;
        extend(j + static_cast<int>(event.separation), left - 1);
      }
      signs[j] = 0;
    }
  };
  extend(0, event.participations);
  return longest;
}

TEST(Event, a_matrix_moves_no_further_than_its_sensitivity) {
  std::mt19937 draws(5);
  const auto uniform = [&](double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(draws);
  };
  for (int round = 0; round < 300; ++round) {
    MatrixEvent event{1, {uniform(0.1, 1)}, 1 + draws() % 8, 1 + draws() % 4, 1 + draws() % 4};
    const bool falls = round % 2 == 0;  // from one number to the next, and none below 0
    while (event.strategy.size() < event.steps && draws() % 4 > 0)
      event.strategy.push_back(falls ? event.strategy.back() * uniform(0, 1) : uniform(-1, 1));
    event.check();
    const double most = longest(event);
    SCOPED_TRACE(round);
    EXPECT_GE(event.sensitivity(Side::upper), most);
    EXPECT_LE(event.sensitivity(Side::lower), most);
    if (falls) {
      EXPECT_NEAR(event.sensitivity(Side::upper), most, 1e-13 * most);
      EXPECT_NEAR(event.sensitivity(Side::lower), most, 1e-13 * most);
    }
  }
}

// Columns that do not overlap, over more steps than could be walked through.
TEST(Event, a_matrix_of_many_steps_is_looked_at_where_it_is_not_zero) {
  const MatrixEvent event{1, {3, 4}, 1'000'000'000'000, 100, 1'000'000'000};
  event.check();
  EXPECT_NEAR(event.sensitivity(Side::upper), 50, 1e-9);
  EXPECT_NEAR(event.sensitivity(Side::lower), 50, 1e-9);
  EXPECT_NEAR(event.rho(Adjacency::substitute).value(), 4 * 2500 / 2.0, 1e-6);
}

// The cost of a group of rows is that of the event with so much more sensitivity, or what goes from row to row.
TEST(Event, groups_cost_what_their_rows_do) {
  const auto same = [](const char* spec, const char* group) {
    const Event three = group_event(parse_event(spec), 3);
    EXPECT_NEAR(rho_view(three, Adjacency::substitute).value(),
                rho_view(parse_event(group), Adjacency::substitute).value(), 1e-12)
        << spec;
  };
  same("gaussian:sigma=6", "gaussian:sigma=2");
  same("discrete-gaussian:sigma=6,grid=2", "discrete-gaussian:sigma=2,grid=6");
  same("laplace:scale=6", "laplace:scale=2");
  same("pure:epsilon=0.5", "pure:epsilon=1.5");
  same("zcdp:rho=0.1", "zcdp:rho=0.9");
  same("gdp:mu=0.1", "gdp:mu=0.3");
  same("sparse-vector:threshold=6,query=12,positives=2", "sparse-vector:threshold=2,query=4,positives=2");
  same("exponential-mechanism:epsilon=0.5", "exponential-mechanism:epsilon=1.5");
  same("report-noisy-max:scale=6", "report-noisy-max:scale=2");
  const Event given = group_event(parse_event("approximate:epsilon=1,delta=1e-6"), 3);
  const auto& approximate = std::get<ApproximateEvent>(given.mechanism);
  EXPECT_NEAR(approximate.epsilon, 3, 1e-12);
  EXPECT_NEAR(approximate.delta, 1e-6 * (1 + std::exp(1.0) + std::exp(2.0)), 1e-16);
  EXPECT_GE(approximate.epsilon, 3);
  for (const char* spec :
       {"subsampled-gaussian:sigma=1,rate=0.1", "randomized-response:probability=0.5",
        "dp-barker:rows=1000,batch=100", "renyi:orders=2,costs=1", "shuffled:epsilon=1,users=100",
        "truncated-poisson:sigma=1,rate=0.1,rows=9,largest=2"}) {
    EXPECT_THROW((void)group_event(parse_event(spec), 2), Error) << spec;
    EXPECT_EQ(event_text(group_event(parse_event(spec), 1)), event_text(parse_event(spec)));
  }
}

// Half of all quotients of doubles are rounded down; long double knows them a thousand times better.
TEST(Event, laplace_noise_costs_no_less_than_its_ratio) {
  for (int k = 1; k <= 300; ++k) {
    const LaplaceEvent event{1.0 + k % 7, 3 + 0.37 * k};
    const double epsilon = event.pure_epsilon(Adjacency::substitute).value();
    EXPECT_GE(epsilon, static_cast<long double>(event.sensitivity) / static_cast<long double>(event.scale))
        << k;
    EXPECT_LE(epsilon, event.sensitivity / event.scale * (1 + 1e-15)) << k;
  }
}

// Between two orders on a chord of (order - 1) cost; nothing beyond the last.
TEST(Event, given_renyi_costs_are_read_as_far_as_they_go) {
  const RenyiCurve curve =
      renyi_view(parse_event("renyi:orders=2/4,costs=1/3"), Adjacency::substitute).value();
  EXPECT_NEAR(curve.real(2), 1, 1e-11);
  EXPECT_NEAR(curve.real(3), (1 + 9) / 2.0 / 2, 1e-11);
  EXPECT_NEAR(curve.real(1.5), 1, 1e-11);
  EXPECT_NEAR(curve.real(4), 3, 1e-11);
  EXPECT_EQ(curve.real(4.001), HUGE_VAL);
  EXPECT_EQ(curve.most_order, 4);
  // Costs increase with the order, so that a smaller one further on holds before.
  const RenyiCurve falling =
      renyi_view(parse_event("renyi:orders=2/4,costs=3/1"), Adjacency::substitute).value();
  EXPECT_EQ(falling.real(2), 1);
}

// The largest curve of all pairs with losses in an interval of this length, which has a closed form.
TEST(Event, the_exponential_mechanism_lies_above_every_interval_of_losses) {
  for (const double epsilon : {0.1, 1.0, 5.0}) {
    const View<LossView> view = loss_view({ExponentialEvent{epsilon}, 1}, Adjacency::substitute, Side::upper);
    const auto& edge = std::get<LatticeLoss>(view.value().forward);
    for (int k = -20; k < 20; ++k) {
      const double at = epsilon * (k + 0.37) / 20;
      double bound = 0;
      for (std::size_t i = 0; i < edge.mass.size(); ++i) {
        const double loss = edge.offset + edge.step * static_cast<double>(i);
        if (loss > at) bound -= edge.mass[i] * std::expm1(at - loss);
      }
      double worst = 0;
      for (int j = 0; j <= 20000; ++j) {  // losses t and t - epsilon
        const double t = epsilon * j / 20000;
        const double p = (std::exp(epsilon) - std::exp(t)) / std::expm1(epsilon);
        worst = std::max(worst, p * std::max(-std::expm1(at - t), 0.0) +
                                    (1 - p) * std::max(-std::expm1(at - t + epsilon), 0.0));
      }
      const double closed = std::pow(std::exp(epsilon / 2) - std::exp(at / 2), 2) / std::expm1(epsilon);
      EXPECT_NEAR(worst, closed, 1e-6 * (1 + closed));
      EXPECT_GE(bound, worst * (1 - 1e-12));
      EXPECT_LE(bound, closed + 1e-5 * epsilon * epsilon);
    }
  }
}

TEST(Event, equal_leaves_share_one_count) {
  const Event event{
      CompositionEvent{{parse_event("pure:epsilon=1,count=2"), parse_event("pure:epsilon=1,count=3")}}, 4};
  ASSERT_EQ(flatten(event).size(), 1U);
  EXPECT_EQ(flatten(event)[0].count, 20U);
}

TEST(Event, refuses_what_is_not_an_event) {
  for (const char* spec : {"",
                           ":",
                           "gaussian",
                           "gaussian:",
                           "gaussian:sigma",
                           "gaussian:sigma=",
                           "gaussian:sigma=0",
                           "gaussian:sigma=-1",
                           "gaussian:sigma=nan",
                           "gaussian:sigma=inf",
                           "gaussian:sigma=1e-300",
                           "gaussian:sigma=1,sigma=1",
                           "gaussian:sigma=1,colour=2",
                           "gaussian:sigma=1,count=-1",
                           "gaussian:sigma=1,count=1.5",
                           "gaussian:sigma=1,count=99999999999999999999",
                           "gaussian:sigma=0x10",
                           "gaussian:sigma=1 ",
                           "laplace:sigma=1",
                           "subsampled-gaussian:sigma=1,rate=2",
                           "subsampled-gaussian:sigma=1,rate=0.1,sampling=systematic",
                           "dp-barker:rows=10,batch=20",
                           "variance-completed-barker:rows=1000,batch=100,bound=0.011",
                           "pure:epsilon=1e9",
                           "randomized-response:probability=0,levels=2"}) {
    SCOPED_TRACE(spec);
    EXPECT_THROW((void)parse_event(spec), Error);
  }
}

// Random strings near the grammar: an event or an Error, never anything else.
TEST(Event, parser_survives_mutations) {
  const std::vector<std::string> seeds = {
      "gaussian:sigma=2,count=3", "subsampled-gaussian:sigma=1,rate=0.1,count=1e3",
      "discrete-gaussian:sigma=3,grid=4,dim=2", "dp-barker:rows=1000,batch=100"};
  std::mt19937_64 rng(99);
  int understood = 0;
  for (int i = 0; i < 200000; ++i) {
    std::string spec = seeds[rng() % seeds.size()];
    for (std::uint64_t edits = 1 + rng() % 4; edits > 0 && !spec.empty(); --edits) {
      const std::size_t at = rng() % spec.size();
      switch (rng() % 4) {
        case 0:
          spec[at] = static_cast<char>(rng());
          break;
        case 1:
          spec.erase(at, 1 + rng() % 3);
          break;
        case 2:
          spec.insert(at, 1, ":,=.e-+019sigma"[rng() % 15]);
          break;
        default:
          spec += spec.substr(at);
          break;
      }
    }
    try {
      validate(parse_event(spec));
      ++understood;
    } catch (const Error& error) {
      ASSERT_LT(std::string(error.what()).size(), 440U);
    }
  }
  EXPECT_GT(understood, 100);
}

}  // namespace
}  // namespace sotto
