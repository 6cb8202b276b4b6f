#include "sotto/base/one_line.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(OneLine, of_anything_is_printable) {
  EXPECT_EQ(one_line("as it is ~ !"), "as it is ~ !");
  EXPECT_EQ(one_line("a\nb\tc\x1b[2J\x7f"), "a?b?c?[2J?");
  EXPECT_EQ(one_line("gr\xc3\xbc\xc2\x9b"), "gr????");
  EXPECT_EQ(one_line("longer than that", 6), "longer");
  for (int code = 0; code < 256; ++code) {
    const std::string one = one_line(std::string(1, static_cast<char>(code)));
    EXPECT_EQ(one, code >= 32 && code < 127 ? std::string(1, static_cast<char>(code)) : "?") << code;
  }
}

}  // namespace
}  // namespace sotto
