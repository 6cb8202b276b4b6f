// What the program says of an exception that no code of its own threw.
#include "cli/run_program.hpp"

#include <gtest/gtest.h>
#include <sysexits.h>

#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

namespace sotto {
namespace {

/// What it says of `read` and its options, with this exit status.
std::string said_of(CLI::App& program, const std::vector<const char*>& options, int expected) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* err = open_memstream(&text, &size);
  const int status = 0;
  std::vector<const char*> argv{"sotto", "read"};
  argv.insert(argv.end(), options.begin(), options.end());
  EXPECT_EQ(cli::run_program(program, static_cast<int>(argv.size()), argv.data(), status, err), expected);
  std::fclose(err);
  const std::string said(text, size);
  std::free(text);
  return said;
}

// A library's message may quote a cell.
TEST(RunProgram, passes_on_nothing_of_a_librarys_exception) {
  CLI::App program("", "sotto");
  program.add_subcommand("read", "")->callback([] { throw std::runtime_error("cell 42"); });
  const std::string said = said_of(program, {}, EX_SOFTWARE);
  EXPECT_TRUE(said.starts_with("sotto: internal error")) << said;
  EXPECT_EQ(said.find("42"), std::string::npos) << said;
  EXPECT_EQ(said.find("cell"), std::string::npos) << said;
}

TEST(RunProgram, a_misspelt_option_is_named_before_one_that_is_missing) {
  CLI::App program("", "sotto");
  CLI::App* read = program.add_subcommand("read", "");
  std::string out, file;
  read->add_option("--out", out)->required();
  read->add_option("--channel-file", file);
  EXPECT_EQ(said_of(program, {"--channel", "a"}, EX_USAGE),
            "sotto: there is no --channel; did you mean --channel-file? (see sotto --help)\n");
  EXPECT_EQ(said_of(program, {}, EX_USAGE), "sotto: --out is required (see sotto --help)\n");
}

}  // namespace
}  // namespace sotto
