# R and the program refuse the same, in the same words, in which options are arguments.

usual <- list(formula = "ill > 0 ~ age", data = "t.csv", schema = "s.toml", epsilon = 1, delta = 1e-6, out = "out")

refusals <- list(
  `no table` = list("--data=none.csv", list(data = "none.csv"), "no_input"),
  `no schema` = list("--schema=none.toml", list(schema = "none.toml"), "no_input"),
  `no such column` = list("--data=other.csv", list(data = "other.csv"), "data"),
  `not well formed` = list("--data=quotes.csv", list(data = "quotes.csv"), "data"),
  `undeclared column` = list("--formula=ill ~ agee", list(formula = ill ~ agee), "configuration"),
  `no method` = list("--method=penality", list(method = "penality"), "configuration"),
  `no family` = list("--family=poison", list(family = "poison"), "configuration"),
  `no epsilon` = list("--epsilon=-2", list(epsilon = -2), "configuration"),
  `unknown setting` = list("--set=method.stepsize=1", list(settings = list(method.stepsize = 1)), "configuration"),
  `a prior` = list("--set=prior.default.family=\"flat\"", list(prior = list(default = list(family = "flat"))), "configuration"),
  `out is a file` = list("--out=t.csv", list(out = "t.csv"), "cannot_create"),
  `no answer` = list("--epsilon=1e-4", list(epsilon = 1e-4), "budget"),
  `no budget` = list(
    c("--method=barker-subsampled", "--epsilon=1e-4"), list(method = "barker-subsampled", epsilon = 1e-4), "budget"
  )
)

test_that("it refuses as the program does", {
  folder <- sotto:::private_folder()
  before <- setwd(folder)
  on.exit(setwd(before))
  write.csv(visits, "t.csv", row.names = FALSE)
  writeLines(format(visits_schema), "s.toml")
  writeLines(c("ill,Age", "1,2"), "other.csv")
  writeLines(c("ill,age", "1,\"2\"2"), "quotes.csv")
  for (case in names(refusals)) {
    options <- refusals[[case]][[1]]
    said <- setdiff(names(usual), sub("--([a-z]+)=.*", "\\1", options))
    told <- do.call(run_program, as.list(c("fit", paste0("--", said, "=", usual[said]), options)))
    unlink("out", recursive = TRUE)
    refused <- tryCatch(do.call(sotto_fit, replace(usual, names(refusals[[case]][[2]]), refusals[[case]][[2]])), error = identity)
    unlink("out", recursive = TRUE)
    expect_s3_class(refused, paste0("sotto_", refusals[[case]][[3]], "_error"))
    expect_s3_class(refused, "sotto_error")
    expect_identical(conditionMessage(refused), in_words_of_r(sub("^sotto: ", "", told$said)), info = case)
    expect_identical(refused$exit_status, told$status, info = case)
  }
})

test_that("arguments of no known type are refused before anything is run", {
  before <- options(sotto.program = "/bin/false")
  on.exit(options(before))
  refuse <- function(call) expect_error(call, class = "sotto_usage_error")
  refuse(fit_visits(data = 1:3))
  refuse(fit_visits(schema = list(age = 1)))
  refuse(fit_visits(epsilon = NA))
  refuse(fit_visits(family = Gamma()))
  refuse(fit_visits(prior = list(default = quote(x))))
  refuse(fit_visits(settings = list(data.file = "x.csv")))
  refuse(fit_visits(out = 3))
  refuse(sotto_density(3))
  refuse(sotto_account("gaussian:sigma=1", delta = NA))
})

test_that("a program that is not there, or breaks, is told", {
  path <- Sys.getenv("PATH")
  given <- Sys.getenv("SOTTO_PROGRAM")
  before <- options(sotto.program = NULL)
  on.exit({
    options(before)
    Sys.setenv(PATH = path, SOTTO_PROGRAM = given)
  })
  Sys.unsetenv("SOTTO_PROGRAM")
  Sys.setenv(PATH = "/usr/bin:/bin")
  expect_identical(Sys.which("sotto")[["sotto"]], "")
  expect_error(sotto_account("gaussian:sigma=1", delta = 0.1), "there is no program sotto", class = "sotto_unavailable_error")
  options(sotto.program = "/nowhere")
  expect_error(sotto_account("gaussian:sigma=1", delta = 0.1), "there is no program /nowhere", class = "sotto_unavailable_error")
  options(sotto.program = "/bin/false")
  refused <- expect_error(sotto_account("gaussian:sigma=1", delta = 0.1), "sotto ended with status 1", class = "sotto_internal_error")
  expect_identical(refused$exit_status, 1L)
})

test_that("the program has the package's version", {
  expect_identical(run_program("--version")$told[[1]], paste("sotto", packageVersion("sotto")))
})

test_that("what the program says is said in the words of R", {
  say_in_r <- function(message) conditionMessage(tryCatch(fail(64L, message), error = identity))
  expect_identical(say_in_r("choose another --out, or let fit --overwrite it"), "choose another out, or let fit overwrite it")
  expect_identical(say_in_r("give --not-private."), "give not_private.")
  expect_identical(say_in_r("take --draws 1000 (--draws)"), "take draws=1000 (draws)")
  expect_identical(say_in_r("run sotto schema --check on the table"), "run sotto schema --check on the table")
  expect_identical(say_in_r(paste0(tempfile("sotto-"), "/data.csv has no column x")), "data.csv has no column x")
})

test_that("one thing is said once", {
  schema <- sotto_schema(x = sotto_real(0, 1), y = sotto_binary())
  rows <- data.frame(x = c(0.1, 0.9), y = 0:1)
  refused <- function(settings) sotto_fit(y ~ x, rows, schema, epsilon = 1, delta = 1e-6, settings = settings)
  expect_error(refused(list(privacy.epsilon = 5)), "privacy.epsilon is given twice", class = "sotto_usage_error")
  expect_error(refused(list(privacy = list(epsilon = 5))), "would undo privacy", class = "sotto_configuration_error")
})

test_that("predict takes no argument that it does not know", {
  expect_error(predict(structure(list(), class = "sotto_fit"), data.frame(), type = "link"), "given: type", class = "sotto_usage_error")
  expect_error(predict(structure(list(), class = "sotto_fit")), "which rows", class = "sotto_usage_error")
})
