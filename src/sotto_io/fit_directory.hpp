// A fit that leaves a directory: each charge before its noise is drawn, then draws, summary, statement and page.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "sotto/chain/draws.hpp"
#include "sotto/data/schema.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/report/run_record.hpp"
#include "sotto/run/fit.hpp"
#include "sotto/run/fit_config.hpp"
#include "sotto/run/problem.hpp"

namespace sotto {

/// What stands in the directory, and how the run ended.
struct FitOutcome {
  RunRecord record;
  std::size_t draws = 0;  ///< of all chains together
  StopReason ending = StopReason::finished;
  std::string spent;  ///< a clause: what was spent, and which file says so
  /// NOT PRIVATE: the fit that was asked for beside has not converged, so it is shown in its own folder alone, whose page says so.
  bool comparison_failed = false;
};

/// Fits, and writes into `config.out` charges.jsonl and what `write_run` writes. What was paid for is written before
/// the fit without privacy that `config.compare_not_private` asks for; `progress` can end that one too, and it is left out then.
/// Errors: those of `RunLock`, which is held all the while, and of `check_run_directory`, before anything is spent; those of `fit`,
/// budget or interrupted when there is no draw, and those of `write_run`, with what was spent; io for an exception that is not ours.
/// Whatever was paid for, privacy.json says so, or failed_privacy.json beside results of an earlier run, which stay until there are
/// draws to take their place.
[[nodiscard]] FitOutcome fit_to_directory(const FitConfig& config, const Problem& problem,
                                          EntropySource& entropy, const FitProgress& progress = {},
                                          bool overwrite = false, const Prospects& prospects = {});

/// The settings and the declaration of a fit.
struct FitAsMade {
  FitConfig config;
  Schema schema;
};

/// Those of the fit in a directory, as its manifest.json keeps them; `overrides` as `parse_fit_config` takes them.
/// A comparison without privacy, which would read rows, is left out unless `overrides` ask for one.
/// Errors: no_input where no fit is there; data where its manifest.json is none; configuration where its manifest.json does not keep them, and those of `parse_fit_config`.
[[nodiscard]] FitAsMade fit_as_made(const std::filesystem::path& directory,
                                    const std::vector<std::string>& overrides);

/// Draws anew from the releases that `config.out` keeps, in the place of the draws there: no row is read and nothing is charged, so
/// privacy.json and charges.jsonl say what they said. What may be checked without rows is: model, priors, budget, declaration and
/// their number where it is public; which table it was is not. `inputs`: files of schema and settings, which no output may replace.
/// Errors: no_input where no fit keeps releases there; those of `RunLock`, `check_run_directory`, `fit_again` and `write_run`;
/// interrupted before the first draw.
/// Checked by tests/cli/resume_test.cpp: needs_no_rows_and_leaves_the_books_as_they_are
[[nodiscard]] FitOutcome resume_directory(const FitConfig& config, const Schema& schema,
                                          std::span<const std::filesystem::path> inputs,
                                          const FitProgress& progress = {});

}  // namespace sotto
