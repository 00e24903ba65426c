# Summaries of reports, groups, and their results, without a server.

new_summary <- function(data, collection = NULL) structure(list(data = data, collection = collection), class = "ldp_summary")

ldp_summarize <- function(spec, reports, rounds = NULL) {
    collection <- as_collection(spec)
    if (is.list(reports)) reports <- unlist(reports)
    if (is.null(reports)) reports <- raw()
    if (!is.raw(reports) || length(reports) %% collection$report_size != 0) {
        fail("MALFORMED", "the reports are no bytes of whole reports", paste("A report of this spec has", collection$report_size, "bytes."))
    }
    count <- length(reports) / collection$report_size
    if (!is.null(rounds)) {
        if (length(rounds) != count) fail("INVALID_VALUE", paste("there are", count, "reports and", length(rounds), "rounds"))
        rounds <- round_numbers(rounds, count)
    }
    new_summary(native(.Call(r_summarize, pointer_of(collection), reports, rounds)), collection)
}

ldp_summary <- function(x, ...) UseMethod("ldp_summary")

ldp_summary.default <- function(x, spec = NULL, ...) {
    if (is.character(x)) {
        digits <- tolower(sub("^\\\\x", "", single_text(x, "the summary")))
        if (nchar(digits) %% 2 != 0 || !grepl("^[0-9a-f]*$", digits)) fail("MALFORMED", "the summary is no text of hexadecimal digits")
        x <- as.raw(strtoi(substring(digits, seq_len(nchar(digits) / 2) * 2 - 1, seq_len(nchar(digits) / 2) * 2), 16L))
    }
    if (!is.raw(x)) fail("INVALID_VALUE", "a summary is bytes, or a text of hexadecimal digits")
    new_summary(x, if (!is.null(spec)) as_collection(spec))
}

print.ldp_summary <- function(x, ...) {
    cat("A summary of", length(x$data), "bytes")
    if (!is.null(x$collection)) cat(" of the spec", x$collection$fingerprint)
    cat("\n")
    invisible(x)
}

merge.ldp_summary <- function(x, y, ...) {
    if (!inherits(y, "ldp_summary")) fail("INVALID_VALUE", "a summary is merged with another summary")
    new_summary(native(.Call(r_merge, x$data, y$data)), if (is.null(x$collection)) y$collection else x$collection)
}

ldp_groups <- function(..., names = NULL) {
    given <- list(...)
    if (length(given) > 0 && inherits(given[[1]], "DBIConnection")) return(server_groups(...))
    if (length(given) == 1 && is.list(given[[1]]) && !inherits(given[[1]], "ldp_summary")) given <- given[[1]]
    if (!all(vapply(given, inherits, NA, "ldp_summary"))) fail("INVALID_VALUE", "groups are summaries, or a list of summaries")
    if (is.null(names)) names <- base::names(given)
    if (length(names) != length(given)) {
        fail("INVALID_VALUE", "each group needs a name", "", "For example: ldp_groups(north = one, south = other).")
    }
    names <- if (length(names) == 0) character() else plain_text(names, "names")
    structure(list(names = names, summaries = unname(given)), class = "ldp_groups")
}

print.ldp_groups <- function(x, ...) {
    cat(length(x$names), "groups:", ifelse(is.na(x$names), "without a name", x$names), "\n", fill = TRUE)
    invisible(x)
}

ldp_query <- function(source, query, ...) UseMethod("ldp_query")

ldp_query.ldp_summary <- function(source, query, ...) {
    queried(source$collection, source$data, query, list(...))
}

ldp_query.ldp_groups <- function(source, query, ...) {
    if (length(source$summaries) == 0) fail("INVALID_VALUE", "there are no groups")
    collection <- Find(Negate(is.null), lapply(source$summaries, `[[`, "collection"))
    queried(collection, NULL, query, c(list(groups = I(source$names), summaries = source$summaries), list(...)))
}

queried <- function(collection, data, query, arguments) {
    if (length(arguments) > 0 && (is.null(names(arguments)) || any(!nzchar(names(arguments)))))
        fail("INVALID_VALUE", "arguments of a query have names")
    text <- as_json(c(list(`function` = single_text(query, "query")), arguments))
    rows_of(native(.Call(r_query, if (!is.null(collection)) pointer_of(collection), data, text)))
}

ldp_estimate <- function(source, ...) ldp_query(source, "estimate", ...)
