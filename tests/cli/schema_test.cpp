// sotto schema as a user calls it.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace sotto {
namespace {

class SchemaVerb : public Program {};

TEST_F(SchemaVerb, check_counts_what_cannot_be_read) {
  write("s.toml",
        "[unit]\nperson = \"id\"\nmaximum_rows = 1\n"
        "[[column]]\nname = \"ill\"\nkind = \"binary\"\n"
        "[[column]]\nname = \"age\"\nkind = \"count\"\nlower = 0\nupper = 120\n"
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = 0\nupper = 1\nout_of_range = \"missing\"\n"
        "[[column]]\nname = \"r\"\nkind = \"category\"\nlevels = [\"north\", \"south\"]\n");
  write("d.csv",
        "id,ill,age,x,r\n"
        "1,yes,3,0.5,north\n"
        "1,No,3.0,0.5,south\n"  // the person's second row
        "2,TRUE,200,0.5,north\n"
        "3,ja,3.5,2,West-secret\n"
        "4,,old,,\n"
        "5,0,3\n");
  const Outcome run = sotto("schema --check --json d.csv s.toml");
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_NE(run.err.find("NOT PRIVATE"), std::string::npos);
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("private"), false);
  EXPECT_EQ(json.at("records"), 6);
  EXPECT_EQ(json.at("not_of_the_headers_form"), 1);
  EXPECT_EQ(json.at("rows_used"), 2);
  const auto counts = [&](int column) {
    const auto& c = json.at("columns")[column];
    return std::vector<int>{c.at("values"), c.at("clamped"), c.at("missing"), c.at("out_of_range"),
                            c.at("undecodable")};
  };
  EXPECT_EQ(counts(0), (std::vector<int>{3, 0, 1, 0, 1}));
  EXPECT_EQ(counts(1), (std::vector<int>{2, 1, 0, 0, 2}));
  EXPECT_EQ(counts(2), (std::vector<int>{3, 0, 1, 1, 0}));
  EXPECT_EQ(counts(3), (std::vector<int>{3, 0, 1, 0, 1}));

  const Outcome text = sotto("schema --check d.csv s.toml");
  EXPECT_TRUE(text.out.starts_with("NOT PRIVATE"));
  EXPECT_NE(text.out.find("1 records have more or fewer cells than the header has names"), std::string::npos);
  EXPECT_NE(text.err.find("NOT PRIVATE"), std::string::npos);
  EXPECT_EQ((text.out + text.err + run.out).find("secret"), std::string::npos);
  EXPECT_EQ(sotto("schema --check d.csv").status, 64);
  EXPECT_EQ(sotto("schema d.csv s.toml").status, 64);
}

TEST_F(SchemaVerb, check_tells_rows_beyond_the_maximum_of_their_person) {
  write("s.toml",
        "[unit]\nperson = \"id\"\nmaximum_rows = 2\n"
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = 0\nupper = 1\n");
  write("d.csv", "id,x\n1,0\n1,1\n1,0\n1,\n1,1\n2,1\n,1\n");  // an empty cell, and a row of nobody
  const auto json = nlohmann::json::parse(sotto("schema --check --json d.csv s.toml").out);
  EXPECT_EQ(json.at("rows_used"), 3);
  EXPECT_EQ(json.at("rows_beyond_maximum_rows"), 2);
  EXPECT_EQ(json.at("rows_without_person"), 1);
  const Outcome text = sotto("schema --check d.csv s.toml");
  EXPECT_NE(text.out.find("\n2 rows more are left out because their person has maximum_rows = 2 others\n"),
            std::string::npos)
      << text.out;
  EXPECT_NE(text.out.find("\n1 rows are left out because their person's cell is empty\n"), std::string::npos)
      << text.out;
  write("s.toml", "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = 0\nupper = 1\n");
  EXPECT_EQ(sotto("schema --check d.csv s.toml").out.find("maximum_rows"), std::string::npos);
}

TEST_F(SchemaVerb, what_undecodable_cells_look_like_is_told) {
  write("s.toml",
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = 0\nupper = 9000\n"
        "[[column]]\nname = \"r\"\nkind = \"category\"\nlevels = [\"north\", \"s\u00fcd\"]\n");
  write("d.csv", "x,r\n\"1,899.73\",North\n\"3,5\",NORTH\n2,S\xfc\x64\n\"a,b\",west\n1,north\n");
  const auto json = nlohmann::json::parse(sotto("schema --check --json d.csv s.toml").out);
  const auto of = [&](int column, const char* key) { return json.at("columns")[column].at(key).get<int>(); };
  EXPECT_EQ(of(0, "numbers_with_commas"), 2);
  EXPECT_EQ(of(1, "numbers_with_commas"), 0);
  EXPECT_EQ(of(1, "levels_in_other_case"), 2);
  EXPECT_EQ(of(1, "not_utf8"), 1);
  const std::string text = sotto("schema --check d.csv s.toml").out;
  for (const char* told : {"x: 2 cells are numbers but for commas", "r: 2 cells are a level but for capitals",
                           "r: 1 cells are not UTF-8"})
    EXPECT_NE(text.find(told), std::string::npos) << told;
  EXPECT_EQ(text.find("west"), std::string::npos);
}

// Names of columns are public, and so is how they are written.
TEST_F(SchemaVerb, names_that_are_not_utf8_are_refused) {
  write("latin.csv", "x,Gr\xf6\xdf\x65\n1,2\n");
  const Outcome run = sotto("schema latin.csv");
  EXPECT_EQ(run.status, 65);
  EXPECT_NE(run.err.find("save the file as UTF-8"), std::string::npos) << run.err;
}

TEST_F(SchemaVerb, dates_are_no_numbers) {
  write("d.csv", "x,y\n2020-03-01,1\n1/3/20,0\n2020-03-01T12:00,0.5\n1.2,0.5\n12-3,n-a\n1.2-3,1\n1:2:3,1\n");
  write("s.toml",
        "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = 0\nupper = 9\n"
        "[[column]]\nname = \"y\"\nkind = \"real\"\nlower = 0\nupper = 1\n");
  const auto json = nlohmann::json::parse(sotto("schema --check --json d.csv s.toml").out);
  EXPECT_EQ(json.at("columns")[0].at("dates"), 3);
  EXPECT_EQ(json.at("columns")[1].at("dates"), 0);
  const Outcome text = sotto("schema --check d.csv s.toml");
  EXPECT_NE(text.out.find("x: 3 cells look like dates"), std::string::npos) << text.out;
  EXPECT_EQ(text.out.find("y: "), std::string::npos);
  EXPECT_NE(sotto("schema d.csv").out.find("A date is no number"), std::string::npos);
}

TEST_F(SchemaVerb, a_table_without_a_usable_row_is_no_success) {
  write("s.toml", "[[column]]\nname = \"x\"\nkind = \"real\"\nlower = 0\nupper = 1\n");
  write("d.csv", "x\nsecret\nsecret\n");
  for (const char* format : {"", " --json"}) {
    const Outcome run = sotto(std::string("schema --check d.csv s.toml") + format);
    EXPECT_EQ(run.status, 65);
    EXPECT_NE(run.err.find("no row of the table can be used"), std::string::npos) << run.err;
    EXPECT_EQ((run.out + run.err).find("secret"), std::string::npos);
  }
}

// A file without a header starts with a row, which must not become a template that is handed on.
TEST_F(SchemaVerb, a_row_is_not_taken_for_names) {
  for (const char* first : {"anna,47,north", "47.5,-1e3,x", "yes,no,yes"}) {
    write("d.csv", std::string(first) + "\nbert,31,south\n");
    const Outcome run = sotto("schema d.csv");
    EXPECT_EQ(run.status, 65) << first;
    EXPECT_NE(run.err.find("must name the columns"), std::string::npos) << run.err;
    for (const char* cell : {"anna", "47", "yes", "1e3"})
      EXPECT_EQ((run.out + run.err).find(cell), std::string::npos);
  }
  write("d.csv", "\"\",x1,2010 income\n1,2,3\n");
  EXPECT_EQ(sotto("schema d.csv").status, 0);
}

// The same rules for every verb: delimiters, blanks in the header, byte order mark, line ends in cells.
TEST_F(SchemaVerb, every_verb_reads_the_same_records) {
  write("d.tsv", "\xef\xbb\xbf\"note\"\t y \r\n\"a\n\n\nb\"\t0.5\r\n\"c\td\"\t0.25\r\n\t0.5\textra\r\n");
  write("s.toml", "[[column]]\nname = \"y\"\nkind = \"real\"\nlower = 0\nupper = 1\n");
  EXPECT_EQ(nlohmann::json::parse(sotto("schema --json d.tsv").out).at("columns"),
            (std::vector<std::string>{"note", "y"}));
  const auto check = nlohmann::json::parse(sotto("schema --check --json d.tsv s.toml").out);
  EXPECT_EQ(check.at("records"), 3);
  EXPECT_EQ(check.at("rows_used"), 2);
  const Outcome privatised =
      sotto("privatize d.tsv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv --json");
  EXPECT_EQ(nlohmann::json::parse(privatised.out).at("rows"), 3);
  const Outcome density = sotto(
      "density d.tsv --not-private --column y --lower 0 --upper 1 --out d --json --chains 1 --warmup 20 "
      "--draws 20");
  EXPECT_EQ(nlohmann::json::parse(density.out).at("rows"), 3);
  const Outcome fit = sotto(
      "fit --data d.tsv --schema s.toml --formula 'y ~ 1' --family normal --set model.sigma=1 --epsilon 1 "
      "--delta 1e-6 "
      "--draws 10 --force --out f");
  EXPECT_EQ(fit.status, 0) << fit.err;
}

// One quoted cell with three thousand line ends is one cell of one record.
TEST_F(SchemaVerb, a_cell_full_of_line_ends_is_one_cell) {
  std::string text = "y,note\n";
  for (int i = 0; i < 999; ++i) text += "0.5,a\n";
  std::string cell;
  for (int i = 0; i < 3000; ++i) cell += "\n0.9,b";
  write("d.csv", text + "0.5,\"" + cell + "\"\n");
  write("s.toml", "[[column]]\nname = \"y\"\nkind = \"real\"\nlower = 0\nupper = 1\n");
  EXPECT_EQ(nlohmann::json::parse(sotto("schema --check --json d.csv s.toml").out).at("rows_used"), 1000);
  ASSERT_EQ(sotto("privatize d.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv").status, 0);
  const std::string released = content("z.csv");
  EXPECT_EQ(std::count(released.begin(), released.end(), '\n'), 1001);
}

// Refused by one sentence before anything is spent, whichever verb reads it.
TEST_F(SchemaVerb, what_is_not_well_formed_costs_nothing) {
  write("d.csv", "y,note\n0.5,a\n0.25,\"secret\n");
  write("s.toml", "[[column]]\nname = \"y\"\nkind = \"real\"\nlower = 0\nupper = 1\n");
  std::string sentence;
  for (const char* call : {"schema --check d.csv s.toml",
                           "privatize d.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv",
                           "density d.csv --not-private --column y --lower 0 --upper 1 --out d",
                           "fit --data d.csv --schema s.toml --formula 'y ~ 1' --family normal --epsilon 1 "
                           "--delta 1e-6 --out f"}) {
    const Outcome run = sotto(call);
    EXPECT_EQ(run.status, 65) << call << run.err;
    if (sentence.empty()) sentence = run.err;
    EXPECT_EQ(run.err, sentence) << call;
    EXPECT_EQ(run.err.find("secret"), std::string::npos);
  }
  EXPECT_FALSE(exists("z.csv") || exists("z.csv.channel.toml") || exists("d") || exists("f"));
}

TEST_F(SchemaVerb, another_delimiter_is_told) {
  write("d.csv", "y;note\n0,5;a\n");
  for (const char* call :
       {"schema d.csv", "privatize d.csv --column y --lower 0 --upper 1 --epsilon 1 --out z.csv"}) {
    const Outcome run = sotto(call);
    EXPECT_EQ(run.status, 65) << call;
    EXPECT_NE(run.err.find("separate cells by commas"), std::string::npos) << run.err;
  }
}

}  // namespace
}  // namespace sotto
