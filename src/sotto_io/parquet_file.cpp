#include "sotto_io/parquet_file.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/io/memory.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>
#include <parquet/arrow/writer.h>

#include <algorithm>
#include <memory>
#include <numeric>

#include "sotto/base/error.hpp"
#include "sotto_io/arrow_records.hpp"
#include "sotto_io/wiping_pool.hpp"

namespace sotto {

namespace {

// Arrow's own messages may quote cells, so none of them is passed on.
[[noreturn]] void refuse_file(const std::filesystem::path& path) {
  throw Error(ErrorCode::data, fmt::format("{} cannot be read as Parquet; write it anew", path.string()));
}

arrow::MemoryPool* wiping_pool() {
  static WipingPool pool(*arrow::system_memory_pool());
  return &pool;
}

std::unique_ptr<parquet::arrow::FileReader> open_parquet(const std::filesystem::path& path) {
  const auto file = arrow::io::ReadableFile::Open(path.string(), wiping_pool());
  if (!file.ok())
    throw Error(ErrorCode::no_input, fmt::format("{} cannot be opened for reading", path.string()));
  parquet::ReaderProperties pages(wiping_pool());
  pages.enable_buffered_stream();  // page by page, never a whole column
  parquet::ArrowReaderProperties rows;
  rows.set_batch_size(4096);
  rows.set_pre_buffer(false);
  parquet::arrow::FileReaderBuilder builder;
  if (!builder.Open(*file, pages).ok()) refuse_file(path);
  auto reader = builder.memory_pool(wiping_pool())->properties(rows)->Build();
  if (!reader.ok()) refuse_file(path);
  (*reader)->set_use_threads(false);
  return std::move(*reader);
}

/// Where the named columns stand in the file.
std::vector<int> leaves_of(const parquet::arrow::FileReader& reader, const std::filesystem::path& path,
                           const std::vector<std::string>& names) {
  std::vector<int> leaves;
  for (const std::string& name : names) {
    for (const parquet::arrow::SchemaField& field : reader.manifest().schema_fields) {
      if (field.field->name() != name) continue;
      check_single_values(path.string(), *field.field);
      leaves.push_back(field.column_index);
    }
  }
  return leaves;
}

}  // namespace

std::vector<std::string> read_parquet_names(const std::filesystem::path& path) {
  const auto reader = open_parquet(path);
  std::shared_ptr<arrow::Schema> schema;
  if (!reader->GetSchema(&schema).ok()) refuse_file(path);
  return schema->field_names();
}

void read_parquet_records(const std::filesystem::path& path, const std::vector<std::string>& names,
                          const std::function<void(const TableRecord&)>& visit) {
  const auto reader = open_parquet(path);
  const std::vector<int> leaves = leaves_of(*reader, path, names);
  std::vector<int> groups(static_cast<std::size_t>(reader->num_row_groups()));
  std::iota(groups.begin(), groups.end(), 0);
  const auto batches = reader->GetRecordBatchReader(groups, leaves);
  if (!batches.ok()) refuse_file(path);

  if (!visit_batches(**batches, names, visit)) refuse_file(path);
}

std::string parquet_of(std::span<const StoredColumn> columns) {
  const auto require = [](const arrow::Status& status) {
    if (!status.ok()) throw Error(ErrorCode::internal, "a Parquet file cannot be made");
  };
  arrow::FieldVector fields;
  arrow::ArrayVector arrays;
  for (const StoredColumn& column : columns) {
    const auto append = [&](auto builder, const auto& values) {
      require(builder.AppendValues(values));
      require(builder.Finish(&arrays.emplace_back()));
      fields.push_back(arrow::field(column.name, arrays.back()->type(), false));
    };
    if (const auto* numbers = std::get_if<std::vector<double>>(&column.values))
      append(arrow::DoubleBuilder(), *numbers);
    else
      append(arrow::StringBuilder(), std::get<std::vector<std::string>>(column.values));
  }
  const auto bytes = arrow::io::BufferOutputStream::Create();
  if (!bytes.ok()) require(bytes.status());
  constexpr std::int64_t kRowsOfGroup = 1 << 20;
  require(parquet::arrow::WriteTable(*arrow::Table::Make(arrow::schema(fields), arrays),
                                     arrow::default_memory_pool(), *bytes, kRowsOfGroup));
  const auto buffer = (*bytes)->Finish();
  if (!buffer.ok()) require(buffer.status());
  return (*buffer)->ToString();
}

}  // namespace sotto
