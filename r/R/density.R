# What released columns say of the density behind them.

sotto_density <- function(release, channel_file = NULL, column = NULL, kernel = NULL, algorithm = NULL, quantity = NULL,
                          mixing = NULL, concentration = NULL, concentration_prior = FALSE, base = NULL, imputations = NULL,
                          discount = NULL, components = NULL, chains = NULL, warmup = NULL, draws = NULL, thin = NULL,
                          threads = NULL, seed = NULL, grid_points = NULL, level = NULL, against = NULL, out = NULL) {
  if (inherits(release, "sotto_release")) {
    if (is.null(channel_file)) channel_file <- release$channel_file
    release <- release$file
  }
  if (!is_path(release)) refuse("release must be made by sotto_privatize() or be the path of a released file")
  with_results(out, character(), function(directory) {
    answer <- call_program(
      "density",
      options_of(
        `channel-file` = channel_file, column = if (!is.null(column)) paste(column, collapse = ","), kernel = kernel,
        algorithm = algorithm, quantity = quantity, mixing = mixing, concentration = concentration,
        `concentration-prior` = concentration_prior,
        base = if (!is.null(base)) paste(sprintf("%s=%.17g", names(base), unlist(base)), collapse = ", "),
        imputations = imputations, discount = discount, components = components, chains = chains,
        warmup = warmup, draws = draws, thin = thin, threads = threads, seed = seed, grid = grid_points, level = level,
        against = if (inherits(against, "sotto_density")) against$directory else against, out = directory, json = TRUE
      ),
      "--", path.expand(release)
    )
    summary <- jsonlite::fromJSON(answer$told)
    named <- summary$columns$name
    text <- summary$kernel == "categorical"
    density <- list(
      directory = directory,
      summary = summary,
      verdicts = structure(in_words_of_r(summary$columns$verdict), names = named),
      quantities = without_sentences(summary$quantities),
      differences = without_sentences(summary$differences),
      sentences = c(summary$quantities$sentence, summary$differences$sentence),
      curve = read_table(file.path(directory, "density.csv"), c("column", if (text) "x")),
      synthetic = read_table(file.path(directory, "synthetic.csv"), if (text) named),
      warnings = as.character(summary$warnings)
    )
    say(answer$said)
    structure(density, class = "sotto_density")
  })
}

report.sotto_density <- function(x, ...) file.path(x$directory, "report.html")

without_sentences <- function(told) {
  told <- as.data.frame(told)
  told[setdiff(names(told), "sentence")]
}

print.sotto_density <- function(x, ...) {
  if (!x$summary$private) cat("NOT PRIVATE\n")
  cat(paste0(names(x$verdicts), ": ", x$verdicts), sep = "\n")
  if (length(x$sentences) > 0) cat(x$sentences, sep = "\n")
  if (length(x$warnings) > 0) cat(x$warnings, sep = "\n")
  invisible(x)
}
