// An output directory of a run, written and read back.
#pragma once

#include <filesystem>

#include "sotto/report/run_record.hpp"

namespace sotto {

/// Writes chain_N.csv, summary.csv, summary.json, privacy.json, manifest.json and report.html into
/// `directory`, which is made if needed; a comparison goes to not_private_chain_N.csv. Each file is whole or
/// absent: written aside, flushed to disk, renamed. Chain files of an earlier, larger run are removed.
/// Errors: cannot_create when the directory cannot be made, io when a write fails.
void write_run(const std::filesystem::path& directory, const RunRecord& record);

/// Reads what `write_run` wrote. Errors: no_input when a file is missing, data when one is damaged.
[[nodiscard]] RunRecord read_run(const std::filesystem::path& directory);

/// Writes report.html alone.
void write_report(const std::filesystem::path& directory, const RunRecord& record);

}  // namespace sotto
