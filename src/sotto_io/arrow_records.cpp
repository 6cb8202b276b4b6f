#include "sotto_io/arrow_records.hpp"

#include <arrow/api.h>
#include <arrow/visit_array_inline.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <type_traits>

#include "sotto/base/error.hpp"
#include "sotto_io/csv_reader.hpp"

namespace sotto {
namespace {

// Of a batch so many rows are written out at a time: a batch may be a whole table.
constexpr std::int64_t kRowsAtOnce = 65536;

bool holds_single_values(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::BOOL:
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
    case arrow::Type::BINARY:
    case arrow::Type::LARGE_BINARY:
    case arrow::Type::STRING_VIEW:
    case arrow::Type::BINARY_VIEW:
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

/// A value as text: shortest digits that read back as the same number, and nothing for what is none.
template <class Array>
std::optional<std::string> text_at(const Array& array, std::int64_t i) {
  using Type = typename Array::TypeClass;
  if (array.IsNull(i)) return std::nullopt;
  if constexpr (std::is_same_v<Array, arrow::BooleanArray>) return array.Value(i) ? "1" : "0";
  if constexpr (arrow::is_number_type<Type>::value && !arrow::is_half_float_type<Type>::value) {
    if constexpr (arrow::is_floating_type<Type>::value) {
      if (std::isnan(array.Value(i))) return std::nullopt;  // whatever its sign: it names nobody
    }
    return fmt::format("{}", array.Value(i));
  }
  if constexpr (arrow::is_base_binary_type<Type>::value || arrow::is_binary_view_like_type<Type>::value)
    return std::string(array.GetView(i));
  return std::nullopt;
}

/// Writes values out as text. A null is nothing.
struct TextOf {
  std::vector<std::optional<std::string>>& texts;

  template <class Array>
  arrow::Status Visit(const Array& array) {
    for (std::int64_t i = 0; i < array.length(); ++i) texts.push_back(text_at(array, i));
    return arrow::Status::OK();
  }
  arrow::Status Visit(const arrow::DictionaryArray& array) {
    std::vector<std::optional<std::string>> words;
    TextOf dictionary{words};
    ARROW_RETURN_NOT_OK(arrow::VisitArrayInline(*array.dictionary(), &dictionary));
    for (std::int64_t i = 0; i < array.length(); ++i) {
      // Nobody has checked the indices: what points nowhere is no value.
      const auto word = array.IsNull(i) ? words.size() : static_cast<std::size_t>(array.GetValueIndex(i));
      texts.push_back(word < words.size() ? words[word] : std::nullopt);
    }
    return arrow::Status::OK();
  }
};

using Texts = std::vector<std::vector<std::optional<std::string>>>;

void visit_texts(const Texts& texts, std::int64_t rows,
                 const std::function<void(const TableRecord&)>& visit) {
  std::vector<std::optional<std::string_view>> cells(texts.size());
  for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
    bool whole = true;
    for (std::size_t j = 0; j < texts.size(); ++j) {
      cells[j] = texts[j][i];
      whole = whole && (!cells[j] || cells[j]->size() <= kMostCellBytes);
    }
    if (!whole) std::fill(cells.begin(), cells.end(), std::nullopt);
    visit({whole, cells});
  }
}

}  // namespace

void check_single_values(const std::string& table, const arrow::Field& field) {
  if (holds_single_values(*field.type())) return;
  throw Error(ErrorCode::data,
              fmt::format("{}: column {} has type {}; write it as a number{}", table, field.name(),
                          field.type()->name(),  // nested types quote what cells named
                          arrow::is_temporal(field.type()->id()) ? ", such as the days since a public date"
                                                                 : ", a truth value or text"));
}

bool visit_batches(arrow::RecordBatchReader& batches, const std::vector<std::string>& names,
                   const std::function<void(const TableRecord&)>& visit) {
  Texts texts(names.size());
  while (true) {
    std::shared_ptr<arrow::RecordBatch> batch;
    if (!batches.ReadNext(&batch).ok()) return false;
    if (!batch) return true;
    for (std::int64_t start = 0; start < batch->num_rows(); start += kRowsAtOnce) {
      const auto rows = batch->Slice(start, kRowsAtOnce);
      for (std::size_t j = 0; j < names.size(); ++j) {
        texts[j].clear();
        TextOf visitor{texts[j]};
        const auto array = rows->GetColumnByName(names[j]);
        if (!array || !arrow::VisitArrayInline(*array, &visitor).ok()) return false;
      }
      visit_texts(texts, rows->num_rows(), visit);
    }
  }
}

}  // namespace sotto
