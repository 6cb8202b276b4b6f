# A finished fit: what its output directory holds, as values of R. No row is in it, and no formula, call or environment.

new_fit <- function(directory, shown) {
  summary <- read_json(file.path(directory, "summary.json"))
  summary$parameters[-1] <- lapply(summary$parameters[-1], as.numeric)
  manifest <- read_json(file.path(directory, "manifest.json"))
  structure(
    list(
      directory = directory,
      title = manifest$title,
      method = manifest$method,
      shown = shown,
      warnings = in_words_of_r(as.character(summary$warnings)),
      summary = summary$parameters,
      privacy = read_json(file.path(directory, "privacy.json")),
      draws = read_draws(directory, manifest$parameters)
    ),
    class = "sotto_fit"
  )
}

# An array of draws, chains and parameters. Chains that differ in length keep as many last draws as the shortest has.
read_draws <- function(directory, parameters) {
  files <- list.files(directory, "^chain_[0-9]+\\.csv$")
  files <- file.path(directory, files[order(as.integer(gsub("[^0-9]", "", files)))])
  chains <- lapply(files, read_chain, width = length(parameters))
  kept <- min(vapply(chains, nrow, 0L))
  last <- function(chain) chain[seq.int(to = nrow(chain), length.out = kept), , drop = FALSE]
  draws <- vapply(chains, last, matrix(0, kept, length(parameters)))
  draws <- aperm(array(draws, c(kept, length(parameters), length(chains))), c(1, 3, 2))
  dimnames(draws) <- list(NULL, NULL, parameters)
  draws
}

# The parameters are the last columns; what stands before them was noted at each draw.
read_chain <- function(file, width) {
  top <- readLines(file, n = 1000)
  names <- match(FALSE, startsWith(top, "#"))
  values <- scan(file, sep = ",", skip = names, comment.char = "#", na.strings = c("NA", "nan"), quiet = TRUE)
  columns <- lengths(regmatches(top[[names]], gregexpr(",", top[[names]], fixed = TRUE))) + 1
  matrix(values, ncol = columns, byrow = TRUE)[, seq.int(to = columns, length.out = width), drop = FALSE]
}

as_draws.sotto_fit <- function(x, ...) posterior::as_draws_array(x$draws)

print.sotto_fit <- function(x, ...) {
  cat(x$title, x$shown, if (length(x$warnings) > 0) c("", x$warnings), sep = "\n")
  invisible(x)
}

summary.sotto_fit <- function(object, ...) object$summary

coef.sotto_fit <- function(object, ...) structure(object$summary$mean, names = object$summary$parameter)

as.matrix.sotto_fit <- function(x, ...) {
  matrix(x$draws, ncol = dim(x$draws)[[3]], dimnames = list(NULL, dimnames(x$draws)[[3]]))
}

as.data.frame.sotto_fit <- function(x, row.names = NULL, optional = FALSE, ...) {
  as.data.frame(as.matrix(x), row.names = row.names, optional = TRUE)
}

plot.sotto_fit <- function(x, ...) {
  if (!requireNamespace("bayesplot", quietly = TRUE)) refuse("plot draws with the package bayesplot: install it")
  bayesplot::mcmc_intervals(x$draws, prob = 0.5, prob_outer = 0.9, ...)
}

# Of the draws, so that a spread is never below 0.
confint.sotto_fit <- function(object, parm = NULL, level = 0.95, ...) {
  draws <- as.matrix(object)
  if (!is.null(parm)) draws <- draws[, parm, drop = FALSE]
  ends <- c((1 - level) / 2, (1 + level) / 2)
  t(apply(draws, 2, stats::quantile, probs = ends))
}

vcov.sotto_fit <- function(object, ...) stats::cov(as.matrix(object))

privacy <- function(x, ...) UseMethod("privacy")
privacy.sotto_fit <- function(x, ...) x$privacy

report <- function(x, ...) UseMethod("report")
report.sotto_fit <- function(x, ...) file.path(x$directory, "report.html")
