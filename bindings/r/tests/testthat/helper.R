# A spec of one category.
regions <- list(mechanism = "grr", epsilon = 1, attributes = list(list(name = "region", domain = c("north", "s\u00fcd", "west"))))

# Evaluates the call, and returns its condition of the library.
failure_of <- function(call) tryCatch({
    call
    NULL
}, ldp_error = identity)

# Expects a failure with this code, whose text contains `text`.
expect_failure_of <- function(call, code, text) {
    failure <- failure_of(call)
    expect_s3_class(failure, paste0("ldp_error_", tolower(code)))
    expect_identical(failure$code, code)
    expect_match(conditionMessage(failure), text, fixed = TRUE)
}
