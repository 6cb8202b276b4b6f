#include "sotto/base/suggestion.hpp"

#include <algorithm>
#include <vector>

namespace sotto {
namespace {

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      const bool same = a[i - 1] == b[j - 1];
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  }
  return d.back().back();
}

}  // namespace

std::string suggestion(std::string_view word, std::span<const std::string> known) {
  constexpr std::size_t kLongestWord = 100;
  constexpr std::size_t kBegun = 4;  // letters of a name that may be left unfinished
  if (word.size() > kLongestWord) return {};
  const std::string* nearest = nullptr;
  std::size_t least = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& name : known) {
    if (name.size() > kLongestWord) continue;
    const bool begun = word.size() >= kBegun && name.starts_with(word);
    const std::size_t changes = begun ? 1 : distance(word, name);
    if (changes < least && changes < word.size()) {
      least = changes;
      nearest = &name;
    }
  }
  return nearest == nullptr ? std::string() : " (did you mean " + *nearest + "?)";
}

}  // namespace sotto
