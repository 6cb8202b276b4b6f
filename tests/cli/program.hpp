// Runs the program and collects what it says.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <sysexits.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "support/own_folder.hpp"

namespace sotto {

struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string file_content(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// A fit that made its draws, be they an answer or, as short chains are none, no answer.
inline testing::Matcher<int> has_draws() { return testing::AnyOf(0, EX_TEMPFAIL); }

/// A test with an empty folder of its own in which the program runs.
class Program : public testing::Test {
 protected:
  std::filesystem::path folder_;
  void SetUp() override {
    folder_ = own_path();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] Outcome sotto(const std::string& arguments) const {
    const std::string command =
        "cd '" + folder_.string() + "' && '" SOTTO_PROGRAM "' " + arguments + " >stdout.txt 2>stderr.txt";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_content(folder_ / "stdout.txt"),
            file_content(folder_ / "stderr.txt")};
  }
  /// A shell command in that folder; `$sotto` is the program.
  [[nodiscard]] Outcome shell(const std::string& script) const {
    write("script.sh", "cd '" + folder_.string() + "'\nsotto='" SOTTO_PROGRAM "'\n" + script + "\n");
    const int status =
        std::system(("bash '" + (folder_ / "script.sh").string() + "' >'" +
                     (folder_ / "stdout.txt").string() + "' 2>'" + (folder_ / "stderr.txt").string() + "'")
                        .c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, file_content(folder_ / "stdout.txt"),
            file_content(folder_ / "stderr.txt")};
  }
  [[nodiscard]] bool exists(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  [[nodiscard]] std::string content(const std::string& name) const { return file_content(folder_ / name); }
  void write(const std::string& name, const std::string& content) const {
    std::ofstream(folder_ / name, std::ios::binary) << content;
  }
};

}  // namespace sotto
