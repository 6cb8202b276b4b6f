#include "cli/run_program.hpp"

#include <fmt/core.h>
#include <sysexits.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "cli/exit_status.hpp"
#include "cli/remark.hpp"
#include "sotto/base/error.hpp"
#include "sotto/base/one_line.hpp"
#include "sotto/base/suggestion.hpp"

namespace sotto::cli {
namespace {

/// Whether the option's values are whole numbers.
bool is_whole(const CLI::App& program, const std::string& name) {
  return std::ranges::any_of(program.get_subcommands(), [&](const CLI::App* verb) {
    const CLI::Option* option = verb->get_option_no_throw(name);
    return option != nullptr &&
           (option->get_type_name().starts_with("UINT") || option->get_type_name().starts_with("INT"));
  });
}

/// What the parser found wrong, in one plain sentence.
std::string in_words(const CLI::ParseError& error, const CLI::App& program) {
  std::string said = error.what();
  const auto is = [&](CLI::ExitCodes code) { return error.get_exit_code() == static_cast<int>(code); };
  const std::vector<std::string> left = program.remaining(true);
  if ((is(CLI::ExitCodes::RequiredError) || is(CLI::ExitCodes::Success)) && !left.empty())
    return "there is no " + left.front();
  if (is(CLI::ExitCodes::ExtrasError) && !left.empty()) {
    return left.front().starts_with('-') ? "there is no " + left.front()
                                         : left.front() + " is one argument too many";
  }
  const std::string_view refused = "Could not convert: ";
  if (const std::size_t equals = said.find(" = ");
      is(CLI::ExitCodes::ConversionError) && said.starts_with(refused) && equals != std::string::npos) {
    const std::string name = said.substr(refused.size(), equals - refused.size());
    return fmt::format("{} takes a {}number, not '{}'", name, is_whole(program, name) ? "whole " : "",
                       said.substr(equals + 3));
  }
  if (const std::size_t colon = said.find(": ");
      is(CLI::ExitCodes::ArgumentMismatch) && colon != std::string::npos) {
    return said.substr(0, colon) +
           (said.ends_with("missing") ? " needs a value" : " is given more than once");
  }
  return said;
}

/// For the first word that no verb takes.
std::string meant(const CLI::App& program) {
  const std::vector<std::string> left = program.remaining(true);
  if (left.empty()) return {};
  const std::string word = left.front().substr(0, left.front().find('='));
  std::vector<std::string> known;
  if (word.starts_with('-')) {
    for (const CLI::App* verb : program.get_subcommands()) {
      for (const CLI::Option* option : verb->get_options()) {
        for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
      }
    }
  } else if (program.get_subcommands().empty()) {
    for (const CLI::App* verb : program.get_subcommands({})) known.push_back(verb->get_name());
  }
  return suggestion(word, known);
}

int say(const Error& error, std::FILE* err) {
  remark(err, "sotto: {}\n", error.what());
  return exit_status(error.code());
}

int not_written(std::FILE* err) {
  remark(err, "sotto: standard output cannot be written: is the disk full?\n");
  return EX_IOERR;
}

}  // namespace

int run_program(CLI::App& program, int argc, const char* const* argv, const int& status, std::FILE* err) {
  try {
    program.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    const bool unknown_verb = program.get_subcommands().empty() && !program.remaining().empty();
    if (error.get_exit_code() == 0 && !unknown_verb) {
      program.exit(error);
      std::cout.flush();  // the parser prints to it
      return std::fflush(stdout) == 0 && std::cout.good() ? 0 : not_written(err);
    }
    const std::string wrong = in_words(error, program);
    const auto verbs = program.get_subcommands();
    remark(err, "sotto: {}{} (see sotto {}--help)\n", one_line(wrong), one_line(meant(program)),
           verbs.empty() ? "" : verbs.back()->get_name() + " ");
    return EX_USAGE;
  } catch (const Error& error) {
    return say(error, err);
  } catch (const std::filesystem::filesystem_error& refused) {
    return say(error_of(refused), err);
  } catch (const std::bad_alloc&) {
    remark(err, "sotto: there is too little memory\n");
    return EX_SOFTWARE;
  } catch (const std::exception&) {
    if (std::ferror(stdout) != 0) return not_written(err);
    // What a library says of an exception may quote a cell, so it is not passed on.
    remark(err, "sotto: internal error: run it in a debugger to see where\n");
    return EX_SOFTWARE;
  }
  return std::fflush(stdout) == 0 ? status : not_written(err);
}

}  // namespace sotto::cli
