// A place in the temporary folder that no other test has, also when tests and checkouts run side by side.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace sotto {

/// A path of the running test; nothing is there unless the test put it there.
[[nodiscard]] inline std::filesystem::path own_path() {
  const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
  std::string name =
      std::string(test->test_suite_name()) + "_" + test->name() + "_" + std::to_string(getpid());
  std::replace(name.begin(), name.end(), '/', '_');
  return std::filesystem::path(testing::TempDir()) / name;
}

/// The same as a folder that is there.
[[nodiscard]] inline std::filesystem::path own_folder() {
  std::filesystem::create_directories(own_path());
  return own_path();
}

}  // namespace sotto
