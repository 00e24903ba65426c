# Specs, queries and rows as JSON. Values without names are arrays unless they have the length 1; I() makes any vector an array.

# A list without elements is an object, unless it comes from from_json().
as_json <- function(x, parsed = FALSE) {
    if (is.null(x)) return("null")
    if (inherits(x, "ldp_summary")) x <- paste(as.character(x$data), collapse = "")
    if (is.data.frame(x)) x <- lapply(seq_len(nrow(x)), function(i) as.list(x[i, , drop = FALSE]))
    array <- inherits(x, "AsIs") || length(x) != 1 || is.list(x)
    if (is.object(x) && !is.list(x) && !inherits(x, "AsIs")) x <- plain_text(x, "argument")
    labels <- names(x)
    if (!is.null(labels) || (is.list(x) && length(x) == 0 && !parsed)) {
        parts <- vapply(seq_along(x), function(i) paste0(json_text(labels[i]), ":", as_json(x[[i]], parsed)), "")
        return(paste0("{", paste(parts, collapse = ","), "}"))
    }
    if (is.list(x)) return(paste0("[", paste(vapply(x, as_json, "", parsed), collapse = ","), "]"))
    parts <- if (is.character(x)) json_text(x)
             else if (is.logical(x)) ifelse(x, "true", "false")
             else if (is.numeric(x)) number_text(as.double(x))
             else fail("INVALID_VALUE", paste("a value of the type", typeof(x), "has no form in JSON"))
    parts[is.na(x)] <- "null"
    if (array) paste0("[", paste(parts, collapse = ","), "]") else parts
}

# Numbers, without a loss of digits. Whole numbers have no exponent.
number_text <- function(x) {
    text <- sprintf("%.15g", x)
    inexact <- is.finite(x) & suppressWarnings(as.double(text)) != x
    text[inexact] <- sprintf("%.17g", x[inexact])
    whole <- is.finite(x) & x == round(x) & abs(x) < 2^53
    text[whole] <- sprintf("%.0f", x[whole])
    text
}

json_text <- function(x) {
    x <- utf8(x)
    x <- gsub("\\", "\\\\", x, fixed = TRUE)
    x <- gsub("\"", "\\\"", x, fixed = TRUE)
    for (code in which(vapply(1:31, function(i) any(grepl(intToUtf8(i), x, fixed = TRUE)), NA)))
        x <- gsub(intToUtf8(code), sprintf("\\u%04x", code), x, fixed = TRUE)
    paste0("\"", x, "\"")
}

# A text from a JSON text or a list.
json_of <- function(x) if (is.character(x) && length(x) == 1 && is.null(names(x))) utf8(x) else as_json(x)

from_json <- function(text) jsonlite::parse_json(text, simplifyVector = FALSE)

# Rows of the library as a data frame of the class "ldp_estimates": NULL is NA, arrays are in columns of lists, objects are JSON,
# and infinite numbers are numbers.
rows_of <- function(text) {
    rows <- from_json(text)
    columns <- lapply(setNames(nm = unique(unlist(lapply(rows, names)))), function(name) column_of(lapply(rows, `[[`, name), name))
    estimates(structure(columns, class = "data.frame", row.names = .set_row_names(length(rows)),
                        names = if (length(columns) == 0) character() else names(columns)))
}

# Columns that are numbers, also where all values are missing.
number_columns <- c("estimate", "stderr", "lower", "upper")

column_of <- function(values, name) {
    known <- !vapply(values, is.null, NA)
    if (any(vapply(values, is.list, NA))) {
        if (all(vapply(values[known], of_scalars, NA))) return(lapply(values, simple))
        values[known] <- lapply(values[known], as_json, parsed = TRUE)
    }
    infinite <- c(Infinity = Inf, `-Infinity` = -Inf)
    numeric <- name %in% number_columns || any(vapply(values, is.numeric, NA))
    if (numeric) values <- lapply(values, function(v) if (is.character(v)) infinite[[v]] else v)
    kind <- if (numeric) NA_real_ else if (any(vapply(values, is.character, NA))) NA_character_ else NA
    column <- rep(kind, length(values))
    column[known] <- unlist(values[known])
    column
}

# Whether a value is a JSON array of scalars.
of_scalars <- function(value) is.list(value) && is.null(names(value)) && !any(vapply(value, is.list, NA))

# Such an array as a vector; NULL for NULL.
simple <- function(value) unlist(lapply(value, function(one) if (is.null(one)) NA else one))

estimates <- function(rows) structure(rows, class = c("ldp_estimates", "data.frame"))
