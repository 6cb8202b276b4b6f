#include "cli/manual.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

#include "sotto/base/version.hpp"

namespace sotto::cli {
namespace {

constexpr const char* kStatus =
    "0 where all went well, 130 where the run was interrupted, else one of sysexits.h: 64 for a command line "
    "that cannot be read, or whose options do not go together, 65 for data that cannot be used, 66 for files "
    "that cannot be read, 69 for a peer that does "
    "not answer, 70 for an error of the program itself, 73 for files that cannot be written, 74 for a disk "
    "that failed meanwhile, 75 for a budget that was spent too early or without an answer, 78 for a "
    "value that cannot be, in a configuration or in the place of one.";

/// Text as groff must read it to print it as it is: every line stands, none is a request.
std::string plain(std::string_view text) {
  std::string out;
  bool start = true;
  for (const char c : text) {
    if (start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\n')
      out += "\n.br\n";
    else
      out += c;
    start = c == '\n';
  }
  return out;
}

/// Lines may end behind commas.
std::string breakable(const std::string& words) {
  std::string out;
  for (const char c : words) out += c == ',' ? std::string(",\\:") : std::string(1, c);
  return out;
}

/// "--bound TEXT", with the values that it may take and its default.
std::string heading(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("\\fB" + plain("-" + name) + "\\fR");
  for (const std::string& name : option.get_lnames()) names.push_back("\\fB" + plain("--" + name) + "\\fR");
  if (option.get_positional()) names.push_back("\\fI" + plain(option.get_name(true)) + "\\fR");
  std::string said = fmt::format("{}", fmt::join(names, ", "));
  if (!option.get_type_name().empty() && !option.get_positional())
    said += " \\fI" + breakable(plain(option.get_type_name())) + "\\fR";
  if (!option.get_default_str().empty()) said += plain(" (default " + option.get_default_str() + ")");
  if (option.get_expected_max() == CLI::detail::expected_max_vector_size) said += " ...";
  return said;
}

std::string options_of(const CLI::App& app) {
  std::string text;
  for (const CLI::Option* option : app.get_options())
    text += fmt::format(".TP\n{}\n{}\n", heading(*option), plain(option->get_description()));
  return text;
}

std::string section_of(const CLI::App& verb) {
  std::string text =
      fmt::format(".SS {}\n{}.\n{}", plain(verb.get_name()), plain(verb.get_description()), options_of(verb));
  if (const std::string footer = verb.get_footer(); !footer.empty())
    text += fmt::format(".PP\n.nf\n{}\n.fi\n", plain(footer));
  return text;
}

}  // namespace

std::string manual_page(const CLI::App& program) {
  std::string verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; }))
    verbs += section_of(*verb);
  return fmt::format(
      ".TH SOTTO 1 \"\" \"sotto {0}\" \"User Commands\"\n.SH NAME\nsotto \\- {1}\n.SH SYNOPSIS\n"
      ".B sotto\n.I command\n[\\fIoption\\fR ...]\n.SH OPTIONS\n{2}.SH COMMANDS\n{3}.SH EXIT STATUS\n{4}\n",
      version(), plain(program.get_description()), options_of(program), verbs, plain(kStatus));
}

}  // namespace sotto::cli
