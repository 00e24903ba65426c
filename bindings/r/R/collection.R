# Specs and collections.

ldp_collection <- function(spec, ...) UseMethod("ldp_collection")

# `terms` in the order of src/collection.c.
term_names <- c("epsilon", "life_epsilon", "reports", "group_epsilon", "attributes", "in_clear", "digest")

ldp_collection.default <- function(spec, outside = c("clamp", "refuse"), terms = NULL, ...) {
    outside <- match.arg(outside)
    made_collection(json_of(spec), outside, terms)
}

ldp_collection.ldp_endpoint <- function(spec, name, outside = c("clamp", "refuse"), terms = NULL, ...) {
    outside <- match.arg(outside)
    name <- single_text(name, "the name of the collection")
    found <- .Call(r_spec_at, spec$url, name, spec$timeout)
    if (is.list(found)) {
        fail("ENVIRONMENT", paste0("the spec of \"", name, "\" was not fetched"), found$reason,
             "Check the address and the name, and repeat the call.")
    }
    made_collection(found, outside, terms, spec, name)
}

ldp_collection.DBIConnection <- function(spec, name, outside = c("clamp", "refuse"), terms = NULL, ...) {
    outside <- match.arg(outside)
    made_collection(server_text(spec, paste0("ldp_client_spec(", quoted(spec, name), "::text)")), outside, terms)
}

made_collection <- function(spec, outside, terms, endpoint = NULL, name = NULL) {
    unknown <- setdiff(names(terms), term_names)
    if (length(unknown) > 0) {
        fail("INVALID_VALUE", paste0("there is no term \"", unknown[1], "\""), paste0("The terms are ", paste(term_names, collapse = ", "), "."))
    }
    limits <- lapply(setNames(nm = term_names), function(one) terms[[one]])
    for (one in term_names[1:4]) if (!is.null(limits[[one]]) && !isTRUE(limits[[one]] > 0)) {
        fail("INVALID_VALUE", paste(one, "of the terms must be positive"))
    }
    for (one in term_names[5:7]) if (!is.null(limits[[one]])) limits[[one]] <- utf8(as.character(limits[[one]]))
    pointer <- native(.Call(r_collection_new, spec, outside == "refuse", limits, endpoint$url, name))
    facts <- .Call(r_collection_facts, pointer)
    attributes <- from_json(facts$json)$attributes
    vectors <- list()
    for (one in attributes) if (!is.null(one$vector)) vectors[[one$name]] <- paste0(one$name, ".", unlist(one$vector))
    elements <- lapply(attributes, function(one) if (is.null(one$vector)) one$name else vectors[[one$name]])
    labelled <- vapply(attributes, function(one) is.list(one$domain) || !is.null(one$strings) || !is.null(one$several), NA)
    reported <- vapply(attributes, function(one) is.null(one$product), NA)
    structure(class = "ldp_collection", list(
        pointer = pointer, limits = list(outside = outside, terms = terms), json = facts$json, texts = from_json(facts$texts), fingerprint = facts$fingerprint,
        report_size = facts$report_size, names = facts$names, endpoint = endpoint, name = name,
        all_names = unlist(elements), vectors = vectors, labelled = rep(labelled, lengths(elements))[rep(reported, lengths(elements))],
        contract = from_json(facts$contract), shown = facts$shown))
}

# A collection, from a collection or a spec.
as_collection <- function(spec) if (inherits(spec, "ldp_collection")) spec else ldp_collection(spec)

# The pointer of a collection, which is made again after the collection was read from a file.
pointer_of <- function(collection) {
    if (.Call(r_usable, collection$pointer) == "") return(collection$pointer)
    made_collection(collection$json, collection$limits$outside, collection$limits$terms, collection$endpoint, collection$name)$pointer
}

print.ldp_collection <- function(x, ...) {
    cat(x$shown, sep = "\n")
    invisible(x)
}

ldp_perturb <- function(collection, data) {
    collection <- as_collection(collection)
    native(.Call(r_perturb, pointer_of(collection), records_of(collection, data), collection$labelled))
}

ldp_plan <- function(spec, target = NULL, people = NULL) {
    if (inherits(spec, "ldp_collection")) spec <- spec$json
    if (!is.null(people)) people <- whole_number(people, "people", 1)
    rows <- rows_of(native(.Call(r_plan, json_of(spec), if (is.null(target)) "{}" else json_of(target), if (is.null(people)) 0 else people)))
    structure(rows, class = "data.frame")
}

ldp_simulate <- function(spec, data, runs = 100, seed = 1) {
    collection <- as_collection(spec)
    columns <- records_of(collection, data, select = TRUE)
    rows <- rows_of(native(.Call(r_simulate, pointer_of(collection), columns, collection$labelled,
                                 whole_number(runs, "runs", 1), whole_number(seed, "seed", 0))))
    structure(rows, class = "data.frame")
}

ldp_simulate_summary <- function(spec, data, seed = 1) {
    collection <- as_collection(spec)
    columns <- records_of(collection, data, select = TRUE)
    new_summary(native(.Call(r_simulate_summary, pointer_of(collection), columns, collection$labelled,
                             whole_number(seed, "seed", 0))), collection)
}
