# A data frame as the program reads it.

written <- function(data, columns = NULL) {
  folder <- sotto:::private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  file <- sotto:::table_file(data, folder, columns)
  rawToChar(readBin(file, "raw", file.size(file)))
}

test_that("cells are written by RFC 4180", {
  data <- data.frame(
    real = c(0.1, NA, -Inf), whole = c(1L, NA, 100000L), logical = c(TRUE, FALSE, NA),
    factor = factor(c("b", NA, "a")), text = c("a,b", NA, "say \"x\"\nand \r"), check.names = FALSE
  )
  names(data)[5] <- "te\"xt"
  expect_identical(written(data), paste0(
    "\"real\",\"whole\",\"logical\",\"factor\",\"te\"\"xt\"\n",
    "0.1,1,TRUE,\"b\",\"a,b\"\n",
    ",,FALSE,,\n",
    "-inf,100000,,\"a\",\"say \"\"x\"\"\nand \r\"\n"
  ))
})

test_that("numbers are read back as the same bits", {
  numbers <- c(1 / 3, pi * 1e-300, .Machine$double.xmax, 2^53 + 2, 5e-324, -0.1, 1e22, 123456789.123456789)
  cells <- strsplit(written(data.frame(x = numbers)), "\n")[[1]][-1]
  expect_identical(as.numeric(cells), numbers)
  expect_identical(sotto:::number(c(0.1, 100000, 2^40, NaN)), c("0.1", "100000", "1099511627776", "nan"))
})

test_that("nobody else can read the file, and files made later keep the umask", {
  before <- Sys.umask("022")
  on.exit(Sys.umask(before))
  folder <- sotto:::private_folder()
  file <- sotto:::table_file(data.frame(x = 1), folder)
  expect_identical(format(file.mode(c(folder, file))), c("700", "600"))
  expect_identical(format(Sys.umask(NA)), "22")
  unlink(folder, recursive = TRUE)
  fit <- fit_visits(draws = 60, out = tempfile())
  expect_identical(format(file.mode(report(fit))), "644")
})

test_that("every row is a record, also of one column and where cells are missing", {
  folder <- sotto:::private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  for (column in list(c(1, NA, NA), c("a\n\nb", NA, ""), factor(c(NA, "x", NA)))) {
    file <- sotto:::table_file(data.frame(x = column), folder)
    schema <- sotto:::schema_file(sotto_schema(x = sotto_category(c("x", "1"))), folder)
    told <- run_program("schema", "--check", "--json", file, schema)$told
    expect_identical(jsonlite::fromJSON(told[[1]])$records, 3L)
  }
})

test_that("text of any bytes is written as it is, without a word", {
  odd <- c("caf\xe9", "gr\xfcn", "a\xff\xfe\"b")
  Encoding(odd) <- c("latin1", "bytes", "unknown")
  expect_silent(bytes <- written(data.frame(x = odd)))
  expect_identical(
    charToRaw(bytes),
    c(charToRaw("\"x\"\n\"caf"), as.raw(c(0xc3, 0xa9)), charToRaw("\"\n\"gr"), as.raw(0xfc), charToRaw("n\"\n\"a"),
      as.raw(c(0xff, 0xfe)), charToRaw("\"\"b\"\n"))
  )
})

test_that("other types are refused by the name of the column, where it is declared", {
  other <- list(
    Date = as.Date("1999-12-31"), POSIXct = as.POSIXct("1999-12-31", tz = "UTC"), list = I(list(1)), complex = 1i,
    factor_of_numbers = structure(1, class = "integer64"), matrix = I(matrix(1, 1, 2))
  )
  for (column in other) {
    data <- data.frame(x = 1)
    data$when <- column
    refused <- expect_error(written(data), "column when has class", class = "sotto_data_error")
    expect_identical(refused$exit_status, 65L)
    expect_false(grepl("1999", conditionMessage(refused)))
    expect_identical(written(data, "x"), "\"x\"\n1\n")
  }
  # What a factor with broken labels makes R say is not passed on.
  broken <- structure(1:2, levels = list("the secret", 2), class = "factor")
  refused <- tryCatch(written(data.frame(x = I(broken))), error = identity)
  expect_false(any(grepl("secret", conditionMessage(refused))))
  expect_error(written(list(x = 1)), "not of class list", class = "sotto_usage_error")
  expect_error(written(data.frame(x = 1), "y"), "none of the columns", class = "sotto_usage_error")
})

test_that("a data frame has the draws of the file that it was read from", {
  # Without noise a seed repeats a run.
  file <- tempfile(fileext = ".csv")
  data <- visits
  data$age[c(3, 77)] <- NA
  data$clinic[5] <- NA
  write.table(transform(data, age = sprintf("%.17g", age)), file, sep = ",", row.names = FALSE, quote = FALSE)
  draws <- function(table) posterior::as_draws_df(fit_visits(data = table, draws = 100, not_private = TRUE, threads = 1))
  from_frame <- draws(data)
  expect_identical(from_frame, draws(file))
  expect_identical(from_frame, draws(transform(data, smoker = ifelse(smoker, "yes", "no"), clinic = as.character(clinic))))
  expect_false(identical(from_frame, draws(visits)))
})
