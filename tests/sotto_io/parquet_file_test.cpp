#include "sotto_io/parquet_file.hpp"

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gtest/gtest.h>
#include <parquet/arrow/writer.h>

#include <cmath>
#include <fstream>

#include "sotto/base/error.hpp"
#include "sotto_io/table_file.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

template <class Builder, class Value>
std::shared_ptr<arrow::Array> array(const std::vector<std::optional<Value>>& values) {
  Builder builder;
  for (const auto& value : values) {
    EXPECT_TRUE((value ? builder.Append(*value) : builder.AppendNull()).ok());
  }
  return *builder.Finish();
}

std::string write(const std::string& name, const std::vector<std::string>& names,
                  const arrow::ArrayVector& columns) {
  arrow::FieldVector fields;
  for (std::size_t j = 0; j < names.size(); ++j) fields.push_back(arrow::field(names[j], columns[j]->type()));
  const std::string path = own_folder() / name;
  const auto file = *arrow::io::FileOutputStream::Open(path);
  // Two rows per group, so that reading crosses groups.
  EXPECT_TRUE(parquet::arrow::WriteTable(*arrow::Table::Make(arrow::schema(fields), columns),
                                         arrow::default_memory_pool(), file, 2)
                  .ok());
  EXPECT_TRUE(file->Close().ok());
  return path;
}

TEST(ParquetFile, means_the_same_as_csv) {
  const Schema schema{{{"n", ColumnKind::count, {0, 9}},
                       {"x", ColumnKind::real, {-1, 1}},
                       {"r", ColumnKind::category, {}, {"a", "b"}},
                       {"k", ColumnKind::category, {}, {"1", "2"}},
                       {"b", ColumnKind::binary},
                       {"d", ColumnKind::category, {}, {"u", "v"}}},
                      {"id", 2}};
  const double nan = std::nan("");
  const auto codes = array<arrow::Int32Builder, std::int32_t>({0, 1, 0, std::nullopt, 1});
  const auto words = array<arrow::StringBuilder, std::string>({"u", "v"});
  const auto dictionary =
      *arrow::DictionaryArray::FromArrays(arrow::dictionary(arrow::int32(), arrow::utf8()), codes, words);
  const std::string parquet =
      write("same.parquet", {"n", "x", "r", "k", "b", "d", "id"},
            {array<arrow::Int64Builder, std::int64_t>({3, 12, std::nullopt, 4, 5}),
             array<arrow::DoubleBuilder, double>({0.1, 1e308, 0.5, nan, -0.25}),
             array<arrow::StringBuilder, std::string>({"a", "b", "a", "west", "b"}),
             array<arrow::Int8Builder, std::int8_t>({1, 2, 1, 2, 2}),
             array<arrow::BooleanBuilder, bool>({true, false, true, true, false}), dictionary,
             array<arrow::UInt32Builder, std::uint32_t>({7, 7, 8, 9, 7})});
  const std::string csv = own_folder() / "same.csv";
  std::ofstream(csv) << "n,x,r,k,b,d,id\n3,0.1,a,1,true,u,7\n12,1e308,b,2,false,v,7\n,0.5,a,1,true,u,8\n"
                        "4,nan,west,2,true,,9\n5,-0.25,b,2,false,v,7\n";
  const Table one = read_table(parquet, schema);
  const Table other = read_table(csv, schema);
  ASSERT_EQ(one.rows(), 5U);
  ASSERT_EQ(other.rows(), 5U);
  EXPECT_TRUE(one.kept(0) && one.kept(1));
  EXPECT_FALSE(one.kept(2) || one.kept(3) || one.kept(4));
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(one.kept(i), other.kept(i)) << i;
    for (std::size_t j = 0; j < schema.columns.size(); ++j)
      EXPECT_EQ(one.column(j)[i], other.column(j)[i]) << i << ' ' << j;
  }
  EXPECT_EQ(read_column_names(parquet), read_column_names(csv));
}

// The sign of what is no number names nobody: two people without an identifier are not one person.
TEST(ParquetFile, no_person_is_named_by_what_is_no_number) {
  const Schema schema{{{"x", ColumnKind::real, {0, 1}}}, {"id", 1}};
  const double nan = std::nan("");
  const std::string path = write("nan.parquet", {"x", "id"},
                                 {array<arrow::DoubleBuilder, double>({0.1, 0.2, 0.3, 0.4, 0.5}),
                                  array<arrow::DoubleBuilder, double>({-nan, -nan, nan, 1, 2})});
  const std::string csv = own_folder() / "nan.csv";
  std::ofstream(csv) << "x,id\n0.1,-nan\n0.2,-nan\n0.3,nan\n0.4,1\n0.5,2\n";
  for (const std::string& file : {path, csv}) {
    const Table table = read_table(file, schema);
    EXPECT_FALSE(table.kept(0) || table.kept(1) || table.kept(2)) << file;
    EXPECT_TRUE(table.kept(3) && table.kept(4)) << file;
  }
}

// As in CSV, the row stays a row: the number of rows tells nothing of what is in them.
TEST(ParquetFile, a_cell_beyond_the_limit_empties_its_row_and_keeps_it) {
  const Schema schema{{{"x", ColumnKind::real, {0, 1}}, {"n", ColumnKind::count, {0, 9}}}};
  const std::string path = write("long.parquet", {"x", "n"},
                                 {array<arrow::StringBuilder, std::string>(
                                      {"0.5", "0." + std::string(4998, '5'), "0." + std::string(4094, '5')}),
                                  array<arrow::Int64Builder, std::int64_t>({1, 2, 3})});
  const Table table = read_table(path, schema);
  ASSERT_EQ(table.rows(), 3U);
  EXPECT_TRUE(table.kept(0) && !table.kept(1) && table.kept(2));
}

TEST(ParquetFile, a_column_without_single_values_is_refused) {
  const auto item = std::make_shared<arrow::DoubleBuilder>();
  arrow::ListBuilder lists(arrow::default_memory_pool(), item);
  ASSERT_TRUE(lists.Append().ok());
  const std::string path = write("lists.parquet", {"x"}, {*lists.Finish()});
  const Schema schema{{{"x", ColumnKind::real, {0, 1}}}};
  try {
    (void)read_table(path, schema);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
  }
}

}  // namespace
}  // namespace sotto
