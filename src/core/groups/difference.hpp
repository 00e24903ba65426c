// Differences between estimates of the same quantity in two groups of different people.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "core/base/interrupt.hpp"
#include "core/groups/interval_rule.hpp"
#include "core/mechanism/role/error_law.hpp"

namespace ldp {

/// The estimate of one group with its error law.
struct GroupEstimate {
    Estimate estimate;
    ErrorLaw law;
    /// Number of people who add information, for rules with `anytime`.
    double people = 0;
};

/// The difference of two estimates.
struct Difference {
    Estimate difference;  ///< group − baseline, in the units of the estimates
    Interval interval;    ///< the differences that the test does not reject
    double p_value;       ///< of the hypothesis that the true values are equal, two-sided
};

/// Returns the number of people in each of two groups of equal size whose difference has the same standard error.
[[nodiscard]] double people_of_difference(const GroupEstimate& group, const GroupEstimate& baseline) noexcept;

/// Returns group − baseline. All results are unknown if one of the two estimates is unknown. By default, the
/// estimates are from different people. If the same people repeat responses in both, `remaining` is the
/// variance of the difference as a share of the sum of both variances; 0 if the errors are equal and cancel.
///
/// The test is a score test (Mee 1984; Miettinen, Nurminen 1985). For each hypothetical difference, the
/// standard error is taken at the most plausible pair of possible true values with this difference. The
/// critical value is corrected for the skewness there (Cornish, Fisher 1938). Shares near 0 or 1 keep their
/// level, and estimates outside the possible values need no truncation. With normal laws the interval is
/// difference ± critical value × standard error. Estimated standard errors use Student's distribution with
/// the degrees of freedom of Welch and Satterthwaite.
[[nodiscard]] Difference difference(const GroupEstimate& group, const GroupEstimate& baseline,
                                    const IntervalRule& rule, double remaining = 1);

/// Returns Σ (x − y)²/V of estimates x of one quantity in groups of different people, where y is their mean and V are their
/// variances if y is the true value of all. The distribution is approximately χ² with one degree of freedom less than
/// there are groups. The result is unknown if an estimate is unknown.
[[nodiscard]] double heterogeneity(std::span<const GroupEstimate> groups);

/// Adjusts p-values for the number of tests, so that the probability of at least one false rejection is at
/// most the significance (Holm 1979). Unknown p-values stay unknown and do not count.
[[nodiscard]] std::vector<double> holm_adjusted(std::span<const double> p_values);

/// Adjusts the p-values of any items: p_value(item) reads one, adjust(item, adjusted) writes it.
template <class Item, class Read, class Write>
void adjust_by_holm(std::span<Item> items, Read p_value, Write adjust) {
    std::vector<std::uint32_t> order;
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (std::isnan(p_value(items[i])))
            adjust(items[i], p_value(items[i]));
        else
            order.push_back(static_cast<std::uint32_t>(i));
    }
    Work work;
    std::ranges::sort(order, [&](std::uint32_t a, std::uint32_t b) {
        work.done();
        const double one = p_value(items[a]), other = p_value(items[b]);
        return one != other ? one < other : a < b;
    });
    double least = 0;
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        Item& item = items[order[rank]];
        least = std::max(least, std::min(1.0, p_value(item) * static_cast<double>(order.size() - rank)));
        adjust(item, least);
    }
}

}  // namespace ldp
