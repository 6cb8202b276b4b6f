# Plans, costs, noisy columns and densities are what the program says.

test_that("a plan is the program's", {
  plan <- sotto_plan(ill > 0 ~ age, visits_schema, rows = 2000, epsilon = c(0.01, 20), delta = 1e-6, draws = 200, seed = 3)
  expect_identical(plan$verdicts$epsilon, c(0.01, 20))
  expect_identical(plan$verdicts$verdict, c("hopeless", "good"))
  expect_identical(plan$table$parameter, rep(c("Intercept", "age"), 2))
  expect_true(all(plan$table$sd >= plan$table$sd_without_noise * 0.8))
  expect_equal(plan$table$sd_inflation[4], plan$table$sd[4] / plan$table$sd_without_noise[4], tolerance = 0.1)
  expect_output(print(plan), "no private row was read.*epsilon 0.01: hopeless")
})

test_that("of one budget half and twice are planned too, and a public table is looked at", {
  plan <- sotto_plan(ill > 0 ~ age, visits_schema, epsilon = 1, delta = 1e-6, draws = 100, repeats = 1, like = visits)
  expect_identical(plan$verdicts$epsilon, c(0.5, 1, 2))
  expect_identical(plan$rows, 3000L)
  expect_error(sotto_plan(ill ~ agee, visits_schema, rows = 9, epsilon = 1, delta = 0.1), class = "sotto_configuration_error")
})

test_that("costs are the program's", {
  cost <- sotto_account(c("gaussian:sigma=10", "laplace:scale=3"), delta = 1e-6, trade_off = 5)
  told <- run_program("account", "--mechanism", "gaussian:sigma=10", "--mechanism", "laplace:scale=3", "--delta", "1e-6", "--json")$told
  expect_identical(cost$epsilon, jsonlite::fromJSON(told)$epsilon)
  expect_true(is.na(cost$gdp_mu))
  expect_identical(dim(cost$trade_off), c(5L, 2L))
  expect_output(print(cost), "epsilon = 0.71")
  expect_warning(endless <- sotto_account("gaussian:sigma=1", delta = 0), "none is at delta 0", class = "sotto_warning")
  expect_identical(endless$epsilon, Inf)
  expect_equal(sotto_account("gaussian:sigma=1", epsilon = 1, delta = 1e-6, solve = "sigma")$sigma, 4.2247, tolerance = 1e-4)
  expect_error(sotto_account("gauss:sigma=1", delta = 0.1), class = "sotto_error")
})

test_that("noisy columns are the released file's, and their density follows", {
  set.seed(1)
  hours <- data.frame(hours = rnorm(400, 40, 5), who = "Ms Unlikely Name", over = sample(c("no", "yes"), 400, TRUE))
  before <- files_left()
  out <- tempfile(fileext = ".csv")
  expect_warning(
    release <- sotto_privatize(hours, "hours", lower = 0, upper = 80, epsilon = 50, out = out), "promises next to nothing",
    class = "sotto_warning"
  )
  expect_identical(names(release$table), "hours")
  expect_identical(release$table$hours, read.csv(out)$hours)
  expect_false(any(release$table$hours %in% hours$hours))
  expect_false(holds(unclass(release), charToRaw("Unlikely")))
  expect_identical(files_left(), before)
  expect_output(print(release), "400 rows of hours (laplace); epsilon 50, delta 0 for one row", fixed = TRUE)
  expect_error(sotto_privatize(hours, "hours", lower = 0, upper = 80, epsilon = 50, out = out), class = "sotto_cannot_create_error")

  density <- suppressWarnings(sotto_density(release, quantity = c("P(x > 60)", "q(0.9)"), chains = 2, warmup = 100, draws = 100))
  expect_identical(density$quantities$quantity, c("P(x > 60)", "q(0.9)"))
  expect_lt(density$quantities$mean[1], 0.05)
  expect_lt(abs(density$quantities$mean[2] - quantile(hours$hours, 0.9)), 3)
  expect_identical(nrow(density$curve), 201L)
  expect_true(file.exists(report(density)))
  expect_output(print(density), "hours: .*P\\(x > 60\\)")

  later <- suppressWarnings(sotto_privatize(transform(hours, hours = hours + 10), "hours", lower = 0, upper = 80, epsilon = 50))
  compared <- suppressWarnings(sotto_density(later, quantity = "q(0.9)", against = density, algorithm = "neal5",
    base = c(mean = 40, shape = 3), imputations = 2, chains = 2, warmup = 100, draws = 100))
  expect_identical(compared$differences$quantity, "q(0.9)")
  expect_lt(abs(compared$differences$mean - 10), 4)
  expect_identical(compared$summary$imputations, 2L)
  expect_equal(compared$summary$columns$base$shape, 3)
  expect_output(print(compared), "q\\(0.9\\), less the other group's: ")
})

test_that("several columns share a budget", {
  set.seed(1)
  hours <- data.frame(hours = rnorm(300, 40, 5), over = sample(c("F", "NA"), 300, TRUE))
  release <- sotto_privatize(hours, list(
    hours = list(lower = 0, upper = 80, weight = 3), over = list(channel = "randomized-response", levels = c("F", "NA"))
  ), epsilon = 4)
  expect_equal(release$description$columns$epsilon, c(3, 1), tolerance = 1e-9)
  expect_identical(sort(unique(release$table$over)), c("F", "NA"))
  # Other columns are not even written.
  hours$when <- as.Date("1999-12-31")
  expect_identical(sotto_privatize(hours, "hours", lower = 0, upper = 80, epsilon = 4)$description$rows, 300L)
  expect_error(sotto_privatize(hours, list(hours = list()), lower = 0, epsilon = 1), class = "sotto_usage_error")
  expect_error(
    sotto_privatize(hours, "hours", lower = 0, upper = 80, epsilon = 4, out = "z.parquet"), "let out end in .csv", class = "sotto_usage_error"
  )
})
