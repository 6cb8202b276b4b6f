# Predictions from R are the program's.

new <- data.frame(clinic = factor(c("north", "west")), age = c(20, 55.5), row.names = c("a", "b"))

test_that("the numbers are the program's, and those of the draws", {
  fit <- fit_visits(ill > 0 ~ age * clinic, epsilon = 20, draws = 200)
  predicted <- predict_visits(fit, new, level = 0.8)
  expect_identical(names(predicted), c("row", "mean", "sd", "q10", "q90"))
  expect_identical(row.names(predicted), c("a", "b"))
  expect_true(attr(predicted, "private_draws"))
  file <- tempfile(fileext = ".csv")
  write.csv(new, file, row.names = FALSE)
  run <- run_program("predict", fit$directory, "--rows", file, "--level", "0.8")
  expect_equal(predicted$mean, read.csv(text = run$told)$mean, tolerance = 1e-12)
  expect_equal(predict_visits(fit, file, level = 0.8)$q90, predicted$q90, tolerance = 1e-12)
  draws <- posterior::as_draws_df(fit)
  eta <- draws$Intercept + draws[["clinic[west]"]] + 55.5 * (draws$age + draws[["age:clinic[west]"]])
  expect_equal(predicted$mean[[2]], mean(stats::plogis(eta)), tolerance = 1e-9)
  expect_equal(predicted$q10[[2]], unname(stats::quantile(stats::plogis(eta), 0.1)), tolerance = 1e-9)
})

test_that("a column that is missing is missing in newdata", {
  fit <- fit_visits(ill ~ age + clinic, family = "poisson", draws = 100)
  expect_error(predict_visits(fit, new["clinic"]), "newdata.csv has no column age", fixed = TRUE, class = "sotto_error")
  expect_error(predict_visits(fit, data.frame(x = 1)), "newdata has none of the columns", fixed = TRUE, class = "sotto_error")
})

test_that("new responses follow from their seed", {
  fit <- fit_visits(ill ~ age, family = "poisson", epsilon = 20, draws = 200)
  expect_identical(predict_visits(fit, new, "response"), predict_visits(fit, new, "response", seed = 1))
  expect_false(identical(predict_visits(fit, new, "response"), predict_visits(fit, new, "response", seed = 2)))
})

test_that("categories have a line each", {
  fit <- fit_visits(clinic ~ age, family = "ordinal", epsilon = 20, draws = 200)
  predicted <- predict_visits(fit, new["age"])
  expect_identical(predicted$category, rep(c("north", "south", "west"), 2))
  expect_equal(sum(predicted$mean[1:3]), 1, tolerance = 1e-9)
})

test_that("odd rows are told, and no file of a call stays", {
  fit <- fit_visits(ill > 0 ~ age + clinic, epsilon = 20, draws = 200)
  before <- files_left()
  expect_warning(expect_warning(
    predicted <- predict_visits(fit, data.frame(age = c(300, NA), clinic = "north")), "1 of 2 rows have no prediction"
  ), "1 of 2 rows lie beyond declared bounds")
  expect_true(is.na(predicted$mean[[2]]) && !is.na(predicted$mean[[1]]))
  expect_identical(files_left(), before)
})

test_that("what cannot be predicted is refused", {
  fit <- fit_visits(ill > 0 ~ age + clinic, draws = 20)
  expect_error(predict_visits(fit, new["age"]), "no column clinic")
  expect_error(predict_visits(fit, new, level = 95), "level")
  expect_error(predict_visits(fit, new, schema = visits_schema), "drop schema")
  open <- fit_visits(ill > 0 ~ age, epsilon = NULL, delta = NULL, not_private = TRUE, draws = 20)
  expect_error(predict_visits(open, new), "NO ANSWER")
  expect_warning(expect_warning(predict_visits(open, new, nevertheless = TRUE), "NOT PRIVATE"), "NO ANSWER")
})
