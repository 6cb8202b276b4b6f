#include "sotto_io/arrow_stream.hpp"

#include <arrow/api.h>
#include <arrow/c/bridge.h>

#include "sotto/base/error.hpp"
#include "sotto_io/arrow_records.hpp"

namespace sotto {
namespace {

constexpr const char* kName = "the table";

// What the other library says of a failure may quote cells, so none of it is passed on.
[[noreturn]] void refuse_stream() {
  throw Error(ErrorCode::data, "the table cannot be read as an Arrow stream; write it to a Parquet file");
}

}  // namespace

void read_stream_records(ArrowArrayStream& stream, const std::vector<std::string>& names,
                         const std::function<void(const TableRecord&)>& visit) {
  const auto batches = arrow::ImportRecordBatchReader(&stream);
  if (!batches.ok()) refuse_stream();
  const arrow::Schema& schema = *(*batches)->schema();
  static_cast<void>(column_places(kName, schema.field_names(), names));
  for (const std::string& name : names) check_single_values(kName, *schema.GetFieldByName(name));
  if (!visit_batches(**batches, names, visit)) refuse_stream();
}

}  // namespace sotto
