#include "core/groups/against_others.hpp"

#include "core/base/error.hpp"
#include "core/base/interrupt.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/spent_signal.hpp"
#include "core/summary/moving_window.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

void add(const Mechanism& mechanism, std::vector<std::byte>& into, const std::vector<std::byte>& other) {
    if (into.empty()) {
        into = other;
    } else if (const Outcome outcome = merge(mechanism, into, other); outcome != Outcome::ok) {
        raise_outcome(outcome, into, other);
    }
}

}  // namespace

std::vector<std::vector<std::byte>> summaries_of_others(const Mechanism& mechanism,
                                                        std::span<const std::vector<std::byte>> summaries) {
    std::vector<std::byte> all;
    for (const std::vector<std::byte>& one : summaries) add(mechanism, all, one);
    std::vector<std::vector<std::byte>> others;
    for (const std::vector<std::byte>& one : summaries) {
        check_interrupt();
        std::vector<std::byte>& rest = others.emplace_back(all);
        if (subtract(mechanism, rest, one)) continue;
        rest.clear();
        for (const std::vector<std::byte>& other : summaries)
            if (&other != &one) add(mechanism, rest, other);
    }
    return others;
}

bool compares_medians(const Mechanism& mechanism, std::size_t attribute) {
    return find_capability<Ordered>(*part_of(mechanism, attribute).mechanism) != nullptr &&
           !has_signal(mechanism);
}

double common_median(const SummaryView& group, const SummaryView& baseline, std::size_t attribute) {
    const SummaryView one = part(group, attribute), other = part(baseline, attribute);
    need_reports(one);
    need_reports(other);
    // Between the two medians, weighted by the reports: the test needs any value there.
    const auto n = static_cast<double>(one.n), m = static_cast<double>(other.n);
    return (n * quantile(one, 0.5) + m * quantile(other, 0.5)) / (n + m);
}

Difference difference_of_medians(const SummaryView& group, const SummaryView& baseline, std::size_t attribute,
                                 const IntervalRule& rule, Target target) {
    const double median = common_median(group, baseline, attribute);
    const auto below = [&](const SummaryView& whole) {
        const SummaryView view = part(whole, attribute);
        const ShareOfRange share = cdf(view, median, target);
        return GroupEstimate{share, share.law, informative_people(view)};
    };
    return difference(below(baseline), below(group), rule);
}

}  // namespace ldp
