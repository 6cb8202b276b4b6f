library(testthat)
library(sotto)

test_check("sotto")
