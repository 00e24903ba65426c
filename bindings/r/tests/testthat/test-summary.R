people <- data.frame(region = factor(rep(c("north", "s\u00fcd", "west"), c(3000, 2000, 1000))))
summary <- ldp_simulate_summary(regions, people, seed = 1)

test_that("estimates are near the truth, and their labels are texts", {
    # A deviation of seven standard errors has a chance below 1e-10.
    counted <- ldp_summarize(regions, ldp_perturb(regions, people))
    for (one in list(summary, counted)) {
        rows <- ldp_estimate(one)
        expect_s3_class(rows, "ldp_estimates")
        expect_identical(rows$label, c("north", "s\u00fcd", "west"))
        expect_true(all(abs(rows$estimate - c(3, 2, 1) / 6) < 7 * rows$stderr))
        expect_identical(rows$n, rep(6000, 3))
        expect_true(all(rows$lower < rows$estimate & rows$estimate < rows$upper))
    }
})

test_that("queries have the arguments of SQL", {
    expect_identical(ldp_estimate(summary, attributes = "region", confidence = 0.9), ldp_query(summary, "estimate", attributes = I("region"), confidence = 0.9))
    expect_identical(nrow(ldp_query(summary, "top", limit = 1)), 1L)
    north <- ldp_query(summary, "contrast", weights = list(region = c(north = 1, west = -1)), target = "population")
    rows <- ldp_estimate(summary)
    expect_equal(north$estimate, rows$estimate[1] - rows$estimate[3])
    expect_failure_of(ldp_query(summary, "tops"), "INVALID_VALUE", "top")
    expect_failure_of(ldp_query(summary, "top", 1), "INVALID_VALUE", "names")
    expect_failure_of(ldp_query(summary, "top", most = 1), "INVALID_VALUE", "limit")
    wage <- ldp_simulate_summary(list(mechanism = "haar_ordered", epsilon = 2, attributes = list(list(name = "wage", min = 0, max = 8))),
                                 list(wage = rep(0:7 + 0.5, 500)))
    expect_identical(ldp_query(wage, "quantiles", probabilities = 0.5)$probability, 0.5)
    expect_identical(nrow(ldp_query(wage, "between", low = 1, high = 3)), 1L)
})

test_that("a summary without a collection has numbers in place of labels", {
    bare <- ldp_summary(summary$data)
    expect_identical(ldp_estimate(bare)$label, c("0", "1", "2"))
    digits <- paste0("\\x", paste(summary$data, collapse = ""))
    expect_identical(ldp_estimate(ldp_summary(digits, regions)), ldp_estimate(summary))
    expect_failure_of(ldp_summary("xyz"), "MALFORMED", "hexadecimal")
    expect_failure_of(ldp_summary(1), "INVALID_VALUE", "bytes")
    expect_failure_of(ldp_estimate(ldp_summary(as.raw(1:9))), "MALFORMED", "")
    expect_output(print(summary), "A summary of")
})

test_that("summaries are merged, and survive a file", {
    expect_identical(ldp_estimate(merge(summary, summary))$n, rep(12000, 3))
    other <- ldp_summarize(list(mechanism = "grr", epsilon = 2, domain = 3), raw())
    expect_failure_of(merge(summary, other), "INCOMPATIBLE", "")
    expect_failure_of(merge(summary, 1), "INVALID_VALUE", "another summary")
    file <- tempfile()
    saveRDS(summary, file)
    again <- readRDS(file)
    expect_identical(ldp_estimate(again), ldp_estimate(summary))
})

test_that("reports have their rounds", {
    spec <- list(mechanism = "grr", epsilon = 1, evolving = list(), budget = list(epsilon = 4), domain = 3)
    collection <- ldp_collection(spec)
    reports <- ldp_perturb(collection, list(value = rep(0:2, 30)))
    expect_identical(ldp_estimate(ldp_summarize(collection, reports, rep(0, 90)))$n, rep(90, 3))
    expect_failure_of(ldp_summarize(collection, reports, 1:3), "INVALID_VALUE", "3 rounds")
    expect_failure_of(ldp_summarize(collection, reports[-1]), "MALFORMED", "bytes")
})

test_that("groups are compared", {
    groups <- ldp_groups(list(summary, ldp_simulate_summary(regions, people[2001:6000, , drop = FALSE], seed = 2)), names = c("north", "s\u00fcd"))
    expect_identical(groups$names, c("north", "s\u00fcd"))
    rows <- ldp_query(groups, "compare_groups", attributes = "region", baseline = "north")
    expect_identical(rows$baseline, rep("north", 3))
    expect_identical(unique(ldp_estimate(groups)$group_key), c("north", "s\u00fcd"))
    expect_output(print(groups), "2 groups")
    expect_failure_of(ldp_groups(summary, summary), "INVALID_VALUE", "name")
    expect_failure_of(ldp_query(ldp_groups(list()), "group_test"), "INVALID_VALUE", "no groups")
    expect_failure_of(ldp_groups(list(a = 1)), "INVALID_VALUE", "summaries")
    expect_failure_of(ldp_query(groups, "quantiles"), "INVALID_VALUE", "")
    unnamed <- ldp_groups(list(summary, summary), names = c("a", NA))
    expect_identical(unnamed$names, c("a", NA))
})

test_that("days are names of groups", {
    days <- as.Date("2026-03-01") + 0:9
    summaries <- lapply(1:10, function(seed) ldp_simulate_summary(regions, people, seed))
    smooth <- ldp_query(ldp_groups(summaries, names = days), "smooth", attributes = "region")
    expect_true(all(format(days) %in% smooth$group_key))
})

test_that("weights from totals have lists as arguments", {
    keys <- vapply(c("a", "b"), function(one) ldp:::as_json(list(area = one)), "")
    rows <- ldp_query(ldp_groups(list(summary, summary), names = unname(keys)), "calibrate", by = "area", totals = list(area = list(a = 100, b = 300)))
    expect_identical(rows$label, c("north", "s\u00fcd", "west"))
    expect_equal(rows$estimate, ldp_estimate(summary)$estimate)
})

test_that("simulations follow from their seed", {
    expect_identical(ldp_simulate_summary(regions, people, seed = 1)$data, summary$data)
    expect_false(identical(ldp_simulate_summary(regions, people, seed = 2)$data, summary$data))
    rows <- ldp_simulate(regions, cbind(people, other = 1), runs = 20, seed = 3)
    expect_identical(rows, ldp_simulate(regions, people, runs = 20, seed = 3))
    expect_true(all(rows$error < 4 * rows$predicted))
    expect_failure_of(ldp_simulate(regions, people, runs = 0), "INVALID_VALUE", "runs")
    expect_failure_of(ldp_simulate(regions, people, seed = -1), "INVALID_VALUE", "seed")
})

test_that("plans have no open choices", {
    planned <- ldp_plan(list(mechanism = "auto", epsilon = 1, attributes = regions$attributes), people = 100000)
    expect_identical(planned$source[1], "all")
    expect_identical(planned$n[1], 100000)
    expect_identical(ldp_collection(planned$canonical[1])$names, "region")
    expect_failure_of(ldp_plan(regions, people = 0), "INVALID_VALUE", "people")
    expect_failure_of(ldp_plan(regions, list(estimate = "mode"), people = 10), "INVALID_SPEC", "estimate")
})

test_that("a few reports have no estimate", {
    few <- ldp_estimate(ldp_summarize(c(regions, min_group = 20), ldp_perturb(c(regions, min_group = 20), list(region = rep("north", 19)))))
    expect_identical(few$estimate, rep(NA_real_, 3))
    expect_true(all(nzchar(few$note)))
})
