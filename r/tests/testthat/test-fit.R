# A fit from R is the program's: the same files and numbers.

test_that("it says what the files say", {
  out <- tempfile()
  fit <- fit_visits(draws = 200, out = out)
  json <- function(name) jsonlite::fromJSON(file.path(out, name))
  expect_identical(report(fit), file.path(out, "report.html"))
  expect_true(file.exists(report(fit)))
  expect_identical(privacy(fit), json("privacy.json"))
  expect_true(privacy(fit)$private && privacy(fit)$epsilon == 1 && privacy(fit)$delta == 1e-6)
  expect_equal(summary(fit), json("summary.json")$parameters, tolerance = 1e-12)
  expect_identical(names(coef(fit)), c("Intercept", "age", "clinic[south]", "clinic[west]"))
  expect_identical(unname(coef(fit)), json("summary.json")$parameters$mean)
  expect_equal(unname(confint(fit, level = 0.9)[, 2]), summary(fit)$q95, tolerance = 1e-9)
  expect_identical(rownames(confint(fit, "age")), "age")
  expect_equal(sqrt(diag(vcov(fit))), structure(summary(fit)$sd, names = names(coef(fit))), tolerance = 1e-9)
  expect_identical(colnames(as.matrix(fit)), names(coef(fit)))
  expect_equal(colMeans(as.data.frame(fit)), coef(fit), tolerance = 1e-9)
  expect_s3_class(plot(fit), "ggplot")
  expect_identical(json("manifest.json")$configuration$data, list(file = "data.csv", schema = "schema.toml"))
})

test_that("it prints the program's own table and every warning", {
  fit <- fit_visits(epsilon = 21, draws = 20)
  shown <- capture.output(expect_invisible(print(fit)))
  told <- run_program("diagnose", fit$directory)$told
  table <- seq_along(coef(fit)) + 1
  expect_identical(shown[match("parameter", substr(shown, 1, 9)) + table - 1], told[table])
  expect_identical(shown[[1]], "ill > 0 ~ age + C(clinic)")
  expect_match(shown, "(epsilon, delta) = (21, 1e-06) for one row; spent epsilon", fixed = TRUE, all = FALSE)
  expect_gt(length(fit$warnings), 1)
  expect_true(all(fit$warnings %in% shown))
})

test_that("every warning is raised once, where the fit is made", {
  raised <- character()
  withCallingHandlers(
    {
      fit <- sotto_fit(ill > 0 ~ age, visits, visits_schema, epsilon = 21, delta = 1e-6, draws = 20)
      capture.output(print(fit), summary(fit), coef(fit), posterior::as_draws_df(fit))
    },
    warning = function(one) {
      expect_s3_class(one, "sotto_warning")
      raised <<- c(raised, conditionMessage(one))
      invokeRestart("muffleWarning")
    }
  )
  expect_identical(raised, fit$warnings)
  written <- jsonlite::fromJSON(file.path(fit$directory, "summary.json"))$warnings
  expect_identical(raised, sub("--draws ", "draws=", written, fixed = TRUE))
  expect_match(raised, "promises next to nothing", all = FALSE)
})

test_that("without privacy it says so", {
  fit <- fit_visits(epsilon = NULL, delta = NULL, not_private = TRUE, draws = 60)
  expect_false(privacy(fit)$private)
  expect_null(privacy(fit)$epsilon)
  expect_output(print(fit), "NOT PRIVATE")
  expect_output(print(sotto_read(fit$directory)), "NOT PRIVATE")
})

test_that("what a fit has left is read", {
  fit <- fit_visits(draws = 100)
  read <- sotto_read(fit$directory)
  expect_identical(read[setdiff(names(read), "shown")], fit[setdiff(names(fit), "shown")])
  expect_output(print(read), "(epsilon, delta) = (1, 1e-06) for one row", fixed = TRUE)
  expect_output(print(read), "times as wide as without noise", fixed = TRUE)
  expect_error(sotto_read("elsewhere"), "no directory elsewhere", class = "sotto_no_input_error")
})

test_that("arguments arrive", {
  fit <- fit_visits(
    ill ~ age, family = "poisson", chains = 2, draws = 70, seed = 5, threads = 1,
    prior = list(default = list(family = "normal", scale = 3), parameter = list(age = list(family = "student_t", scale = 2.5))),
    settings = list(method.thin = 2)
  )
  manifest <- jsonlite::fromJSON(file.path(fit$directory, "manifest.json"))
  told <- manifest$configuration
  expect_identical(told$model$family, "poisson")
  expect_identical(unlist(told$method[c("chains", "draws", "seed", "thin")]), c(chains = 2L, draws = 70L, seed = 5L, thin = 2L))
  expect_identical(told$threads, 1L)
  expect_match(manifest$priors$distribution[1], "^normal\\(0, 3\\)")
  expect_match(manifest$priors$distribution[2], "student.*2.5")
})

test_that("persons are protected, and neighbours are as declared", {
  data <- transform(visits, who = rep(1:1500, 2))
  schema <- sotto_schema(
    list(ill = sotto_count(0, 30), age = sotto_real(18, 90)), adjacency = "add-remove", unit = sotto_unit("who", 2)
  )
  fit <- fit_visits(ill > 0 ~ age, data, schema, draws = 60)
  expect_match(privacy(fit)$privacy_unit, "person")
  expect_identical(privacy(fit)$adjacency, "add-remove")
})

test_that("times to an event are fitted", {
  set.seed(2)
  days <- pmin(rexp(3000, exp(-6 + 0.03 * (visits$age - 50))), 730)
  lives <- data.frame(age = visits$age, days = days, status = ifelse(days < 730, 2, 1))
  schema <- sotto_schema(age = sotto_real(18, 90), days = sotto_real(0, 730), status = sotto_count(1, 2))
  fit <- fit_visits(Surv(days, status == 2) ~ age, lives, schema, family = "survival", cuts = c(180, 365), draws = 60)
  expect_identical(names(coef(fit)), c("Intercept", "days[180-365]", "days[365-730]", "age"))
  expect_identical(names(coef(fit_visits(Surv(days, status == 2) ~ age, lives, schema, family = "survival", cuts = 180, draws = 60))),
                   c("Intercept", "days[180-730]", "age"))
})

test_that("formulas are text to the program", {
  expect_identical(sotto:::formula_text(y == "it's" ~ `a b` * C(g) + I(z^2) + (1 | clinic) - 1),
                   "y == \"it's\" ~ `a b` * C(g) + I(z^2) + (1 | clinic) - 1")
  long <- as.formula(paste("y ~", paste0("a_rather_long_name_", 1:60, collapse = " + ")))
  expect_identical(sotto:::formula_text(long), paste("y ~", paste0("a_rather_long_name_", 1:60, collapse = " + ")))
  fit <- fit_visits(clinic == "south" ~ age * smoker, draws = 60, epsilon = 5)
  expect_identical(fit$title, "clinic == \"south\" ~ age * smoker")
})

test_that("the posterior is near the fit without privacy", {
  # Five standard deviations of either coefficient: a false alarm in a million runs.
  model <- ill > 0 ~ age + smoker
  fit <- fit_visits(model, epsilon = 20, draws = 500)
  reference <- coef(glm(model, binomial, visits))
  expect_lt(max(abs(coef(fit) - reference) / summary(fit)$sd), 5)
})

test_that("a run that is stopped keeps its draws and says so", {
  stopping <- tempfile()
  writeLines(c("#!/bin/sh", paste("exec timeout --foreground --preserve-status -s INT 2", shQuote(sotto:::program()), "\"$@\"")), stopping)
  Sys.chmod(stopping, "755")
  before <- options(sotto.program = stopping)
  on.exit(options(before))
  said <- character()
  fit <- withCallingHandlers(
    sotto_fit(ill > 0 ~ age, visits, visits_schema, method = "metropolis", not_private = TRUE, draws = 2e6, warmup = 100, threads = 1),
    sotto_warning = function(one) {
      said <<- c(said, conditionMessage(one))
      invokeRestart("muffleWarning")
    }
  )
  expect_match(said, "^stopped early; [0-9]+ draws are kept", all = FALSE)
  draws <- posterior::as_draws_array(fit)
  expect_identical(dim(draws)[2:3], c(4L, 2L))
  expect_lt(dim(draws)[[1]], 2e6)
  expect_false(anyNA(draws))
})

test_that("a family may be given as glm takes it", {
  expect_identical(sotto:::family_name(binomial), "binomial")
  expect_identical(sotto:::family_name(poisson()), "poisson")
  expect_identical(sotto:::family_name(gaussian()), "gaussian")
  expect_error(sotto:::family_name(binomial("probit")), "the link of binomial is logit here: drop probit", class = "sotto_usage_error")
  expect_identical(sotto:::family_name(Gamma(link = "log")), "Gamma")
  expect_error(sotto:::family_name(Gamma()), "write Gamma(link = \"log\")", fixed = TRUE, class = "sotto_usage_error")
  expect_error(sotto:::family_name(quasipoisson()), "family is text", class = "sotto_usage_error")
  fit <- fit_visits(ill ~ age, family = poisson(), draws = 60)
  expect_match(capture.output(print(fit)), "^Poisson regression", all = FALSE)
})

test_that("more draws read no rows and cost nothing", {
  out <- tempfile()
  fit <- fit_visits(draws = 100, out = out)
  charges <- readLines(file.path(out, "charges.jsonl"))
  more <- fit_visits(data = NULL, draws = 300, resume = out)
  expect_identical(nrow(posterior::as_draws_df(more)), 1200L)
  expect_identical(privacy(more), privacy(fit))
  expect_identical(readLines(file.path(out, "charges.jsonl")), charges)
  again <- quietly(resume = out, draws = 200)
  expect_identical(privacy(again), privacy(fit))
  expect_error(sotto_fit(out = out), "which formula", class = "sotto_usage_error")
  expect_error(fit_visits(epsilon = 2, resume = out), "of a fit with another epsilon", class = "sotto_configuration_error")
  expect_error(fit_visits(data = NULL, resume = tempfile()), class = "sotto_no_input_error")
  expect_error(fit_visits(data = NULL, resume = out, out = "b"), "drop out and overwrite", class = "sotto_usage_error")
  expect_error(fit_visits(data = NULL), "data must be a data frame", class = "sotto_usage_error")
})
