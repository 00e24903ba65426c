#!/usr/bin/env Rscript
# Answers the JSON lines of conformance/README.md through the R package `ldp`, and so through the C interface.
#
# Reports need the library whose random words are known, build/test/capi/libldp-scripted.so, in place of libldp.so.1. The package
# has no function that reads a batch, and it makes batches in the short form only: both are answered as unsupported.

library(ldp)

series <- c("ddrm", "threshold_series")
statistics <- c("mean", "direction", "proportion", "response_rate")
scripted_words <- "mt19937_64:2026"  # test/capi/scripted_random.cpp

# The package does not offer what the question needs.
unsupported <- function(name) stop(structure(class = c("unsupported", "error", "condition"), list(message = name, call = NULL)))

hex <- function(bytes) paste(as.character(bytes), collapse = "")
bytes_of <- function(digits, size = NULL) {
    bytes <- ldp_summary(digits)$data
    if (!is.null(size) && length(bytes) != size) stop("there are ", length(bytes), " bytes instead of ", size)
    bytes
}
reports_in <- function(collection, message) lapply(message$reports, bytes_of, collection$report_size)

# A little-endian number of 8 bytes.
word <- function(bytes) sum(as.integer(bytes) * 256^(0:7))
word_bytes <- function(number) as.raw(number %/% 256^(0:7) %% 256)

# A client whose queue has the reports, in round 0, by the layout of a snapshot in doc/formats.md.
queued_client <- function(collection, reports) {
    state <- ldp_state(ldp_client(collection))
    at <- 32 + 4 + 1 + 32  # digest, version, fingerprint
    for (part in 1:2) at <- at + 8 + word(state[at + 1:8])  # public randomness, progress
    if (any(state[at + 1:16] != 0)) stop("a new client has responses or reports")
    queue <- lapply(reports, function(report) c(raw(4), word_bytes(length(report)), report, raw(8)))
    content <- c(state[33:(at + 8)], word_bytes(length(reports)), unlist(queue), state[-seq_len(at + 16)])
    ldp_client(collection, state = c(digest::digest(content, "sha256", serialize = FALSE, raw = TRUE), content))
}

# A record of JSON as columns with one value.
columns_of <- function(record) {
    lapply(record, function(value) if (is.null(value)) NA else if (is.list(value)) list(unlist(value)) else value)
}

verbs <- list(
    fingerprint = function(collection, message) {
        list(fingerprint = collection$fingerprint, block = ldp:::from_json(collection$json)$derived$block)
    },
    report = function(collection, message) {
        if (message$words != scripted_words) unsupported(paste("words other than", scripted_words))
        spec <- ldp:::from_json(collection$json)
        mechanisms <- c(spec$mechanism, unlist(lapply(spec$attributes, `[[`, "mechanism")))
        in_rounds <- !is.null(spec$evolving) || any(mechanisms %in% series)
        client <- ldp_client(collection)
        reports <- list()
        for (i in seq_along(message$records)) {
            ldp_report(client, columns_of(message$records[[i]]), round = if (in_rounds) i else 0)
            ldp_flush(client, function(batch) {
                reports <<- c(reports, lapply(batch$reports, hex))
                TRUE
            })
        }
        list(reports = reports)
    },
    batch = function(collection, message) {
        if (message$form != "short") unsupported(paste("batches in the form", message$form))
        frames <- list()
        client <- queued_client(collection, reports_in(collection, message))
        ldp_flush(client, most = length(message$reports), function(batch) {
            frames <<- c(frames, hex(batch$body()$body))  # without public columns, the body is the frame
            TRUE
        })
        if (length(frames) != 1) stop("the reports make ", length(frames), " batches")
        list(batch = frames[[1]])
    },
    summarize = function(collection, message) {
        reports <- reports_in(collection, message)
        list(summary = hex(ldp_summarize(collection, reports, integer(length(reports)))$data))
    },
    estimate = function(collection, message) {
        spec <- ldp:::from_json(collection$json)
        summary <- ldp_summary(bytes_of(message$summary), collection)
        # A series has estimates of rounds, and the other ranges alone.
        if (spec$mechanism %in% c(series, "haar_ranges")) return(list(rows = list()))
        rows <- list(if (length(message$texts) > 0) ldp_estimate(summary, texts = message$texts) else ldp_estimate(summary))
        optional <- unlist(lapply(spec$attributes, function(one) if (isTRUE(one$missing)) one$name))
        if (length(optional) > 0 && spec$mechanism != "means_by_group")
            rows <- c(rows, list(ldp_estimate(summary, attributes = optional, statistics = "response_rate")))
        keys <- c("attribute", "label", "statistic", "estimate", "stderr")
        rows <- do.call(rbind, lapply(rows, function(some) as.data.frame(some)[some$statistic %in% statistics, keys]))
        list(rows = lapply(seq_len(nrow(rows)), function(i) as.list(rows[i, ])))
    },
    read = function(collection, message) {
        if (message$kind == "report") {
            ldp_summarize(collection, bytes_of(message$bytes, collection$report_size), 0)
        } else if (message$kind == "summary") {
            merge(ldp_summarize(collection, raw(), integer()), ldp_summary(bytes_of(message$bytes), collection))
        } else {
            unsupported(paste("reading of", message$kind))
        }
        list(ok = TRUE)
    })

answer <- function(line) {
    tryCatch({
        message <- ldp:::from_json(line)
        if (!message$verb %in% names(verbs)) unsupported(message$verb)
        verbs[[message$verb]](ldp_collection(ldp:::as_json(message$spec, parsed = TRUE)), message)
    }, unsupported = function(e) list(unsupported = conditionMessage(e)), error = function(e) list(refused = conditionMessage(e)))
}

input <- file("stdin", "r", encoding = "UTF-8")
while (length(line <- readLines(input, 1)) == 1) {
    writeLines(enc2utf8(ldp:::as_json(answer(line), parsed = TRUE)), useBytes = TRUE)
    flush(stdout())
}
