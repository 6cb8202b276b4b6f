// A declaration that an owner reads is the one that the analyst made, whatever the model.
#include "sotto/run/declaration.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace sotto {
namespace {

TEST(Declaration, comes_back_as_it_was) {
  Declaration means;
  means.model.family = "normal-mean";
  means.model.columns = {"height", "weight"};
  means.model.sd = {3, 0.5};
  means.model.covariance = {{1, 0.5}, {0.5, 2}};
  Declaration regression;
  regression.model.formula = "y ~ x";
  regression.model.sigma = 2;
  regression.schema = "[[column]]";
  for (const Declaration& declaration : {means, regression}) {
    const Declaration back = declaration_from_json(to_json(declaration));
    EXPECT_EQ(to_json(back), to_json(declaration));
    EXPECT_EQ(back.model.columns, declaration.model.columns);
    EXPECT_EQ(back.model.covariance, declaration.model.covariance);
    EXPECT_EQ(back.model.sigma, declaration.model.sigma);
    EXPECT_EQ(back.schema, declaration.schema);
  }
}

}  // namespace
}  // namespace sotto
