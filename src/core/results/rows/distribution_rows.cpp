// Rows about the distribution of an ordered attribute, about groups of attributes, and diagnostics.

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/base/text.hpp"
#include "core/choice/first_look.hpp"
#include "core/results/row_functions.hpp"
#include "core/results/rows/value_rows.hpp"
#include "core/summary/errors.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/queries/learn.hpp"
#include "core/summary/queries/shrink.hpp"

namespace ldp {

namespace {

constexpr Estimate nothing{unknown, unknown};

constexpr auto quantile_columns =
    answer_columns("number probability", "bigint people", "integer attribute_number");
constexpr auto bin_columns =
    answer_columns("number low", "number high", "bigint people", "integer attribute_number", "integer bin");
constexpr auto shrunk_columns = answer_columns("number rmse", "bigint people", "integer attribute_number");

/// Rows about one attribute. The first numbers of a row are arguments, the others estimates.
struct NumberRows {
    std::vector<double> numbers = {};
    std::size_t width = 0, count = 0;
    const Labels* labels = &no_labels();
    ReportStatus status = {};
    std::size_t leading = 0;  ///< number of leading arguments
    std::size_t attribute = 0;
    bool each = false;  ///< whether each row is about the attribute of its number

    template <class Row>
    void write(Row& row, std::size_t number) const {
        const std::size_t about = each ? number : attribute;
        row.put("attribute", labels->name(about));
        const auto value = [&](std::size_t i) {
            const bool shown = i < leading || (status.enough && (i == leading || !status.pointwise));
            return shown ? numbers[number * width + i] : unknown;
        };
        if constexpr (Row::has("rmse")) {
            row.put("statistic", "mean");
            row.put("estimate", value(0));
            row.put("rmse", value(1));
        } else if constexpr (Row::has("probability")) {
            row.put("statistic", "quantile");
            row.put("label", shortest(value(0)));
            row.put("probability", value(0));
            row.put("estimate", value(1));
            row.put("lower", value(2));
            row.put("upper", value(3));
        } else {
            row.put("statistic", "proportion");
            row.put("label",
                    "[" + shortest(value(0)) + ", " + shortest(value(1)) + (number + 1 == count ? "]" : ")"));
            row.put("low", value(0));
            row.put("high", value(1));
            row.put("estimate", value(2));
            if (width > 3) {
                row.put("stderr", value(3));
                row.put("lower", value(4));
                row.put("upper", value(5));
            }
            row.put("bin", static_cast<std::int32_t>(number));
        }
        status.put_counts(row);
        row.put("attribute_number", static_cast<std::int32_t>(about));
        status.put_note(row, !std::isnan(numbers[number * width + leading]));
    }
};

/// Rows of equal width whose first `leading` numbers are arguments.
template <std::size_t width>
NumberRows table(const Subject& subject, const std::vector<std::array<double, width>>& rows,
                 std::size_t leading, ReportStatus status) {
    NumberRows all;
    reserve_rows(all.numbers, rows.size() * width);
    for (const auto& row : rows) all.numbers.insert(all.numbers.end(), row.begin(), row.end());
    all.width = width;
    all.count = rows.size();
    all.labels = subject.labels;
    all.status = std::move(status);
    all.leading = leading;
    all.attribute = subject.attribute.value_or(0);
    return all;
}

/// A single row. Without reports the estimate is unknown.
EstimateRows one_row(const Subject& subject, std::size_t attribute, const Estimate& estimate,
                     ReportStatus status, double critical_value) {
    EstimateRows one = rows_about(subject, critical_value, 1);
    one.add(attribute, EstimateRows::none, estimate, one.kept(std::move(status)));
    return one;
}

EstimateRows one_share(const Subject& subject, std::size_t attribute, const ShareOfRange& share,
                       ReportStatus status, double critical_value) {
    status.law = share.law;
    EstimateRows one = one_row(subject, attribute, share, std::move(status), critical_value);
    one.rows[0].statistic = Statistic::proportion;
    return one;
}

/// An attribute's number as a bound of a range.
std::size_t attribute_at(double bound, std::size_t attributes) {
    if (!(bound >= 0 && bound < static_cast<double>(attributes)) || bound != std::floor(bound))
        throw Error(ErrorCode::invalid_value, "bounds of a range of attributes must be attribute numbers",
                    "Attributes are numbered from 0 to " + std::to_string(attributes - 1) + ".",
                    "For a range of the values of one attribute, name the attribute.");
    return static_cast<std::size_t>(bound);
}

/// The possible values of an attribute's mean.
Interval possible_mean(const SummaryView& view, std::size_t attribute) {
    const RecordPart one = part_of(*view.mechanism, attribute);
    return possible_values(*one.mechanism, attribute - one.first);
}

constexpr auto range_columns = columns("text attribute", "text note", "number low", "number high",
                                       "integer attribute_number", "integer coefficient");

/// Ranges of attributes, or of Haar coefficients, which have no names.
struct RangeRows {
    std::vector<LearntRange> ranges = {};
    std::size_t count = 0;
    const Labels* labels = &no_labels();
    std::size_t first = 0;  ///< the attribute of item 0
    std::uint64_t n = 0;

    void write(RowCells<range_columns>& row, std::size_t number) const {
        const auto& [item, low, high, coefficient, needed] = ranges[number];
        const std::size_t attribute = first + item;
        if (coefficient) {
            row.put("coefficient", static_cast<std::int32_t>(item));
        } else {
            row.put("attribute", labels->name(attribute));
            row.put("attribute_number", static_cast<std::int32_t>(attribute));
        }
        row.put("low", low);
        row.put("high", high);
        if (needed != 0)
            row.put("note", "the declared range: " + std::to_string(n) +
                                " reports do not narrow it; this requires about " + std::to_string(needed) +
                                " reports about the attribute");
    }
};

constexpr auto first_look_columns =
    columns("text mechanism", "text sharp_mechanism", "number sharp_error", "number smooth_error",
            "number smooth_bias", "bigint smooth_grid", "truth clear");

/// The choice of a mechanism after a first round.
struct FirstLookRow {
    FirstLook look = {};
    std::size_t count = 1;

    void write(RowCells<first_look_columns>& row, std::size_t) const {
        row.put("mechanism", look.chosen->name);
        row.put("sharp_mechanism", look.sharp->name);
        row.put("sharp_error", look.sharp_error);
        row.put("smooth_error", look.smooth_error);
        row.put("smooth_bias", std::sqrt(std::max(0.0, look.bias_square)));
        row.put("smooth_grid", look.grid);
        row.put("clear", look.clear);
    }
};

constexpr auto coefficient_columns = answer_columns("integer coefficient", "bigint people");

/// Haar coefficients, by number: they have no names.
struct CoefficientRows {
    std::vector<Estimate> estimates = {};
    std::size_t count = 0;
    double critical_value = 0;
    ReportStatus status = {};

    void write(RowCells<coefficient_columns>& row, std::size_t number) const {
        const Estimate estimate = status.enough ? estimates[number] : nothing;
        const Interval range = interval(estimate, critical_value, ErrorLaw{});
        row.put("label", std::to_string(number));
        row.put("statistic", "coefficient");
        row.put("coefficient", static_cast<std::int32_t>(number));
        row.put("estimate", estimate.value);
        row.put("stderr", estimate.standard_error);
        row.put("lower", range.lower);
        row.put("upper", range.upper);
        status.put_counts(row);
        status.put_note(row, !std::isnan(estimate.value));
    }
};

constexpr auto statistic_columns =
    columns("text statistic", "number observed", "number expected", "number p_value");

/// Statistics with a known distribution under honest reporting, and their p-values.
struct StatisticRows {
    struct StatisticRow {
        std::string name;
        double observed, expected, p_value;
    };
    std::vector<StatisticRow> statistics = {};
    std::size_t count = 0;

    void write(RowCells<statistic_columns>& row, std::size_t number) const {
        const StatisticRow& one = statistics[number];
        row.put("statistic", one.name);
        row.put("observed", one.observed);
        row.put("expected", one.expected);
        row.put("p_value", one.p_value);
    }
};

constexpr auto spent_columns = answer_columns("number p_value", "bigint people");

/// The share of people whose responses repeat a spent budget: one row.
struct SpentRow {
    SpentShare share{{unknown, unknown}, {unknown, unknown}, unknown};
    ReportStatus status = {};
    std::size_t count = 1;

    void write(RowCells<spent_columns>& row, std::size_t) const {
        row.put("statistic", "spent");
        row.put("estimate", share.share.value);
        row.put("stderr", share.share.standard_error);
        row.put("lower", share.interval.lower);
        row.put("upper", share.interval.upper);
        status.put_counts(row);
        row.put("p_value", share.p_value);
        status.put_note(row, !std::isnan(share.share.value));
    }
};

Smoothing smoothing_named(std::string_view name) {
    if (name == "ems") return Smoothing::binomial;
    if (name == "em") return Smoothing::none;
    throw Error(
        ErrorCode::invalid_value, "unknown smoothing \"" + std::string(name) + "\"",
        "Valid values are \"ems\" (with averaging of neighbours after each step) and \"em\" (without).");
}

Shrinkage shrinkage_named(std::string_view name) {
    if (name == "soft") return Shrinkage::soft;
    if (name == "sure") return Shrinkage::sure;
    throw Error(ErrorCode::invalid_value, "unknown shrinkage \"" + std::string(name) + "\"",
                "Valid values are \"soft\" and \"sure\".");
}

}  // namespace

namespace accessors {

/// The share of people between two values, or the mean of a range of attributes. One of the bounds may be missing.
Found range(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    const Interval bounds = range_of(query);
    const auto found = [&](const SummaryView& view) {
        if (const auto* ordered = find_capability<Ordered>(*view.mechanism)) {
            const ShareOfRange share = share_between(view, bounds.lower, bounds.upper, target);
            ReportStatus status = smoothed_status(spent_budgets(subject.summary, subject.attribute), view);
            if (status.enough) status.add_note(no_point_note(share, bounds, ordered->ends()));
            return one_share(subject, subject.attribute.value_or(0), share, std::move(status),
                             critical_value);
        }
        const std::size_t attributes = view.mechanism->cells().size();
        if (attributes == 1 || (subject.attribute && subject.attributes == 1))
            refuse(*view.mechanism, Ordered::offers);
        const std::size_t first = query.low ? attribute_at(*query.low, attributes) : 0;
        const std::size_t last = query.high ? attribute_at(*query.high, attributes) : attributes - 1;
        if (first > last)
            throw Error(ErrorCode::invalid_value,
                        "upper bound of a range must not be less than its lower bound",
                        "Found " + std::to_string(first) + " to " + std::to_string(last) + ".");
        Interval possible = possible_mean(view, first);
        for (std::size_t j = first + 1; j <= last; ++j) {
            const auto [lower, upper] = possible_mean(view, j);
            possible = {std::min(possible.lower, lower), std::max(possible.upper, upper)};
        }
        ReportStatus about = report_status(spent_budgets(subject.summary, subject.attribute), view, possible);
        about.law = group_law(view, first, last, target);
        return one_row(subject, EstimateRows::no_attribute, group_mean(view, first, last, target),
                       std::move(about), critical_value);
    };
    return results<estimate_columns>(ask_part(
        subject,
        one_row(subject, subject.attribute.value_or(EstimateRows::no_attribute), nothing, {}, critical_value),
        found));
}

/// The values below which these shares of people lie.
Found quantiles(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const Target target = target_named(query.target);
    return results<quantile_columns>(ask_one(subject, NumberRows{}, [&](const SummaryView& view) {
        const ReportStatus status = smoothed_status(spent_budgets(subject.summary, subject.attribute), view);
        const double bias = status.bias.at(critical_value(query.confidence));
        const Interval ends = capability<Ordered>(*view.mechanism).ends();
        std::vector<std::array<double, 4>> found;
        for (const auto& [value, interval] : ldp::quantiles(view, query.shares, query.confidence, target)) {
            const double share = query.shares[found.size()];
            Interval range = interval;
            // The true quantile lies between those of the shares that the bias can lead to.
            if (bias > 0)
                range = {share > bias
                             ? ldp::quantile(view, share - bias, query.confidence, target).interval.lower
                             : ends.lower,
                         share + bias < 1
                             ? ldp::quantile(view, share + bias, query.confidence, target).interval.upper
                             : ends.upper};
            found.push_back({share, value, range.lower, range.upper});
        }
        return table(subject, found, 1, status);
    }));
}

/// The shares of bins of equal width.
Found histogram(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    return results<bin_columns>(ask_one(subject, NumberRows{}, [&](const SummaryView& view) {
        const auto count = static_cast<std::size_t>(std::max(0, query.bins));
        const std::vector<ShareOfRange> shares = ldp::histogram(view, count, target);
        const auto [low, high] = capability<Ordered>(*view.mechanism).ends();
        const double width = (high - low) / static_cast<double>(count);
        const ReportStatus status = smoothed_status(spent_budgets(subject.summary, subject.attribute), view);
        std::vector<std::array<double, 6>> found;
        for (std::size_t bin = 0; bin < count; ++bin) {
            const ShareOfRange& share = shares[bin];
            const Interval range =
                extended(interval(share, critical_value, share.law), status.bias, critical_value);
            found.push_back({low + width * static_cast<double>(bin),
                             low + width * static_cast<double>(bin + 1), share.value, share.standard_error,
                             range.lower, range.upper});
        }
        return table(subject, found, 2, status);
    }));
}

/// The fitted distribution, cell by cell.
Found distribution(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const Smoothing smoothing = smoothing_named(query.smoothing);
    return results<bin_columns>(ask_one(subject, NumberRows{}, [&](const SummaryView& view) {
        const Distribution fit = decode(view, smoothing);
        std::vector<std::array<double, 3>> found;
        for (std::size_t cell = 0; cell < fit.shares.size(); ++cell)
            found.push_back({fit.edges[cell], fit.edges[cell + 1], fit.shares[cell]});
        ReportStatus status = report_status(spent_budgets(subject.summary, subject.attribute), view);
        note_answers(status, view);
        return table(subject, found, 2, std::move(status));
    }));
}

/// The mean vector after shrinking small Haar coefficients.
Found shrunk(const Subject& subject, const SummaryQuery& query) {
    const Shrinkage shrinkage = shrinkage_named(query.shrink);
    const Target target = target_named(query.target);
    return results<shrunk_columns>(ask(subject.summary, NumberRows{}, [&](const SummaryView& view) {
        std::vector<std::array<double, 2>> found;
        for (const auto& [value, error] : ldp::shrunk(view, shrinkage, target))
            found.push_back({value, error});
        NumberRows all = table(subject, found, 0, report_status(view));
        all.each = true;
        return all;
    }));
}

/// Ranges for a second round.
Found learn_range(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    return results<range_columns>(ask_part(subject, RangeRows{}, [&](const SummaryView& view) {
        RangeRows all;
        all.ranges = learn_ranges(view, query.coverage);
        all.count = all.ranges.size();
        all.labels = subject.labels;
        all.first = subject.attribute.value_or(0);
        all.n = view.n;
        return all;
    }));
}

/// The best mechanism for the remaining people.
Found first_look(const Subject& subject, const SummaryQuery& query) {
    const std::shared_ptr<const Mechanism> mechanism = checked_mechanism(subject.summary);
    const std::shared_ptr<const Mechanism> second = checked_mechanism(query.other);
    return results<first_look_columns>(FirstLookRow{
        ldp::first_look(view_of(*mechanism, subject.summary), view_of(*second, query.other),
                        static_cast<std::uint64_t>(std::max<std::int64_t>(0, query.remaining)))});
}

/// The reports about the vector with this attribute, or about the only Haar vector of a record.
SummaryView vector_of(const SummaryView& view, std::optional<std::size_t> attribute) {
    if (attribute) return part(view, *attribute);
    std::optional<std::size_t> only;
    for (const RecordPart& one : parts_of(*view.mechanism)) {
        if (!one.mechanism->can_estimate(Quantity::coefficients)) continue;
        if (only)
            throw Error(ErrorCode::unsupported, "these reports are about several vectors; specify one", {},
                        "Use the argument \"attribute\".");
        only = one.first;
    }
    return only ? part(view, *only) : view;
}

/// A row per Haar coefficient.
Found coefficients(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const double critical_value = ldp::critical_value(query.confidence);
    const Target target = target_named(query.target);
    const std::optional<std::size_t> attribute = subject.attribute;
    return results<coefficient_columns>(ask(
        subject.summary, CoefficientRows{},
        [=](const SummaryView& all_parts) {
            const SummaryView view = vector_of(all_parts, attribute);
            CoefficientRows all;
            if (view.n == 0) return all;
            all.estimates = ldp::estimate(view, {Quantity::coefficients, target});
            all.count = all.estimates.size();
            all.critical_value = critical_value;
            all.status = report_status(view);
            return all;
        },
        [=](const SummaryView& view) {
            check_answer(*vector_of(view, attribute).mechanism, Quantity::coefficients);
        }));
}

/// Diagnostics of honest reporting.
Found health(const Subject& whole, const SummaryQuery& query) {
    const Subject subject = selected(whole, query.attribute);
    const double errors = critical_value(query.confidence);
    return results<statistic_columns>(ask_part(subject, StatisticRows{}, [&](const SummaryView& view) {
        StatisticRows all;
        for (const Check& check : ldp::health(view))
            all.statistics.push_back({check.name, check.observed, check.expected, check.p_value});
        // Spent budgets are no sign of forged reports, and have no p-value.
        if (const SpentBudgets spent = spent_budgets(subject.summary, subject.attribute);
            spent.has_signal() && spent.possible())
            all.statistics.push_back(
                {"share of people whose budget is spent", spent.share(errors).share.value, 0, unknown});
        all.count = all.statistics.size();
        return all;
    }));
}

/// The share of people whose responses repeat a spent budget.
Found spent(const Subject& subject, const SummaryQuery& query) {
    const double errors = critical_value(query.confidence);
    return results<spent_columns>(ask(subject.summary, SpentRow{}, [&](const SummaryView& view) {
        need_rounds(view);
        SpentRow one;
        one.status = report_status(view);
        const SpentBudgets budgets(view);
        if (!budget_terms(view.mechanism->block()).can_end())
            one.status.note = "no budget can end under this spec";
        else if (budgets.has_signal() && one.status.enough)
            one.share = budgets.share(errors);
        return one;
    }));
}

}  // namespace accessors

}  // namespace ldp
