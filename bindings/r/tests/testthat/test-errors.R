test_that("an error of the library has class, code, detail and hint", {
    failure <- failure_of(ldp_collection("{\"mechanism\": \"grr\", \"epsilon\": -1, \"domain\": 4}"))
    expect_s3_class(failure, c("ldp_error_invalid_spec", "ldp_error", "error", "condition"), exact = TRUE)
    expect_identical(failure$code, "INVALID_SPEC")
    expect_match(failure$message, "\"epsilon\" must be a number")
    expect_match(failure$detail, "Found -1")
    expect_identical(failure$record, NA_real_)
    expect_failure_of(ldp_collection("{"), "MALFORMED", "JSON")

    failure <- failure_of(ldp_perturb(regions, list(region = c("north", "mars"))))
    expect_identical(failure$code, "INVALID_VALUE")
    expect_identical(failure$record, 2)
    expect_match(failure$detail, "s\u00fcd")
    expect_true(nzchar(failure$hint))
    expect_match(conditionMessage(failure), "^record 2: \"mars\"")
})

test_that("errors can be handled as errors of R", {
    expect_error(ldp_collection("{"), class = "ldp_error_malformed")
    expect_identical(tryCatch(ldp_collection("{"), error = function(e) "handled"), "handled")
})

test_that("texts of errors have no control characters", {
    expect_identical(ldp:::printable("a\033[2Jb\nc"), "a?[2Jb\nc")
    invalid <- rawToChar(as.raw(c(0x61, 0xff)))
    expect_identical(ldp:::printable(invalid), "a<ff>")
})

test_that("the library has the version of the package", {
    expect_identical(ldp_version(), as.character(utils::packageVersion("ldp")))
})
