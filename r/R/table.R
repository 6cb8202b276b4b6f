# A table as the program reads it: a file that was named, or a data frame as a CSV file that nobody else can read.
# Of cells nothing is checked and nothing is said: only the types of columns are looked at.

# `columns`: which of a data frame's; NULL for all.
table_file <- function(data, folder, columns = NULL, argument = "data") {
  if (is_path(data)) return(path.expand(data))
  if (!is.data.frame(data)) {
    refuse(argument, " must be a data frame or the path of a CSV or Parquet file, not of class ", class(data)[[1]])
  }
  used <- if (is.null(columns)) seq_along(data) else which(names(data) %in% columns)
  if (length(used) == 0) refuse(argument, " has none of the columns that are declared")
  for (i in used) check_type(.subset2(data, i), names(data)[[i]])
  write_private(c(paste(quoted(names(data)[used]), collapse = ","), records(data, used)), file.path(folder, paste0(argument, ".csv")))
}

# A line per row. What R says meanwhile may be about a cell, so none of it is passed on.
records <- function(data, used) {
  if (nrow(data) == 0) return(character())
  tryCatch(
    suppressMessages(suppressWarnings(do.call(paste, c(lapply(used, function(i) cells_of(.subset2(data, i))), sep = ",")))),
    error = function(any) fail(exit_statuses[["data"]], "the data frame cannot be written as CSV; write it to a file yourself")
  )
}

check_type <- function(column, name) {
  plain <- is.null(dim(column)) && !is.object(column) && (is.numeric(column) || is.logical(column) || is.character(column))
  if (!plain && !is.factor(column)) {
    fail(exit_statuses[["data"]], paste0(
      "column ", name, " has class ", class(column)[[1]],
      "; make it numbers, truth values, text or a factor: of a date the days since one, as.numeric(x - as.Date(\"2020-01-01\"))"
    ))
  }
}

cells_of <- function(column) {
  cells <- if (is.factor(column) || is.character(column)) quoted(column) else if (is.numeric(column)) number(column) else {
    as.character(column)
  }
  cells[is.na(column)] <- ""
  cells
}

# RFC 4180; bytes as they are, so that no message of R's is about a cell.
quoted <- function(x) {
  x <- as.character(x)
  latin1 <- Encoding(x) == "latin1"
  x[latin1] <- enc2utf8(x[latin1])
  paste0("\"", gsub("\"", "\"\"", native(x), fixed = TRUE, useBytes = TRUE), "\"")
}
