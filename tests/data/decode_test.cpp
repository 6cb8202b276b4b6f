#include "sotto/data/decode.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cmath>

namespace sotto {
namespace {

SchemaColumn real(double lower, double upper, OutOfRangePolicy policy = OutOfRangePolicy::clamp) {
  return {"x", ColumnKind::real, {lower, upper}, {}, MissingPolicy::drop, 0, policy};
}

TEST(Decode, numbers_are_clamped_or_missing) {
  EXPECT_EQ(decode_cell(real(-1, 2), "0.5"), 0.5);
  EXPECT_EQ(decode_cell(real(-1, 2), " +1.5\r"), 1.5);
  EXPECT_EQ(decode_cell(real(-1, 2), "1e308"), 2);
  EXPECT_EQ(decode_cell(real(-1, 2), "-inf"), -1);
  EXPECT_EQ(decode_cell(real(-1, 2, OutOfRangePolicy::missing), "2.0000001"), std::nullopt);
  for (const char* text : {"", "NA", "nan", "-nan", "nan(1)", "-nan(ind)", "1e999", "1,5", "0x10", "1 2",
                           "+-1", "--1", "é", "1e"}) {
    EXPECT_EQ(decode_cell(real(-1, 2), text), std::nullopt) << text;
  }
}

TEST(Decode, kinds) {
  const SchemaColumn count{"n", ColumnKind::count, {0, 100}, {}};
  EXPECT_EQ(decode_cell(count, "3.0"), 3);
  EXPECT_EQ(decode_cell(count, "250.5"), 100);
  EXPECT_EQ(decode_cell(count, "-1"), 0);
  EXPECT_EQ(decode_cell(count, "3.5"), std::nullopt);
  const SchemaColumn binary{"b", ColumnKind::binary};
  EXPECT_EQ(decode_cell(binary, "True"), 1);
  EXPECT_EQ(decode_cell(binary, "0.0"), 0);
  EXPECT_EQ(decode_cell(binary, "0.5"), std::nullopt);
  for (const char* text : {"1", "true", "TRUE", "True", "yes", "YES", " Yes ", "yEs", "y", "Y", "t", "T"})
    EXPECT_EQ(decode_cell(binary, text), 1) << text;
  for (const char* text : {"0", "false", "FALSE", "no", "NO", "No\r", "-0", "n", "N", "f", "F"})
    EXPECT_EQ(decode_cell(binary, text), 0) << text;
  for (const char* text : {"ja", "j", "yy", "yess", "no way", "truefalse", "2", "-1", "1e9", "inf"})
    EXPECT_EQ(read_cell(binary, text).reading, CellReading::undecodable) << text;
  const SchemaColumn region{"r", ColumnKind::category, {}, {"north", "None", "1"}};
  EXPECT_EQ(decode_cell(region, " north "), 0);
  EXPECT_EQ(decode_cell(region, "None"), 1);
  EXPECT_EQ(decode_cell(region, "west"), std::nullopt);
  EXPECT_EQ(decode_cell(region, ""), std::nullopt);
}

TEST(Decode, tells_what_became_of_a_cell) {
  const auto reading = [](const SchemaColumn& column, const char* text) {
    return read_cell(column, text).reading;
  };
  EXPECT_EQ(reading(real(-1, 2), "0.5"), CellReading::value);
  EXPECT_EQ(reading(real(-1, 2), "inf"), CellReading::clamped);
  EXPECT_EQ(reading(real(-1, 2, OutOfRangePolicy::missing), "inf"), CellReading::out_of_range);
  EXPECT_EQ(reading(real(-1, 2), " NA "), CellReading::missing);
  for (const char* word : {"-nan", "-NaN", "NAN", "<NA>", "NaT", "None", "#N/A"})
    EXPECT_EQ(reading(real(-1, 2), word), CellReading::missing) << word;
  EXPECT_EQ(reading(real(-1, 2), "1e999"), CellReading::undecodable);
  const SchemaColumn region{"r", ColumnKind::category, {}, {"north", "None"}};
  EXPECT_EQ(reading(region, "None"), CellReading::value);
  EXPECT_EQ(reading(region, "NA"), CellReading::missing);
  EXPECT_EQ(reading(region, "West"), CellReading::undecodable);
}

// Random bytes, half of the time with the look of a number.
rc::Gen<std::string> any_text() {
  return rc::gen::oneOf(rc::gen::arbitrary<std::string>(), rc::gen::container<std::string>(rc::gen::element(
                                                               '0', '1', '9', '.', '-', '+', 'e', 'n', 'a',
                                                               'i', 'f', ' ', '\0', 'E', 'x', 'N')));
}

TEST(Decode, any_text_becomes_a_legal_value_or_is_missing) {
  const bool held = rc::check([] {
    const auto text = *any_text();
    for (const OutOfRangePolicy policy : {OutOfRangePolicy::clamp, OutOfRangePolicy::missing}) {
      for (const ColumnKind kind :
           {ColumnKind::real, ColumnKind::count, ColumnKind::binary, ColumnKind::category}) {
        const SchemaColumn column{"c", kind, {0, 7}, {"a", "0", "nan"}, MissingPolicy::drop, 0, policy};
        const auto value = decode_cell(column, text);
        if (!value) continue;
        RC_ASSERT(std::isfinite(*value));
        RC_ASSERT(*value >= column.range().lower && *value <= column.range().upper);
        if (kind != ColumnKind::real) RC_ASSERT(*value == std::floor(*value));
      }
    }
  });
  EXPECT_TRUE(held);
}

}  // namespace
}  // namespace sotto
