#include "sotto/event/event.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <random>

namespace sotto {
namespace {

TEST(Event, survives_json) {
  CompositionEvent tree;
  for (const char* spec :
       {"gaussian:sigma=2", "discrete-gaussian:sigma=3,grid=4,dim=2,count=7", "laplace:scale=2",
        "subsampled-gaussian:sigma=1,rate=0.1,sampling=without-replacement,count=1e3",
        "subsampled-laplace:scale=1,rate=0.2", "randomized-response:probability=0.2,levels=3",
        "pure:epsilon=0.5", "dp-barker:rows=1000,batch=100",
        "variance-completed-barker:rows=1000,batch=100,bound=0.001", "subsampled-penalty:tau=3,rate=0.1"}) {
    tree.parts.push_back(parse_event(spec));
  }
  const Event event{tree, 3};
  const nlohmann::json json = event;
  EXPECT_EQ(nlohmann::json(json.get<Event>()), json);
  EXPECT_EQ(flatten(event).size(), 10U);
  EXPECT_EQ(flatten(event)[3].count, 3000U);
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
      ASSERT_LT(std::string(error.what()).size(), 300U);
    }
  }
  EXPECT_GT(understood, 100);
}

}  // namespace
}  // namespace sotto
