library(testthat)
library(ldp)

test_check("ldp")
