// Means of a number by a private group, from reports about both.
#pragma once

#include <array>
#include <vector>

#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

/// A mean product of two terms: of terms of one report, and of terms of two reports with the same memoized output.
struct TermProduct {
    double once, repeated;

    /// Returns the mean product of the sums of both terms over `reports` reports of one person, divided by their number.
    [[nodiscard]] double of(double reports) const noexcept { return once + (reports - 1) * repeated; }
};

/// Unbiased estimates about one group. Numbers are on [−1, 1].
struct GroupSums {
    double sum;    ///< mean of the number times the indicator of the group, over all people
    double share;  ///< share of people who have the group and a number
    /// Mean products of the terms of a report in `sum` and `share`: sum², sum·share, share².
    std::array<TermProduct, 3> squares;

    /// Returns the estimate of Σ (x − mean) over the people of the group, divided by the number of all people.
    [[nodiscard]] double residual(double mean) const noexcept { return sum - mean * share; }
    /// Returns n times the variance of residual(), where its expectation is 0 and each person sent this number of reports.
    [[nodiscard]] double variance(double mean, double reports = 1) const noexcept {
        return squares[0].of(reports) + mean * (mean * squares[2].of(reports) - 2 * squares[1].of(reports));
    }
};

/// Capability of mechanisms that report a category and a number together. estimate() returns the shares of the
/// category.
class MeansByGroup : public Capability {
  public:
    static constexpr const char* offers = "means by a private group";

    /// Return the numbers of the category and of the number among the attributes.
    [[nodiscard]] virtual std::size_t group_attribute() const noexcept = 0;
    [[nodiscard]] std::size_t number_attribute() const noexcept { return 1 - group_attribute(); }
    [[nodiscard]] virtual const Range& range() const noexcept = 0;
    /// Returns the estimates about all groups; n ≥ 1.
    [[nodiscard]] virtual std::vector<GroupSums> group_sums(const Counts& counts) const = 0;
    /// Returns the mean product of a report's terms in the residuals of two different groups; n ≥ 1.
    [[nodiscard]] virtual TermProduct product(const Counts& counts, std::size_t one, double mean_of_one,
                                              std::size_t other, double mean_of_other) const = 0;
};

/// Whether an attribute is a number that is reported with its group, and has a mean in each group only.
[[nodiscard]] inline bool is_number_of_groups(const Mechanism& mechanism, std::size_t attribute) {
    const RecordPart part = part_of(mechanism, attribute);
    const auto* reporter = find_capability<MeansByGroup>(*part.mechanism);
    return reporter != nullptr && attribute == part.first + reporter->number_attribute();
}

}  // namespace ldp
