test_that("R's values become JSON", {
    json <- ldp:::as_json
    expect_identical(json(list(a = 1, b = c(1, 2), c = I("x"), d = NULL, e = list(), f = list(list(g = TRUE)))),
                     "{\"a\":1,\"b\":[1,2],\"c\":[\"x\"],\"d\":null,\"e\":{},\"f\":[{\"g\":true}]}")
    expect_identical(json(c(yes = 1, no = -1)), "{\"yes\":1,\"no\":-1}")
    expect_identical(json(factor("s\u00fcd")), "\"s\u00fcd\"")
    expect_identical(json(as.Date("2026-02-03")), "\"2026-02-03\"")
    expect_identical(json(c("a", NA)), "[\"a\",null]")
    expect_identical(json(c(100000, 1e15, 0.1, 1 / 3)), "[100000,1000000000000000,0.1,0.33333333333333331]")
    expect_identical(json(100000L), "100000")
    expect_identical(json(data.frame(region = c("n", "s"), people = 1:2)),
                     "[{\"region\":\"n\",\"people\":1},{\"region\":\"s\",\"people\":2}]")
    expect_identical(json("a\"\\\n\001"), "\"a\\\"\\\\\\u000a\\u0001\"")
    expect_failure_of(json(1i), "INVALID_VALUE", "complex")
})

test_that("numbers keep all bits in both directions", {
    set.seed(1)
    numbers <- c(runif(1000), exp(runif(1000, -300, 300)), -rexp(1000), 2^-1074, .Machine$double.xmax)
    expect_identical(unlist(ldp:::from_json(ldp:::as_json(numbers))), numbers)
})

test_that("rows become columns", {
    rows <- ldp:::rows_of("[{\"estimate\":null,\"cell\":[\"a\",\"b\"],\"spec\":{\"a\":[1]},\"upper\":\"Infinity\",\"n\":3,\"ok\":null},
                            {\"estimate\":1.5,\"cell\":null,\"spec\":null,\"upper\":2,\"n\":4,\"ok\":true}]")
    expect_s3_class(rows, c("ldp_estimates", "data.frame"), exact = TRUE)
    expect_identical(rows$estimate, c(NA, 1.5))
    expect_identical(rows$cell, list(c("a", "b"), NULL))
    expect_identical(rows$spec, c("{\"a\":[1]}", NA))
    expect_identical(rows$upper, c(Inf, 2))
    expect_identical(rows$ok, c(NA, TRUE))
    expect_identical(dim(ldp:::rows_of("[]")), c(0L, 0L))
    expect_identical(ldp:::rows_of("[{\"lower\":null,\"label\":null}]")$lower, NA_real_)
})
