#include "sotto_io/arrow_stream.hpp"

#include <arrow/api.h>
#include <arrow/c/bridge.h>
#include <gtest/gtest.h>

#include "sotto/base/error.hpp"
#include "sotto_io/csv_reader.hpp"
#include "sotto_io/table_file.hpp"

namespace sotto {
namespace {

using NamedValues = std::pair<std::string, std::shared_ptr<arrow::Array>>;

template <class Builder, class Value>
std::shared_ptr<arrow::Array> values(const std::vector<Value>& all) {
  Builder builder;
  for (const Value& value : all) EXPECT_TRUE(builder.Append(value).ok());
  return *builder.Finish();
}

/// Batches that end in an error after the last, if one is given.
class Batches final : public arrow::RecordBatchReader {
 public:
  Batches(const std::vector<NamedValues>& columns, std::vector<std::int64_t> lengths, arrow::Status end)
      : lengths_(std::move(lengths)), end_(std::move(end)) {
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (const auto& [name, column] : columns) {
      fields.push_back(arrow::field(name, column->type()));
      arrays.push_back(column);
    }
    rows_ = arrow::RecordBatch::Make(arrow::schema(fields), arrays.front()->length(), arrays);
  }
  [[nodiscard]] std::shared_ptr<arrow::Schema> schema() const override { return rows_->schema(); }
  arrow::Status ReadNext(std::shared_ptr<arrow::RecordBatch>* batch) override {
    if (next_ == lengths_.size()) {
      *batch = nullptr;
      return end_;
    }
    *batch = rows_->Slice(start_, lengths_[next_]);
    start_ += lengths_[next_++];
    return arrow::Status::OK();
  }

 private:
  std::shared_ptr<arrow::RecordBatch> rows_;
  std::vector<std::int64_t> lengths_;
  arrow::Status end_;
  std::size_t next_ = 0;
  std::int64_t start_ = 0;
};

Table read_stream(const std::vector<NamedValues>& columns, const Schema& schema,
                  const std::vector<std::int64_t>& lengths = {3},
                  const arrow::Status& end = arrow::Status::OK()) {
  ArrowArrayStream stream{};
  EXPECT_TRUE(arrow::ExportRecordBatchReader(std::make_shared<Batches>(columns, lengths, end), &stream).ok());
  const auto release = [&] {
    EXPECT_EQ(stream.release, nullptr) << "the stream was not taken over";
    if (stream.release != nullptr) stream.release(&stream);
  };
  try {
    Table table = read_table(
        [&](const std::vector<std::string>& names, const std::function<void(const TableRecord&)>& visit) {
          read_stream_records(stream, names, visit);
        },
        schema);
    release();
    return table;
  } catch (const Error&) {
    release();
    throw;
  }
}

std::string refusal_of_stream(const std::vector<NamedValues>& columns, const Schema& schema,
                              const arrow::Status& end = arrow::Status::OK()) {
  try {
    static_cast<void>(read_stream(columns, schema, {3}, end));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
  return "not refused";
}

const Schema kOneColumn{{{"x", ColumnKind::real, {0, 1}}}};

TEST(ArrowStream, is_read_batch_by_batch_whatever_their_lengths) {
  const std::vector<NamedValues> columns = {
      {"unused", values<arrow::Int8Builder, int>({1, 2, 3})},
      {"x", values<arrow::DoubleBuilder, double>({0.25, 0.5, 7})},
      {"g", values<arrow::StringViewBuilder, std::string>({"b", "a text longer than a view holds", "a"})}};
  const Schema schema{{{"g", ColumnKind::category, {}, {"a", "b"}}, {"x", ColumnKind::real, {0, 1}}}};
  for (const std::vector<std::int64_t>& lengths :
       {std::vector<std::int64_t>{3}, {1, 0, 2}, {0, 1, 1, 1, 0}}) {
    const Table table = read_stream(columns, schema, lengths);
    ASSERT_EQ(table.rows(), 3U);
    EXPECT_TRUE(table.kept(0) && !table.kept(1) && table.kept(2));
    EXPECT_EQ(table.column("g")[0], 1);
    EXPECT_EQ(table.column("x")[0], 0.25);
    EXPECT_EQ(table.column("x")[2], 1);
  }
}

TEST(ArrowStream, a_batch_longer_than_what_is_written_out_at_a_time_has_all_its_rows) {
  arrow::Int64Builder numbers;
  constexpr std::int64_t rows = 150'000;
  for (std::int64_t i = 0; i < rows; ++i) ASSERT_TRUE(numbers.Append(i).ok());
  const Table table =
      read_stream({{"n", *numbers.Finish()}}, {{{"n", ColumnKind::count, {0, rows}}}}, {rows});
  ASSERT_EQ(table.rows(), static_cast<std::size_t>(rows));
  for (std::size_t i = 0; i < table.rows(); ++i) ASSERT_EQ(table.column("n")[i], static_cast<double>(i));
}

// As of a file: a row with a cell beyond the limit contributes nothing, whatever stands in for missing cells.
TEST(ArrowStream, a_row_with_a_cell_beyond_the_limit_is_not_imputed) {
  const Schema imputing{{{"x", ColumnKind::real, {0, 1}, {}, MissingPolicy::impute, 0.5}}};
  const std::vector<NamedValues> columns = {
      {"x",
       values<arrow::StringBuilder, std::string>({"0.25", "0." + std::string(kMostCellBytes, '5'), ""})}};
  const Table table = read_stream(columns, imputing);
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_TRUE(table.kept(0) && !table.kept(1) && table.kept(2));
  EXPECT_EQ(table.column("x")[2], 0.5);
}

TEST(ArrowStream, what_the_other_library_says_is_not_passed_on) {
  const std::vector<NamedValues> columns = {{"x", values<arrow::DoubleBuilder, double>({0.25, 0.5, 1})}};
  EXPECT_EQ(refusal_of_stream(columns, kOneColumn, arrow::Status::Invalid("could not convert 'the secret'")),
            "the table cannot be read as an Arrow stream; write it to a Parquet file");
}

TEST(ArrowStream, columns_are_there_once_and_hold_single_values) {
  const auto numbers = values<arrow::DoubleBuilder, double>({0.25, 0.5, 1});
  EXPECT_EQ(refusal_of_stream({{"y", numbers}}, kOneColumn),
            "the table has no column x; correct the name that was asked for or the table's header");
  EXPECT_NE(refusal_of_stream({{"x", numbers}, {"x", numbers}}, kOneColumn).find("more than one column x"),
            std::string::npos);
  EXPECT_NE(refusal_of_stream({{"x", *arrow::MakeArrayOfNull(arrow::timestamp(arrow::TimeUnit::SECOND), 3)}},
                              kOneColumn)
                .find("column x has type timestamp; write it as a number"),
            std::string::npos);
}

}  // namespace
}  // namespace sotto
