people <- data.frame(region = rep(c("north", "s\u00fcd", "west"), c(3000, 2000, 1000)))
one <- ldp_simulate_summary(regions, people, seed = 1)
two <- ldp_simulate_summary(regions, people[2001:6000, , drop = FALSE], seed = 2)
groups <- ldp_groups(one = one, two = two)

test_that("the covariance of one summary is that of its contrasts", {
    stat <- ldp_svystat(one)
    rows <- ldp_estimate(one, target = "population")
    labels <- paste0("region:", c("north", "s\u00fcd", "west"))
    expect_identical(coef(stat), setNames(rows$estimate, labels))
    expect_identical(dimnames(vcov(stat)), list(labels, labels))
    expect_equal(unname(sqrt(diag(vcov(stat)))), rows$stderr)
    # Shares sum to 1.
    expect_lt(max(abs(rowSums(vcov(stat)))), 1e-12)
    weights <- c(1.5, -0.5, 0.25)
    sum <- ldp_query(one, "contrast", weights = list(region = setNames(c(1.5, -0.5, 0.25), c("north", "s\u00fcd", "west"))), target = "population")
    expect_equal(sqrt(drop(weights %*% vcov(stat) %*% weights)), sum$stderr)
})

test_that("groups are independent", {
    stat <- ldp_svystat(groups)
    expect_identical(names(coef(stat)), c(outer(c("region:north", "region:s\u00fcd", "region:west"), c("one:", "two:"), function(a, b) paste0(b, a))))
    expect_true(all(vcov(stat)[1:3, 4:6] == 0))
    compared <- ldp_query(groups, "compare_groups", attributes = "region", baseline = "one")
    north <- ldp_svystat(groups, labels = "north")
    expect_equal(sqrt(sum(vcov(north))), compared$stderr[compared$label == "north"])
    expect_failure_of(ldp_svystat(groups, labels = "mars"), "INVALID_VALUE", "no such")
})

test_that("an unknown covariance is an error", {
    number <- list(mechanism = "auto", epsilon = 2, attributes = list(list(name = "a", min = 0, max = 1), list(name = "b", min = 0, max = 1)))
    number <- ldp_plan(number, list(attribute = "a"), people = 1000)$canonical[1]
    summary <- ldp_simulate_summary(number, list(a = rep(0:1, 500), b = rep(1, 1000)))
    stat <- ldp_svystat(summary, "a")
    expect_identical(dim(vcov(stat)), c(1L, 1L))
    joint <- ldp_collection(list(mechanism = "joint", epsilon = 1, attributes = list(list(name = "a", domain = 3), list(name = "b", domain = 2))))
    reports <- ldp_simulate_summary(joint, list(a = rep(0:2, 500), b = rep(0:1, 750)))
    expect_failure_of(ldp_svystat(reports, "a"), "UNSUPPORTED", "")
    expect_length(coef(ldp_svystat(reports, "a", labels = "1")), 1)
})

test_that("survey takes the estimates", {
    skip_if_not_installed("survey")
    stat <- ldp_svystat(groups, labels = "north")
    total <- survey::svycontrast(stat, c(0.25, 0.75))
    expect_equal(coef(total)[[1]], sum(c(0.25, 0.75) * coef(stat)))
    expect_equal(survey::SE(total)[[1]], sqrt(sum((c(0.25, 0.75)^2) * diag(vcov(stat)))))
    ratio <- survey::svycontrast(stat, quote(`one:region:north` / `two:region:north`))
    expect_equal(coef(ratio)[[1]], coef(stat)[[1]] / coef(stat)[[2]])
    expect_equal(unname(survey::SE(stat)), unname(sqrt(diag(vcov(stat)))))
    expect_identical(dim(confint(stat)), c(2L, 2L))
    expect_output(print(stat), "one:region:north")
})
