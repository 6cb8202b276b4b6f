# Columns with noise, once, for release.

sotto_privatize <- function(data, column, channel = NULL, lower = NULL, upper = NULL, missing = NULL, levels = NULL,
                            epsilon = NULL, delta = NULL, rho = NULL, out = NULL, keep_order = FALSE, overwrite = FALSE) {
  given <- list(channel = channel, lower = lower, upper = upper, missing = missing, levels = levels)
  given <- Filter(Negate(is.null), given)
  if (is.list(column)) {
    if (length(given) > 0) refuse("of several columns each has its own ", names(given)[[1]], ": say it in its list")
    columns <- column
  } else {
    columns <- structure(list(given), names = column)
  }
  if (is_path(out) && grepl("[.]parquet$", out)) refuse("R writes a release as CSV: let out end in .csv")
  with_results(out, "release.csv.channel.toml", function(place) {
    file <- if (is.null(out)) file.path(place, "release.csv") else place
    answer <- with_private_folder(function(folder) {
      declared <- write_private(column_tables(columns), file.path(folder, "columns.toml"))
      call_program(
        "privatize",
        options_of(
          columns = declared, epsilon = epsilon, delta = delta, rho = rho, out = file, `keep-order` = keep_order,
          overwrite = overwrite, json = TRUE
        ),
        "--", table_file(data, folder, names(columns))
      )
    })
    description <- jsonlite::fromJSON(answer$told)
    text <- with(description$columns, name[channel == "randomized-response"])
    release <- list(
      file = file, channel_file = paste0(file, ".channel.toml"), description = description, table = read_table(file, text)
    )
    say(answer$said)
    structure(release, class = "sotto_release")
  })
}

# A file of columns, a table each.
column_tables <- function(columns) {
  unlist(lapply(names(columns), function(name) {
    settings <- columns[[name]]
    if (!is.null(settings$levels)) settings$levels <- as.list(settings$levels)
    c("[[column]]", keys(c(name = name, settings)))
  }))
}

print.sotto_release <- function(x, ...) {
  said <- x$description
  promise <- if (!said$private) "NOT PRIVATE" else if (is.null(said$epsilon)) sprintf("rho %g", said$rho) else {
    sprintf("epsilon %g, delta %g", said$epsilon, said$delta)
  }
  channels <- paste0(said$columns$name, " (", said$columns$channel, ")", collapse = ", ")
  cat(sprintf("%d rows of %s; %s for %s\n", said$rows, channels, promise, said$privacy_unit))
  invisible(x)
}
