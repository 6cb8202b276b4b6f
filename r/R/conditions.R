# What can go wrong, by the program's exit status, and what is said aloud of a result.
# No condition has a call: it could hold the data that a function was given.

exit_statuses <- c(
  usage = 64L, data = 65L, no_input = 66L, unavailable = 69L, internal = 70L, cannot_create = 73L, io = 74L, budget = 75L,
  configuration = 78L, interrupted = 130L
)

# What the program says, in the words of R: its options are arguments here, and files of a call's own folder have no path.
in_words_of_r <- function(message) {
  option <- gregexpr("(sotto \\w+ )?(?<![\\w-])--[a-z][a-z-]*(?![\\w/-]|\\.\\w)( (?=\\d))?", message, perl = TRUE)
  regmatches(message, option) <- lapply(regmatches(message, option), function(said) {
    ifelse(startsWith(said, "--"), sub(" $", "=", gsub("-", "_", substring(said, 3))), said)
  })
  gsub("[^ '\"]*/sotto-[0-9a-f]+/((data|newdata|schema|columns)\\.\\w+)", "\\1", message)
}

fail <- function(status, message) {
  message <- in_words_of_r(message)
  name <- names(exit_statuses)[match(status, exit_statuses, nomatch = match("internal", names(exit_statuses)))]
  stop(structure(
    class = c(paste0("sotto_", name, "_error"), "sotto_error", "error", "condition"),
    list(message = message, call = NULL, exit_status = as.integer(status))
  ))
}

refuse <- function(...) fail(exit_statuses[["usage"]], paste0(...))

say <- function(sentences) {
  for (sentence in sentences) {
    warning(structure(class = c("sotto_warning", "warning", "condition"), list(message = sentence, call = NULL)))
  }
}
