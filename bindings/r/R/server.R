# Summaries and rows of a server, over a connection of DBI. Texts arrive as hexadecimal digits of UTF-8, so that they depend
# neither on the encoding of the connection nor on that of the session.

quoted <- function(connection, text) {
    if (!requireNamespace("DBI", quietly = TRUE)) fail("ENVIRONMENT", "the package DBI is missing")
    as.character(DBI::dbQuoteString(connection, single_text(text, "the name")))
}

# The values of an SQL expression of the type text, as text.
server_texts <- function(connection, expression, from = "") {
    found <- DBI::dbGetQuery(connection, paste0("SELECT encode(convert_to((", expression, ")::text, 'UTF8'), 'hex') AS digits", from))
    vapply(found$digits, function(digits) {
        if (is.na(digits)) return(NA_character_)
        at <- seq_len(nchar(digits) / 2) * 2 - 1
        text <- rawToChar(as.raw(strtoi(substring(digits, at, at + 1), 16L)))
        Encoding(text) <- "UTF-8"
        text
    }, "", USE.NAMES = FALSE)
}
server_text <- function(connection, expression) server_texts(connection, expression)[1]

ldp_summary.DBIConnection <- function(x, name, round = NULL, ...) {
    collection <- ldp_collection(x, name)
    which <- if (is.null(round)) "" else paste0(", ", round_numbers(round, 1))
    data <- server_text(x, paste0("ldp_summary_of(", quoted(x, name), "::text", which, ")"))
    if (is.na(data)) fail("ENVIRONMENT", paste0("the server returned no summary of \"", name, "\""), "There may be too few reports.")
    ldp_summary(data, collection)
}

server_groups <- function(x, name, by, first_round = NULL, last_round = NULL) {
    collection <- ldp_collection(x, name)
    columns <- paste(vapply(by, function(one) quoted(x, one), ""), collapse = ", ")
    rounds <- c(if (!is.null(first_round)) paste0(", first_round => ", round_numbers(first_round, 1)),
                if (!is.null(last_round)) paste0(", last_round => ", round_numbers(last_round, 1)))
    from <- paste0(" FROM unnest(ldp_groups_of(", quoted(x, name), "::text, ARRAY[", columns, "]::text[]", paste(rounds, collapse = ""),
                   ")) WITH ORDINALITY AS g (key, summary, number) ORDER BY number")
    keys <- server_texts(x, "g.key", from)
    summaries <- lapply(server_texts(x, "g.summary", from), ldp_summary, spec = collection)
    # The name of a group is its value, or the JSON object of several values.
    if (length(by) == 1) keys <- vapply(keys, key_value, "", USE.NAMES = FALSE)
    ldp_groups(summaries, names = keys)
}

ldp_rows <- function(connection, sql, ...) estimates(DBI::dbGetQuery(connection, sql, ...))

# The value in the key of a group with one column.
key_value <- function(key) {
    value <- from_json(key)[[1]]
    if (is.null(value)) NA_character_ else if (is.character(value)) value else as_json(value, parsed = TRUE)
}
