moods <- list(mechanism = "grr", epsilon = 1, evolving = list(), budget = list(epsilon = 4),
              attributes = list(list(name = "mood", domain = c("good", "bad"), question = "How are you?")))

# A transport that keeps its batches in `batches`.
shelf <- function() {
    here <- new.env()
    here$batches <- list()
    here$take <- function(batch) {
        here$batches[[length(here$batches) + 1]] <- batch
        TRUE
    }
    here
}

test_that("a client in a file keeps its reports until they are counted", {
    file <- tempfile(if (l10n_info()[["UTF-8"]]) "s\u00fcd" else "file", fileext = ".ldp")
    client <- ldp_client(regions, file)
    receipt <- ldp_report(client, list(region = "s\u00fcd"), columns = list(day = as.Date("2026-03-01")))
    expect_identical(receipt, list(origin = "drawn", clamped = 0, coefficients = 0))
    expect_identical(ldp_report(client, data.frame(region = rep("north", 5)), columns = list(day = as.Date("2026-03-01") + c(0, 0, 1, 1, NA))), 5L)
    expect_failure_of(ldp_flush(client, function(batch) stop(structure(class = c("ldp_error_lost", "ldp_error", "error", "condition"),
                      list(message = "lost", detail = "", hint = "", record = NA, code = "LOST", call = NULL)))), "LOST", "lost")
    expect_identical(ldp_pending(client), 6)
    expect_failure_of(ldp_client(regions, file), "ENVIRONMENT", "in use")
    ldp_close(client)
    expect_failure_of(ldp_report(client, list(region = "north")), "ENVIRONMENT", "closed")
    expect_output(print(client), "closed")

    client <- ldp_client(regions, file)
    expect_output(print(client), "6 reports wait")
    to <- shelf()
    expect_identical(ldp_flush(client, to$take), list(batches = 3, reports = 6, repeated = 0, refused = 0))
    days <- vapply(to$batches, function(batch) c(batch$columns, day = "")[["day"]], "")
    counts <- vapply(to$batches, function(batch) length(batch$reports), 0L)
    expect_identical(counts[match(c("2026-03-01", "2026-03-02", ""), days)], c(3L, 2L, 1L))
    expect_identical(ldp_pending(client), 0)
    ldp_close(client)
})

test_that("records that fail queue nothing", {
    client <- ldp_client(regions)
    failure <- failure_of(ldp_report(client, list(region = c("north", "north", "mars")), columns = list(x = c(1, 2, 2))))
    expect_identical(failure$record, 3)
    expect_identical(ldp_pending(client), 0)
    expect_identical(ldp_report(client, list(region = c("north", "west"))), 2L)
    expect_identical(ldp_pending(client), 2)
    expect_failure_of(ldp_report(client, list(region = c("north", "west")), round = 1:2), "INVALID_VALUE", "one round")
    expect_failure_of(ldp_report(client, list(region = "west"), person = "a"), "INVALID_VALUE", "ldp_fleet")
})

test_that("a transport returns the outcome", {
    client <- ldp_client(regions)
    ldp_report(client, list(region = c("north", "west")))
    expect_failure_of(ldp_flush(client, function(batch) "later"), "ENVIRONMENT", "not delivered")
    expect_failure_of(ldp_flush(client, function(batch) 7), "INVALID_VALUE", "outcome")
    expect_failure_of(ldp_flush(client, function(batch) ldp_flush(client, function(batch) TRUE)), "ENVIRONMENT", "being flushed")
    expect_failure_of(ldp_flush(client, function(batch) ldp_close(client)), "ENVIRONMENT", "being flushed")
    expect_failure_of(ldp_flush(client), "INVALID_VALUE", "endpoint")
    body <- NULL
    expect_identical(ldp_flush(client, function(batch) {
        body <<- batch$body()
        FALSE
    })$repeated, 1)
    expect_identical(body$type, "application/octet-stream")
    expect_gt(length(body$body), 2)

    ldp_report(client, list(region = c("north", "west")))
    failure_of(ldp_flush(client, function(batch) "refused"))
    expect_length(ldp_refused(client), 2)
    expect_identical(ldp_refused(client, "requeue"), 2)
    expect_identical(ldp_refused(client, "drop"), 0)
    expect_identical(ldp_pending(client), 2)
})

test_that("no endpoint, and it says so", {
    nowhere <- ldp_endpoint("http://127.0.0.1:1/", timeout = 5)
    expect_identical(nowhere$url, "http://127.0.0.1:1")
    client <- ldp_client(regions)
    ldp_report(client, list(region = "north"))
    expect_failure_of(ldp_flush(client, nowhere, "regions"), "ENVIRONMENT", "no response from the endpoint")
    expect_failure_of(ldp_collection(nowhere, "regions"), "ENVIRONMENT", "no response from the endpoint")
    expect_failure_of(ldp_endpoint("ftp://example.org"), "INVALID_VALUE", "no address")
    expect_failure_of(ldp_endpoint("http://example.org", timeout = 0), "INVALID_VALUE", "timeout")
    expect_identical(ldp_pending(client), 1)
})

test_that("a client of one person memoizes, and continues from its state", {
    client <- ldp_client(moods)
    expect_identical(ldp_report(client, list(mood = "good"))$origin, "drawn")
    expect_identical(ldp_report(client, list(mood = "good"), round = 1)$origin, "memoized")
    again <- ldp_client(moods, state = ldp_state(client))
    expect_identical(ldp_report(again, list(mood = "good"), round = 2)$origin, "memoized")
    once <- ldp_client(moods, once_per_round = TRUE)
    expect_identical(ldp_report(once, list(mood = "good"))$origin, "drawn")
    expect_identical(ldp_report(once, list(mood = "bad"))$origin, "ignored")
    expect_failure_of(ldp_client(moods, tempfile(), ldp_state(client)), "INVALID_VALUE", "not both")
})

test_that("clamped values are counted", {
    wage <- ldp_collection(list(mechanism = "duchi", epsilon = 1, attributes = list(list(name = "wage", min = 0, max = 100))))
    client <- ldp_client(wage)
    ldp_report(client, list(wage = c(-5, 50, 500)))
    expect_identical(ldp_clamped(client), c(wage = 2))
    strict <- ldp_collection(wage$json, outside = "refuse")
    expect_failure_of(ldp_report(ldp_client(strict), list(wage = 500)), "INVALID_VALUE", "wage")
})

test_that("terms limit a collection", {
    expect_failure_of(ldp_collection(regions, terms = list(epsilon = 0.5)), "INCOMPATIBLE", "epsilon")
    expect_failure_of(ldp_collection(regions, terms = list(attributes = "mood")), "INCOMPATIBLE", "region")
    expect_failure_of(ldp_collection(regions, terms = list(epsilons = 1)), "INVALID_VALUE", "no term")
    expect_failure_of(ldp_collection(regions, terms = list(epsilon = 0)), "INVALID_VALUE", "positive")
    agreed <- ldp_collection(regions, terms = list(epsilon = 1, reports = 1, attributes = "region", in_clear = character()))
    client <- ldp_client(agreed)
    ldp_report(client, list(region = "north"))
    expect_failure_of(ldp_report(client, list(region = "north")), "SPENT", "")
    expect_identical(ldp_contract(agreed)$in_clear, list())
})

test_that("a changed question waits until it is accepted", {
    file <- tempfile(fileext = ".ldp")
    client <- ldp_client(moods, file)
    ldp_report(client, list(mood = "good"))
    ldp_close(client)
    moods$attributes[[1]]$question <- "Are you ill?"
    client <- ldp_client(moods, file)
    failure <- failure_of(ldp_report(client, list(mood = "bad")))
    expect_identical(failure$code, "CHANGED")
    expect_identical(failure$changes[[1]]$now, "\"Are you ill?\"")
    expect_failure_of(ldp_accept(client, "0123456789abcdef"), "INVALID_VALUE", "digest")
    ldp_accept(client, ldp_contract(client)$waiting)
    expect_identical(ldp_report(client, list(mood = "good"), round = 1)$origin, "memoized")
})

test_that("a fleet has the state of each person", {
    fleet <- ldp_fleet(moods, tempfile(fileext = ".ldp"))
    people <- factor(rep(c("ann", "b\u00f6b"), 2))
    expect_identical(ldp_report(fleet, list(mood = rep("good", 4)), round = c(0, 0, 1, 1), person = people, columns = list(x = c("a", "b", "a", "b"))), 4L)
    expect_output(print(fleet), "2 people; 4 reports wait")
    to <- shelf()
    expect_identical(ldp_flush(fleet, to$take)$reports, 4)
    reports <- lapply(split(unlist(lapply(to$batches, `[[`, "reports"), recursive = FALSE), vapply(to$batches, function(one) one$columns[["x"]], "")), unique)
    expect_identical(lengths(reports), c(a = 1L, b = 1L))  # memoized
    expect_failure_of(ldp_report(fleet, list(mood = "good")), "INVALID_VALUE", "name of a person")
    expect_failure_of(ldp_report(fleet, list(mood = c("good", "mars")), round = 2, person = c("ann", "bob")), "INVALID_VALUE", "mars")
    expect_identical(ldp_pending(fleet), 0)
    ldp_close(fleet)
})

test_that("a budget over several collections needs its ledger", {
    grouped <- moods
    grouped$budget <- list(epsilon = 1, group = "health")
    grouped$budget <- list(group = "health", epsilon = 1)
    grouped$evolving <- NULL
    expect_failure_of(ldp_report(ldp_client(grouped), list(mood = "good")), "UNSUPPORTED", "ledger")
    ledger <- tempfile(fileext = ".ldp")
    client <- ldp_client(grouped, ledger = ledger)
    expect_identical(ldp_report(client, list(mood = "good"))$origin, "drawn")
    expect_failure_of(ldp_report(ldp_client(grouped, ledger = ledger), list(mood = "good")), "SPENT", "")
})

test_that("a client belongs to one process", {
    # In a program of its own: a fork of the tests would report their results, too.
    program <- tempfile(fileext = ".R")
    writeLines(c("library(ldp)", "spec <- '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}'", "file <- tempfile()",
                 "client <- ldp_client(spec, file)",
                 "tell <- function(call) tryCatch(call, ldp_error = function(e) cat('', e$message, '\\n'))",
                 "report <- function() ldp_report(client, list(value = 1))",
                 "found <- parallel::mccollect(parallel::mcparallel({ tell(report()); rm(client); gc(); dim(ldp_perturb(spec, list(value = 1))) }))",
                 "report()", "cat(' pending', ldp_pending(client), 'forked', found[[1]][2], '\\n')", "tell(ldp_client(spec, file))"), program)
    lines <- system2(file.path(R.home("bin"), "Rscript"), program, stdout = TRUE)
    expect_match(lines[1], "another process")
    expect_identical(lines[2], " pending 1 forked 1 ")
    expect_match(lines[3], "in use")
})
