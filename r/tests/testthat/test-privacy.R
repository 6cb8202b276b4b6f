# Rows stay where they are.

secret <- "Ms Unlikely Name"
number <- 61.23456789012345
table <- visits
table$clinic <- as.character(table$clinic)
table$clinic[7] <- secret
table$age[9] <- number
bytes <- list(charToRaw(secret), writeBin(number, raw(), endian = "big"), charToRaw("61.2345678901234"))

expect_no_secret <- function(object) {
  for (one in bytes) expect_false(holds(object, one))
}

expect_no_file_with_secret <- function() {
  for (file in list.files(tempdir(), recursive = TRUE, full.names = TRUE, all.files = TRUE)) {
    content <- readBin(file, "raw", file.size(file))
    for (one in bytes[c(1, 3)]) expect_length(grepRaw(one, content), 0)
  }
}

test_that("the secrets would be found", {
  for (one in bytes[1:2]) expect_true(holds(table, one))
  file <- sotto:::table_file(table, sotto:::private_folder())
  on.exit(unlink(dirname(file), recursive = TRUE))
  expect_gt(length(grepRaw(bytes[[3]], readBin(file, "raw", file.size(file)))), 0)
})

test_that("a fit holds no row: neither table nor formula's environment nor call", {
  model <- local({
    copy <- table
    ill > 0 ~ age + C(clinic)
  })
  fit <- do.call(fit_visits, list(model, table, draws = 60))
  expect_no_secret(unclass(fit))
  expect_no_file_with_secret()
})

test_that("no condition holds a row, and no file is left after it", {
  before <- files_left()
  said <- list()
  note <- function(one) said[[length(said) + 1]] <<- one
  call <- list(ill > 0 ~ age, table, visits_schema, epsilon = 21, delta = 1e-6, draws = 20)
  paid <- c(call, out = tempfile())
  withCallingHandlers(do.call(sotto_fit, paid), sotto_warning = function(one) {
    note(one)
    invokeRestart("muffleWarning")
  })
  tryCatch(do.call(sotto_fit, paid), sotto_cannot_create_error = note)
  tryCatch(do.call(sotto_fit, replace(call, 1, list("ill ~ agee"))), sotto_configuration_error = note)
  tryCatch(do.call(sotto_fit, replace(call, 1, list("clinic ~ age"))), sotto_error = note)
  dates <- cbind(table, when = as.Date("1999-12-31"))
  path <- tempfile(fileext = ".toml")
  writeLines(format(visits_schema), path)
  tryCatch(do.call(sotto_fit, replace(call, 2:3, list(dates, path))), sotto_data_error = note)
  expect_gte(length(said), 6)
  for (one in said) {
    expect_null(conditionCall(one))
    expect_no_secret(unclass(one))
  }
  expect_no_file_with_secret()
  expect_identical(files_left(), before)
})

test_that("what is said does not depend on what cells hold", {
  said <- function(data) tryCatch(sotto_fit(ill ~ agee, data, visits_schema, epsilon = 1, delta = 1e-6), error = conditionMessage)
  odd <- table
  odd$clinic[1:3] <- c("a\xff", "\"", "x\r\n")
  odd$age[1:3] <- c(NA, Inf, NaN)
  expect_identical(said(odd), said(visits))
  expect_identical(
    jsonlite::fromJSON(file.path(fit_visits(data = odd, draws = 60)$directory, "manifest.json"))$parameters,
    c("Intercept", "age", "clinic[south]", "clinic[west]")
  )
})

test_that("columns that are not declared, or that the formula does not name, are not written", {
  program <- tempfile()
  copy <- tempfile()
  writeLines(c("#!/bin/sh", "for word; do case $word in */sotto.toml) cp \"${word%/*}/data.csv\" $COPY;; esac; done", "exit 70"), program)
  Sys.chmod(program, "755")
  before <- options(sotto.program = program)
  Sys.setenv(COPY = copy)
  on.exit({
    options(before)
    Sys.unsetenv("COPY")
  })
  data <- cbind(when = as.Date("1999-12-31"), name = "Ms Unlikely Name", visits)
  expect_error(fit_visits(data = data), class = "sotto_internal_error")
  expect_identical(names(read.csv(copy)), c("ill", "age", "clinic"))
  schema <- visits_schema
  schema$unit <- sotto_unit("name", 1)
  expect_error(fit_visits(data = data, schema = schema), class = "sotto_internal_error")
  expect_identical(names(read.csv(copy)), c("name", "ill", "age", "clinic"))
  unlink(copy)
})

test_that("no result tells where the table was", {
  fit <- fit_visits(draws = 60)
  session <- charToRaw(basename(tempdir()))
  for (file in list.files(fit$directory, full.names = TRUE)) {
    expect_length(grepRaw(session, readBin(file, "raw", file.size(file))), 0)
  }
})

test_that("what is written in part is an error", {
  expect_error(sotto:::write_private("x", "/dev/full"), "is the disk full", class = "sotto_io_error")
})

test_that("a refusal leaves no folder", {
  before <- files_left()
  expect_error(fit_visits(epsilon = -1), class = "sotto_configuration_error")
  expect_identical(files_left(), before)
})

test_that("what was paid for is kept where a warning is an error", {
  before <- options(warn = 2) # an epsilon above 20 is always warned of; which warning comes first follows from the noise
  on.exit(options(before))
  expect_message(
    expect_error(sotto_fit(ill > 0 ~ age, visits, visits_schema, epsilon = 21, delta = 1e-6, draws = 20), "converted from warning"),
    "what was paid for stands in (.*) until this session ends"
  ) -> told
  folder <- sub("what was paid for stands in (.*) until this session ends\n", "\\1", conditionMessage(told))
  expect_gt(privacy(sotto_read(folder))$spent_epsilon, 0)
})

test_that("a column in the place of one value reaches no command line and no message", {
  table <- data.frame(ill = c(1, 0), age = c(44.123, 51.5))
  schema <- sotto_schema(ill = sotto_binary(), age = sotto_real(18, 90))
  refused <- function(call) {
    said <- tryCatch({ call; "nothing" }, sotto_error = conditionMessage)
    expect_no_match(said, "44.123|nothing")
  }
  refused(sotto_plan(table, schema, rows = 100, epsilon = 1, delta = 1e-6))
  refused(sotto_plan(ill ~ age, schema, rows = table$age, epsilon = 1, delta = 1e-6))
  refused(sotto_fit(table, table, schema, epsilon = 1, delta = 1e-6))
  refused(sotto_fit(ill ~ age, table, schema, epsilon = table$age, delta = 1e-6))
  refused(sotto_fit(ill ~ age, table, schema, epsilon = 1, delta = 1e-6, method = table$age))
  refused(sotto_fit(ill ~ age, table, schema, epsilon = 1, delta = 1e-6, family = as.character(table$age)))
  refused(sotto_fit(ill ~ age, table, schema, epsilon = 1, delta = 1e-6, settings = table))
  refused(sotto_fit(ill ~ age, table, schema, epsilon = 1, delta = 1e-6, prior = table))
  refused(sotto_fit(ill ~ age, "ill,age\n1,44.123", schema, epsilon = 1, delta = 1e-6))
  refused(sotto_read(table))
})

test_that("a paid release is replaced only when asked", {
  fit <- fit_visits(draws = 60, out = tempfile())
  expect_error(fit_visits(draws = 60, out = fit$directory), "a release that was paid for", class = "sotto_cannot_create_error")
  fit_visits(draws = 60, out = fit$directory, overwrite = TRUE)
  expect_length(grep("\"opened\"", readLines(file.path(fit$directory, "charges.jsonl"))), 2)
})
