# Values of R in the form of the library: numbers, and texts in UTF-8.

# Text in UTF-8. Bytes without an encoding are refused.
utf8 <- function(x) {
    if (any(Encoding(x) == "bytes")) fail("INVALID_VALUE", "a text has no encoding", "It is marked as bytes.")
    x <- enc2utf8(x)
    if (!all(validUTF8(x))) {
        fail("INVALID_VALUE", "a text is not valid in its encoding", paste0("Found ", encodeString(x[!validUTF8(x)][1], quote = "\"")),
             "Declare the encoding of the data, for example with read.csv(encoding = \"latin1\").")
    }
    x
}

# The single text in an argument.
single_text <- function(x, what) {
    if (!is.character(x) || length(x) != 1 || is.na(x)) fail("INVALID_VALUE", paste(what, "must be one text"))
    utf8(x)
}

# A number of at least `least`.
whole_number <- function(x, what, least, most = 2^53) {
    if (!is.numeric(x) || length(x) != 1 || is.na(x) || x != round(x) || x < least || x > most)
        fail("INVALID_VALUE", paste(what, "must be a whole number of at least", least))
    as.double(x)
}

# Rounds as integers.
round_numbers <- function(x, records) {
    if (!is.numeric(x) || !length(x) %in% c(1, records) || anyNA(x) || any(x != round(x)) || any(abs(x) > .Machine$integer.max))
        fail("INVALID_VALUE", "round must be a whole number, or one for each record")
    rep_len(as.integer(x), records)
}

# Texts of public columns and of names: dates and times in the form of ISO 8601, the labels of factors.
plain_text <- function(x, what) {
    if (is.factor(x)) return(utf8(as.character(x)))
    if (inherits(x, "Date")) return(format(x, "%Y-%m-%d"))
    if (inherits(x, "POSIXt")) {
        fraction <- any(as.double(as.POSIXct(x)) %% 1 != 0, na.rm = TRUE)
        return(ifelse(is.na(x), NA, format(x, if (fraction) "%Y-%m-%dT%H:%M:%OS6Z" else "%Y-%m-%dT%H:%M:%SZ", tz = "UTC")))
    }
    if (is.object(x) || is.list(x) || !is.atomic(x)) {
        fail("INVALID_VALUE", paste0("the values of ", what, " are of the class ", class(x)[1]),
             "A value is a text, a number, a truth value, a date, a time, or a label of a factor.")
    }
    if (is.character(x)) return(utf8(x))
    if (is.logical(x)) return(ifelse(x, "true", "false"))
    if (!is.numeric(x)) fail("INVALID_VALUE", paste0("the values of ", what, " are of the type ", typeof(x)))
    ifelse(is.na(x), NA, number_text(as.double(x)))
}

# The public columns of `records` records: their names, and a vector of texts for each. NA takes the default of the column.
public_columns <- function(columns, records) {
    if (is.null(columns)) return(list(names = character(), texts = list()))
    labels <- names(columns)
    if (length(columns) > 0 && (is.null(labels) || any(!nzchar(labels)))) fail("INVALID_VALUE", "a public column has no name")
    texts <- lapply(setNames(nm = labels), function(name) {
        text <- plain_text(columns[[name]], paste0("the public column \"", name, "\""))
        if (!length(text) %in% c(1, records)) {
            fail("INVALID_VALUE", paste0("the public column \"", name, "\" has ", length(text), " values"),
                 paste("There are", records, "records."))
        }
        rep_len(text, records)
    })
    list(names = utf8(as.character(labels)), texts = unname(texts))
}

# The records in `data`, a data frame or a list of columns, as a vector for each value of the spec. Further columns are refused, so
# that a spec cannot choose columns of a larger table, unless `select` is TRUE.
records_of <- function(collection, data, select = FALSE) {
    if (!is.list(data)) fail("INVALID_VALUE", "the records are neither a data frame nor a list of columns")
    given <- vector_elements(collection, as.list(data))
    wanted <- collection$names
    others <- setdiff(names(given), wanted)
    if (length(others) > 0 && !select) {
        fail("INVALID_VALUE", paste("the spec has no attribute", paste0("\"", utils::head(others, 10), "\"", collapse = ", ")),
             paste0("Its attributes are ", paste0("\"", wanted, "\"", collapse = ", "), "."),
             "Pass only the attributes that you want to report, such as data[c(\"age\", \"region\")].")
    }
    missing <- setdiff(wanted, names(given))
    if (length(missing) > 0) {
        fail("INVALID_VALUE", paste0("there is no \"", missing[1], "\""),
             paste0("A record needs: ", paste(wanted, collapse = ", "), "."), "A missing answer is NA.")
    }
    columns <- Map(record_column, given[match(wanted, names(given))], wanted, collection$labelled)
    lengths <- unique(lengths(columns))
    if (length(lengths) > 1) fail("INVALID_VALUE", "the columns have different lengths", paste("Found", paste(lengths, collapse = ", ")))
    unname(columns)
}

# The columns with an entry for each element of a vector, which may be a matrix with a column for each element.
vector_elements <- function(collection, given) {
    if (length(given) > 0 && (is.null(names(given)) || any(!nzchar(names(given))))) fail("INVALID_VALUE", "a column has no name")
    names(given) <- utf8(names(given))
    whole <- intersect(names(collection$vectors), names(given))
    for (name in whole) {
        values <- given[[name]]
        elements <- collection$vectors[[name]]
        if (is.data.frame(values)) values <- as.matrix(values)
        if (!is.matrix(values)) values <- matrix(values, nrow = 1)
        if (ncol(values) != length(elements)) {
            fail("INVALID_VALUE", paste0("the vector \"", name, "\" has the wrong number of elements"),
                 paste0("Found ", ncol(values), "; the spec has ", length(elements), "."))
        }
        given[[name]] <- NULL
        given[elements] <- lapply(seq_along(elements), function(j) unname(values[, j]))
    }
    given
}

# A column as a vector of numbers or texts. NA is a missing answer.
record_column <- function(column, name, labelled) {
    if (is.factor(column)) return(utf8(as.character(column)))
    if (is.list(column)) return(utf8(vapply(column, joined_set, "", name, labelled)))
    if (is.object(column) && !inherits(column, "AsIs")) {
        fail("INVALID_VALUE", paste0("the values of \"", name, "\" are of the class ", class(column)[1]),
             "A value is a number, a label, or NA for no answer.",
             "Convert the column explicitly to the numbers or labels that the spec declares.")
    }
    if (is.character(column)) return(utf8(as.vector(column)))
    if (is.numeric(column) || (is.logical(column) && all(is.na(column)))) return(as.double(column))
    fail("INVALID_VALUE", paste0("the values of \"", name, "\" are of the type ", typeof(column)),
         "A value is a number, a label, or NA for no answer.")
}

# The text of a set of labels. A set without labels is empty, NULL or NA.
joined_set <- function(labels, name, labelled) {
    if (!labelled) fail("INVALID_VALUE", paste0("a value of \"", name, "\" is a list"), "The attribute is a number.")
    if (is.factor(labels)) labels <- as.character(labels)
    if (is.numeric(labels)) labels <- number_text(as.double(labels))
    labels <- as.character(unlist(labels))
    labels <- labels[!is.na(labels)]
    if (any(grepl(";", labels, fixed = TRUE))) {
        fail("INVALID_VALUE", "a label of a set contains a semicolon", paste0("Found \"", labels[grepl(";", labels, fixed = TRUE)][1], "\"."),
             "Semicolons separate the labels of a set.")
    }
    paste(labels, collapse = ";")
}
