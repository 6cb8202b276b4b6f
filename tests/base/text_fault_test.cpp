#include "sotto/base/text_fault.hpp"

#include <gtest/gtest.h>

namespace sotto {
namespace {

TEST(TextFault, utf16_is_told_by_its_first_two_bytes) {
  EXPECT_TRUE(is_utf16("\xff\xfey"));
  EXPECT_TRUE(is_utf16("\xfe\xff"));
  EXPECT_FALSE(is_utf16("\xef\xbb\xbfy"));
  EXPECT_FALSE(is_utf16("\xff"));
  EXPECT_FALSE(is_utf16(""));
  EXPECT_EQ(toml_fault("\xff\xfe[", 1), kSaveAsUtf8);
}

TEST(TextFault, a_header_in_single_brackets_is_told) {
  EXPECT_NE(toml_fault("[a]\n  [owner]\n[owner]\n", 3).find("[[owner]]"), std::string::npos);
  EXPECT_EQ(toml_fault("[[owner]]\nx", 2).find("[[owner]]"), std::string::npos);
}

// The file may be a table that was named by mistake.
TEST(TextFault, nothing_of_the_text_is_repeated) {
  EXPECT_EQ(toml_fault("secret,47\n", 1), toml_fault("y,x\n", 1));
}

}  // namespace
}  // namespace sotto
