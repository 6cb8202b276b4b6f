// What the program tells of itself: the manual page and the shells' completions hold every word that its help shows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

class Itself : public Program {
 protected:
  /// The words that stand first in the lines of a help page after `title`.
  [[nodiscard]] std::set<std::string> words(const std::string& arguments, const std::string& title) const {
    std::set<std::string> found;
    std::istringstream lines(sotto(arguments).out);
    const std::regex first("^  (?:-\\w,)?(-?-?[\\w-]+).*");
    bool listed = false;
    for (std::string line; std::getline(lines, line);) {
      std::smatch word;
      if (line.empty() || line.ends_with(':')) listed = line == title;
      if (listed && std::regex_match(line, word, first)) found.insert(word[1]);
    }
    return found;
  }
  /// Verbs, and options as "fit --data".
  [[nodiscard]] std::vector<std::string> everything() const {
    std::vector<std::string> all;
    for (const std::string& verb : words("--help", "Subcommands:")) {
      all.push_back(verb);
      for (const std::string& option : words(verb + " --help", "Options:"))
        all.push_back(verb + " " + option);
    }
    return all;
  }
};

TEST_F(Itself, all_verbs_and_options_are_on_the_manual_page) {
  const std::string page = std::regex_replace(sotto("man").out, std::regex("\\\\-"), "-");
  const std::vector<std::string> all = everything();
  EXPECT_GT(all.size(), 100U);
  for (const std::string& word : all) {
    const std::string verb = word.substr(0, word.find(' '));
    const std::size_t begin = page.find(".SS " + verb + "\n");
    ASSERT_NE(begin, std::string::npos) << verb;
    const std::string section = page.substr(begin, page.find("\n.S", begin) - begin);
    if (verb == word) continue;
    EXPECT_THAT(section, HasSubstr("\\fB" + word.substr(verb.size() + 1) + "\\fR")) << verb;
  }
}

TEST_F(Itself, the_manual_page_is_good_groff) {
  const Outcome told =
      shell("export LC_ALL=C.UTF-8 MANWIDTH=80; \"$sotto\" man > sotto.1 && man -l --warnings=w sotto.1");
  EXPECT_EQ(told.status, 0);
  EXPECT_EQ(told.err, "");
  EXPECT_THAT(told.out, HasSubstr("sotto - Bayesian inference under differential privacy"));
  EXPECT_THAT(told.out, HasSubstr("--formula TEXT\n"));
}

TEST_F(Itself, all_verbs_and_options_are_completed) {
  const std::string bash = sotto("completion bash").out;
  const std::string zsh = sotto("completion zsh").out;
  const std::string fish = sotto("completion fish").out;
  for (const std::string& word : everything()) {
    const std::size_t blank = word.find(' ');
    const std::string verb = word.substr(0, blank);
    const std::string in_zsh = zsh.substr(std::min(zsh.size(), zsh.find("\n    " + verb + ")\n")));
    const std::string case_of_zsh = in_zsh.substr(0, in_zsh.find(";;"));
    if (blank == std::string::npos) {
      EXPECT_THAT(bash, testing::ContainsRegex("1. [*][)] words='[^']* " + verb + "[ ']"));
      EXPECT_THAT(zsh, HasSubstr("'" + verb + ":"));
      EXPECT_THAT(fish, HasSubstr(" -a " + verb + " "));
      continue;
    }
    const std::string option = word.substr(blank + 1);
    EXPECT_THAT(bash, testing::ContainsRegex(verb + ". [*]. -[*][)] words='[^']*" + option + "[ ']"));
    EXPECT_THAT(case_of_zsh, testing::ContainsRegex("'[*]?" + option + "=?\\[")) << verb;
    EXPECT_THAT(fish, testing::ContainsRegex("from " + verb + "'[^\n]* -l " + option.substr(2) + " "))
        << verb;
  }
}

TEST_F(Itself, bash_completes) {
  const auto completed = [&](const std::string& typed, int word) {
    return shell("source <(\"$sotto\" completion bash)\nCOMP_WORDS=(" + typed +
                 ")\nCOMP_CWORD=" + std::to_string(word) + "\n_sotto\necho \"${COMPREPLY[@]}\"")
        .out;
  };
  EXPECT_EQ(completed("sotto fi", 1), "fit\n");
  EXPECT_EQ(completed("sotto fit --ch", 2), "--chains\n");
  EXPECT_EQ(completed("sotto account --bound r", 3), "rdp\n");
  EXPECT_EQ(completed("sotto account --bound = z", 4), "zcdp\n");
  EXPECT_EQ(completed("sotto account --adjacency =", 3), "substitute add-remove\n");
  EXPECT_EQ(completed("sotto completion f", 2), "fish\n");
  EXPECT_EQ(completed("sotto fit --method pen", 3),
            "penalty penalty-one-at-a-time penalty-exponential-family penalty-subsampled\n");
  EXPECT_EQ(completed("sotto plan --family po", 3), "poisson\n");
  EXPECT_EQ(completed("sotto density --kernel ro", 3), "rounded-normal\n");
  EXPECT_EQ(completed("sotto density --algorithm sp", 3), "split-merge\n");
  EXPECT_EQ(completed("sotto density --mixing pit", 3), "pitman-yor\n");
  EXPECT_EQ(completed("sotto fit --data pat", 3), "\n");  // then bash looks for files
}

TEST_F(Itself, fish_completes) {
  const Outcome completed = shell(
      "export HOME=\"$PWD\" XDG_CONFIG_HOME=\"$PWD\"\n\"$sotto\" completion fish > sotto.fish\n"
      "fish -c 'source sotto.fish; complete -C \"sotto fi\"; complete -C \"sotto account --bound r\"'");
  EXPECT_EQ(completed.err, "");
  EXPECT_THAT(completed.out, testing::StartsWith("fit\tDraw from the posterior"));
  EXPECT_THAT(completed.out, HasSubstr("\nrdp\t"));
}

TEST_F(Itself, zsh_completes) {
  // A terminal of zsh's own, in which tabs are pressed.
  write("try.zsh", R"(zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; autoload -Uz compinit; compinit -D -u; source ./_sotto; sotto() { print -r -- got $@ }'
zpty -w -n shell $'sotto acco\t--adj\tadd\t\n'
zpty -w shell exit
while zpty -r shell line; do print -r -- $line; done
)");
  const Outcome told =
      shell("\"$sotto\" completion zsh > _sotto; zsh -n _sotto && TERM=dumb timeout 60 zsh -f try.zsh");
  EXPECT_EQ(told.err, "");
  EXPECT_THAT(told.out, HasSubstr("got account --adjacency=add-remove"));
}

TEST_F(Itself, the_version_stands_first) {
  const std::string told = sotto("--version").out;
  EXPECT_TRUE(std::regex_match(
      told, std::regex("sotto \\d+\\.\\d+\\.\\d+\ncommit: (unknown|[0-9a-f]{12,}(-dirty)?)\ncompiler: .+\n"
                       "vector instructions: \\w+\n")))
      << told;
}

}  // namespace
}  // namespace sotto
