# Folders and files: private ones for what lives as long as a call, and those of results.

# A new folder that nobody else can look into; it is gone when the session ends.
private_folder <- function() {
  folder <- tempfile("sotto-")
  if (!dir.create(folder, mode = "0700", showWarnings = FALSE)) {
    fail(exit_statuses[["cannot_create"]], "no temporary folder can be made: is the disk full?")
  }
  folder
}

# Runs a function of a private folder, which is gone afterwards, whatever happens.
with_private_folder <- function(run) {
  folder <- private_folder()
  on.exit(unlink(folder, recursive = TRUE))
  run(folder)
}

# Writes lines, bytes as they are, into a new file that nobody else can read; all of them, or it is an error.
write_private <- function(lines, path) {
  before <- Sys.umask("077")
  on.exit(Sys.umask(before))
  written <- suppressWarnings(tryCatch(
    {
      to <- file(path, "wb")
      tryCatch(writeLines(lines, to, useBytes = TRUE), finally = close(to))
      isTRUE(file.size(path) == sum(nchar(lines, "bytes") + 1))
    },
    error = function(any) FALSE
  ))
  if (!written) fail(exit_statuses[["io"]], "a temporary file cannot be written: is the disk full?")
  path
}

# Runs a function of the place of its results: `out`, or a private folder, which an error takes away unless a file `record` in it
# says that something was paid for.
with_results <- function(out, record, run) {
  if (!is.null(out)) {
    if (!is_path(out)) refuse("out must be a path")
    return(run(path.expand(out)))
  }
  folder <- private_folder()
  finished <- FALSE
  on.exit(if (!finished) {
    if (any(file.exists(file.path(folder, record)))) {
      message("what was paid for stands in ", folder, " until this session ends")
    } else {
      unlink(folder, recursive = TRUE)
    }
  })
  result <- run(folder)
  finished <- TRUE
  result
}

# A text of one line: of several it is a table that was pasted.
is_path <- function(x) is.character(x) && length(x) == 1 && !is.na(x) && !grepl("\n", x, fixed = TRUE)

read_text <- function(path) if (file.exists(path)) readLines(path, warn = FALSE, encoding = "UTF-8") else character()

read_json <- function(path) jsonlite::fromJSON(paste(read_text(path), collapse = "\n"))

# A CSV file of results; the columns `text` as they are written.
read_table <- function(path, text = character()) {
  utils::read.csv(
    path, check.names = FALSE, na.strings = "", fileEncoding = "UTF-8",
    colClasses = structure(rep("character", length(text)), names = text)
  )
}
