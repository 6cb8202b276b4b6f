// `sotto account` in this process, and what must hold of whatever it says.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/run_program.hpp"
#include "cli/verbs.hpp"

namespace sotto {

struct Said {
  int status;
  std::string out;
  std::string err;
  double seconds;  // of processor time
};

// The program as main() builds it, in this process.
inline Said run_account(const std::vector<std::string>& arguments) {
  char* out_text = nullptr;
  char* err_text = nullptr;
  std::size_t out_size = 0;
  std::size_t err_size = 0;
  std::FILE* out = open_memstream(&out_text, &out_size);
  std::FILE* err = open_memstream(&err_text, &err_size);
  const std::clock_t start = std::clock();
  int status = 0;
  {
    CLI::App program("", "sotto");
    program.require_subcommand(1);
    cli::add_account(program, status, out);
    std::vector<const char*> argv{"sotto", "account"};
    for (const std::string& a : arguments) argv.push_back(a.c_str());
    status = cli::run_program(program, static_cast<int>(argv.size()), argv.data(), status, err);
  }
  const double taken = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::fclose(out);
  std::fclose(err);
  Said said{status, {out_text, out_size}, {err_text, err_size}, taken};
  std::free(out_text);
  std::free(err_text);
  return said;
}

inline bool ordered(const nlohmann::json& json, const std::string& what) {
  const auto& lower = json.at(what + "_lower");
  const auto& upper = json.at(what + "_upper");
  if (lower.is_null()) return upper.is_null();  // both infinite
  return lower.get<double>() >= 0 && (upper.is_null() || lower.get<double>() <= upper.get<double>());
}

/// What is wrong with an answer to a call with --json; empty if nothing is.
inline std::string problem(const Said& said) {
  if (said.status != 0) {
    if (said.status != 64 && said.status != 75 && said.status != 78)
      return "exit status " + std::to_string(said.status);
    if (!said.out.empty()) return "an error and an answer";
    const bool one_line = std::count(said.err.begin(), said.err.end(), '\n') == 1 && said.err.back() == '\n';
    return one_line ? "" : "not one line: " + said.err;
  }
  if (!said.err.empty()) return "an answer and an error";
  const auto json = nlohmann::json::parse(said.out, nullptr, false);
  if (json.is_discarded()) return "no JSON: " + said.out;
  if (json.contains("count")) return json.at("count").is_number_unsigned() ? "" : "no count: " + said.out;
  if (!json.contains("epsilon")) {  // the noise that was solved for, under its mechanism's name for it
    for (const auto& [key, value] : json.items())
      if (key != "adjacency" && key != "bound") return value.is_number() ? "" : "no noise: " + said.out;
    return "no noise: " + said.out;
  }
  return ordered(json, "epsilon") && ordered(json, "delta") ? "" : "bounds out of order: " + said.out;
}

}  // namespace sotto
