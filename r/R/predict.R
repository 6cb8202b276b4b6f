# What a finished fit says of new rows. These are in no object that is returned, and in no file that stays.

predict.sotto_fit <- function(object, newdata, quantity = c("mean", "response"), level = 0.9, seed = NULL, nevertheless = FALSE,
                              schema = NULL, ...) {
  if (missing(newdata)) refuse("which rows? give newdata: a data frame, or the path of a CSV or Parquet file")
  if (...length() > 0) {
    refuse(
      "predict takes newdata, quantity, level, seed, nevertheless and schema, and nothing else",
      if (length(...names()) > 0) paste0(" (given: ", paste(...names(), collapse = ", "), ")"),
      "; what type = \"response\" asks for elsewhere is quantity = \"mean\", the default"
    )
  }
  quantity <- match.arg(quantity)
  declared <- read_json(file.path(object$directory, "manifest.json"))$schema$column$name
  if (is.null(declared) && !is.null(schema)) declared <- declared_columns(schema)
  with_private_folder(function(folder) {
    file <- file.path(folder, "predictions.csv")
    answer <- call_program(
      "predict",
      options_of(
        rows = table_file(newdata, folder, declared, "newdata"), schema = if (!is.null(schema)) schema_file(schema, folder), quantity = quantity,
        level = level, seed = seed, out = file, nevertheless = nevertheless, json = TRUE
      ),
      "--", path.expand(object$directory)
    )
    known <- jsonlite::fromJSON(answer$told)
    predicted <- read_table(file, intersect("category", known$part))
    predicted$private_draws <- NULL
    if (is.data.frame(newdata) && nrow(predicted) == nrow(newdata)) row.names(predicted) <- row.names(newdata)
    say(as.character(known$warnings))
    structure(predicted, private_draws = known$private_draws)
  })
}
