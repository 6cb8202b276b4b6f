#include "sotto_io/table_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>

#include "sotto/base/error.hpp"
#include "sotto_io/csv_cells.hpp"
#include "sotto_io/csv_reader.hpp"
#include "sotto_io/table_records.hpp"
#include "support/own_folder.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

std::string write(const std::string& name, const std::string& content) {
  const std::string path = own_folder() / name;
  std::ofstream(path, std::ios::binary) << content;
  return path;
}

Schema schema() {
  return {{{"y", ColumnKind::count, {0, 9}},
           {"x", ColumnKind::real, {-1, 1}, {}, MissingPolicy::impute, 0.25},
           {"r", ColumnKind::category, {}, {"a", "b"}}}};
}

struct QueryStatus {
  ErrorCode code;
  std::string message;
};
QueryStatus refusal(const std::string& path, const Schema& declared) {
  try {
    (void)read_table(path, declared);
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {ErrorCode::internal, "accepted"};
}

std::vector<std::vector<std::string>> records(const std::string& content) {
  const std::string path = write("records.csv", content);
  const std::vector<std::string> names = read_column_names(path);
  std::vector<std::vector<std::string>> all;
  read_records(path, names, [&](const TableRecord& record) {
    all.emplace_back();
    if (!record.whole) return;
    for (const auto& cell : record.cells) all.back().emplace_back(*cell);
  });
  return all;
}

TEST(CsvReader, records_may_span_lines) {
  using Records = std::vector<std::vector<std::string>>;
  EXPECT_EQ(records("\xef\xbb\xbf\"a\nb\", c \r\n\"1\r\n\n2\",\"x,\"\"y\"\"\"\r\n,"),
            (Records{{"1\r\n\n2", "x,\"y\""}, {"", ""}}));
  EXPECT_EQ(records("a\n\n\"\"\n1"), (Records{{""}, {""}, {"1"}}));
  EXPECT_EQ(records("a,b\n1\n1,2,3\n1,2"), (Records{{}, {}, {"1", "2"}}));
  EXPECT_EQ(read_column_names(write("names.csv", "\xef\xbb\xbf\"a\nb\", c \r\n")),
            (std::vector<std::string>{"a\nb", "c"}));
}

// One sentence whatever is wrong, wherever, and whatever the record holds.
TEST(CsvReader, a_file_that_is_not_well_formed_is_refused_by_one_sentence) {
  const std::string sentence = refusal(write("r.csv", "y,x,r\n\"secret"), schema()).message;
  for (const char* text :
       {"1,\"secret", "1,\"secret\"x,a\n", "1,sec\"ret,a\n", "1,secret\r,a\n", "1,2,secret\r",
        "1, \"secret\",a\n", "1,0,a\n1,0,a\n\"1\"secret\"\n", "\"1\"\r2\n"}) {
    const QueryStatus refused = refusal(write("r.csv", std::string("y,x,r\n") + text), schema());
    EXPECT_EQ(refused.code, ErrorCode::data) << text;
    EXPECT_EQ(refused.message, sentence) << text;
  }
  EXPECT_THAT(sentence, testing::Not(HasSubstr("secret")));
}

TEST(CsvReader, a_record_beyond_the_limits_contributes_nothing) {
  const std::string longest = std::string(kMostCellBytes - 1, '0') + '7';
  const std::string fits = "0.5,a," + longest + "\n";
  const std::string too_long = "0.5,a,\"" + longest + "5\"\n";  // a legal number too if it were cut
  const std::string skipped =
      "0.5,a,1,\"" + std::string(kMostRecordBytes - 16, ',') + "\"\n";  // the cell is not used
  const std::string long_record = "0.5,a,1,\"" + std::string(kMostRecordBytes, '\n') + "\"\n";
  const std::string commas(kMostRecordBytes, ',');
  const Table cells = read_table(write("limits.csv", "x,r,y\n" + fits + too_long + fits), schema());
  ASSERT_EQ(cells.rows(), 3U);
  EXPECT_TRUE(cells.kept(0) && !cells.kept(1) && cells.kept(2));
  const Table table = read_table(
      write("limits.csv", "x,r,y,note\n" + skipped + long_record + commas + "\n0.5,b,9,\n"), schema());
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_TRUE(table.kept(0) && table.kept(3));
  EXPECT_FALSE(table.kept(1) || table.kept(2));
  EXPECT_EQ(table.column("y")[3], 9);
}

TEST(TableFile, every_row_becomes_legal_or_contributes_nothing) {
  const std::string path = write("rows.csv",
                                 "\xef\xbb\xbfx, r ,unused,\"y\"\r\n"
                                 "0.5,a,,3\r\n"           // 0 kept
                                 "1e308,b,zz,99\n"        // 1 kept, clamped
                                 "nan,b,zz,inf\n"         // 2 kept, imputed and clamped
                                 "\n"                     // 3 empty line
                                 "0.5,west,1,3\n"         // 4 unseen level
                                 "0.5,a,1\n"              // 5 short
                                 "0.5,a,1,3,4\n"          // 6 long
                                 "0.5,a,\"\n\n,\n\",3\n"  // 7 kept: a record is not a line
                                 "0.5,\"a\",1,3\n"        // 8 kept
                                 "0.5,a,1,\xff\xfe\n"     // 9 not text
                                 "-0.5,b,,0");            // 10 kept, no line feed
  const Table table = read_table(path, schema());
  ASSERT_EQ(table.rows(), 11U);
  const std::vector<bool> kept{true, true, true, false, false, false, false, true, true, false, true};
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(table.kept(i), kept[i]) << i;
  EXPECT_EQ(table.column("x")[1], 1);
  EXPECT_EQ(table.column("y")[1], 9);
  EXPECT_EQ(table.column("x")[2], 0.25);
  EXPECT_EQ(table.column("r")[10], 1);
}

// What stands in for a missing cell does not stand in for a record that cannot be told.
TEST(TableFile, a_record_that_is_not_whole_is_not_imputed) {
  const Schema imputing{{{"x", ColumnKind::real, {-1, 1}, {}, MissingPolicy::impute, 0.25},
                         {"r", ColumnKind::category, {}, {"a", "b"}, MissingPolicy::impute, 1}}};
  const Table table = read_table(
      write("imputed.csv", "x,r\n0.5,a\n0.5\n0.5,a,b\n0.5," + std::string(kMostCellBytes + 1, 'a') + "\n,\n"),
      imputing);
  ASSERT_EQ(table.rows(), 5U);
  EXPECT_TRUE(table.kept(0) && table.kept(4));
  EXPECT_FALSE(table.kept(1) || table.kept(2) || table.kept(3));
}

TEST(TableFile, errors_are_about_the_file_and_never_about_a_row) {
  EXPECT_EQ(refusal(own_folder() / "none.csv", schema()).code, ErrorCode::no_input);
  EXPECT_EQ(refusal(testing::TempDir(), schema()).code, ErrorCode::no_input);
  EXPECT_EQ(refusal(write("t.csv", ""), schema()).code, ErrorCode::data);
  EXPECT_EQ(refusal(write("t.xls", "x"), schema()).code, ErrorCode::data);
  EXPECT_EQ(refusal(write("t.parquet", "PAR1 secret"), schema()).code, ErrorCode::data);
  EXPECT_THAT(refusal(write("t.parquet", "PAR1 secret"), schema()).message,
              testing::Not(HasSubstr("secret")));
  const QueryStatus missing = refusal(write("t.csv", "y,x\nsecret,1\n"), schema());
  EXPECT_EQ(missing.code, ErrorCode::data);
  EXPECT_THAT(missing.message, HasSubstr("no column r"));
  EXPECT_THAT(missing.message, testing::Not(HasSubstr("secret")));
  EXPECT_EQ(refusal(write("t.csv", "y,x,r,x\n"), schema()).code, ErrorCode::data);
  EXPECT_THAT(refusal(write("t.csv", "y;x;r\n1;2;a\n"), schema()).message, HasSubstr("holds semicolons"));
  EXPECT_THAT(refusal(write("t.csv", "y\tx\tr\n1\t2\ta\n"), schema()).message, HasSubstr("holds tabs"));
  Schema persons = schema();
  persons.unit = {"id", 2};
  EXPECT_THAT(refusal(write("t.csv", "y,x,r\n"), persons).message, HasSubstr("no column id"));
}

TEST(TableFile, tab_separated_and_persons) {
  Schema persons = schema();
  persons.unit = {"id", 1};
  const Table table =
      read_table(write("t.tsv", "id\ty\tx\tr\n7\t1\t0\ta\n7\t1\t0\ta\n\t1\t0\ta\n8\t1\t0\ta\n"), persons);
  ASSERT_EQ(table.rows(), 4U);
  EXPECT_TRUE(table.kept(0) && table.kept(3));
  EXPECT_FALSE(table.kept(1) || table.kept(2));
}

// Neighbouring tables: one record's cells are exchanged for any other bytes, written as RFC 4180 says. No other row
// changes, and the number of rows does not.
TEST(TableFile, one_record_changes_one_row) {
  const bool held = rc::check([] {
    const auto byte =
        rc::gen::oneOf(rc::gen::element('"', ',', 'a', 'b', '1', '.', '\r', '\n', '\0', '-', ' '),
                       rc::gen::arbitrary<char>());
    const auto cell = rc::gen::oneOf(rc::gen::container<std::string>(byte),
                                     rc::gen::element<std::string>("0.5", "a", "b", "3", "1e308", "nan", ""));
    const auto record = rc::gen::container<std::vector<std::string>>(cell);  // of any number of cells
    auto rows = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::vector<std::string>>>(record));
    const auto file = [&rows] {
      std::string text = "x,r,y\n";
      for (const auto& cells : rows) {
        for (std::size_t j = 0; j < cells.size(); ++j) text += (j > 0 ? "," : "") + csv_field(cells[j]);
        text += "\r\n";
      }
      return text;
    };
    const Table before = read_table(write("before.csv", file()), schema());
    const auto changed = *rc::gen::inRange<std::size_t>(0, rows.size());
    rows[changed] = *record;
    const Table after = read_table(write("after.csv", file()), schema());
    RC_ASSERT(before.rows() == rows.size());
    RC_ASSERT(after.rows() == rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t j = 0; j < 3; ++j) {
        const Interval range = schema().columns[j].range();
        RC_ASSERT(after.column(j)[i] >= range.lower && after.column(j)[i] <= range.upper);
        if (i != changed) RC_ASSERT(before.column(j)[i] == after.column(j)[i]);
      }
      if (i != changed) RC_ASSERT(before.kept(i) == after.kept(i));
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace sotto
