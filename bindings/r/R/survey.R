# The bridge to the package survey: estimates with their covariance.

ldp_svystat <- function(source, attributes = NULL, statistics = NULL, labels = NULL, target = "population") {
    rows <- ldp_estimate(source, attributes = attributes, statistics = statistics, target = target)
    if (!is.null(labels)) rows <- rows[rows$label %in% utf8(as.character(labels)), , drop = FALSE]
    if (nrow(rows) == 0) fail("INVALID_VALUE", "there are no such estimates")
    of_groups <- inherits(source, "ldp_groups")
    group <- if (of_groups) rows$group_key else rep(NA, nrow(rows))
    variance <- diag(rows$stderr^2, nrow(rows))
    # Different groups are different people, so their errors are independent.
    for (same in split(seq_len(nrow(rows)), factor(group, unique(group), exclude = NULL))) {
        if (length(same) < 2) next
        one <- if (!of_groups) source else source$summaries[[match(group[same[1]], source$names)]]
        for (pair in utils::combn(same, 2, simplify = FALSE)) {
            variance[pair[1], pair[2]] <- variance[pair[2], pair[1]] <- covariance(one, rows[pair, ], target)
        }
    }
    parts <- c(if (of_groups) list(group), list(rows$attribute), list(rows$label))
    if (any(duplicated(do.call(paste, parts)))) parts <- c(parts, list(rows$statistic))
    labels <- apply(do.call(cbind, parts), 1, function(part) paste(part[!is.na(part)], collapse = ":"))
    dimnames(variance) <- list(labels, labels)
    structure(setNames(rows$estimate, labels), var = variance, statistic = "estimate", class = c("ldp_svystat", "svystat"))
}

# The covariance of two estimates of one summary, from the library's variances of their sum and of their difference.
covariance <- function(summary, rows, target) {
    if (!all(rows$statistic %in% c("mean", "proportion"))) {
        fail("UNSUPPORTED", "the covariance of these statistics is unknown", paste("Found", paste(unique(rows$statistic), collapse = ", ")),
             "Select means or proportions with `statistics`.")
    }
    weighted <- function(second) {
        weights <- list()
        for (i in 1:2) {
            value <- c(1, second)[i]
            name <- rows$attribute[i]
            weights[[name]] <- if (is.na(rows$label[i])) value else c(weights[[name]], setNames(list(value), rows$label[i]))
        }
        ldp_query(summary, "contrast", weights = weights, target = target)$stderr^2
    }
    (weighted(1) - weighted(-1)) / 4
}

coef.ldp_svystat <- function(object, ...) {
    attributes(object) <- list(names = names(object))
    object
}

vcov.ldp_svystat <- function(object, ...) attr(object, "var")
