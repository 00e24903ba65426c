#include "core/groups/group_test.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/groups/comparison.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/frequency/frequency_oracle.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

namespace {

/// The estimates of one attribute in a group.
struct GroupValues {
    std::uint64_t n;
    LawfulEstimates estimates;
};

/// Returns the nearest shares that are not negative and add up to 1.
std::vector<double> nearest_shares(const std::vector<double>& estimates) {
    std::vector<double> sorted = estimates;
    Work work;
    std::ranges::sort(sorted, [&](double one, double other) {
        work.done();
        return one > other;
    });
    double sum = 0, excess = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i, work.done()) {
        sum += sorted[i];
        const double above = (sum - 1) / static_cast<double>(i + 1);
        if (sorted[i] <= above) break;
        excess = above;
    }
    std::vector<double> shares;
    for (const double each : estimates) shares.push_back(std::max(0.0, each - excess));
    return shares;
}

/// C of contrasts of the values' shares: Σ gh·(even + held·f) − sampled·Σ fg·Σ fh for contrasts g and h.
struct ContrastCovariance {
    double even, held, sampled;
};

/// Returns C for reports of which one person may have several; empty if it is unknown.
std::optional<ContrastCovariance> covariance_of(const SummaryView& group) {
    const auto* oracle = find_capability<FrequencyOracle>(*group.mechanism);
    const auto one = oracle != nullptr ? oracle->contrasts() : std::nullopt;
    const auto memoized = oracle != nullptr ? oracle->memoized_contrasts() : std::nullopt;
    if (!one || !memoized) return {};
    // Two reports of one person have the covariance of the permanent response.
    const double others = most_of_one(group) - 1;
    return ContrastCovariance{one->even + others * memoized->even, one->held + others * memoized->held,
                              1 + others};
}

/// Classes of values: how many values and which share each has, and the class of each value. The weights g of a contrast
/// of classes have Σ values·g = 0, and C of two contrasts is Σ gh·own − sampled·Σ share·g·Σ share·h.
struct ValueClasses {
    std::vector<double> values, share, own;
    std::vector<std::size_t> class_of;
};

/// Merges the rarest values until a class has `least` in `own`.
ValueClasses classes_of(const std::vector<double>& shares, const ContrastCovariance& covariance,
                        double least) {
    ValueClasses all;
    std::vector<std::size_t> order(shares.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    all.class_of.resize(shares.size());
    Work work;
    std::ranges::sort(order, [&](std::size_t one, std::size_t other) {
        work.done();
        return shares[one] != shares[other] ? shares[one] < shares[other] : one < other;
    });
    for (const std::size_t value : order) {
        work.done();
        if (all.own.empty() || all.own.back() >= least)
            all.values.push_back(0), all.share.push_back(0), all.own.push_back(0);
        all.values.back() += 1;
        all.share.back() += shares[value];
        all.own.back() += covariance.even + covariance.held * shares[value];
        all.class_of[value] = all.own.size() - 1;
    }
    if (all.own.size() > 1 && all.own.back() < least) {  // cannot happen for the most frequent value alone
        const std::size_t last = all.own.size() - 1;
        for (std::vector<double>* each : {&all.values, &all.share, &all.own})
            (*each)[last - 1] += each->back(), each->pop_back();
        for (std::size_t& each : all.class_of) each = std::min(each, last - 1);
    }
    return all;
}

/// The quadratic form yᵀC⁻y of contrasts.
class ContrastForm {
  public:
    ContrastForm(const ValueClasses& classes, double sampled) : classes_(classes), sampled_(sampled) {
        values_ = product(classes_.values, classes_.values);
        share_ = product(classes_.share, classes_.values);
        rest_ = 1 - sampled_ * diagonal(classes_.share, share_, classes_.share, share_);
    }
    [[nodiscard]] double operator()(const std::vector<double>& y) const {
        const double of_y = product(y, classes_.values);
        const double across = diagonal(y, of_y, classes_.share, share_);
        return diagonal(y, of_y, y, of_y) + (rest_ > 0 ? sampled_ * square(across) / rest_ : 0);
    }

  private:
    [[nodiscard]] double product(const std::vector<double>& x, const std::vector<double>& y) const {
        double sum = 0;
        for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i] / classes_.own[i];
        return sum;
    }
    /// The form without sampling, whose C is diagonal apart from the restriction to contrasts.
    [[nodiscard]] double diagonal(const std::vector<double>& x, double of_x, const std::vector<double>& y,
                                  double of_y) const {
        return product(x, y) - of_x * of_y / values_;
    }

    const ValueClasses& classes_;
    double sampled_, values_ = 0, share_ = 0, rest_ = 1;
};

/// The probability of a larger statistic; unknown for an unknown one.
double tail_probability(double degrees, double statistic) {
    if (std::isnan(statistic)) return unknown;
    return std::isinf(statistic) ? 0 : chi_square_above(degrees, std::max(0.0, statistic));
}

/// Tests all values together.
void test_together(GroupTest& test, const std::vector<GroupValues>& groups,
                   const ContrastCovariance& covariance, double gap) {
    double all = 0, inverse = 0;
    std::vector<double> pooled(test.values);
    for (const GroupValues& group : groups) {
        const auto n = static_cast<double>(group.n);
        all += n;
        inverse += 1 / n;
        for (std::size_t v = 0; v < pooled.size(); ++v) pooled[v] += n * group.estimates[v].estimate.value;
        check_interrupt();
    }
    for (double& each : pooled) each /= all;
    const double usual_size = static_cast<double>(groups.size()) / inverse;
    const ValueClasses classes = classes_of(nearest_shares(pooled), covariance,
                                            least_count * square(covariance.sampled / gap) / usual_size);
    test.classes = classes.own.size();
    if (test.classes < 2) return;
    const ContrastForm form(classes, covariance.sampled);
    test.statistic = 0;
    for (const GroupValues& group : groups) {
        std::vector<double> deviations(test.classes);
        for (std::size_t v = 0; v < pooled.size(); ++v)
            deviations[classes.class_of[v]] += group.estimates[v].estimate.value - pooled[v];
        test.statistic += static_cast<double>(group.n) * form(deviations);
        check_interrupt();
    }
    test.degrees_of_freedom = static_cast<double>((groups.size() - 1) * (test.classes - 1));
    test.p_value = tail_probability(test.degrees_of_freedom, test.statistic);
}

/// Tests each value alone, or a mean.
void test_one_by_one(GroupTest& test, const std::vector<GroupValues>& groups, bool number) {
    const auto degrees = static_cast<double>(groups.size() - 1);
    double smallest = unknown, statistic = unknown;
    std::size_t known = 0;
    std::vector<GroupEstimate> estimates(groups.size());
    for (std::size_t v = 0; v < test.values; ++v) {
        for (std::size_t g = 0; g < groups.size(); ++g) estimates[g] = groups[g].estimates[v];
        statistic = heterogeneity(estimates);
        check_interrupt();
        if (std::isnan(statistic)) continue;
        ++known;
        smallest = std::fmin(smallest, tail_probability(degrees, statistic));
    }
    if (known > 0) test.p_value = std::min(1.0, static_cast<double>(known) * smallest);
    test.one_by_one = !number;
    if (number) test.statistic = statistic, test.degrees_of_freedom = degrees;
}

}  // namespace

std::vector<GroupTest> test_groups(std::span<const SummaryView> groups,
                                   const std::vector<std::size_t>& attributes) {
    std::vector<GroupTest> tests;
    for (const auto& [attribute, number, values] : compared_attributes(groups, attributes)) {
        GroupTest test{static_cast<std::uint32_t>(attribute),
                       unknown,
                       unknown,
                       unknown,
                       unknown,
                       0,
                       0,
                       values,
                       values,
                       false};
        std::vector<GroupValues> used;
        std::optional<ContrastCovariance> covariance;
        double gap = 1;
        for (const SummaryView& group : groups) {
            check_interrupt();
            const SummaryView about = reports_about(group, attribute, false);
            if (about.n == 0 || !enough(about)) continue;
            const auto of_group = number ? std::nullopt : covariance_of(about);
            // Of groups with different numbers of rounds, the largest covariance.
            if (of_group && (!covariance || of_group->sampled > covariance->sampled)) covariance = of_group;
            if (of_group) {
                const PureProtocol protocol = capability<FrequencyOracle>(*about.mechanism).protocol();
                gap = protocol.p - protocol.q;
            }
            used.push_back({about.n, GroupEstimates(group, Target::population).of_attribute(attribute)});
            test.n += about.n;
        }
        test.groups = static_cast<std::uint32_t>(used.size());
        if (used.size() > 1 && covariance)
            test_together(test, used, *covariance, gap);
        else if (used.size() > 1)
            test_one_by_one(test, used, number);
        test.adjusted = test.p_value;
        tests.push_back(test);
    }
    adjust_by_holm<GroupTest>(
        tests, [](const GroupTest& one) { return one.adjusted; },
        [](GroupTest& one, double p_value) { one.adjusted = p_value; });
    return tests;
}

}  // namespace ldp
