# Clients of one person or a file of records, and fleets: the clients of many people in one file.

ldp_client <- function(collection, path = NULL, state = raw(), once_per_round = FALSE, ledger = NULL) {
    collection <- as_collection(collection)
    if (!is.null(path) && length(state) > 0) fail("INVALID_VALUE", "a client takes a path or a state, not both")
    made_client(collection, native(.Call(r_client_new, pointer_of(collection), file_path(path), state, once_per_round, file_path(ledger))),
                fleet = FALSE)
}

ldp_fleet <- function(collection, path, once_per_round = FALSE, ledger = NULL) {
    collection <- as_collection(collection)
    made_client(collection, native(.Call(r_fleet_new, pointer_of(collection), file_path(path), once_per_round, file_path(ledger))),
                fleet = TRUE)
}

made_client <- function(collection, pointer, fleet) {
    client <- new.env(parent = emptyenv())
    client$collection <- collection
    client$pointer <- pointer
    client$fleet <- fleet
    client$sending <- FALSE
    structure(client, class = c(if (fleet) "ldp_fleet", "ldp_client"))
}

file_path <- function(path) if (is.null(path)) NULL else path.expand(single_path(path))
single_path <- function(path) {
    if (!is.character(path) || length(path) != 1 || is.na(path)) fail("INVALID_VALUE", "the path must be one text")
    path
}

sender_of <- function(client) {
    if (!inherits(client, "ldp_client")) fail("INVALID_VALUE", "this is neither a client nor a fleet")
    usable(client$pointer, if (client$fleet) "fleet" else "client")
}

# Raises the failures of a client. CHANGED has the changes of the contract.
of_client <- function(client, result) {
    if (inherits(result, "ldp_failure") && codes[result$status] == "CHANGED") native(result, changes = ldp_contract(client)$changes)
    native(result)
}

print.ldp_client <- function(x, ...) {
    cat(if (x$fleet) "A fleet" else "A client", "of the spec", x$collection$fingerprint)
    if (.Call(r_usable, x$pointer) == "") {
        counts <- .Call(r_pending, x$pointer, x$fleet)
        if (x$fleet) cat(" with", counts[2], "people")
        cat(";", counts[1], "reports wait")
    } else {
        cat(", closed")
    }
    cat("\n")
    invisible(x)
}

ldp_report <- function(client, data, round = 0, columns = NULL, person = NULL) {
    pointer <- sender_of(client)
    collection <- client$collection
    values <- records_of(collection, data)
    records <- length(values[[1]])
    rounds <- round_numbers(round, records)
    public <- public_columns(columns, records)
    if (client$fleet) {
        people <- if (is.null(person)) character() else plain_text(person, "person")
        if (length(people) != records || anyNA(people)) fail("INVALID_VALUE", "a fleet needs the name of a person for each record")
        of_client(client, .Call(r_fleet_report, pointer, values, collection$labelled, people, rounds, public$names, public$texts))
        return(invisible(records))
    }
    if (!is.null(person)) fail("INVALID_VALUE", "a client has no names of people", "", "Use ldp_fleet().")
    if (records == 1) {
        receipt <- of_client(client, .Call(r_client_report, pointer, values, collection$labelled, public$names, public$texts, rounds))
        receipt$origin <- c("drawn", "memoized", "nearest", "silent", "ignored")[receipt$origin + 1]
        return(invisible(receipt))
    }
    if (length(unique(rounds)) > 1) fail("INVALID_VALUE", "the records of one call belong to one round")
    if (records > 0) stage(client, pointer, values, rounds[1], public)
    invisible(records)
}

# Stages the records, whose public columns may differ, and queues all of them or none.
stage <- function(client, pointer, values, round, public) {
    staged <- FALSE
    on.exit(if (!staged) .Call(r_client_discard, pointer))
    key <- if (length(public$texts) == 0) rep(1L, length(values[[1]])) else do.call(paste, c(public$texts, sep = "\r"))
    runs <- rle(key)$lengths
    first <- cumsum(c(0, runs))
    for (i in seq_along(runs)) {
        of_client(client, .Call(r_client_stage, pointer, values, client$collection$labelled, first[i], runs[i], public$names, public$texts))
    }
    of_client(client, .Call(r_client_commit, pointer, round))
    staged <- TRUE
}

ldp_pending <- function(client) .Call(r_pending, sender_of(client), client$fleet)[1]

ldp_clamped <- function(client) {
    pointer <- sender_of(client)
    if (client$fleet) fail("UNSUPPORTED", "a fleet does not count clamped values")
    attributes <- client$collection$all_names
    counts <- .Call(r_clamped, pointer, length(attributes))
    setNames(counts[seq_along(attributes)], attributes)
}

ldp_state <- function(client) {
    if (client$fleet) fail("UNSUPPORTED", "a fleet has a file")
    native(.Call(r_state, sender_of(client)))
}

ldp_close <- function(client) {
    if (client$sending) fail("ENVIRONMENT", "the client is being flushed", "", "Close it after ldp_flush() has returned.")
    .Call(r_release, client$pointer)
    invisible(NULL)
}

ldp_contract <- function(x) {
    if (inherits(x, "ldp_collection")) return(x$contract)
    from_json(native(.Call(r_contract, sender_of(x), x$fleet)))
}

ldp_accept <- function(client, digest) {
    native(.Call(r_accept, sender_of(client), client$fleet, single_text(digest, "the digest")))
    invisible(client)
}

ldp_refused <- function(client, action = c("list", "requeue", "drop")) {
    if (client$fleet) fail("UNSUPPORTED", "the dead letters of a fleet cannot be listed")
    native(.Call(r_refused, sender_of(client), match.arg(action)))
}

ldp_endpoint <- function(url, timeout = 100) {
    url <- sub("/+$", "", single_text(url, "the address"))
    if (!grepl("^https?://[^/]", url)) {
        fail("INVALID_VALUE", paste0("\"", url, "\" is no address of an endpoint"), "", "It begins with https://.")
    }
    if (!is.numeric(timeout) || !isTRUE(timeout > 0)) fail("INVALID_VALUE", "timeout must be a positive number of seconds")
    structure(list(url = url, timeout = as.double(timeout)), class = "ldp_endpoint")
}

# Outcomes of ldp.h, in the order of their numbers from 0.
outcomes <- c("delivered", "repeated", "later", "refused", "too_large", "outdated")

ldp_flush <- function(client, to = client$collection$endpoint, name = client$collection$name, most = 10000) {
    pointer <- sender_of(client)
    if (client$sending) fail("ENVIRONMENT", "the client is already being flushed", "", "Do not call ldp_flush() within a transport.")
    remote <- inherits(to, "ldp_endpoint")
    if (!remote && !is.function(to)) {
        fail("INVALID_VALUE", "the destination is neither an endpoint nor a function", "", "Pass ldp_endpoint(url) and the name of the collection.")
    }
    if (remote) name <- single_text(name, "the name of the collection")
    flush <- of_client(client, .Call(r_flush_start, pointer, client$fleet, if (remote) to$url, if (remote) name,
                                     whole_number(most, "most", 1), if (remote) to$timeout else 0))
    client$sending <- TRUE
    on.exit({
        client$sending <- FALSE
        .Call(r_release, flush)
    })
    repeat {
        batch <- of_client(client, .Call(r_flush_next, flush, !remote))
        if (is.null(batch)) break
        sent <- if (remote) .Call(r_flush_deliver, flush) else deliver(to, batch, flush)
        if (outcomes[sent$outcome + 1] == "later") {
            fail("ENVIRONMENT", "a batch was not delivered", sent$reason, "Repeat the call: a batch counts once, however often it is sent.")
        }
        of_client(client, .Call(r_flush_settle, flush, sent$outcome, printable(sent$reason)))
    }
    native(.Call(r_flush_done, flush))
}

# Passes a batch to a function. It returns TRUE if its call counted the batch, FALSE if the batch was counted before, or the
# outcome as a text. After an error, the next flush sends the batch again.
deliver <- function(transport, batch, flush) {
    batch$columns <- unlist(from_json(batch$columns))
    batch$body <- function() native(.Call(r_flush_body, flush))
    answer <- transport(batch)
    if (is.logical(answer) && length(answer) == 1 && !is.na(answer)) answer <- if (answer) "delivered" else "repeated"
    if (!is.character(answer) || length(answer) != 1 || !answer %in% outcomes) {
        fail("INVALID_VALUE", "a transport returned no outcome", paste0("Outcomes are TRUE, FALSE, ", paste(outcomes, collapse = ", "), "."))
    }
    list(outcome = match(answer, outcomes) - 1L, reason = "")
}
