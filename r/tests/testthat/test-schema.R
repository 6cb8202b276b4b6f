# A schema is the text of a schema file.

test_that("it is written as the program reads it", {
  schema <- sotto_schema(
    age = sotto_real(18, 90.5, imputed = 40), `a "b"\\` = sotto_count(0, 30, out_of_range = "missing"), smoker = sotto_binary(),
    clinic = sotto_category(c("n\u00f6rd", "tab\there")), one = sotto_category("x"), unit = sotto_unit("id", 3), adjacency = "add-remove"
  )
  expect_identical(format(schema), c(
    "adjacency = \"add-remove\"", "", "[unit]", "person = \"id\"", "maximum_rows = 3",
    "", "[[column]]", "name = \"age\"", "kind = \"real\"", "lower = 18", "upper = 90.5", "out_of_range = \"clamp\"",
    "missing = \"impute\"", "imputed = 40",
    "", "[[column]]", "name = \"a \\\"b\\\"\\\\\"", "kind = \"count\"", "lower = 0", "upper = 30", "out_of_range = \"missing\"",
    "missing = \"drop\"",
    "", "[[column]]", "name = \"smoker\"", "kind = \"binary\"", "missing = \"drop\"",
    "", "[[column]]", "name = \"clinic\"", "kind = \"category\"", "levels = [\"n\u00f6rd\", \"tab\\u0009here\"]", "missing = \"drop\"",
    "", "[[column]]", "name = \"one\"", "kind = \"category\"", "levels = [\"x\"]", "missing = \"drop\""
  ))
  expect_output(print(schema), "maximum_rows = 3")
})

test_that("each kind counts the cells that the program says it reads", {
  folder <- sotto:::private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  data <- data.frame(
    age = c(20, NA, 200), n = c(3L, 99L, NA), yes = factor(c("no", "yes", "maybe")), group = c("n\u00f6rd", "south", NA), level = c(0.1, 1e5, 2)
  )
  schema <- sotto_schema(
    age = sotto_real(18, 90), n = sotto_count(0, 30), yes = sotto_binary(), group = sotto_category(c("n\u00f6rd", "west")),
    level = sotto_category(c("0.1", "100000"))
  )
  told <- run_program("schema", "--check", "--json", sotto:::table_file(data, folder), sotto:::schema_file(schema, folder))$told
  counts <- jsonlite::fromJSON(told[[1]])$columns
  expect_identical(counts$values, c(1L, 1L, 2L, 1L, 2L))
  expect_identical(counts$missing, c(1L, 1L, 0L, 1L, 0L))
  expect_identical(counts$clamped, c(1L, 1L, 0L, 0L, 0L))
})

test_that("it is made of declarations alone", {
  refuse <- function(call) expect_error(call, class = "sotto_usage_error")
  refuse(sotto_schema(age = c(18, 90)))
  refuse(sotto_schema(sotto_real(18, 90)))
  refuse(sotto_schema())
  refuse(sotto_schema(age = sotto_real(18, 90), unit = sotto_binary()))
  refuse(sotto_schema(age = sotto_real(18, 90), adjacency = sotto_binary()))
  expect_identical(names(sotto_schema(list(unit = sotto_binary()))$columns), "unit")
  expect_error(sotto_real(18, 90, out_of_range = "drop"))
})

test_that("settings are written as TOML", {
  expect_identical(sotto:::toml(list(family = "normal", scale = 1, `x.1` = list(TRUE, 0.5))),
                   "{\"family\" = \"normal\", \"scale\" = 1, \"x.1\" = [true, 0.5]}")
  expect_identical(sotto:::toml(c(a = 1, b = 1e-6)), "[1, 1e-06]")
  expect_identical(sotto:::toml(100L), "100")
  expect_identical(sotto:::toml(1 / 3), "0.33333333333333331")
})
