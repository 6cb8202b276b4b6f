#include "sotto/base/one_line.hpp"

namespace sotto {

std::string one_line(std::string text, std::size_t longest) {
  if (text.size() > longest) text.resize(longest);
  for (char& c : text) {
    const auto code = static_cast<unsigned char>(c);  // char may have a sign or not
    if (code < 0x20 || code >= 0x7f) c = '?';
  }
  return text;
}

}  // namespace sotto
