# What the tests share: a table and its schema, and a fit whose warnings, which follow from its noise, are not asked about.

visits <- local({
  set.seed(1)
  age <- runif(3000, 18, 90)
  data.frame(
    ill = rpois(3000, exp(0.02 * (age - 50))),
    age = age,
    smoker = runif(3000) < 0.3,
    clinic = factor(sample(c("north", "south", "west"), 3000, replace = TRUE))
  )
})

visits_schema <- sotto_schema(
  ill = sotto_count(0, 30), age = sotto_real(18, 90), smoker = sotto_binary(), clinic = sotto_category(c("north", "south", "west"))
)

quietly <- function(...) suppressWarnings(sotto_fit(...), classes = "sotto_warning")

# Predictions say again what their fit warned of, which follows from its noise; what they say themselves is heard.
predict_visits <- function(...) {
  withCallingHandlers(predict(...), sotto_warning = function(one) {
    if (startsWith(conditionMessage(one), "Of the fit: ")) invokeRestart("muffleWarning")
  })
}

fit_visits <- function(formula = ill > 0 ~ age + C(clinic), data = visits, schema = visits_schema, epsilon = 1, delta = 1e-6, ...) {
  quietly(formula, data, schema, epsilon = epsilon, delta = delta, ...)
}

# The program itself, as a shell runs it.
run_program <- function(...) {
  said <- tempfile()
  told <- suppressWarnings(system2(sotto:::program(), shQuote(c(...)), stdout = TRUE, stderr = said))
  status <- attr(told, "status")
  list(status = if (is.null(status)) 0L else status, told = as.character(told), said = readLines(said))
}

files_left <- function() list.files(tempdir(), "^sotto-")

# Whether a value of the table stands anywhere in an R object, or in a file.
holds <- function(object, secret) any(grepRaw(secret, serialize(object, NULL)) > 0)
