#include "core/regression/means_of_groups.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/base/square.hpp"
#include "core/mechanism/mean/means_by_group.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

namespace {

/// The mean of one group on [−1, 1].
struct UnitMean {
    double value, error;  ///< the error is unknown if the share of the group may be 0
    Interval interval;
    double share;  ///< of the group
};

class UnitMeans {
  public:
    UnitMeans(const SummaryView& part, double critical_value)
        : part_(part),
          reporter_(capability<MeansByGroup>(*part.mechanism)),
          n_(static_cast<double>(part.n)),
          repeated_(most_of_one(part)) {
        for (const GroupSums& sums : reporter_.group_sums(part)) {
            check_interrupt();
            all_.push_back(mean_of(sums, critical_value));
        }
    }

    [[nodiscard]] const std::vector<UnitMean>& all() const noexcept { return all_; }
    [[nodiscard]] const Range& range() const noexcept { return reporter_.range(); }
    /// Returns the covariance of the errors of two means; 0 if one of the errors is unknown.
    [[nodiscard]] double covariance(std::size_t one, std::size_t other) const {
        const UnitMean &a = all_[one], &b = all_[other];
        if (std::isnan(a.error) || std::isnan(b.error)) return 0;
        const double product = reporter_.product(part_, one, a.value, other, b.value).of(repeated_);
        return product / n_ / (a.share * b.share);
    }

  private:
    [[nodiscard]] UnitMean mean_of(const GroupSums& sums, double critical_value) const {
        // As for other means, one additional person may be anywhere in the range: (2/n)²/12.
        const double unseen = 1 / (3 * square(n_));
        const auto error = [&](double mean) {
            return std::sqrt(std::max(0.0, sums.variance(mean, repeated_)) / n_ + unseen);
        };
        const bool clear =
            !hardly_answered({sums.share, std::sqrt(std::max(0.0, sums.squares[2].of(repeated_)) / n_)});
        constexpr Interval whole{-1, 1};
        if (!(sums.share > 0)) return {unknown, unknown, whole, sums.share};
        const double value = sums.sum / sums.share;
        const auto accepted = [&](double mean) {
            return std::abs(sums.residual(mean)) <= critical_value * error(mean);
        };
        const double half = critical_value * error(value) / sums.share;
        if (!clear) return {std::clamp(value, -1.0, 1.0), unknown, whole, sums.share};
        return {value, error(value) / sums.share, accepted_means(value, half, whole, accepted), sums.share};
    }

    SummaryView part_;
    const MeansByGroup& reporter_;
    double n_, repeated_;
    std::vector<UnitMean> all_;
};

constexpr const char* small_share = "the share of the group is not significantly greater than 0";

/// Returns the longer half of an interval.
double longer_half(const UnitMean& mean) noexcept {
    return std::fmax(mean.value - mean.interval.lower, mean.interval.upper - mean.value);
}

/// Returns the difference of two means, on [−2, 2].
Coefficient difference(const UnitMeans& means, std::size_t group) {
    const UnitMean &one = means.all()[group], &first = means.all()[0];
    if (group == 0) return {{0, 0}, {0, 0}, {}};
    const double value = one.value - first.value;
    if (std::isnan(one.error) || std::isnan(first.error))
        return {
            {value, unknown}, {-2, 2}, "the share of one of the groups is not significantly greater than 0"};
    const double covariance = means.covariance(group, 0);
    const double error = std::sqrt(std::max(0.0, square(one.error) + square(first.error) - 2 * covariance));
    const double correlation = std::clamp(covariance / (one.error * first.error), -1.0, 1.0);
    const double a = longer_half(one), b = longer_half(first);
    const double half = std::sqrt(std::max(0.0, square(a) + square(b) - 2 * correlation * a * b));
    return {{value, error}, {std::max(-2.0, value - half), std::min(2.0, value + half)}, {}};
}

}  // namespace

bool has_means_of_groups(const Mechanism& mechanism, std::size_t number, std::size_t group) {
    if (!is_number_of_groups(mechanism, number)) return false;
    const RecordPart part = part_of(mechanism, number);
    return group == part.first + capability<MeansByGroup>(*part.mechanism).group_attribute();
}

MeansOfGroups means_of_groups(const SummaryView& part, double critical_value) {
    const UnitMeans means(part, critical_value);
    const Range& range = means.range();
    const auto at = [&](double unit) { return range.on({(1 + unit) / 2, 0}).value; };
    MeansOfGroups all;
    for (std::size_t group = 0; group < means.all().size(); ++group) {
        const UnitMean& one = means.all()[group];
        all.means.push_back({range.on({(1 + one.value) / 2, one.error / 2}),
                             {at(one.interval.lower), at(one.interval.upper)},
                             std::isnan(one.error) ? small_share : ""});
        const Coefficient unit = difference(means, group);
        const double half = range.half();
        all.differences.push_back({{half * unit.estimate.value, half * unit.estimate.standard_error},
                                   {half * unit.interval.lower, half * unit.interval.upper},
                                   unit.note});
    }
    return all;
}

}  // namespace ldp
