// Columns of a table privatised, once: from its records to the released file and the public description beside it.
#pragma once

#include <filesystem>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "sotto/channel/column.hpp"
#include "sotto/entropy/entropy_source.hpp"
#include "sotto/privatise/privatise.hpp"
#include "sotto_io/channel_file.hpp"
#include "sotto_io/table_records.hpp"

namespace sotto {

struct ColumnRelease {
  std::vector<ColumnSettings> columns;
  PrivacyTarget target;
  std::filesystem::path out;                  ///< a CSV file
  std::vector<std::filesystem::path> inputs;  ///< that no output may replace
  RowOrder order = RowOrder::shuffled;
  bool overwrite = false;  ///< replaces a release; what it cost stays spent
};

/// Reads the columns once, draws their noise, and writes the values and their description, which carries on what earlier releases
/// of that name cost. The description is on the disk before the noise is drawn. `warn` is told, in sentences, what does not depend
/// on cells. Errors: usage, cannot_create, configuration and data before anything is spent; io after, which says so.
[[nodiscard]] ChannelFile release_columns(const ColumnRelease& release, const RecordReader& records,
                                          EntropySource& entropy,
                                          const std::function<void(const std::string&)>& warn);

/// What was released, where it stands and what it promises.
[[nodiscard]] nlohmann::json release_summary(const ChannelFile& file, const ColumnRelease& release);

}  // namespace sotto
