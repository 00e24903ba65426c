# The R package beside a server and an endpoint: LDP_URL is the address, and PGHOST and its like name the database, which has the
# collection "answers". See test/reach/r.
library(testthat)
library(ldp)

connection <- DBI::dbConnect(RPostgreSQL::PostgreSQL(), dbname = Sys.getenv("PGDATABASE"))
endpoint <- ldp_endpoint(Sys.getenv("LDP_URL"), timeout = 60)
run_sql <- function(...) DBI::dbGetQuery(connection, paste0(...))
# Numbers of SQL in full: their bytes.
bits_of <- function(numbers) vapply(numbers, function(one) paste(writeBin(one, raw(), endian = "big"), collapse = ""), "")
numbers <- c("estimate", "stderr", "lower", "upper")
sql_bits <- function(query) {
    found <- run_sql("SELECT ", paste0("encode(float8send(", numbers, "), 'hex') AS ", numbers, collapse = ", "), " FROM ", query)
    lapply(found, function(column) column)
}
own_bits <- function(rows) lapply(as.list(rows)[numbers], bits_of)

failure_of <- function(call) tryCatch({
    call
    NULL
}, ldp_error = identity)

answers <- ldp_collection(endpoint, "answers", terms = list(epsilon = 2, attributes = c("region", "wage"), in_clear = c("area", "day")))
set.seed(1)
people <- data.frame(region = factor(sample(c("north", "s\u00fcd"), 3000, TRUE)), wage = runif(3000, 0, 100))
area <- factor(rep(c("a", "b\u00e4r", NA), each = 1000))

test_that("reports are sent over HTTP, with public columns", {
    expect_match(answers$json, "s\u00fcd")
    client <- ldp_client(answers, tempfile(fileext = ".ldp"))
    ldp_report(client, people, round = 1, columns = list(area = area, day = rep(as.Date("2026-03-01") + 0:1, 1500)))
    sent <- ldp_flush(client, most = 500)
    expect_identical(sent$reports, 3000)
    expect_identical(ldp_pending(client), 0)
    expect_identical(as.numeric(run_sql("SELECT count(*) AS n FROM answers")$n), 3000)
    expect_identical(as.numeric(run_sql("SELECT count(*) AS n FROM answers WHERE day = '2026-03-02' AND round = 1")$n), 1500)
    expect_identical(as.numeric(run_sql("SELECT count(*) AS n FROM answers WHERE area IS NULL")$n), 1000)
    expect_identical(as.numeric(run_sql("SELECT count(*) AS n FROM answers WHERE area = U&'b\\00E4r'")$n), 1000)
    ldp_close(client)
})

test_that("what an endpoint refuses is an error or a dead letter", {
    expect_match(failure_of(ldp_collection(endpoint, "nothing"))$detail, "status 404")
    client <- ldp_client(answers)
    ldp_report(client, people[1, ], round = 7)
    failure_of(ldp_flush(client))
    expect_match(ldp_refused(client), "round 7")
    expect_identical(as.numeric(run_sql("SELECT count(*) AS n FROM answers")$n), 3000)
})

test_that("a summary of the server has the estimates of SQL in every bit", {
    summary <- ldp_summary(connection, "answers")
    expect_identical(own_bits(ldp_estimate(summary)), sql_bits("ldp_estimate('answers')"))
    expect_identical(ldp_estimate(summary)$label, c("north", "s\u00fcd", NA))
    expect_identical(own_bits(ldp_estimate(summary, target = "population", statistics = "mean")),
                     sql_bits("ldp_estimate('answers', target => 'population', statistics => '{mean}')"))
    expect_identical(own_bits(ldp_query(summary, "contrast", weights = list(region = c(north = 1, "s\u00fcd" = -1)))),
                     sql_bits("ldp_contrast('answers', U&'{\"region\": {\"north\": 1, \"s\\00FCd\": -1}}')"))
    expect_identical(ldp_summary(connection, "answers", round = 1)$data, summary$data)
    # A deviation of seven standard errors has a chance below 1e-10.
    rows <- ldp_estimate(summary)
    truth <- c(mean(people$region == "north"), mean(people$region != "north"), mean(people$wage))
    expect_true(all(abs(rows$estimate - truth) < 7 * rows$stderr))
    rows <- ldp_rows(connection, "SELECT * FROM ldp_estimate('answers')")
    expect_s3_class(rows, "ldp_estimates")
    expect_identical(nrow(rows), 3L)
})

test_that("groups of the server are compared as in SQL", {
    groups <- ldp_groups(connection, "answers", by = "area")
    expect_setequal(groups$names, c("a", "b\u00e4r", NA))
    rows <- ldp_query(groups, "compare_groups", attributes = "region")
    expect_identical(own_bits(rows), sql_bits("ldp_compare_groups('answers', '{area}', '{region}')"))
    two <- ldp_groups(connection, "answers", by = c("area", "day"), first_round = 1, last_round = 1)
    expect_length(two$names, 6)
    expect_match(two$names[1], "\"area\":")
})

test_that("survey weights groups as SQL does", {
    groups <- ldp_groups(connection, "answers", by = "area")
    known <- ldp_groups(groups$summaries[!is.na(groups$names)], names = groups$names[!is.na(groups$names)])
    weights <- c(a = 100, "b\u00e4r" = 300)[known$names] / 400
    total <- survey::svycontrast(ldp_svystat(known, labels = "north"), unname(weights))
    sql <- run_sql("SELECT (w).estimate, (w).stderr FROM (SELECT ldp_weighted(e, CASE WHEN g.group_key ->> 'area' = 'a' THEN 100 ELSE 300 END) AS w
        FROM unnest(ldp_groups_of('answers', '{area}')) AS g, ldp_estimate(g.summary, target => 'population') AS e
        WHERE g.group_key ->> 'area' IS NOT NULL AND e.label = 'north') AS s")
    expect_equal(c(coef(total)[[1]], survey::SE(total)[[1]]), c(sql$estimate, sql$stderr), tolerance = 1e-12)
})

test_that("the encoding of the connection does not matter", {
    DBI::dbExecute(connection, "SET client_encoding = 'LATIN1'")
    expect_identical(ldp_collection(connection, "answers")$fingerprint, answers$fingerprint)
    expect_setequal(ldp_groups(connection, "answers", by = "area")$names, c("a", "b\u00e4r", NA))
    DBI::dbExecute(connection, "SET client_encoding = 'UTF8'")
})

test_that("the server's errors are those of the driver, and a missing summary is an error", {
    run_sql("SELECT ldp_create_collection('empty', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}')")
    found <- tryCatch(ldp_estimate(ldp_summary(connection, "empty")), ldp_error = identity)
    expect_true(inherits(found, "ldp_error") || nrow(found) == 0 || all(found$n == 0))
    expect_error(suppressWarnings(ldp_collection(connection, "nothing")))
})
