#include "sotto/base/first_names.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(FirstNames, say_how_many_others_there_are) {
  EXPECT_EQ(first_names({}), "");
  EXPECT_EQ(first_names({"a"}), "a");
  EXPECT_EQ(first_names({"a", "b", "c", "d"}), "a, b, c, d");
  EXPECT_EQ(first_names({"a", "b", "c", "d", "e", "f"}), "a, b, c, d and 2 more");
  EXPECT_EQ(first_names({"a", "b"}, 1), "a and 1 more");
}

}  // namespace
}  // namespace sotto
