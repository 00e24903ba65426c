# Drawings of estimates with their intervals.

# A panel for each attribute and statistic, and a text for each row in its panel. Columns that do not vary are left out.
drawn <- function(rows) {
    rows <- rows[!is.na(rows$estimate), , drop = FALSE]
    text <- function(name) {
        values <- rows[[name]]
        if (is.null(values)) return(rep("", nrow(rows)))
        if (is.list(values)) values <- vapply(values, paste, "", collapse = ", ")
        if (is.numeric(values)) values <- ifelse(is.na(values), NA, format(values, trim = TRUE, digits = 4))
        ifelse(is.na(values), "", as.character(values))
    }
    join <- function(...) gsub("^ +| +$| +(?= )", "", paste(...), perl = TRUE)
    prefixed <- function(prefix, name) ifelse(nzchar(text(name)), paste(prefix, text(name)), "")
    panel <- join(text("attribute"), if (length(unique(rows$statistic)) > 1) text("statistic") else rep("", nrow(rows)))
    label <- ifelse(nzchar(text("label")), text("label"), text("probability"))
    item <- join(text("group_key"), prefixed("-", "baseline"), label, text("other_attribute"), text("cell"), text("low"), prefixed("to", "high"),
                 text("round"))
    data.frame(panel = factor(panel, unique(panel)), item = factor(item, rev(unique(item))), estimate = rows$estimate,
               lower = rows$lower, upper = rows$upper)
}

plot.ldp_estimates <- function(x, xlab = "estimate and interval", ...) {
    all <- drawn(x)
    panels <- split(all, all$panel)
    if (length(panels) == 0) fail("INVALID_VALUE", "there are no estimates to draw")
    old <- par(no.readonly = TRUE)
    on.exit(par(old))
    if (length(panels) > 1) par(mfrow = n2mfrow(length(panels)))
    widest <- max(nchar(as.character(all$item)))
    par(mar = c(4, min(1 + 0.5 * widest, 12), 2, 1))
    for (name in names(panels)) {
        one <- panels[[name]]
        at <- rev(seq_len(nrow(one)))
        range <- range(c(one$estimate, one$lower, one$upper), finite = TRUE)
        plot(one$estimate, at, xlim = range, ylim = c(0.5, nrow(one) + 0.5), yaxt = "n", ylab = "", xlab = xlab, pch = 19, ...)
        segments(pmax(one$lower, range[1]), at, pmin(one$upper, range[2]), at)
        axis(2, at, as.character(one$item), las = 1, tick = FALSE)
        title(main = name)
    }
    invisible(x)
}

autoplot.ldp_estimates <- function(object, ...) {
    all <- drawn(object)
    ggplot2::ggplot(all, ggplot2::aes(x = .data$estimate, y = .data$item, xmin = .data$lower, xmax = .data$upper)) +
        ggplot2::geom_pointrange(...) +
        ggplot2::facet_wrap("panel", scales = "free") +
        ggplot2::labs(x = "estimate and interval", y = NULL)
}
utils::globalVariables(".data")
