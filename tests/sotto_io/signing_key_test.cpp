// Whoever has the seed is the owner: nobody else may read it, and none is lost.
#include "sotto_io/signing_key.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

class SigningKey : public testing::Test {
 protected:
  const std::filesystem::path folder_ = own_folder();
  const std::filesystem::path seed_ = folder_ / "north.signing";
  const std::filesystem::path public_ = folder_ / "north.public";
  void TearDown() override { std::filesystem::remove_all(folder_); }
};

TEST_F(SigningKey, is_refused_where_anybody_but_its_owner_may_read_or_write_it) {
  using enum std::filesystem::perms;
  make_signing_key(seed_, public_);
  const auto seed = read_signing_seed(seed_);
  for (const auto others : {group_read, group_write, others_read, others_write}) {
    std::filesystem::permissions(seed_, owner_read | owner_write | others);
    try {
      static_cast<void>(read_signing_seed(seed_));
      ADD_FAILURE() << static_cast<unsigned>(others);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::configuration) << static_cast<unsigned>(others);
    }
  }
  std::filesystem::permissions(seed_, owner_read);
  EXPECT_EQ(read_signing_seed(seed_), seed);
}

TEST_F(SigningKey, is_written_over_no_file_and_through_no_link) {
  const std::filesystem::path open = folder_ / "open";
  const std::filesystem::path link = folder_ / "link";
  make_signing_key(seed_, public_);
  write_whole_file(open, "mine");  // which others may read
  std::filesystem::create_symlink("nowhere", link);
  const std::string seed = read_whole_file(seed_);
  for (const std::filesystem::path& there : {seed_, open, link}) {
    try {
      make_signing_key(there, folder_ / "other.public");
      ADD_FAILURE() << there;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::cannot_create) << there;
    }
    EXPECT_FALSE(std::filesystem::exists(folder_ / "other.public")) << there;
  }
  EXPECT_EQ(read_whole_file(seed_), seed);
  EXPECT_EQ(read_whole_file(open), "mine");
  EXPECT_FALSE(std::filesystem::exists(folder_ / "nowhere"));
}

// What is missing of a key would be zeros, which everybody knows.
TEST_F(SigningKey, is_whole_or_none) {
  make_signing_key(seed_, public_);
  const std::string whole = read_whole_file(public_).substr(0, 64);
  const std::filesystem::path other = folder_ / "other.public";
  write_whole_file(other, whole);
  EXPECT_EQ(to_text(read_public_key(other)), whole);
  for (const std::string& text : {std::string(), whole.substr(0, 2), whole.substr(0, 62), whole.substr(0, 63),
                                  whole + "00", "zz" + whole.substr(2)}) {
    write_whole_file(other, text);
    try {
      static_cast<void>(read_public_key(other));
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::data) << text;
    }
  }
}

// A seed without its public key is of no use, and the file of another public key stays.
TEST_F(SigningKey, leaves_no_seed_where_its_public_key_cannot_be_written) {
  write_whole_file(public_, "another's");
  EXPECT_THROW(make_signing_key(seed_, public_), Error);
  EXPECT_FALSE(std::filesystem::exists(seed_));
  EXPECT_EQ(read_whole_file(public_), "another's");
}

}  // namespace
}  // namespace sotto
