// One line of a CSV file -> its fields. A record is one line, so that no record can reach into another.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sotto {

/// Splits `line` (without its line feed) at `delimiter`; a field may be quoted as in RFC 4180, and a carriage
/// return at the end is dropped. Returns false if a quote is still open at the end: the line is then no
/// record. A quote that is left open would otherwise swallow the records that follow, and one person's row
/// could change any number of others.
[[nodiscard]] bool split_csv_line(std::string_view line, char delimiter, std::vector<std::string>& fields);

}  // namespace sotto
