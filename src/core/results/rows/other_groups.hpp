// Each of several groups of people, compared with all other groups together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/results/summary_query.hpp"

namespace ldp {

/// The summaries of groups of different people, and for each group the merged summary of all other groups.
class OtherGroups {
  public:
    /// Takes two validated summaries of the mechanism or more, which must outlive the object.
    OtherGroups(const Mechanism& mechanism, std::span<const std::vector<std::byte>> summaries);

    /// A group minus all others, in the share of a value, in the mean of a number, or, for an ordered number, in the
    /// share of people above the common median.
    struct Contrast {
        std::size_t group, attribute;
        std::optional<std::int32_t> value;  ///< none for a number
        double estimate, p_value;           ///< of the hypothesis of equality, two-sided; NaN if unknown
    };
    /// Returns the contrasts of all attributes for which "compare_groups" or the test of medians has an estimate. The
    /// query has the confidence and the target of "compare_groups". The p-values are not adjusted.
    [[nodiscard]] std::vector<Contrast> contrasts(const Labels& labels, const SummaryQuery& query) const;

  private:
    /// Appends the contrasts of an attribute in one group. Returns false if no group has one.
    bool add(const Labels& labels, SummaryQuery query, Contrast contrast, std::vector<Contrast>& into) const;
    bool add_median(const SummaryQuery& query, Contrast contrast, std::vector<Contrast>& into) const;

    const Mechanism& mechanism_;
    std::span<const std::vector<std::byte>> summaries_;
    std::vector<std::vector<std::byte>> others_;
};

}  // namespace ldp
