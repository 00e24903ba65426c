mixed <- ldp_collection(ldp_plan(list(mechanism = "auto", epsilon = 8, people = 100, attributes = list(
    list(name = "region", domain = c("north", "s\u00fcd", "none"), missing_label = "none"),
    list(name = "pets", domain = c("cat", "dog"), several = TRUE),
    list(name = "age", min = 0, max = 100, missing = TRUE),
    list(name = "hours", vector = c("8h", "9h"), min = 0, max = 60))), list(attribute = "age"), people = 100)$canonical[1])

# A record of these values; others replace them.
record <- function(...) utils::modifyList(list(region = "north", pets = "cat;dog", age = 40, hours = matrix(c(10, 20), 1)), list(...))
columns <- function(data) ldp:::records_of(mixed, data)

test_that("values are in the order of the spec", {
    expect_identical(mixed$names, c("region", "pets", "age", "hours.8h", "hours.9h"))
    expect_identical(columns(record()), list("north", "cat;dog", 40, 10, 20))
    expect_identical(columns(rev(record())), columns(record()))
    expect_identical(columns(record(hours = NULL, hours.8h = 10, hours.9h = 20)), columns(record()))
    expect_identical(dim(ldp_perturb(mixed, record())), c(as.integer(mixed$report_size), 1L))
})

test_that("a factor stands for its labels, never for its codes", {
    region <- factor(c("s\u00fcd", NA, "north"), levels = c("west", "s\u00fcd", "north"))
    expect_identical(ldp:::record_column(region, "region", TRUE), c("s\u00fcd", NA, "north"))
    expect_failure_of(ldp_perturb(mixed, record(age = factor("40"))), "INVALID_VALUE", "age")
    expect_failure_of(ldp_perturb(mixed, record(region = factor("west"))), "INVALID_VALUE", "west")
})

test_that("NA is a missing answer of every type", {
    exact <- ldp_collection(list(mechanism = "grr", epsilon = 20, attributes = list(
        list(name = "answer", domain = c("yes", "no", "none"), missing_label = "none"))))
    for (missing in list(NA, NA_character_, factor(NA), NA_real_, NaN, NA_integer_)) {
        found <- ldp_estimate(ldp_summarize(exact, ldp_perturb(exact, list(answer = rep(missing, 100)))))
        expect_gt(found$estimate[found$label == "none"], 0.9)
    }
    for (missing in list(NA, NA_real_, NaN, NA_integer_, NA_character_)) {
        expect_identical(dim(ldp_perturb(mixed, record(age = missing))), c(as.integer(mixed$report_size), 1L))
    }
    for (missing in list(list(NULL), list(NA), list(character()), NA)) {
        expect_identical(dim(ldp_perturb(mixed, record(pets = missing))), c(as.integer(mixed$report_size), 1L))
    }
    number <- list(mechanism = "duchi", epsilon = 1, attributes = list(list(name = "wage", min = 0, max = 1)))
    expect_failure_of(ldp_perturb(number, list(wage = NA)), "INVALID_VALUE", "wage")
})

test_that("a set is a text or a list of labels", {
    expect_identical(ldp:::record_column(list(c("cat", "dog"), NULL, factor("dog"), NA, c(1, 2)), "pets", TRUE),
                     c("cat;dog", "", "dog", "", "1;2"))
    expect_failure_of(columns(record(pets = list("cat;dog"))), "INVALID_VALUE", "semicolon")
    expect_failure_of(columns(record(age = list(1))), "INVALID_VALUE", "list")
})

test_that("values of other types are refused", {
    for (other in list(as.Date("2026-01-01"), Sys.time(), as.difftime(1, units = "days"), TRUE, 1i, structure(1, class = "haven_labelled")))
        expect_failure_of(columns(record(age = other)), "INVALID_VALUE", "\"age\"")
    expect_failure_of(columns(record(name = "x")), "INVALID_VALUE", "no attribute \"name\"")
    expect_failure_of(columns(record(age = NULL)), "INVALID_VALUE", "there is no \"age\"")
    expect_failure_of(columns(record(age = c(1, 2))), "INVALID_VALUE", "different lengths")
    expect_failure_of(columns(record(hours = matrix(1:3, 1))), "INVALID_VALUE", "number of elements")
    expect_failure_of(columns("x"), "INVALID_VALUE", "data frame")
    expect_failure_of(columns(list(1)), "INVALID_VALUE", "no name")
    expect_failure_of(ldp_perturb(regions, list(region = 1)), "INVALID_VALUE", "region")
})

test_that("texts have any declared encoding", {
    latin <- iconv("s\u00fcd", "UTF-8", "latin1")
    expect_identical(Encoding(latin), "latin1")
    expect_identical(ldp:::record_column(latin, "region", TRUE), "s\u00fcd")
    expect_identical(dim(ldp_perturb(regions, list(region = c(latin, "s\u00fcd")))), c(29L, 2L))
    table <- data.frame(region = factor(c(latin, "north")), x = 1:2)
    expect_identical(dim(ldp_perturb(regions, table["region"])), c(29L, 2L))
    named <- list(mechanism = "grr", epsilon = 1, attributes = list(list(name = "stra\u00dfe", domain = c("a", "b"))))
    given <- setNames(list("a"), iconv("stra\u00dfe", "UTF-8", "latin1"))
    expect_length(ldp_perturb(named, given), 29)

    unknown <- latin
    Encoding(unknown) <- "bytes"
    expect_failure_of(ldp_perturb(regions, list(region = unknown)), "INVALID_VALUE", "encoding")
    invalid <- rawToChar(as.raw(c(0x73, 0xfc)))
    Encoding(invalid) <- "UTF-8"
    expect_failure_of(ldp_perturb(regions, list(region = invalid)), "INVALID_VALUE", "not valid")
})

test_that("public columns are texts", {
    found <- ldp:::public_columns(list(day = as.Date(c("2026-03-01", NA)), group = factor(c("b", "a")), n = c(1, 100000), x = 0.1, ok = TRUE,
                                       at = as.POSIXct("2026-03-01 12:00:00", tz = "Europe/Berlin")), 2)
    expect_identical(found$names, c("day", "group", "n", "x", "ok", "at"))
    expect_identical(found$texts, list(c("2026-03-01", NA), c("b", "a"), c("1", "100000"), c("0.1", "0.1"), c("true", "true"),
                                       rep("2026-03-01T11:00:00Z", 2)))
    expect_identical(ldp:::plain_text(as.POSIXct(0.5, origin = "1970-01-01", tz = "UTC"), "x"), "1970-01-01T00:00:00.500000Z")
    expect_failure_of(ldp:::public_columns(list(1), 1), "INVALID_VALUE", "no name")
    expect_failure_of(ldp:::public_columns(list(a = 1:2), 3), "INVALID_VALUE", "2 values")
    expect_failure_of(ldp:::public_columns(list(a = as.difftime(1, units = "days")), 1), "INVALID_VALUE", "difftime")
})
