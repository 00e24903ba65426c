# Failures of the library as conditions.

# Codes of ldp.h, in the order of their numbers.
codes <- c("INVALID_SPEC", "INVALID_VALUE", "MALFORMED", "INCOMPATIBLE", "UNSUPPORTED", "FULL", "SPENT", "ENVIRONMENT", "NO_MEMORY",
           "CHANGED")

# Raises a condition of the classes "ldp_error_<code>", "ldp_error" and "error". Its fields are code, message, detail and hint;
# `record` is the row of the failed record, counted from 1, or NA.
fail <- function(code, message, detail = "", hint = "", record = NA_real_, ...) {
    stop(structure(class = c(paste0("ldp_error_", tolower(code)), "ldp_error", "error", "condition"),
                   list(message = printable(message), call = NULL, code = code, detail = printable(detail),
                        hint = printable(hint), record = record, ...)))
}

# Text that is valid UTF-8 without control characters, except the ends of lines: the server or a file may have written it.
printable <- function(text) {
    text <- iconv(text, "UTF-8", "UTF-8", sub = "byte")
    gsub("[\\x01-\\x09\\x0b-\\x1f\\x7f]", "?", text, perl = TRUE)
}

conditionMessage.ldp_error <- function(c) {
    first <- if (is.na(c$record)) c$message else paste0("record ", c$record, ": ", c$message)
    parts <- c(first, c$detail, c$hint)
    paste(parts[nzchar(parts)], collapse = "\n")
}

# Returns the result of a call of the library, or raises its failure.
native <- function(result, ...) {
    if (inherits(result, "ldp_failure")) {
        fail(codes[result$status], result$message, result$detail, result$hint,
             if (is.null(result$record)) NA_real_ else result$record + 1, ...)
    }
    result
}

# Returns the pointer of an object that can be used.
usable <- function(pointer, what) {
    switch(.Call(r_usable, pointer),
           closed = fail("ENVIRONMENT", paste("the", what, "is closed")),
           process = fail("ENVIRONMENT", paste("the", what, "was made in another process"), "",
                          paste("Make the", what, "in each process, with a file of its own.")))
    pointer
}

ldp_version <- function() .Call(r_version)
