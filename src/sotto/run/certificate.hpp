// Whether intervals hold what they promise for a design, from fits of many made-up tables.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/run/rehearsal.hpp"

namespace sotto {

/// One parameter over all tables.
struct CertifiedParameter {
  std::string name;
  double half = 0;     ///< share of the tables whose central 50 % interval held what the rows were made from
  double ninety = 0;   ///< likewise 90 %
  double least = 0;    ///< coverage of 90 % intervals is at least that: one-sided 95 % limit [CP34]
  double uniform = 1;  ///< p-value of ranks' being uniform: chi-squared, ten bins [T18]
};

struct Certificate {
  double epsilon = 0;
  std::size_t tables = 0;
  std::vector<CertifiedParameter> parameters;
  bool holds = false;  ///< nothing speaks against it
  bool shown =
      false;        ///< and there are tables enough to say so: every parameter's lower limit is at least 0.7
  std::string why;  ///< a sentence
};

/// `budget.parameters` hold a rank for each table. It fails where some parameter's count of 90 % intervals is that of coverage 0.9, or its
/// ranks are uniform, with a probability below 0.001 over twice the number of parameters: a sound fit fails once in a thousand.
/// Ranks and coverage are of one truth a table, not drawn from the prior: where the prior decides, they say so.
/// Checked by tests/run/certificate_test.cpp: holds_for_posteriors_that_are_right, fails_for_posteriors_that_are_wrong
[[nodiscard]] Certificate certify(const RehearsedBudget& budget);

/// {"epsilon", "tables", "holds", "shown", "why", "parameters": {name: {...}}}
[[nodiscard]] nlohmann::ordered_json to_json(const Certificate& certificate);
/// A table and the verdict, for a terminal.
[[nodiscard]] std::string certificate_table(const Certificate& certificate);

/// Tables that a certificate takes where nothing is said.
inline constexpr std::size_t kTablesOfCertificate = 100;

}  // namespace sotto
