#include "sotto_io/schema_toml.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sotto/base/error.hpp"
#include "sotto_io/atomic_file.hpp"

namespace sotto {
namespace {

using testing::HasSubstr;

constexpr const char* kSchema = R"(adjacency = "add-remove"
[unit]
person = "id"
maximum_rows = 3
[[column]]
name = "visits"
kind = "count"
lower = 0
upper = 100
missing = "impute"
imputed = 2
[[column]]
name = "region"
kind = "category"
levels = ["north", "south", 3]
missing = "impute"
imputed = "south"
[[column]]
name = "age"
kind = "real"
lower = 0.5
upper = 1e2
out_of_range = "missing"
[[column]]
name = "any"
kind = "binary"
)";

std::string refusal(const std::string& text) {
  try {
    (void)parse_schema(text, "s.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::configuration);
    return error.what();
  }
  return "";
}

TEST(SchemaToml, reads_every_declaration_in_order) {
  const Schema schema = parse_schema(kSchema, "s.toml");
  EXPECT_EQ(schema.adjacency, Adjacency::add_remove);
  EXPECT_EQ(schema.unit.person, "id");
  EXPECT_EQ(schema.unit.maximum_rows, 3U);
  ASSERT_EQ(schema.columns.size(), 4U);
  EXPECT_EQ(schema.columns[0].imputed, 2);
  EXPECT_EQ(schema.columns[1].levels, (std::vector<std::string>{"north", "south", "3"}));
  EXPECT_EQ(schema.columns[1].imputed, 1);
  EXPECT_EQ(schema.columns[2].bounds.lower, 0.5);
  EXPECT_EQ(schema.columns[2].out_of_range, OutOfRangePolicy::missing);
  EXPECT_EQ(schema.columns[3].kind, ColumnKind::binary);
}

TEST(SchemaToml, reads_what_is_expected) {
  const Schema schema = parse_schema(R"([[column]]
name = "age"
kind = "real"
lower = 0
upper = 120
expected_mean = 50
expected_sd = 15.5
[[column]]
name = "ill"
kind = "binary"
expected_mean = 0.1
[[column]]
name = "dx"
kind = "category"
levels = ["a", "b", "c"]
expected_shares = [0.5, 0.3, 0.2]
)",
                                     "s.toml");
  EXPECT_EQ(schema.columns[0].expected.mean, 50);
  EXPECT_EQ(schema.columns[0].expected.sd, 15.5);
  EXPECT_EQ(schema.columns[1].expected.mean, 0.1);
  EXPECT_EQ(schema.columns[2].expected.shares, (std::vector<double>{0.5, 0.3, 0.2}));
  const std::string real = "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = 0\nupper = 1\n";
  EXPECT_THAT(refusal(real + "expected_mean = 0.5\n"), HasSubstr("go together"));
  EXPECT_THAT(refusal(real + "expected_mean = 0.5\nexpected_sd = 0.5\n"),
              HasSubstr("no values between the bounds"));
  for (const char* far :
       {"expected_mean = 2\nexpected_sd = 0.1\n", "expected_mean = 0.5\nexpected_sd = 1e-200\n",
        "expected_mean = 1e-310\nexpected_sd = 1e-155\n", "expected_mean = 0.5\nexpected_sd = nan\n"})
    EXPECT_THAT(refusal(real + far), HasSubstr("times the width of the bounds")) << far;
  EXPECT_THAT(refusal(real + "expected_shares = [1]\n"), HasSubstr("for category columns only"));
  const std::string binary = "[[column]]\nname = \"x\"\nkind = \"binary\"\n";
  EXPECT_THAT(refusal(binary + "expected_mean = 1\n"), HasSubstr("between 0 and 1"));
  EXPECT_THAT(refusal(binary + "expected_sd = 1\n"), HasSubstr("for real and count columns only"));
  const std::string category = "[[column]]\nname = \"x\"\nkind = \"category\"\nlevels = [\"a\", \"b\"]\n";
  for (const char* shares : {"[0.5, 0.4]", "[1, 0]", "[0.2, 0.3, 0.5]", "[0.5, nan]"})
    EXPECT_THAT(refusal(category + "expected_shares = " + shares + "\n"), HasSubstr("of sum one")) << shares;
  EXPECT_THAT(refusal(category + "expected_shares = [\"a\", 1]\n"), HasSubstr("must be a number"));
}

TEST(SchemaToml, refusals_name_the_line_and_what_to_change) {
  const std::string head = "[[column]]\nname = \"x\"\n";
  EXPECT_THAT(refusal("x = \n"), HasSubstr("s.toml is not TOML in line 1"));
  EXPECT_THAT(refusal("columns = 3\n"), HasSubstr("unknown key columns"));
  EXPECT_THAT(refusal(head), HasSubstr("add kind"));
  EXPECT_THAT(refusal(head + "kind = \"integer\"\n"),
              HasSubstr("s.toml:3: kind = \"integer\" is not known; use one of \"real\""));
  EXPECT_THAT(refusal(head + "kind = \"real\"\nlower = 0\n"), HasSubstr("add upper"));
  EXPECT_THAT(refusal(head + "kind = \"real\"\nlower = 2\nupper = 1\n"), HasSubstr("less than"));
  EXPECT_THAT(refusal(head + "kind = \"real\"\nlower = nan\nupper = 1\n"), HasSubstr("finite"));
  EXPECT_THAT(refusal(head + "kind = \"real\"\nlower = \"0\"\nupper = 1\n"), HasSubstr("must be a number"));
  EXPECT_THAT(refusal(head + "kind = \"binary\"\nlower = 0\n"), HasSubstr("remove it"));
  EXPECT_THAT(refusal(head + "kind = \"binary\"\nmissing = \"impute\"\n"), HasSubstr("go together"));
  EXPECT_THAT(refusal(head + "kind = \"binary\"\nimputed = 1\n"), HasSubstr("go together"));
  EXPECT_THAT(refusal(head + "kind = \"category\"\n"), HasSubstr("levels"));
  EXPECT_THAT(refusal(head + "kind = \"category\"\nlevels = [\"a\", 1.5]\n"), HasSubstr("whole number"));
  EXPECT_THAT(refusal(head + "kind = \"binary\"\nlowr = 1\n"), HasSubstr("s.toml:4: unknown key lowr"));
  EXPECT_THAT(refusal(head + "kind = \"binary\"\n[unit]\nperson = \"id\"\n"), HasSubstr("maximum_rows"));
  EXPECT_THAT(refusal(head + "kind = \"binary\"\n[unit]\nperson = \"id\"\nmaximum_rows = nan\n"),
              HasSubstr("whole number"));
  EXPECT_THAT(refusal("adjacency = \"swap\"\n"), HasSubstr("\"add-remove\""));
  EXPECT_THAT(refusal(""), HasSubstr("declares no column"));
}

TEST(SchemaToml, template_lists_the_header_and_must_be_filled_in) {
  const std::string text = schema_template({"a", "odd \"name\"\\"});
  EXPECT_THAT(text, HasSubstr("name = \"odd \\\"name\\\"\\\\\""));
  EXPECT_THAT(refusal(text), HasSubstr("kind"));
}

TEST(SchemaToml, neighbours_differ_by_exchange_unless_declared) {
  const std::string column = "[[column]]\nname = \"any\"\nkind = \"binary\"\n";
  EXPECT_EQ(parse_schema(column, "s.toml").adjacency, Adjacency::substitute);
  EXPECT_EQ(parse_schema("adjacency = \"substitute\"\n" + column, "s.toml").adjacency, Adjacency::substitute);
  EXPECT_EQ(parse_schema("adjacency = \"add-remove\"\n" + column, "s.toml").adjacency, Adjacency::add_remove);
  EXPECT_TRUE(parse_schema(column, "s.toml").unit.is_row());
}

TEST(SchemaToml, what_the_readme_shows_is_a_schema) {
  const std::string page = read_whole_file("README.md");
  const std::size_t begin = page.find("```toml\n") + 8;
  const Schema schema = parse_schema(page.substr(begin, page.find("```", begin) - begin), "README.md");
  EXPECT_EQ(schema.unit.maximum_rows, 3U);
  ASSERT_EQ(schema.columns.size(), 6U);
  EXPECT_EQ(schema.columns[4].kind, ColumnKind::binary);
  EXPECT_EQ(schema.columns[4].missing, MissingPolicy::impute);
  EXPECT_EQ(schema.columns[5].out_of_range, OutOfRangePolicy::missing);
}

}  // namespace
}  // namespace sotto
