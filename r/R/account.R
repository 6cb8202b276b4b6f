# What releases cost. No data are needed.

sotto_account <- function(mechanism, delta = NULL, epsilon = NULL, adjacency = NULL, bound = NULL, group = NULL,
                          accuracy = NULL, trade_off = NULL, solve = NULL) {
  answer <- call_program("account", options_of(
    mechanism = mechanism, delta = delta, epsilon = epsilon, adjacency = adjacency, bound = bound, group = group,
    accuracy = accuracy, `trade-off` = trade_off, solve = solve, json = TRUE
  ))
  told <- jsonlite::fromJSON(answer$told)
  # JSON knows no infinity; an unknown rho is no number.
  for (key in names(told)[vapply(told, is.null, NA)]) told[[key]] <- if (startsWith(key, "epsilon")) Inf else NA_real_
  if (!is.null(told$trade_off)) told$trade_off <- data.frame(alpha = told$trade_off[, 1], beta = told$trade_off[, 2])
  told[c("event", "warnings")] <- NULL
  say(answer$said)
  structure(told, class = "sotto_cost")
}

print.sotto_cost <- function(x, ...) {
  plain <- unclass(x)[lengths(x) == 1]
  cat(paste(names(plain), "=", vapply(plain, format, "", digits = 15)), sep = "\n")
  invisible(x)
}
