rows <- ldp_estimate(ldp_simulate_summary(regions, list(region = rep(c("north", "s\u00fcd", "west"), 500))))

test_that("rows are drawn", {
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    before <- graphics::par("mar")
    expect_identical(plot(rows), rows)
    expect_identical(graphics::par("mar"), before)
    expect_failure_of(plot(rows[0, ]), "INVALID_VALUE", "no estimates")
    drawn <- ldp:::drawn(rows)
    expect_identical(as.character(drawn$item), c("north", "s\u00fcd", "west"))
    expect_identical(drawn[c("estimate", "lower", "upper")], as.data.frame(unclass(rows)[c("estimate", "lower", "upper")]))
})

test_that("items have the columns that vary", {
    wage <- ldp_simulate_summary(list(mechanism = "haar_ordered", epsilon = 2, attributes = list(list(name = "wage", min = 0, max = 8))),
                                 list(wage = rep(0:7 + 0.5, 500)))
    quartiles <- ldp:::drawn(ldp_query(wage, "quantiles", probabilities = c(0.25, 0.5)))
    expect_identical(as.character(quartiles$item), c("0.25", "0.5"))
    bins <- ldp_query(wage, "histogram", bins = 2)
    expect_identical(length(unique(as.character(ldp:::drawn(bins)$item))), 2L)
    two <- ldp:::drawn(ldp_estimate(ldp_groups(a = wage, b = wage), statistics = "mean"))
    expect_identical(as.character(two$item), c("a", "b"))
})

test_that("ggplot2 draws the same", {
    skip_if_not_installed("ggplot2")
    grDevices::pdf(NULL)
    on.exit(grDevices::dev.off())
    drawing <- ggplot2::autoplot(rows)
    expect_s3_class(drawing, "ggplot")
    layer <- ggplot2::layer_data(drawing)
    expect_setequal(layer$x, rows$estimate)
    expect_setequal(layer$xmin, rows$lower)
    expect_setequal(layer$xmax, rows$upper)
})
