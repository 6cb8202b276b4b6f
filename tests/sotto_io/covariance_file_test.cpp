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

// A table that was named by mistake is as confidential as any.
TEST(CovarianceFile, says_what_it_needs_and_nothing_of_what_is_there) {
  const std::string sentence = refusal("income,sex\n1,0\n0,1\n");
  EXPECT_THAT(sentence, AllOf(HasSubstr("must name income, age"), HasSubstr("row.names = FALSE")));
  for (const char* other : {"\"\",income,age\nincome,1,0\nage,0,1\n", "income,age\n1,0\n0,secret\n",
                            "income,age\nsecret,0\n0,1\n", "income,age\n1,0\n0\n", "income,age\n1,0\n",
                            "income,age\n1,0\n0,1\n7,7\n"})
    EXPECT_EQ(refusal(other), sentence) << other;
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
