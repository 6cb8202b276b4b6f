// Tables that another library holds in memory and hands over as an Arrow C stream.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "sotto_io/table_records.hpp"

struct ArrowArrayStream;

namespace sotto {

/// Visits all records of a stream as `read_records` does those of a file, whose errors and promises it shares. The stream is
/// taken over, whatever happens: it can be read once. Its memory belongs to the library that made it, and is not wiped.
void read_stream_records(ArrowArrayStream& stream, const std::vector<std::string>& names,
                         const std::function<void(const TableRecord&)>& visit);

}  // namespace sotto
