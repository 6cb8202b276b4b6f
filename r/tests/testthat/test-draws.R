# Draws of a fit are those of the chains' files, in the forms that R's packages take.

test_that("draws are those of the chains' files", {
  fit <- fit_visits(draws = 100)
  draws <- posterior::as_draws_df(fit)
  expect_identical(names(draws), c(names(coef(fit)), ".chain", ".iteration", ".draw"))
  expect_identical(posterior::nchains(draws), 4L)
  expect_identical(nrow(draws), 400L)
  chain <- read.csv(file.path(fit$directory, "chain_3.csv"), comment.char = "#", check.names = FALSE)
  expect_equal(draws[["clinic[west]"]][draws$.chain == 3], chain[["clinic[west]"]], tolerance = 1e-15)
  told <- posterior::summarise_draws(fit, "mean", "rhat", "ess_bulk")
  expect_equal(as.numeric(told$mean), unname(coef(fit)), tolerance = 1e-9)
  expect_equal(as.numeric(told$ess_bulk), summary(fit)$ess_bulk, tolerance = 1e-6)
  expect_equal(as.numeric(told$rhat), summary(fit)$rhat, tolerance = 1e-9)
})

test_that("the tenth chain stands after the ninth", {
  fit <- fit_visits(chains = 11, draws = 20)
  for (chain in c(2, 10)) {
    file <- read.csv(file.path(fit$directory, paste0("chain_", chain, ".csv")), comment.char = "#", check.names = FALSE)
    expect_equal(c(posterior::as_draws_array(fit)[, chain, "age"]), file$age, tolerance = 1e-15)
  }
})

test_that("one coefficient, one chain and names that CSV cannot hold are read", {
  schema <- sotto_schema(ill = sotto_count(0, 30), `a, "b"#` = sotto_real(18, 90))
  data <- setNames(visits[1:2], c("ill", "a, \"b\"#"))
  fit <- fit_visits(ill > 0 ~ `a, "b"#` - 1, data, schema, chains = 1, draws = 100)
  expect_identical(names(coef(fit)), "a, \"b\"#")
  expect_equal(mean(posterior::as_draws_df(fit)[["a, \"b\"#"]]), unname(coef(fit)), tolerance = 1e-12)
  expect_identical(dim(vcov(fit)), c(1L, 1L))
  expect_identical(dim(confint(fit)), c(1L, 2L))
})

test_that("bayesplot draws it in one line", {
  fit <- fit_visits(draws = 100)
  expect_s3_class(bayesplot::mcmc_areas(posterior::as_draws_df(fit)), "ggplot")
})
