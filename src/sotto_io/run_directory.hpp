// An output directory of a run, written and read back.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// Writes the files of docs/output.md into `directory`, which is made if needed. A comparison goes to the folder not_private in it, with a page of its own; nothing
/// outside that folder shows it, and privacy.json and manifest.json name its files. Each file is whole or
/// absent: written aside, flushed to disk, renamed. Results of earlier runs are removed once all are on the disk.
/// Errors: cannot_create when a directory cannot be made, io when a write fails.
void write_run(const std::filesystem::path& directory, RunRecord record);

/// Writes what a run without draws spent: privacy.json, or failed_privacy.json where results of an earlier run stand, which
/// keep their own statement. Errors: as for `write_run`.
void write_statement_alone(const std::filesystem::path& directory, const PrivacyStatement& privacy);

/// Writes the comparison, and what tells of it, beside the same run as `write_run` left it, whose draws stay where they are.
/// Errors: as for `write_run`.
void add_comparison(const std::filesystem::path& directory, RunRecord record);

/// JSON of a file. Errors: no_input when it is missing, data when it is none.
[[nodiscard]] nlohmann::ordered_json read_json_file(const std::filesystem::path& file);

/// Reads the draws of a run's chain files. Errors: no_input when there are none, data when one is damaged.
[[nodiscard]] Draws read_draws(const std::filesystem::path& directory);

/// The releases behind the draws. Errors: no_input where there are none, data where they are damaged.
[[nodiscard]] KeptAnswers read_kept_answers(const std::filesystem::path& directory);

/// Reads what `write_run` wrote. Errors: no_input when a file is missing, data when one is damaged.
[[nodiscard]] RunRecord read_run(const std::filesystem::path& directory);

/// Writes report.html, certificate.json where the record has a certificate, and not_private/report.html when there is a comparison; when there is none, that page goes.
/// `beside`: other runs that the pages compare with.
void write_report(const std::filesystem::path& directory, const RunRecord& record,
                  const std::vector<RunRecord>& beside = {});

/// Where the page with the comparison stands.
[[nodiscard]] std::filesystem::path not_private_report(const std::filesystem::path& directory);

/// The record of charges of the runs that wrote into `directory`.
[[nodiscard]] std::filesystem::path charges_file(const std::filesystem::path& directory);

/// To be called before anything is spent. Errors: cannot_create when results could not be written there (`check_results`), when
/// a file that would be replaced or removed is one of `inputs`, or, unless `overwrite`, when the directory holds a fit that
/// was paid for.
void check_run_directory(const std::filesystem::path& directory,
                         std::span<const std::filesystem::path> inputs, bool overwrite);

}  // namespace sotto
