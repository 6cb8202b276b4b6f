// A hundred bad inputs, as bad_inputs.txt lists them: each a status, one line that names what is wrong, and nothing written or lost.

#include <algorithm>
#include <map>
#include <sstream>
#include <vector>

#include "cli/program.hpp"

namespace sotto {
namespace {

/// A row of the table: a call, how it ends, and what its line must say.
struct BadInput {
  std::string arguments;
  int status = 0;
  std::vector<std::string> said;
};

struct BadInputs {
  std::vector<std::pair<std::string, std::string>> files;
  std::vector<BadInput> calls;
};

/// \n, and \xNN for a byte.
std::string unescaped(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      out += text[i];
    } else if (text[++i] == 'n') {
      out += '\n';
    } else {
      out += static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16));
      i += 2;
    }
  }
  return out;
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

/// "file NAME = CONTENT", and "STATUS : ARGUMENTS => WORDS", with " & " between words; "@NAME" stands for a repeated text.
BadInputs read_bad_inputs() {
  BadInputs table;
  std::map<std::string, std::string> texts;
  std::ifstream file(SOTTO_BAD_INPUTS);
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line.starts_with('#')) continue;
    for (const auto& [name, text] : texts) {
      for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + text.size()))
        line.replace(at, name.size(), text);
    }
    if (line.starts_with("file ") || line.starts_with('@')) {
      const std::size_t equals = line.find(" = ");
      const std::string content = line.substr(equals + 3);
      if (line.starts_with('@')) {
        texts[line.substr(0, equals)] = content;
      } else {
        table.files.emplace_back(line.substr(5, equals - 5), unescaped(content));
      }
      continue;
    }
    const std::size_t colon = line.find(" : "), arrow = line.rfind(" => ");
    BadInput call{line.substr(colon + 3, arrow - colon - 3), std::stoi(line.substr(0, colon)), {}};
    std::string words = line.substr(arrow + 4);
    for (std::size_t at = words.find(" & "); at != std::string::npos; at = words.find(" & ")) {
      call.said.push_back(trimmed(words.substr(0, at)));
      words = words.substr(at + 3);
    }
    call.said.push_back(trimmed(words));
    table.calls.push_back(std::move(call));
  }
  return table;
}

class BadInputTable : public Program {
 protected:
  /// All that stands in the folder, by path; what the program prints stands elsewhere.
  [[nodiscard]] std::map<std::string, std::string> snapshot() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_ / "work"))
      all[entry.path().string()] = entry.is_regular_file() ? file_content(entry.path()) : "";
    return all;
  }
  [[nodiscard]] Outcome call(const std::string& arguments) const {
    return shell("cd work\nulimit -t 5\n$sotto " + arguments);
  }
};

constexpr std::size_t kShares = 6;  // of the table, each a test

class BadInputTableShare : public BadInputTable, public testing::WithParamInterface<std::size_t> {};

TEST_P(BadInputTableShare, every_call_is_refused_in_one_line_that_names_what_is_wrong) {
  const BadInputs table = read_bad_inputs();
  EXPECT_GE(table.calls.size(), 100U);
  std::filesystem::create_directories(folder_ / "work" / "folder");
  for (const auto& [name, content] : table.files) write("work/" + name, content);
  const auto before = snapshot();
  for (std::size_t i = GetParam(); i < table.calls.size(); i += kShares) {
    const BadInput& bad = table.calls[i];
    SCOPED_TRACE(bad.arguments);
    const Outcome run = call(bad.arguments);
    EXPECT_EQ(run.status, bad.status);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_TRUE(run.err.starts_with("sotto: ")) << run.err;
    EXPECT_LE(run.err.size(), 450U) << run.err;
    for (const std::string& word : bad.said)
      EXPECT_NE(run.err.find(word), std::string::npos) << word << "\n" << run.err;
    EXPECT_EQ(run.err.find("cell7"), std::string::npos) << "no cell is quoted: " << run.err;
    EXPECT_EQ(snapshot(), before);
  }
}

INSTANTIATE_TEST_SUITE_P(Every, BadInputTableShare, testing::Range<std::size_t>(0, kShares));

// A link to itself is what nobody can open, the superuser included.
TEST_F(BadInputTable, an_unreadable_file_is_named) {
  std::filesystem::create_directories(folder_ / "work");
  std::filesystem::create_symlink("d.csv", folder_ / "work/d.csv");
  const Outcome run = call("privatize d.csv --column x --lower 0 --upper 1 --epsilon 1 --out z.csv");
  EXPECT_EQ(run.status, 66);
  EXPECT_EQ(run.err, "sotto: d.csv cannot be opened for reading\n");
}

}  // namespace
}  // namespace sotto
