#include "sotto_io/table_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <fstream>

#include "sotto/base/error.hpp"
#include "sotto_io/csv_line.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

std::string write(const std::string& name, const std::string& content) {
  const std::string path = testing::TempDir() + name;
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

TEST(CsvLine, quotes_and_delimiters) {
  std::vector<std::string> fields;
  EXPECT_TRUE(split_csv_line("a,\"b,\"\"c\"\"\",\r", ',', fields));
  EXPECT_EQ(fields, (std::vector<std::string>{"a", "b,\"c\"", ""}));
  EXPECT_TRUE(split_csv_line("", ',', fields));
  EXPECT_EQ(fields.size(), 1U);
  EXPECT_FALSE(split_csv_line("a,\"b", ',', fields));
}

TEST(TableFile, every_row_becomes_legal_or_contributes_nothing) {
  const std::string path = write("rows.csv",
                                 "\xef\xbb\xbfx, r ,unused,\"y\"\r\n"
                                 "0.5,a,,3\r\n"        // 0 kept
                                 "1e308,b,zz,99\n"     // 1 kept, clamped
                                 "nan,b,zz,inf\n"      // 2 kept, imputed and clamped
                                 "\n"                  // 3 empty line
                                 "0.5,west,1,3\n"      // 4 unseen level
                                 "0.5,a,1\n"           // 5 short
                                 "0.5,a,1,3,4\n"       // 6 long
                                 "0.5,\"a,1,3\n"       // 7 open quote
                                 "0.5,\"a\",1,3\n"     // 8 kept
                                 "0.5,a,1,\xff\xfe\n"  // 9 not text
                                 "-0.5,b,,0");         // 10 kept, no line feed
  const Table table = read_table(path, schema());
  ASSERT_EQ(table.rows(), 11U);
  const std::vector<bool> kept{true, true, true, false, false, false, false, false, true, false, true};
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(table.kept(i), kept[i]) << i;
  EXPECT_EQ(table.column("x")[1], 1);
  EXPECT_EQ(table.column("y")[1], 9);
  EXPECT_EQ(table.column("x")[2], 0.25);
  EXPECT_EQ(table.column("r")[10], 1);
}

TEST(TableFile, errors_are_about_the_file_and_never_about_a_row) {
  EXPECT_EQ(refusal(testing::TempDir() + "none.csv", schema()).code, ErrorCode::no_input);
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

// Neighbouring files: one line is exchanged for any other bytes. No other row changes, whatever the bytes.
TEST(TableFile, one_line_changes_one_row) {
  const bool held = rc::check([] {
    const auto byte =
        rc::gen::oneOf(rc::gen::element('"', ',', 'a', 'b', '1', '.', '\r', '\0', '-', ' '),
                       rc::gen::suchThat(rc::gen::arbitrary<char>(), [](char c) { return c != '\n'; }));
    const auto line =
        rc::gen::oneOf(rc::gen::container<std::string>(byte),
                       rc::gen::element<std::string>("0.5,a,3", "1e308,b,9", "nan,a,0", ",,", "-1,b,1"));
    auto lines = *rc::gen::nonEmpty(rc::gen::container<std::vector<std::string>>(line));
    const auto joined = [&lines] {
      std::string text = "x,r,y\n";
      for (const std::string& each : lines) text += each + "\n";
      return text;
    };
    const Table before = read_table(write("before.csv", joined()), schema());
    const auto changed = *rc::gen::inRange<std::size_t>(0, lines.size());
    lines[changed] = *line;
    const Table after = read_table(write("after.csv", joined()), schema());
    RC_ASSERT(before.rows() == lines.size());
    RC_ASSERT(after.rows() == lines.size());
    for (std::size_t i = 0; i < lines.size(); ++i) {
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
