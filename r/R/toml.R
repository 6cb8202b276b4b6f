# Values as TOML, which schemas and settings are handed to the program as.

# The value as it stands to the right of `key =`: a list with names as an inline table, any other list or a longer vector as an array.
toml <- function(x) {
  if (is.data.frame(x)) refuse("a setting is no data frame: it must be text, a number, TRUE or FALSE, or a list of them")
  if (is.factor(x)) x <- as.character(x)
  if (is.list(x) && !is.null(names(x))) {
    return(paste0("{", paste0(toml_text(names(x)), " = ", vapply(x, toml, ""), collapse = ", "), "}"))
  }
  if (is.list(x) || is.atomic(x) && length(x) != 1) return(paste0("[", paste(vapply(x, toml, ""), collapse = ", "), "]"))
  if (is.character(x) && !is.na(x)) return(toml_text(x))
  if (is.logical(x) && !is.na(x)) return(if (x) "true" else "false")
  if (is.numeric(x) && !is.na(x)) return(number(x))
  refuse("a setting must be text, a number, TRUE or FALSE, or a list of them")
}

toml_text <- function(x) {
  x <- gsub("\"", "\\\"", gsub("\\", "\\\\", enc2utf8(x), fixed = TRUE), fixed = TRUE)
  for (code in c(1:31, 127)) x <- gsub(rawToChar(as.raw(code)), sprintf("\\u%04x", code), x, fixed = TRUE)
  paste0("\"", x, "\"")
}

# Reading gives the same bits. No more digits than needed, so that 0.1 is "0.1", which a level may be called.
number <- function(x) {
  if (is.integer(x)) return(sprintf("%d", x))
  text <- sprintf("%.15g", x)
  long <- is.finite(x)
  long[long] <- as.numeric(text[long]) != x[long]
  text[long] <- sprintf("%.17g", x[long])
  text[is.infinite(x)] <- ifelse(x[is.infinite(x)] > 0, "inf", "-inf")
  text[is.nan(x)] <- "nan"
  text
}
