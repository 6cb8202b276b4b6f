# A posterior from private data.

sotto_fit <- function(formula = NULL, data = NULL, schema = NULL, epsilon = NULL, delta = NULL, family = NULL, method = NULL, chains = NULL,
                      draws = NULL, warmup = NULL, seed = NULL, threads = NULL, cuts = NULL, prior = NULL, settings = NULL,
                      out = NULL, overwrite = FALSE, not_private = FALSE, force = FALSE, resume = NULL) {
  if (!is.null(resume)) {
    if (!is_path(resume)) refuse("resume must be the directory of a fit")
    if (!is.null(out) || overwrite) refuse("resume puts draws in the place of those that stand there: drop out and overwrite")
    out <- resume
  } else if (is.null(formula) || is.null(schema)) {
    refuse("which ", if (is.null(formula)) "formula" else "schema", "? a fit wants both; to go on from one that was made, give resume")
  }
  given <- configuration(formula, family, epsilon, delta, method, chains, draws, warmup, seed, threads, cuts, prior, settings)
  with_results(out, "charges.jsonl", function(directory) {
    answer <- with_private_folder(function(folder) {
      call_program(
        "fit",
        if (!is.null(schema)) {
          inputs(
            folder,
            data = if (is.null(resume)) table_file(data, folder, columns_read(formula, schema)), schema = schema_file(schema, folder)
          )
        },
        assignments(list(privacy.not_private = if (not_private) TRUE, privacy.force = if (force) TRUE)),
        given,
        if (is.null(resume)) assignments(list(output.directory = directory)),
        options_of(overwrite = overwrite, resume = if (!is.null(resume)) directory)
      )
    })
    fit <- new_fit(directory, answer$told)
    say(answer$said)
    if (!is.null(resume) && !is.null(data)) say("resume reads no rows: the draws are made from the releases of the fit as it was, not from data")
    fit
  })
}

sotto_read <- function(directory) {
  if (!is_path(directory)) refuse("directory must be the path of a fit's directory")
  if (!dir.exists(directory)) fail(exit_statuses[["no_input"]], paste("there is no directory", directory))
  directory <- path.expand(directory)
  shown <- call_program("diagnose", directory)$told
  promised <- read_json(file.path(directory, "privacy.json"))
  head <- if (promised$private) {
    sprintf("(epsilon, delta) = (%g, %g) for %s", promised$epsilon, promised$delta, promised$privacy_unit)
  } else {
    "NOT PRIVATE"
  }
  width <- read_json(file.path(directory, "manifest.json"))$width
  new_fit(directory, c(head, width[nzchar(width)], "", shown))
}
