#include "sotto_io/parquet_file.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <arrow/memory_pool.h>
#include <arrow/visit_array_inline.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <type_traits>

#include "sotto/base/error.hpp"
#include "sotto/data/wiped.hpp"
#include "sotto_io/csv_reader.hpp"

namespace sotto {

namespace {

// Arrow's own messages may quote cells, so none of them is passed on.
[[noreturn]] void refuse_file(const std::filesystem::path& path) {
  throw Error(ErrorCode::data, fmt::format("{} cannot be read as Parquet; write it anew", path.string()));
}

/// Arrow's memory, wiped before it is given back.
class WipingPool final : public arrow::MemoryPool {
 public:
  using arrow::MemoryPool::Allocate;
  using arrow::MemoryPool::Free;
  using arrow::MemoryPool::Reallocate;

  arrow::Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    return pool_->Allocate(size, alignment, out);
  }
  arrow::Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                           std::uint8_t** memory) override {
    std::uint8_t* larger = nullptr;
    ARROW_RETURN_NOT_OK(pool_->Allocate(new_size, alignment, &larger));
    std::copy_n(*memory, std::min(old_size, new_size), larger);
    Free(*memory, old_size, alignment);
    *memory = larger;
    return arrow::Status::OK();
  }
  void Free(std::uint8_t* memory, std::int64_t size, std::int64_t alignment) override {
    if (size > 0) wipe(memory, static_cast<std::size_t>(size));
    pool_->Free(memory, size, alignment);
  }
  [[nodiscard]] std::int64_t bytes_allocated() const override { return pool_->bytes_allocated(); }
  [[nodiscard]] std::int64_t total_bytes_allocated() const override { return pool_->total_bytes_allocated(); }
  [[nodiscard]] std::int64_t num_allocations() const override { return pool_->num_allocations(); }
  [[nodiscard]] std::string backend_name() const override { return pool_->backend_name(); }

 private:
  arrow::MemoryPool* pool_ = arrow::system_memory_pool();
};

arrow::MemoryPool* wiping_pool() {
  static WipingPool pool;
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

bool holds_single_values(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::NA:
      return true;
    case arrow::Type::HALF_FLOAT:
      return false;
    case arrow::Type::DICTIONARY:
      return holds_single_values(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return arrow::is_integer(type.id()) || arrow::is_floating(type.id());
  }
}

/// Writes values out as text: shortest digits that read back as the same number. A null is nothing.
struct TextOf {
  std::vector<std::optional<std::string>>& texts;

  template <class Array>
  arrow::Status Visit(const Array& array) {
    for (std::int64_t i = 0; i < array.length(); ++i) {
      if (array.IsNull(i)) {
        texts.emplace_back();
      } else if constexpr (std::is_same_v<Array, arrow::BooleanArray>) {
        texts.emplace_back(array.Value(i) ? "1" : "0");
      } else if constexpr (arrow::is_number_type<typename Array::TypeClass>::value &&
                           !std::is_same_v<Array, arrow::HalfFloatArray>) {
        texts.emplace_back(fmt::format("{}", array.Value(i)));
      } else if constexpr (arrow::is_base_binary_type<typename Array::TypeClass>::value) {
        texts.emplace_back(array.GetView(i));
      } else {
        texts.emplace_back();
      }
    }
    return arrow::Status::OK();
  }
  arrow::Status Visit(const arrow::DictionaryArray& array) {
    std::vector<std::optional<std::string>> words;
    TextOf dictionary{words};
    ARROW_RETURN_NOT_OK(arrow::VisitArrayInline(*array.dictionary(), &dictionary));
    for (std::int64_t i = 0; i < array.length(); ++i) {
      texts.push_back(array.IsNull(i) ? std::nullopt
                                      : words[static_cast<std::size_t>(array.GetValueIndex(i))]);
    }
    return arrow::Status::OK();
  }
};

/// Where the named columns stand in the file.
std::vector<int> leaves_of(const parquet::arrow::FileReader& reader, const std::filesystem::path& path,
                           const std::vector<std::string>& names) {
  std::vector<int> leaves;
  for (const std::string& name : names) {
    for (const parquet::arrow::SchemaField& field : reader.manifest().schema_fields) {
      if (field.field->name() != name) continue;
      if (!field.is_leaf() || !holds_single_values(*field.field->type())) {
        throw Error(ErrorCode::data,
                    fmt::format("{}: column {} has type {}; write it as a number, a truth value or text",
                                path.string(), name, field.field->type()->ToString()));
      }
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

  std::vector<std::vector<std::optional<std::string>>> texts(names.size());
  std::vector<std::optional<std::string_view>> cells(names.size());
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (!(*batches)->ReadNext(&batch).ok()) refuse_file(path);
    if (!batch) return;
    for (std::size_t j = 0; j < names.size(); ++j) {
      texts[j].clear();
      TextOf visitor{texts[j]};
      const auto array = batch->GetColumnByName(names[j]);
      if (!array || !arrow::VisitArrayInline(*array, &visitor).ok()) refuse_file(path);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(batch->num_rows()); ++i) {
      bool whole = true;
      for (std::size_t j = 0; j < names.size(); ++j) {
        cells[j] = texts[j][i];
        whole = whole && (!cells[j] || cells[j]->size() <= kMostCellBytes);
      }
      if (!whole) std::fill(cells.begin(), cells.end(), std::nullopt);
      visit({whole, cells});
    }
  }
}

}  // namespace sotto
