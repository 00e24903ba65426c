// Accessors of groups of attributes, and of the distribution of an ordered attribute. A result is NULL if
// no report determines it.
//
// Length: all results share the notes and the bias of a spent budget.

#include "core/summary/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "core/choice/first_look.hpp"
#include "core/summary/learn.hpp"
#include "core/summary/shrink.hpp"
#include "estimate_rows.hpp"

using namespace ldp;

namespace {

constexpr Estimate nothing{unknown, unknown};

/// The note of estimates that may be smoothed; allowed beside C++ objects.
ReportStatus told_smeared(const Subject& subject, const SummaryView& view) {
    ReportStatus all = report_status(spent_budgets(subject.summary), view);
    const std::string words = all.enough ? smearing(view) : std::string();
    if (!words.empty()) all.note = keep(all.note == nullptr ? words : all.note + ("; " + words));
    return all;
}

/// Row type ldp_quantile_at.
constexpr Column quantile_columns[] = {
    {"attribute", TEXTOID}, {"share", FLOAT8OID},          {"estimate", FLOAT8OID},
    {"lower", FLOAT8OID},   {"upper", FLOAT8OID},          {"n", INT8OID},
    {"people", INT8OID},    {"attribute_number", INT4OID}, {"note", TEXTOID}};
/// Row type ldp_bin.
constexpr Column bin_columns[] = {{"attribute", TEXTOID},        {"low", FLOAT8OID},    {"high", FLOAT8OID},
                                  {"estimate", FLOAT8OID},       {"stderr", FLOAT8OID}, {"lower", FLOAT8OID},
                                  {"upper", FLOAT8OID},          {"n", INT8OID},        {"people", INT8OID},
                                  {"attribute_number", INT4OID}, {"bin", INT4OID},      {"note", TEXTOID}};
constexpr Column fitted_bin_columns[] = {
    {"attribute", TEXTOID},        {"low", FLOAT8OID}, {"high", FLOAT8OID},
    {"estimate", FLOAT8OID},       {"n", INT8OID},     {"people", INT8OID},
    {"attribute_number", INT4OID}, {"bin", INT4OID},   {"note", TEXTOID}};
constexpr Column shrunk_columns[] = {
    {"attribute", TEXTOID}, {"estimate", FLOAT8OID},       {"rmse", FLOAT8OID}, {"n", INT8OID},
    {"people", INT8OID},    {"attribute_number", INT4OID}, {"note", TEXTOID}};

/// Rows about one attribute, in PostgreSQL's memory. The first numbers of a row are arguments, the others
/// estimates.
struct Table {
    const double* numbers = nullptr;
    std::size_t width = 0, count = 0;
    SummaryLabels labels = {};
    ReportStatus status = {};
    std::size_t leading = 0;  ///< number of leading arguments
    std::size_t attribute = 0;
    bool each = false;  ///< whether each row is about the attribute of its number

    template <class Row>
    void write(Row& row, std::size_t number) const {
        const std::size_t about = each ? number : attribute;
        row.put("attribute", TypedDatum<TEXTOID>{labels.name(about)});
        const auto value = [&](std::size_t i) {
            const bool shown = i < leading || (status.enough && (i == leading || !status.pointwise));
            return shown ? numbers[number * width + i] : unknown;
        };
        if constexpr (Row::has("rmse")) {
            row.put("estimate", value(0));
            row.put("rmse", value(1));
        } else if constexpr (Row::has("share")) {
            row.put("share", value(0));
            row.put("estimate", value(1));
            row.put("lower", value(2));
            row.put("upper", value(3));
        } else {
            row.put("low", value(0));
            row.put("high", value(1));
            row.put("estimate", value(2));
            if constexpr (Row::has("stderr")) {
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

/// Copies rows of equal width whose first `leading` numbers are arguments; allowed beside C++ objects.
template <std::size_t width>
Table table(const Subject& subject, const std::vector<std::array<double, width>>& rows, std::size_t leading,
            const ReportStatus& status) {
    auto* numbers = static_cast<double*>(try_palloc(std::max<std::size_t>(1, rows.size()) * sizeof(rows[0])));
    std::size_t used = 0;
    for (const auto& row : rows)
        for (const double number : row) numbers[used++] = number;
    return {.numbers = numbers,
            .width = width,
            .count = rows.size(),
            .labels = subject.labels,
            .status = status,
            .leading = leading,
            .attribute = subject.attribute.value_or(0)};
}

/// A single row. Without reports the estimate is unknown.
Answers one_answer(const Subject& subject, std::size_t attribute, const Estimate& estimate,
                   const ReportStatus& status, double critical_value) {
    Answers one{.labels = subject.labels, .critical_value = critical_value};
    one.reserve(1);
    one.add(attribute, Answers::none, estimate, kept(status));
    return one;
}

Answers one_share(const Subject& subject, std::size_t attribute, const ShareOfRange& share,
                  ReportStatus status, double critical_value) {
    status.law = share.law;
    return one_answer(subject, attribute, share, status, critical_value);
}

/// An attribute's number as a bound of a range.
std::size_t attribute_at(double bound, std::size_t attributes) {
    if (!(bound >= 0 && bound < static_cast<double>(attributes)) || bound != std::floor(bound))
        throw Error(ErrorCode::invalid_value, "bounds of a range of attributes must be attribute numbers",
                    "Attributes are numbered from 0 to " + std::to_string(attributes - 1) + ".");
    return static_cast<std::size_t>(bound);
}

/// The possible values of an attribute's mean.
ldp::Interval possible_mean(const SummaryView& view, std::size_t attribute) {
    const RecordPart one = part_of(*view.mechanism, attribute);
    return possible_values(*one.mechanism, attribute - one.first);
}

Answers range(const Subject& subject, double low, double high, double critical_value, Target target) {
    const auto found = [&](const SummaryView& view) {
        if (find_capability<Ordered>(*view.mechanism) != nullptr)
            return one_share(subject, subject.attribute.value_or(0), share_between(view, low, high, target),
                             told_smeared(subject, view), critical_value);
        if (subject.attribute && subject.attributes == 1) refuse(*view.mechanism, Ordered::offers);
        const std::size_t attributes = view.mechanism->cells().size();
        const std::size_t first = attribute_at(low, attributes), last = attribute_at(high, attributes);
        if (first > last)
            throw Error(ErrorCode::invalid_value,
                        "upper bound of a range must not be less than its lower bound",
                        "Found " + std::to_string(first) + " to " + std::to_string(last) + ".");
        ldp::Interval possible = possible_mean(view, first);
        for (std::size_t j = first + 1; j <= last; ++j) {
            const auto [lower, upper] = possible_mean(view, j);
            possible = {std::min(possible.lower, lower), std::max(possible.upper, upper)};
        }
        ReportStatus about = report_status(spent_budgets(subject.summary), view, possible);
        about.law = group_law(view, first, last, target);
        return one_answer(subject, Answers::no_attribute, group_mean(view, first, last, target), about,
                          critical_value);
    };
    return ask_part(
        subject,
        one_answer(subject, subject.attribute.value_or(Answers::no_attribute), nothing, {}, critical_value),
        found);
}

Answers share_below(const Subject& subject, double value, double critical_value, Target target) {
    const std::size_t attribute = subject.attribute.value_or(0);
    return ask_one(subject, one_answer(subject, attribute, nothing, {}, critical_value),
                   [&](const SummaryView& view) {
                       return one_share(subject, attribute, cdf(view, value, target),
                                        told_smeared(subject, view), critical_value);
                   });
}

double quantile(const Subject& subject, double share) {
    return ask_one(subject, unknown, [=](const SummaryView& view) {
        const double found = ldp::quantile(view, share);
        return enough(view) ? found : unknown;
    });
}

Table quantiles(const Subject& subject, const double* shares, std::size_t count, double confidence,
                Target target) {
    return ask_one(subject, Table{}, [&](const SummaryView& view) {
        const ReportStatus status = told_smeared(subject, view);
        const double bias = status.bias.at(critical_value(confidence));
        const ldp::Interval ends = capability<Ordered>(*view.mechanism).ends();
        std::vector<std::array<double, 4>> found;
        for (const auto& [value, interval] : ldp::quantiles(view, {shares, count}, confidence, target)) {
            const double share = shares[found.size()];
            ldp::Interval range = interval;
            // The true quantile lies between those of the shares that the bias can lead to.
            if (bias > 0)
                range = {share > bias ? ldp::quantile(view, share - bias, confidence, target).interval.lower
                                      : ends.lower,
                         share + bias < 1
                             ? ldp::quantile(view, share + bias, confidence, target).interval.upper
                             : ends.upper};
            found.push_back({share, value, range.lower, range.upper});
        }
        return table(subject, found, 1, status);
    });
}

Table bins(const Subject& subject, std::int32_t bins, double critical_value, Target target) {
    return ask_one(subject, Table{}, [&](const SummaryView& view) {
        const auto count = static_cast<std::size_t>(std::max(0, bins));
        const std::vector<ShareOfRange> shares = histogram(view, count, target);
        const auto [low, high] = capability<Ordered>(*view.mechanism).ends();
        const double width = (high - low) / static_cast<double>(count);
        const ReportStatus status = told_smeared(subject, view);
        std::vector<std::array<double, 6>> found;
        for (std::size_t bin = 0; bin < count; ++bin) {
            const ShareOfRange& share = shares[bin];
            const ldp::Interval range =
                extended(interval(share, critical_value, share.law), status.bias, critical_value);
            found.push_back({low + width * static_cast<double>(bin),
                             low + width * static_cast<double>(bin + 1), share.value, share.standard_error,
                             range.lower, range.upper});
        }
        return table(subject, found, 2, status);
    });
}

Table fitted(const Subject& subject, Smoothing smoothing) {
    return ask_one(subject, Table{}, [&](const SummaryView& view) {
        const Distribution fit = decode(view, smoothing);
        std::vector<std::array<double, 3>> found;
        for (std::size_t cell = 0; cell < fit.shares.size(); ++cell)
            found.push_back({fit.edges[cell], fit.edges[cell + 1], fit.shares[cell]});
        return table(subject, found, 2, report_status(spent_budgets(subject.summary), view));
    });
}

Table shrunk_means(const Subject& subject, Shrinkage shrinkage, Target target) {
    return ask(subject.summary, Table{}, [&](const SummaryView& view) {
        std::vector<std::array<double, 2>> found;
        for (const auto& [value, error] : shrunk(view, shrinkage, target)) found.push_back({value, error});
        Table all = table(subject, found, 0, report_status(view));
        all.each = true;
        return all;
    });
}

constexpr Column range_columns[] = {{"attribute", TEXTOID},   {"low", FLOAT8OID},
                                    {"high", FLOAT8OID},      {"attribute_number", INT4OID},
                                    {"coefficient", INT4OID}, {"note", TEXTOID}};

/// Ranges of attributes, or of Haar coefficients, which have no names.
struct Ranges {
    const LearntRange* ranges = nullptr;
    const char* const* notes = nullptr;
    std::size_t count = 0;
    SummaryLabels labels = {};
    std::size_t first = 0;  ///< the attribute of item 0

    void write(RowWriter<range_columns>& row, std::size_t number) const {
        const auto& [item, low, high, coefficient, needed] = ranges[number];
        const std::size_t attribute = first + item;
        if (coefficient) {
            row.put("coefficient", static_cast<std::int32_t>(item));
        } else {
            row.put("attribute", TypedDatum<TEXTOID>{labels.name(attribute)});
            row.put("attribute_number", static_cast<std::int32_t>(attribute));
        }
        row.put("low", low);
        row.put("high", high);
        row.put("note", notes[number]);
    }
};

Ranges learnt(const Subject& subject, double coverage) {
    return ask_part(subject, Ranges{}, [&](const SummaryView& view) {
        const std::vector<LearntRange> found = learn_ranges(view, coverage);
        auto* kept = static_cast<LearntRange*>(try_palloc((found.size() + 1) * sizeof(LearntRange)));
        std::ranges::copy(found, kept);
        auto** notes = static_cast<const char**>(try_palloc((found.size() + 1) * sizeof(const char*)));
        for (std::size_t i = 0; i < found.size(); ++i)
            notes[i] = found[i].needed == 0 ? nullptr
                                            : keep("the declared range: " + std::to_string(view.n) +
                                                   " reports do not narrow it; it takes about " +
                                                   std::to_string(found[i].needed) + " about the attribute");
        return Ranges{kept, notes, found.size(), subject.labels, subject.attribute.value_or(0)};
    });
}

constexpr Column first_look_columns[] = {{"mechanism", TEXTOID},     {"sharp_mechanism", TEXTOID},
                                         {"sharp_error", FLOAT8OID}, {"smooth_error", FLOAT8OID},
                                         {"smooth_bias", FLOAT8OID}, {"smooth_grid", INT8OID},
                                         {"clear", BOOLOID}};

/// The choice of a mechanism after a first round.
struct Look {
    FirstLook look = {};
    std::size_t count = 0;

    void write(RowWriter<first_look_columns>& row, std::size_t) const {
        row.put("mechanism", look.chosen->name);
        row.put("sharp_mechanism", look.sharp->name);
        row.put("sharp_error", look.sharp_error);
        row.put("smooth_error", look.smooth_error);
        row.put("smooth_bias", std::sqrt(std::max(0.0, look.bias_square)));
        row.put("smooth_grid", look.grid);
        row.put("clear", look.clear);
    }
};

Look looked(Bytes one, Bytes other, std::int64_t people) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(one);
    const std::unique_ptr<const Mechanism> second = checked_mechanism(other);
    return {first_look(view_of(*mechanism, one), view_of(*second, other),
                       static_cast<std::uint64_t>(std::max<std::int64_t>(0, people))),
            1};
}

constexpr Column coefficient_columns[] = {{"coefficient", INT4OID}, {"estimate", FLOAT8OID},
                                          {"stderr", FLOAT8OID},    {"lower", FLOAT8OID},
                                          {"upper", FLOAT8OID},     {"note", TEXTOID}};

/// Haar coefficients, by number: they have no names.
struct Coefficients {
    const Estimate* estimates = nullptr;
    std::size_t count = 0;
    double critical_value = 0;
    ReportStatus status = {};

    void write(RowWriter<coefficient_columns>& row, std::size_t number) const {
        const auto& [value, error] = status.enough ? estimates[number] : Estimate{unknown, unknown};
        row.put("coefficient", static_cast<std::int32_t>(number));
        row.put("estimate", value);
        row.put("stderr", error);
        row.put("lower", value - critical_value * error);
        row.put("upper", value + critical_value * error);
        status.put_note(row, !std::isnan(value));
    }
};

Coefficients coefficients(Bytes summary, double critical_value, Target target) {
    return ask(
        summary, Coefficients{},
        [=](const SummaryView& view) {
            const auto found = estimate(view, {Quantity::coefficients, target});
            auto* estimates = static_cast<Estimate*>(try_palloc(found.size() * sizeof(Estimate)));
            std::ranges::copy(found, estimates);
            return Coefficients{estimates, found.size(), critical_value, report_status(view)};
        },
        [](const SummaryView& view) { check_answer(*view.mechanism, Quantity::coefficients); });
}

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

/// (summary, low, high, confidence, target, attribute): the share of people between two values, or the
/// mean of a range of attributes.
LDP_FUNCTION(ldp_range) {
    return rows<answer_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const double low = PG_GETARG_FLOAT8(1), high = PG_GETARG_FLOAT8(2);
            return range(subject, low, high, critical_value(PG_GETARG_FLOAT8(3)), target_argument(fcinfo, 4));
        },
        1);
}

LDP_FUNCTION(ldp_range_final) {
    const AggregateArguments query = numbers_query(fcinfo, 2);
    return one_row<answer_columns>(fcinfo, range(query.points(), query.numbers[0], query.numbers[1],
                                                 critical_value(usual_confidence), Target::sample));
}

/// (summary, value, confidence, target, attribute): the share of people at or below a value.
LDP_FUNCTION(ldp_cdf) {
    return rows<answer_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const double critical_value = ldp::critical_value(PG_GETARG_FLOAT8(2));
            return share_below(subject, PG_GETARG_FLOAT8(1), critical_value, target_argument(fcinfo, 3));
        },
        1);
}

/// (summary, share) → float8: the value below which this share of the people lies.
LDP_FUNCTION(ldp_quantile) {
    return number_or_null(
        fcinfo,
        quantile({.summary = summary_argument(fcinfo), .labels = {}, .attribute = {}, .pointwise = true},
                 PG_GETARG_FLOAT8(1)));
}

LDP_FUNCTION(ldp_quantile_final) {
    const AggregateArguments query = numbers_query(fcinfo, 1);
    return number_or_null(fcinfo, quantile(query.points(), query.numbers[0]));
}

/// (summary, shares, confidence, target, attribute): the values below which these shares lie, with intervals.
LDP_FUNCTION(ldp_quantiles) {
    return rows<quantile_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const Numbers shares = numbers_argument(fcinfo, 1);
            const double confidence = PG_GETARG_FLOAT8(2);
            return quantiles(subject, shares.numbers, shares.count, confidence, target_argument(fcinfo, 3));
        },
        1);
}

LDP_FUNCTION(ldp_quantiles_final) {
    const AggregateArguments query = list_query(fcinfo);
    return row_array<quantile_columns>(
        fcinfo, quantiles(query.points(), query.numbers, query.count, usual_confidence, Target::sample));
}

/// (summary, bins, confidence, target, attribute): the shares of bins of equal width.
LDP_FUNCTION(ldp_histogram) {
    return rows<bin_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            const double critical_value = ldp::critical_value(PG_GETARG_FLOAT8(2));
            return bins(subject, PG_GETARG_INT32(1), critical_value, target_argument(fcinfo, 3));
        },
        1);
}

LDP_FUNCTION(ldp_histogram_final) {
    const AggregateArguments query = integer_query(fcinfo);
    return row_array<bin_columns>(
        fcinfo, bins(query.points(), query.integer(), critical_value(usual_confidence), Target::sample));
}

/// (summary, smoothing, attribute): the fitted distribution, cell by cell.
LDP_FUNCTION(ldp_distribution) {
    return rows<fitted_bin_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            return fitted(subject, smoothing_named(word_argument(fcinfo, 1)));
        },
        1);
}

/// (summary, coverage, attribute): ranges for a second round.
LDP_FUNCTION(ldp_learn_range) {
    return rows<range_columns>(
        fcinfo,
        [=] {
            const Subject subject = subject_argument(fcinfo);
            return learnt(subject, PG_GETARG_FLOAT8(1));
        },
        1);
}

/// (summary, summary, people): the best mechanism for the remaining people.
LDP_FUNCTION(ldp_first_look) {
    return rows<first_look_columns>(fcinfo, [=] {
        const Bytes one = summary_argument(fcinfo, 0), other = summary_argument(fcinfo, 1);
        return looked(one, other, PG_GETARG_INT64(2));
    });
}

/// (summary, shrink, target): the mean vector after shrinking small Haar coefficients.
LDP_FUNCTION(ldp_shrunk) {
    return rows<shrunk_columns>(fcinfo, [=] {
        const Subject subject = whole_argument(fcinfo);
        const Shrinkage shrinkage = shrinkage_named(word_argument(fcinfo, 1));
        return shrunk_means(subject, shrinkage, target_argument(fcinfo, 2));
    });
}

/// (summary, confidence, target): a row per Haar coefficient.
LDP_FUNCTION(ldp_coefficients) {
    return rows<coefficient_columns>(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        return coefficients(summary, critical_value(PG_GETARG_FLOAT8(1)), target_argument(fcinfo, 2));
    });
}

/// (summary) → float8: the width of the interval over which the mechanism smooths its estimates.
LDP_FUNCTION(ldp_resolution) {
    const Subject subject{summary_argument(fcinfo), {}, {}};
    return number_or_null(
        fcinfo, ask_one(subject, unknown, [](const SummaryView& view) { return resolution(view); }));
}
