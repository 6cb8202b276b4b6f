// Who is counted cannot be looked up: the hash of a name has a key of its own in every object.
#include "sotto/data/person_rows.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

struct OpenPersonRows : PersonRows {
  using PersonRows::hash;
};

// False alarms: 6e-39.
TEST(PersonRows, hash_a_name_differently_in_every_object) {
  const OpenPersonRows one;
  const OpenPersonRows other;
  EXPECT_NE(one.hash("Ada"), other.hash("Ada"));
  EXPECT_EQ(one.hash("Ada"), one.hash("Ada"));
  EXPECT_NE(one.hash("Ada"), one.hash("Bob"));
}

}  // namespace
}  // namespace sotto
