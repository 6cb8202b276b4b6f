// What the program says of an exception that no code of its own threw.
#include "cli/run_program.hpp"

#include <gtest/gtest.h>
#include <sysexits.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

namespace sotto {
namespace {

// A library's message may quote a cell.
TEST(RunProgram, passes_on_nothing_of_a_librarys_exception) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* err = open_memstream(&text, &size);
  CLI::App program("", "sotto");
  program.add_subcommand("read", "")->callback([] { throw std::runtime_error("cell 42"); });
  const int status = 0;
  const char* const argv[] = {"sotto", "read"};
  EXPECT_EQ(cli::run_program(program, 2, argv, status, err), EX_SOFTWARE);
  std::fclose(err);
  const std::string said(text, size);
  std::free(text);
  EXPECT_TRUE(said.starts_with("sotto: internal error")) << said;
  EXPECT_EQ(said.find("42"), std::string::npos) << said;
  EXPECT_EQ(said.find("cell"), std::string::npos) << said;
}

}  // namespace
}  // namespace sotto
