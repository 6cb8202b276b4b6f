# What is declared of a table before anyone looks at its rows, in the words of a schema file.

column <- function(kind, ..., imputed = NULL) {
  declared <- list(kind = kind, ..., missing = if (is.null(imputed)) "drop" else "impute", imputed = imputed)
  structure(Filter(Negate(is.null), declared), class = "sotto_column")
}

check_bounds <- function(lower, upper) {
  is_number <- function(x) is.numeric(x) && length(x) == 1 && is.finite(x)
  if (!is_number(lower) || !is_number(upper) || lower >= upper) refuse("lower and upper are one number each, lower the smaller")
}

sotto_real <- function(lower, upper, imputed = NULL, out_of_range = c("clamp", "missing"), expected_mean = NULL, expected_sd = NULL) {
  check_bounds(lower, upper)
  column("real",
    lower = lower, upper = upper, out_of_range = match.arg(out_of_range), expected_mean = expected_mean, expected_sd = expected_sd,
    imputed = imputed
  )
}

sotto_count <- function(lower, upper, imputed = NULL, out_of_range = c("clamp", "missing"), expected_mean = NULL, expected_sd = NULL) {
  check_bounds(lower, upper)
  column("count",
    lower = lower, upper = upper, out_of_range = match.arg(out_of_range), expected_mean = expected_mean, expected_sd = expected_sd,
    imputed = imputed
  )
}

sotto_binary <- function(imputed = NULL, expected_mean = NULL) column("binary", expected_mean = expected_mean, imputed = imputed)

sotto_category <- function(levels, imputed = NULL, expected_shares = NULL) {
  shares <- if (!is.null(expected_shares)) as.list(expected_shares)
  column("category", levels = as.list(levels), expected_shares = shares, imputed = imputed)
}

sotto_unit <- function(person, maximum_rows) {
  structure(list(person = person, maximum_rows = maximum_rows), class = "sotto_unit")
}

sotto_schema <- function(..., adjacency = c("substitute", "add-remove"), unit = NULL) {
  columns <- list(...)
  if (length(columns) == 1 && is.null(names(columns)) && is.list(columns[[1]])) columns <- columns[[1]]
  if (!all(vapply(columns, inherits, NA, "sotto_column")) || is.null(names(columns)) || !all(nzchar(names(columns)))) {
    refuse("a schema is made of declarations with names, as in sotto_schema(age = sotto_real(18, 90))")
  }
  if (inherits(adjacency, "sotto_column") || !(is.null(unit) || inherits(unit, "sotto_unit"))) {
    refuse("columns called adjacency or unit stand in a list: sotto_schema(list(unit = ...)); unit is made by sotto_unit()")
  }
  structure(list(columns = columns, adjacency = match.arg(adjacency), unit = unit), class = "sotto_schema")
}

# The names of all columns that a fit under the schema may read; NULL where a file declares them.
declared_columns <- function(schema) {
  if (inherits(schema, "sotto_schema")) c(names(schema$columns), schema$unit$person)
}

# Of these, as far as the formula can be read here, those that it names: others are neither written nor looked at.
columns_read <- function(formula, schema) {
  declared <- declared_columns(schema)
  if (is.null(formula) || is.null(declared)) return(declared)
  named <- tryCatch(all.vars(if (is.character(formula)) str2lang(formula) else formula), error = function(unreadable) declared)
  read <- intersect(declared, c(named, schema$unit$person))
  if (length(setdiff(read, schema$unit$person)) == 0) declared else read
}

keys <- function(fields) paste(names(fields), "=", vapply(fields, toml, ""))

format.sotto_schema <- function(x, ...) {
  lines <- keys(list(adjacency = x$adjacency))
  if (!is.null(x$unit)) lines <- c(lines, "", "[unit]", keys(unclass(x$unit)))
  for (name in names(x$columns)) lines <- c(lines, "", "[[column]]", keys(c(name = name, unclass(x$columns[[name]]))))
  lines
}

print.sotto_schema <- function(x, ...) {
  cat(format(x), sep = "\n")
  invisible(x)
}

# The schema's file: the one that was named, or one in this folder.
schema_file <- function(schema, folder) {
  if (inherits(schema, "sotto_schema")) return(write_private(format(schema), file.path(folder, "schema.toml")))
  if (!is_path(schema)) refuse("schema must be made by sotto_schema() or be the path of a schema file")
  path.expand(schema)
}
