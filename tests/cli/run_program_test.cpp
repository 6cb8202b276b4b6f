// What the program says of an exception that no code of its own threw.
#include "cli/run_program.hpp"

#include <gtest/gtest.h>
#include <sysexits.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace sotto {
namespace {

/// The exit status, and what stands on standard error.
std::pair<int, std::string> run(const std::function<void()>& verb) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* err = open_memstream(&text, &size);
  CLI::App program("", "sotto");
  program.add_subcommand("read", "")->callback(verb);
  const char* const argv[] = {"sotto", "read"};
  const int status = cli::run_program(program, 2, argv, 0, err);
  std::fclose(err);
  std::string said(text, size);
  std::free(text);
  return {status, said};
}

// A library's message may quote a cell.
TEST(RunProgram, passes_on_nothing_of_a_librarys_exception) {
  const auto [status, said] = run([] { throw std::runtime_error("cell 42"); });
  EXPECT_EQ(status, EX_SOFTWARE);
  EXPECT_TRUE(said.starts_with("sotto: internal error")) << said;
  EXPECT_EQ(said.find("42"), std::string::npos) << said;
  EXPECT_EQ(said.find("cell"), std::string::npos) << said;
}

TEST(RunProgram, calls_what_a_file_system_refuses_no_bug) {
  const auto [status, said] = run([] { (void)std::filesystem::is_directory(std::string(300, 'x')); });
  EXPECT_EQ(status, EX_USAGE);
  EXPECT_EQ(said, "sotto: a path, or a name in it, is too long\n");
  const auto full = [] {
    throw std::filesystem::filesystem_error("cell 42", std::make_error_code(std::errc::no_space_on_device));
  };
  EXPECT_EQ(run(full),
            (std::pair(EX_IOERR, std::string("sotto: the file system refuses: No space left on device\n"))));
}

}  // namespace
}  // namespace sotto
