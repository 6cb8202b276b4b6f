// A covariance that stands in a file: read by its header's names, refused in words that quote no cell.
#include "sotto_io/covariance_file.hpp"

#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sotto/base/error.hpp"
#include "support/own_folder.hpp"

namespace sotto::covariance_files {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::filesystem::path written(const std::string& text) {
  const std::filesystem::path file = own_folder() / "covariance.csv";
  std::ofstream(file) << text;
  return file;
}

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(read_covariance(written(text), {"income", "age"}));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::data);
    return error.what();
  }
  return {};
}

TEST(CovarianceFile, is_read_by_the_names_of_its_header) {
  const std::filesystem::path file = written("\"age\",\"income\"\n144,9e4\n9e4,2.25e8\n");
  EXPECT_THAT(read_covariance(file, {"income", "age"}),
              ElementsAre(ElementsAre(2.25e8, 9e4), ElementsAre(9e4, 144)));
  EXPECT_THAT(read_covariance(file, {"age", "income"}),
              ElementsAre(ElementsAre(144, 9e4), ElementsAre(9e4, 2.25e8)));
}

TEST(CovarianceFile, says_what_is_missing_and_quotes_no_cell) {
  EXPECT_THAT(refusal("income,sex\n1,0\n0,1\n"), HasSubstr("must name income, age"));
  EXPECT_THAT(refusal("\"\",income,age\nincome,1,0\nage,0,1\n"), HasSubstr("row.names = FALSE"));
  EXPECT_THAT(refusal("income,age\n1,0\n0,secret\n"),
              AllOf(HasSubstr("row 2 has no number for age"), Not(HasSubstr("secret"))));
  EXPECT_THAT(refusal("income,age\n1,0\n0\n"), HasSubstr("row 2 has no number"));
  EXPECT_THAT(refusal("income,age\n1,0\n"), HasSubstr("a row for each of its columns"));
  EXPECT_THAT(refusal("income,age\n1,0\n0,1\n7,7\n"), HasSubstr("more rows than columns"));
}

// What a directory keeps of its settings holds the matrix: who goes on from it needs no other file.
TEST(CovarianceFile, takes_its_matrix_s_place_in_the_configuration) {
  const std::filesystem::path folder = written("age,income\n144,9e4\n9e4,2.25e8\n").parent_path();
  const FitConfig config =
      parse_fit_config_in(folder,
                          "[data]\nfile = \"t.csv\"\nschema = \"s.toml\"\n[model]\nfamily = "
                          "\"normal-mean\"\ncolumns = [\"income\", "
                          "\"age\"]\ncovariance = \"covariance.csv\"\n[privacy]\nepsilon = 1\ndelta = 1e-6\n",
                          {});
  EXPECT_THAT(config.model.covariance, ElementsAre(ElementsAre(2.25e8, 9e4), ElementsAre(9e4, 144)));
  EXPECT_THAT(config.model.covariance_file, testing::IsEmpty());
  EXPECT_EQ(parse_fit_config(config.toml, {}).model.covariance, config.model.covariance);
}

}  // namespace
}  // namespace sotto::covariance_files
