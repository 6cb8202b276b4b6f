// What the program says of an exception that no code of its own threw, and of options that it does not have.
#include "cli/run_program.hpp"

#include <gtest/gtest.h>
#include <sysexits.h>

#include <cstdlib>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace sotto {
namespace {

using Said = std::pair<int, std::string>;

/// The exit status of `sotto read` with these options, and what stands on standard error.
Said said_of(CLI::App& program, const std::vector<const char*>& options = {}) {
  char* text = nullptr;
  std::size_t size = 0;
  std::FILE* err = open_memstream(&text, &size);
  std::vector<const char*> argv{"sotto", "read"};
  argv.insert(argv.end(), options.begin(), options.end());
  const int status = cli::run_program(program, static_cast<int>(argv.size()), argv.data(), 0, err);
  std::fclose(err);
  std::string said(text, size);
  std::free(text);
  return {status, said};
}

Said run(const std::function<void()>& verb) {
  CLI::App program("", "sotto");
  program.add_subcommand("read", "")->callback(verb);
  return said_of(program);
}

// A library's message may quote a cell.
TEST(RunProgram, passes_on_nothing_of_a_librarys_exception) {
  const auto [status, said] = run([] { throw std::runtime_error("a secret cell"); });
  EXPECT_EQ(status, EX_SOFTWARE);
  EXPECT_TRUE(said.starts_with("sotto: internal error")) << said;
  EXPECT_EQ(said.find("secret"), std::string::npos) << said;
  EXPECT_EQ(said.find("cell"), std::string::npos) << said;
}

TEST(RunProgram, calls_what_a_file_system_refuses_no_bug) {
  const auto [status, said] = run([] { (void)std::filesystem::is_directory(std::string(300, 'x')); });
  EXPECT_EQ(status, EX_USAGE);
  EXPECT_EQ(said, "sotto: a path, or a name in it, is too long\n");
  const auto full = [] {
    throw std::filesystem::filesystem_error("a secret cell",
                                            std::make_error_code(std::errc::no_space_on_device));
  };
  EXPECT_EQ(run(full), Said(EX_IOERR, "sotto: the file system refuses: No space left on device\n"));
}

TEST(RunProgram, a_misspelt_option_is_named_before_one_that_is_missing) {
  CLI::App program("", "sotto");
  CLI::App* read = program.add_subcommand("read", "");
  std::string out, file;
  read->add_option("--out", out)->required();
  read->add_option("--channel-file", file);
  EXPECT_EQ(said_of(program, {"--channel", "a"}),
            Said(EX_USAGE,
                 "sotto: there is no --channel (did you mean --channel-file?) (see sotto read --help)\n"));
  EXPECT_EQ(said_of(program), Said(EX_USAGE, "sotto: --out is required (see sotto read --help)\n"));
}

}  // namespace
}  // namespace sotto
