# What a fit and its plan are told: keys of a configuration.

formula_text <- function(formula) {
  if (!inherits(formula, "formula")) return(formula)
  # Only the text is kept: a formula has an environment, and data may be in it.
  paste(trimws(deparse(formula, width.cutoff = 500L)), collapse = " ")
}

# Its name, also where it is given as glm takes it: binomial, or binomial().
family_name <- function(family) {
  if (is.null(family) || is.character(family) && length(family) == 1) return(family)
  if (is.function(family)) family <- family()
  links <- c(binomial = "logit", poisson = "log", gaussian = "identity", Gamma = "log")
  known <- inherits(family, "family") && family$family %in% names(links)
  if (!known) refuse("family is text, e.g. \"binomial\" or \"gamma\", or binomial(), poisson(), gaussian() or Gamma(link = \"log\")")
  if (family$link != links[[family$family]]) {
    link <- links[[family$family]]
    refuse("the link of ", family$family, " is ", link, " here: drop ", family$link, if (family$family == "Gamma") paste0(", and write Gamma(link = \"", link, "\")"))
  }
  family$family
}

# Arguments as --set KEY=VALUE, and `settings`, which are such keys too: of one thing only one of them. What is NULL is left to its default.
configuration <- function(formula, family, epsilon, delta, method, chains, draws, warmup, seed, threads, cuts, prior, settings) {
  one_value(
    formula = if (!inherits(formula, "formula")) formula, epsilon = epsilon, delta = delta, method = method, chains = chains, draws = draws,
    warmup = warmup, seed = seed, threads = threads
  )
  if (is.data.frame(settings)) refuse("settings are a list of keys of a configuration, no data frame")
  family <- family_name(family)
  for (key in intersect(names(settings), c("data.file", "data.schema", "output.directory"))) {
    refuse(key, " is no setting here: it is an argument")
  }
  given <- list(
    model.formula = formula_text(formula), model.family = family, model.cuts = if (!is.null(cuts)) as.list(cuts),
    privacy.epsilon = epsilon, privacy.delta = delta, method.name = method, method.chains = chains, method.draws = draws,
    method.warmup = warmup, method.seed = seed, threads = threads, prior = prior
  )
  for (key in intersect(names(settings), names(Filter(Negate(is.null), given)))) {
    if (identical(key, "method.name") && identical(method, "auto") || identical(toml(given[[key]]), toml(settings[[key]]))) next
    refuse(key, " is given twice, by its argument and by settings: give it once")
  }
  given[names(settings)] <- settings
  assignments(given)
}

# Where one value is meant a column may stand by mistake, and words of a command line are seen by all users of a machine.
one_value <- function(...) {
  given <- Filter(Negate(is.null), list(...))
  for (name in names(given)) {
    value <- given[[name]]
    if (!is.atomic(value) || length(value) != 1) {
      refuse(gsub("-", "_", name), " is one value, not several, and not of class ", class(value)[[1]])
    }
  }
}

assignments <- function(given) {
  given <- Filter(Negate(is.null), given)
  if (length(given) > 0) paste0("--set=", names(given), "=", vapply(given, toml, ""))
}

# Input files by their options. Those in the private folder are named relative to an empty configuration there, so that no result
# tells where it was.
inputs <- function(folder, ...) {
  files <- c(...)
  ours <- dirname(files) == folder
  keys <- c(data = "data.file", schema = "data.schema")
  c(
    if (any(ours)) write_private(character(), file.path(folder, "sotto.toml")),
    assignments(structure(as.list(basename(files[ours])), names = keys[names(files)[ours]])),
    if (any(!ours)) paste0("--", names(files)[!ours], "=", files[!ours])
  )
}
