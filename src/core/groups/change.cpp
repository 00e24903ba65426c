#include "core/groups/change.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/vector/range_learning.hpp"
#include "core/summary/part_means.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

// An estimate is a mean over reports, so that two estimates have the covariance Σ Cov(reports of one
// user)/(nₐ·n_b). Condition on the public randomness. If the second response has another key, it was drawn
// independently, and the covariance of the user's reports is 0. Otherwise it is the variance of a report's
// mean given its permanent response: the variance of a report minus the part that a second layer renews. It
// is never negative. With m = kept·min(nₐ, n_b) such users, m/(nₐ·n_b) = kept/max(nₐ, n_b).
//
// The code uses the smaller common noise of the two rounds. It uses the noise of the sample target for the
// population as well, where the variance between users counts in full in both rounds. Both choices
// overestimate the error unless values of users move against each other.
//
// If a numeric randomizer cannot separate the variance between users from the noise, both count as common.
// The result stays conservative: the excess is added 1/nₐ + 1/n_b times and subtracted at most 2·kept/max(nₐ,
// n_b) times.
std::vector<Change> change(const SummaryView& before, const SummaryView& after, double kept,
                           const IntervalRule& rule, Target target) {
    if (!std::ranges::equal(before.mechanism->block(), after.mechanism->block()))
        raise_incompatible(before.mechanism->block(), after.mechanism->block());
    if (!(kept >= 0 && kept <= 1))
        raise(ErrorCode::invalid_value, "the share of repeated responses must be 0 to 1",
              "Found " + shortest(kept) + ".", "If the share is unknown, use 0.");
    check_no_ranges(*before.mechanism);
    for (const SummaryView& one : {before, after}) need_reports(one);
    if (kept > 0)
        for (const SummaryView& one : {before, after}) need_one_round(one, "a count of memoized responses");

    const GroupEstimates from(before, target), to(after, target);
    // The noise: the errors of the target sample.
    std::optional<GroupEstimates> from_noise, to_noise;
    if (kept > 0 && target != Target::sample) {
        from_noise.emplace(before, Target::sample);
        to_noise.emplace(after, Target::sample);
    }
    // Without the rounding of numbers, which is not subtracted.
    std::vector<Estimate> from_unrounded, to_unrounded;
    if (kept > 0 && rounds_numbers(*before.mechanism)) {
        from_unrounded = estimate_without_rounding(before, {Quantity::means});
        to_unrounded = estimate_without_rounding(after, {Quantity::means});
    }
    std::vector<Change> changes;
    const std::size_t attributes = before.mechanism->cells().size();
    for (std::uint32_t j = 0; j < attributes; ++j) {
        check_interrupt();
        if (is_left_out(*before.mechanism, j)) continue;
        const bool number = from.number(j);
        const auto old_items = from.of_attribute(j), new_items = to.of_attribute(j);
        const auto noise_of = [&, j](const std::optional<GroupEstimates>& noise,
                                     const std::vector<Estimate>& unrounded) {
            if (number && !unrounded.empty()) return LawfulEstimates({unrounded[j]}, ErrorLaw{});
            return noise ? noise->of_attribute(j) : LawfulEstimates{};
        };
        const auto old_noise = noise_of(from_noise, from_unrounded),
                   new_noise = noise_of(to_noise, to_unrounded);
        const SummaryView old_part = part(before, j), new_part = part(after, j);
        const MemoizedNoise memoized_part(*old_part.mechanism, MemoizedNoise::Bound::no_more);
        const double old_people = informative_people(old_part), new_people = informative_people(new_part);
        const auto n_old = static_cast<double>(old_part.n), n_new = static_cast<double>(new_part.n);
        const auto common = [&](const GroupEstimate& item, const LawfulEstimates& noise, std::uint32_t v,
                                double n, double unit) {
            const double error = (noise.empty() ? item : noise[v]).estimate.standard_error;
            return memoized_part.of(n * square(error / unit), item.estimate.value, unit) /
                   std::max(n_old, n_new);
        };
        if (attributes == 1) changes.reserve(old_items.size());
        for (std::uint32_t v = 0; v < old_items.size(); ++v) {
            check_interrupt();  // an interval takes microseconds
            GroupEstimate a = old_items[v], b = new_items[v];
            a.people = old_people, b.people = new_people;
            const double old_error = a.estimate.standard_error, new_error = b.estimate.standard_error;
            const double unit = old_error == 0 && new_error == 0 ? 1 : std::max(old_error, new_error);
            const double covariance = kept == 0 ? 0
                                                : kept * std::min(common(a, old_noise, v, n_old, unit),
                                                                  common(b, new_noise, v, n_new, unit));
            const double whole = square(old_error / unit) + square(new_error / unit);
            // This order of operations gives exactly 0 for equal reports.
            const double variance =
                square(old_error / unit) - covariance + (square(new_error / unit) - covariance);
            const Difference found = difference(b, a, rule, whole > 0 ? std::max(0.0, variance / whole) : 1);
            changes.push_back({j,
                               number ? std::nullopt : std::optional(v),
                               {found.difference.value, unit * std::sqrt(std::max(0.0, variance))},
                               found.interval,
                               found.p_value,
                               rule.critical_value(people_of_difference(b, a))});
        }
    }
    return changes;
}

}  // namespace ldp
