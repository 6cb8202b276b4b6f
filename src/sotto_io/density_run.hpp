// A density estimate of a table: of a release with its description or, for comparison, of confidential data.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sotto/base/interval.hpp"
#include "sotto_io/density_report.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {

/// Post-processing of a release. `columns`: one, or those of a joint estimate; none where the release has one alone.
/// Errors: usage (columns), and those of read_privatised and estimate_density.
[[nodiscard]] DensityReport density_of_release(const RecordReader& records, ChannelFile channel,
                                               const std::vector<std::string>& columns,
                                               const DensitySettings& settings,
                                               const SweepProgress& progress);

/// NOT PRIVATE: the same model on one column of confidential data themselves, within declared bounds.
/// Errors: usage (columns), configuration (bounds), data, and those of estimate_density_not_private.
[[nodiscard]] DensityReport density_of_confidential(const RecordReader& records,
                                                    const std::vector<std::string>& columns,
                                                    const Interval& bounds, const DensitySettings& settings,
                                                    const SweepProgress& progress);

/// Where the partition stands that a run is compared with: the file of labels itself, or the clusters of the directory of a run.
[[nodiscard]] std::filesystem::path partition_file(const std::filesystem::path& compared);

/// Errors: usage where `compared` are labels and the rows of the release do not stand where theirs do.
void check_compared(const ChannelFile& channel, const std::filesystem::path& compared);

/// Notes how far the partition agrees with that of another run on the same rows, or with a table of one column of labels. Errors:
/// those of read_partition and read_cells; data where the rows are others, or the labels not one column.
void compare_partitions(DensityReport& report, const std::filesystem::path& compared);

}  // namespace sotto
