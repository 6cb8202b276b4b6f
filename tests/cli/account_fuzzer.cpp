// The same, for a fuzzer that follows the code: arguments are the lines of the input.
#include <cstdint>
#include <cstdlib>
#include <sstream>

#include "cli/account_in_process.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> arguments{"--json"};
  for (std::string line; std::getline(text, line);) {
    line = line.substr(0, line.find('\0'));
    if (line == "--help" || line == "-h") return 0;
    arguments.push_back(line);
  }
  const std::string wrong = sotto::problem(sotto::run_account(arguments));
  if (!wrong.empty()) {
    std::fprintf(stderr, "%s\n", wrong.c_str());
    std::abort();
  }
  return 0;
}
