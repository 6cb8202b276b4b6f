# What a privacy budget buys, before any row is read.

sotto_plan <- function(formula, schema, rows = NULL, epsilon = NULL, delta = NULL, family = NULL, method = NULL, chains = NULL,
                       draws = NULL, warmup = NULL, seed = NULL, threads = NULL, cuts = NULL, prior = NULL, settings = NULL,
                       repeats = NULL, response_mean = NULL, like = NULL) {
  if (!is.null(epsilon) && (!is.numeric(epsilon) || length(epsilon) > 100)) refuse("epsilon is a number, or up to a hundred of them")
  given <- configuration(
    formula, family, if (length(epsilon) > 0) epsilon[[1]], delta, method, chains, draws, warmup, seed, threads, cuts, prior,
    settings
  )
  answer <- with_private_folder(function(folder) {
    call_program(
      "plan",
      inputs(folder, schema = schema_file(schema, folder)),
      given,
      options_of(
        epsilon = if (length(epsilon) > 1) paste(number(epsilon), collapse = ","),
        rows = rows, repeats = repeats, `response-mean` = response_mean,
        like = if (!is.null(like)) table_file(like, folder, declared_columns(schema), "like"),
        json = TRUE
      )
    )
  })
  told <- jsonlite::fromJSON(answer$told, simplifyDataFrame = FALSE)
  say(answer$said)
  structure(
    list(
      model = told$model, method = told$method, rows = told$rows, repeats = told$repeats, caveat = told$caveat,
      verdicts = do.call(rbind, lapply(told$budgets, function(one) {
        data.frame(epsilon = one$epsilon, verdict = one$verdict, why = one$why)
      })),
      table = do.call(rbind, lapply(told$budgets, budget_table, without_noise = told$sd_without_noise))
    ),
    class = "sotto_plan"
  )
}

# A line per parameter; none of a budget that bought no draw.
budget_table <- function(budget, without_noise) {
  do.call(rbind, lapply(names(budget$parameters), function(name) {
    data.frame(
      epsilon = budget$epsilon, parameter = name, sd_without_noise = without_noise[[name]],
      lapply(budget$parameters[[name]], function(value) if (is.null(value)) NA_real_ else value)
    )
  }))
}

print.sotto_plan <- function(x, ...) {
  cat(sprintf("%s, %s: %d made-up rows, %d repeats; no private row was read\n\n", x$model, x$method, x$rows, x$repeats))
  if (!is.null(x$table)) print(x$table, digits = 3, row.names = FALSE)
  cat("", sprintf("epsilon %g: %s: %s", x$verdicts$epsilon, x$verdicts$verdict, x$verdicts$why), "", strwrap(x$caveat, 120), sep = "\n")
  invisible(x)
}
