// What the program tells of itself: how it was built, its manual page, and how shells complete its words.
#include <fmt/format.h>

#include <boost/config.hpp>
#include <memory>
#include <string>

#include "cli/commit.hpp"
#include "cli/completion.hpp"
#include "cli/manual.hpp"
#include "cli/one_of.hpp"
#include "cli/verbs.hpp"
#include "sotto/base/version.hpp"
#include "sotto/model/glm/glm_pass.hpp"

namespace sotto::cli {

std::string build_description() {
  return fmt::format("sotto {}\ncommit: {}\ncompiler: {}\nvector instructions: {}", version(), commit(),
                     BOOST_COMPILER, glm_pass_instructions());
}

void add_man(CLI::App& program, int& /*status*/) {
  CLI::App* verb = program.add_subcommand("man", "Print the manual page");
  verb->footer("Example:\n  sotto man | man -l -");
  verb->callback([&program] { fmt::print("{}", manual_page(program)); });
}

void add_completion(CLI::App& program, int& /*status*/) {
  auto shell = std::make_shared<std::string>();
  CLI::App* verb = program.add_subcommand("completion", "Print what a shell needs to complete these words");
  verb->add_option("SHELL", *shell, "which one reads it")->required()->check(one_of(shells()));
  verb->footer(
      "Examples:\n  source <(sotto completion bash)\n  source <(sotto completion zsh)\n"
      "  sotto completion fish | source");
  verb->callback([&program, shell] { fmt::print("{}", completion(program, *shell)); });
}

}  // namespace sotto::cli
