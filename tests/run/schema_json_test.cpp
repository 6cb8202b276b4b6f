#include "sotto/run/schema_json.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/base/error.hpp"

namespace sotto {
namespace declared_in_json {
namespace {

const Schema kAll{
    {{"age", ColumnKind::real, {-0.1, 1e100}, {}, MissingPolicy::impute, 0.3, OutOfRangePolicy::missing},
     {"n", ColumnKind::count, {0, 9}, {}},
     {"ill", ColumnKind::binary, {0, 1}, {}, MissingPolicy::impute, 1},
     {"region", ColumnKind::category, {0, 1}, {"north", "\"south\", ü"}, MissingPolicy::impute, 1}},
    {"who", 3},
    Adjacency::add_remove};

TEST(SchemaJson, reads_back_what_is_expected) {
  Schema schema = kAll;
  schema.columns[0].expected = {3e99, 2e99};
  schema.columns[2].expected.mean = 0.25;
  schema.columns[3].expected.shares = {0.9, 0.1};
  const Schema back = schema_from_json(nlohmann::ordered_json::parse(to_json(schema).dump()));
  EXPECT_EQ(back.columns[0].expected.mean, 3e99);
  EXPECT_EQ(back.columns[0].expected.sd, 2e99);
  EXPECT_EQ(back.columns[1].expected.mean, std::nullopt);
  EXPECT_EQ(back.columns[2].expected.mean, 0.25);
  EXPECT_EQ(back.columns[3].expected.shares, (std::vector<double>{0.9, 0.1}));
}

TEST(SchemaJson, reads_back_what_was_declared) {
  const nlohmann::ordered_json json = to_json(kAll);
  const Schema back = schema_from_json(nlohmann::ordered_json::parse(json.dump()));
  ASSERT_EQ(back.columns.size(), kAll.columns.size());
  for (std::size_t j = 0; j < back.columns.size(); ++j) {
    const SchemaColumn& one = back.columns[j];
    const SchemaColumn& other = kAll.columns[j];
    EXPECT_EQ(one.name, other.name);
    EXPECT_EQ(one.kind, other.kind);
    EXPECT_EQ(one.range().lower, other.range().lower);
    EXPECT_EQ(one.range().upper, other.range().upper);
    EXPECT_EQ(one.levels, other.levels);
    EXPECT_EQ(one.missing, other.missing);
    EXPECT_EQ(one.imputed, other.imputed);
    EXPECT_EQ(one.out_of_range, other.out_of_range);
  }
  EXPECT_EQ(back.unit.person, "who");
  EXPECT_EQ(back.unit.maximum_rows, 3U);
  EXPECT_EQ(back.adjacency, Adjacency::add_remove);
  EXPECT_EQ(json.at("column")[0].at("kind"), "real");
  EXPECT_EQ(json.at("column")[3].at("imputed"), "\"south\", ü");
}

TEST(SchemaJson, refuses_what_is_damaged) {
  const auto refusal = [](const auto& damage) {
    nlohmann::ordered_json json = to_json(kAll);
    damage(json);
    try {
      static_cast<void>(schema_from_json(json));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  using testing::HasSubstr;
  EXPECT_THAT(refusal([](auto& json) { json.erase("column"); }), HasSubstr("no schema"));
  EXPECT_THAT(refusal([](auto& json) { json["column"][0]["kind"] = "reel"; }), HasSubstr("no schema"));
  EXPECT_THAT(refusal([](auto& json) { json["column"][3]["imputed"] = "west"; }), HasSubstr("no schema"));
  EXPECT_THAT(refusal([](auto& json) { json["adjacency"] = 1; }), HasSubstr("no schema"));
  EXPECT_THAT(refusal([](auto& json) { json["column"][0]["lower"] = 2e100; }), HasSubstr("age"));
}

}  // namespace
}  // namespace declared_in_json
}  // namespace sotto
