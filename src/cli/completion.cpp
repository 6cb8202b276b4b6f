#include "cli/completion.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>

namespace sotto::cli {
namespace {

constexpr const char* kBash = R"(_sotto() {{
  local word="${{COMP_WORDS[COMP_CWORD]}}" before="${{COMP_WORDS[COMP_CWORD-1]}}" words=''
  if [ "$before" = = ]; then before="${{COMP_WORDS[COMP_CWORD-2]}}"; fi
  if [ "$word" = = ]; then word=''; fi
  case "$COMP_CWORD ${{COMP_WORDS[1]}} $before $word" in
    1\ *) words='{}' ;;
{}  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}}
complete -o default -o bashdefault -F _sotto sotto
)";

constexpr const char* kZsh = R"(#compdef sotto
_sotto() {{
  if (( CURRENT == 2 )); then
    local -a verbs=({})
    _describe -t commands command verbs
    _arguments {}
    return
  fi
  local verb=$words[2]
  shift words
  (( CURRENT-- ))
  case $verb in
{}  esac
}}
if [ "$funcstack[1]" = _sotto ]; then _sotto "$@"; else compdef _sotto sotto; fi
)";

/// The first sentence, in one line.
std::string brief(const std::string& description) {
  const std::string line = description.substr(0, description.find('\n'));
  const std::size_t end = line.find(". ");
  return end == std::string::npos || line.compare(0, end, "e.g") == 0 ? line : line.substr(0, end);
}

std::string escaped(std::string_view text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// Between single quotes, in bash and zsh.
std::string in_quotes(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool takes_value(const CLI::Option& option) { return option.get_expected_max() != 0; }

bool repeats(const CLI::Option& option) {
  return option.get_expected_max() == CLI::detail::expected_max_vector_size;
}

std::vector<const CLI::App*> verbs_of(const CLI::App& program) {
  return program.get_subcommands([](const CLI::App*) { return true; });
}

/// As they are typed: "-h", "--help".
std::vector<std::string> names_of(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : names_of(*option)) names.push_back(name);
  }
  return names;
}

/// The words of `one_of`, with blanks between them.
std::string words_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{'), close = type.find('}');
  if (open == std::string::npos || close == std::string::npos) return {};
  std::string words = type.substr(open + 1, close - open - 1);
  for (char& c : words) {
    if (c == ',') c = ' ';
  }
  return words;
}

std::string for_bash(const CLI::App& program) {
  std::vector<std::string> first = option_names(program);
  std::string cases;
  for (const CLI::App* verb : verbs_of(program)) {
    first.push_back(verb->get_name());
    std::string positional;
    for (const CLI::Option* option : verb->get_options()) {
      const std::string words = words_of(*option);
      if (words.empty()) continue;
      if (option->get_positional()) positional = words;
      for (const std::string& name : names_of(*option))
        cases += fmt::format("    *\\ {}\\ {}\\ *) words='{}' ;;\n", verb->get_name(), name, words);
    }
    cases += fmt::format("    *\\ {}\\ *\\ -*) words='{}' ;;\n", verb->get_name(),
                         fmt::join(option_names(*verb), " "));
    if (!positional.empty())
      cases += fmt::format("    2\\ {}\\ *) words='{}' ;;\n", verb->get_name(), positional);
  }
  return fmt::format(kBash, fmt::join(first, " "), cases);
}

/// What zsh's _arguments takes for each option.
std::string zsh_arguments(const CLI::App& app) {
  std::vector<std::string> arguments;
  for (const CLI::Option* option : app.get_options()) {
    const std::string words = words_of(*option);
    const std::string values = words.empty() ? "_files" : "(" + words + ")";
    const std::string said = escaped(brief(option->get_description()), "\\[]:");
    const char* many = repeats(*option) ? "*" : "";
    if (option->get_positional()) arguments.push_back(in_quotes(fmt::format("{}:{}:{}", many, said, values)));
    for (const std::string& name : names_of(*option)) {
      arguments.push_back(in_quotes(takes_value(*option)
                                        ? fmt::format("{}{}=[{}]:value:{}", many, name, said, values)
                                        : fmt::format("{}[{}]", name, said)));
    }
  }
  return fmt::format("{}", fmt::join(arguments, " \\\n        "));
}

std::string for_zsh(const CLI::App& program) {
  std::vector<std::string> verbs;
  std::string cases;
  for (const CLI::App* verb : verbs_of(program)) {
    verbs.push_back(in_quotes(verb->get_name() + ":" + escaped(brief(verb->get_description()), "\\:")));
    cases += fmt::format("    {})\n      _arguments {} ;;\n", verb->get_name(), zsh_arguments(*verb));
  }
  return fmt::format(kZsh, fmt::join(verbs, "\n      "), zsh_arguments(program), cases);
}

std::string fish_line(const std::string& where, const std::string& what, const std::string& said) {
  return fmt::format("complete -c sotto -n '{}' {} -d '{}'\n", where, what, escaped(brief(said), "\\'"));
}

std::string fish_options(const CLI::App& app, const std::string& where) {
  std::string lines;
  for (const CLI::Option* option : app.get_options()) {
    const std::string words = words_of(*option);
    std::string what;
    for (const std::string& name : option->get_snames()) what += "-s " + name + " ";
    for (const std::string& name : option->get_lnames()) what += "-l " + name + " ";
    if (option->get_positional() && words.empty()) continue;  // a file
    if (!words.empty())
      what += fmt::format("-x -a '{}'", words);
    else if (takes_value(*option))
      what += "-r";
    lines += fish_line(where, what, option->get_description());
  }
  return lines;
}

std::string for_fish(const CLI::App& program) {
  std::string lines =
      "complete -c sotto -n __fish_use_subcommand -f\n" + fish_options(program, "__fish_use_subcommand");
  for (const CLI::App* verb : verbs_of(program)) {
    lines += fish_line("__fish_use_subcommand", "-a " + verb->get_name(), verb->get_description());
    lines += fish_options(*verb, "__fish_seen_subcommand_from " + verb->get_name());
  }
  return lines;
}

}  // namespace

const std::vector<std::string>& shells() {
  static const std::vector<std::string> all = {"bash", "zsh", "fish"};
  return all;
}

std::string completion(const CLI::App& program, const std::string& shell) {
  if (shell == "zsh") return for_zsh(program);
  return shell == "fish" ? for_fish(program) : for_bash(program);
}

}  // namespace sotto::cli
