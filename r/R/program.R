# Runs the program `sotto`.

program <- function() {
  named <- getOption("sotto.program", Sys.getenv("SOTTO_PROGRAM"))
  if (!nzchar(named)) named <- "sotto"
  found <- Sys.which(path.expand(named))[[1]]
  if (!nzchar(found)) {
    fail(exit_statuses[["unavailable"]], paste0(
      "there is no program ", named, ": put sotto on the PATH, or say where it is by options(sotto.program = ) or SOTTO_PROGRAM"
    ))
  }
  found
}

# Runs a verb: `told` is what it says on standard output, `said` on standard error, a sentence each. Where the program refuses, so do
# we. A run that was stopped, or whose chain ran away, has another status than 0 and results all the same.
call_program <- function(...) {
  words <- enc2utf8(c(program(), ...))
  with_private_folder(function(folder) {
    told <- file.path(folder, "told")
    said <- file.path(folder, "said")
    # system() leaves Ctrl-C to the program; `exec`, so that no shell stands between.
    status <- system(native(paste(c("exec", shQuote(words), ">", shQuote(told), "2>", shQuote(said)), collapse = " ")))
    told <- read_text(told)
    said <- in_words_of_r(sub("^sotto: ", "", read_text(said)))
    has_results <- status %in% exit_statuses[c("interrupted", "budget")] && length(told) > 0
    if (status != 0 && !has_results) {
      fail(status, if (length(said) > 0) said[[length(said)]] else paste("sotto ended with status", status))
    }
    list(told = told, said = said)
  })
}

# The words as they are, whatever the locale can show.
native <- function(text) {
  Encoding(text) <- "unknown"
  text
}

# --NAME=VALUE for each that is not NULL or FALSE; TRUE is a flag, of several values each has its own --NAME.
options_of <- function(...) {
  given <- Filter(function(value) !is.null(value) && !identical(value, FALSE), list(...))
  do.call(one_value, given[!names(given) %in% c("quantity", "mechanism")])  # which may be several
  unlist(lapply(names(given), function(name) {
    value <- given[[name]]
    if (identical(value, TRUE)) return(paste0("--", name))
    if (!is.atomic(value) || anyNA(value)) refuse(gsub("-", "_", name), " must be text or a number")
    paste0("--", name, "=", if (is.numeric(value)) number(value) else as.character(value))
  }))
}
