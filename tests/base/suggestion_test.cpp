#include "sotto/base/suggestion.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace sotto {
namespace {

TEST(Suggestion, the_nearest_name_or_none) {
  const std::vector<std::string> known = {"--epsilon", "--delta", "--data", "age"};
  EXPECT_EQ(suggestion("--epslon", known), " (did you mean --epsilon?)");
  EXPECT_EQ(suggestion("--detla", known), " (did you mean --delta?)");
  EXPECT_EQ(suggestion("Age", known), " (did you mean age?)");
  const std::vector<std::string> begun = {"--chains", "--channel-file"};
  EXPECT_EQ(suggestion("--channel", begun), " (did you mean --channel-file?)");
  EXPECT_EQ(suggestion("weight", known), "");
  EXPECT_EQ(suggestion("y", std::vector<std::string>{"x"}), "");
  EXPECT_EQ(suggestion("", known), "");
  EXPECT_EQ(suggestion(std::string(1000000, 'a'), known), "");
  EXPECT_EQ(suggestion("x", {}), "");
}

}  // namespace
}  // namespace sotto
