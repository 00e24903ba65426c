// Questions about groups of attributes, and about the distribution of an ordered one. What is not known (no
// report tells of it) is NULL.

#include "core/summary/distribution.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>

#include "arguments.hpp"
#include "core/summary/learn.hpp"
#include "core/summary/shrink.hpp"
#include "rows.hpp"

using namespace ldp;

namespace {

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
constexpr Estimate nothing{unknown, unknown};

/// A table in PostgreSQL's memory: `width` numbers a row, after the row's number if it is to be shown.
struct Table {
    const double* numbers;
    std::size_t width, count;
    bool numbered = false;

    void write(Columns& columns, std::size_t row) const {
        if (numbered) columns.put(static_cast<std::int32_t>(row));
        for (std::size_t i = 0; i < width; ++i) columns.put(numbers[row * width + i]);
    }
};

/// Copies rows of equal width; allowed beside C++ objects.
template <std::size_t width>
Table table(const std::vector<std::array<double, width>>& rows, bool numbered = false) {
    auto* numbers = static_cast<double*>(try_palloc(std::max<std::size_t>(1, rows.size()) * sizeof(rows[0])));
    std::size_t used = 0;
    for (const auto& row : rows)
        for (const double number : row) numbers[used++] = number;
    return {numbers, width, rows.size(), numbered};
}

/// One row: estimate, standard error, interval.
Table one_row(const Estimate& estimate, double reach) {
    return table<4>(
        {{estimate.value, estimate.standard_error, estimate.value - reach * estimate.standard_error,
          estimate.value + reach * estimate.standard_error}});
}

/// `ask(mechanism)`, or `otherwise` if there are no reports.
template <class Answer, class Ask>
Answer ask(Bytes summary, const Answer& otherwise, Ask ask) {
    const std::unique_ptr<const Mechanism> mechanism = checked_mechanism(summary);
    return summary_count(*mechanism, summary) == 0 ? otherwise : ask(*mechanism);
}

/// An attribute's number, given as a bound of a range.
std::size_t attribute_at(double bound, std::size_t attributes) {
    if (!(bound >= 0 && bound < static_cast<double>(attributes)) || bound != std::floor(bound))
        throw Error(ErrorCode::invalid_value,
                    "a range of attributes goes from one of their numbers to another",
                    "They are numbered from 0 to " + std::to_string(attributes - 1) + ".");
    return static_cast<std::size_t>(bound);
}

Estimate range(const Mechanism& mechanism, Bytes summary, double low, double high, Target target) {
    if (dynamic_cast<const OrderedMechanism*>(&mechanism) != nullptr)
        return share_between(mechanism, summary, low, high, target);
    const std::size_t attributes = mechanism.cells().size();
    const std::size_t first = attribute_at(low, attributes), last = attribute_at(high, attributes);
    if (first > last)
        throw Error(ErrorCode::invalid_value, "a range must not end before it begins",
                    "Found " + std::to_string(first) + " to " + std::to_string(last) + ".");
    return group_mean(mechanism, summary, first, last, target);
}

Smoothing smoothing_named(std::string_view name) {
    if (name == "ems") return Smoothing::binomial;
    if (name == "em") return Smoothing::none;
    throw Error(
        ErrorCode::invalid_value, "unknown smoothing \"" + std::string(name) + "\"",
        "Allowed are \"ems\", which averages neighbours after each step, and \"em\", which does not.");
}

Shrinkage shrinkage_named(std::string_view name) {
    if (name == "soft") return Shrinkage::soft;
    if (name == "sure") return Shrinkage::sure;
    throw Error(ErrorCode::invalid_value, "unknown shrinkage \"" + std::string(name) + "\"",
                "Allowed are \"soft\" and \"sure\".");
}

}  // namespace

/// (summary, low, high, confidence, target): the share of people between two values, or the mean of a range
/// of attributes.
LDP_FUNCTION(ldp_range) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const double low = PG_GETARG_FLOAT8(1), high = PG_GETARG_FLOAT8(2);
        const double reach = ldp::reach(PG_GETARG_FLOAT8(3));
        const Target target = target_argument(fcinfo, 4);
        return one_row(
            ask(summary, nothing,
                [&](const Mechanism& mechanism) { return range(mechanism, summary, low, high, target); }),
            reach);
    });
}

/// (summary, value, confidence, target): the share of people at or below a value.
LDP_FUNCTION(ldp_cdf) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const double value = PG_GETARG_FLOAT8(1);
        const double reach = ldp::reach(PG_GETARG_FLOAT8(2));
        const Target target = target_argument(fcinfo, 3);
        return one_row(
            ask(summary, nothing,
                [&](const Mechanism& mechanism) { return cdf(mechanism, summary, value, target); }),
            reach);
    });
}

/// (summary, share) → float8: the value below which this share of the people lies.
LDP_FUNCTION(ldp_quantile) {
    const Bytes summary = summary_argument(fcinfo);
    const double share = PG_GETARG_FLOAT8(1);
    const double value = ask(summary, unknown, [&](const Mechanism& mechanism) {
        return quantile(mechanism, summary, share, 0.95, Target::sample).value;
    });
    if (std::isnan(value)) PG_RETURN_NULL();
    PG_RETURN_FLOAT8(value);
}

/// (summary, shares, confidence, target): the values below which these shares lie, with intervals.
LDP_FUNCTION(ldp_quantiles) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const Elements shares = number_array_argument(fcinfo, 1);
        const double confidence = PG_GETARG_FLOAT8(2);
        const Target target = target_argument(fcinfo, 3);
        return ask(summary, Table{}, [&](const Mechanism& mechanism) {
            std::vector<std::array<double, 4>> found;
            for (std::size_t i = 0; i < shares.count; ++i) {
                if (shares.missing[i]) continue;
                const double share = DatumGetFloat8(shares.values[i]);
                const Quantile at = quantile(mechanism, summary, share, confidence, target);
                found.push_back({share, at.value, at.interval.lower, at.interval.upper});
            }
            return table(found);
        });
    });
}

/// (summary, bins, confidence, target): the shares of bins of equal width.
LDP_FUNCTION(ldp_histogram) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const auto bins = static_cast<std::size_t>(std::max(0, PG_GETARG_INT32(1)));
        const double reach = ldp::reach(PG_GETARG_FLOAT8(2));
        const Target target = target_argument(fcinfo, 3);
        return ask(summary, Table{}, [&](const Mechanism& mechanism) {
            const std::vector<Estimate> shares = histogram(mechanism, summary, bins, target);
            const auto [low, high] = dynamic_cast<const OrderedMechanism&>(mechanism).ends();
            const double width = (high - low) / static_cast<double>(bins);
            std::vector<std::array<double, 6>> found;
            for (std::size_t bin = 0; bin < bins; ++bin) {
                const auto [share, error] = shares[bin];
                found.push_back({low + width * static_cast<double>(bin),
                                 low + width * static_cast<double>(bin + 1), share, error,
                                 share - reach * error, share + reach * error});
            }
            return table(found, true);
        });
    });
}

/// (summary, smoothing): the fitted distribution, cell by cell.
LDP_FUNCTION(ldp_distribution) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const Smoothing smoothing = smoothing_named(word_argument(fcinfo, 1));
        return ask(summary, Table{}, [&](const Mechanism& mechanism) {
            const Distribution fit = decode(mechanism, summary, smoothing);
            std::vector<std::array<double, 3>> found;
            for (std::size_t cell = 0; cell < fit.shares.size(); ++cell)
                found.push_back({fit.edges[cell], fit.edges[cell + 1], fit.shares[cell]});
            return table(found, true);
        });
    });
}

/// (summary, coverage): ranges for a second round.
LDP_FUNCTION(ldp_learn_range) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const double coverage = PG_GETARG_FLOAT8(1);
        return ask(summary, Table{}, [&](const Mechanism& mechanism) {
            std::vector<std::array<double, 2>> found;
            for (const LearntRange& range : learn_ranges(mechanism, summary, coverage))
                found.push_back({range.low, range.high});
            return table(found, true);
        });
    });
}

/// (summary, shrink, target): the mean vector with small details shrunk.
LDP_FUNCTION(ldp_shrunk) {
    return rows(fcinfo, [=] {
        const Bytes summary = summary_argument(fcinfo);
        const Shrinkage shrinkage = shrinkage_named(word_argument(fcinfo, 1));
        const Target target = target_argument(fcinfo, 2);
        return ask(summary, Table{}, [&](const Mechanism& mechanism) {
            std::vector<std::array<double, 2>> found;
            for (const auto& [value, error] : shrunk(mechanism, summary, shrinkage, target))
                found.push_back({value, error});
            return table(found, true);
        });
    });
}

/// (summary) → float8: the stretch over which estimates of the distribution are smeared.
LDP_FUNCTION(ldp_resolution) {
    const Bytes summary = summary_argument(fcinfo);
    const double width =
        ask(summary, unknown, [&](const Mechanism& mechanism) { return resolution(mechanism, summary); });
    if (std::isnan(width)) PG_RETURN_NULL();
    PG_RETURN_FLOAT8(width);
}
