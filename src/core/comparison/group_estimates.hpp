// The estimates of one summary that are compared with those of another.
#pragma once

#include <vector>

#include "core/comparison/difference.hpp"
#include "core/mechanism/summary_view.hpp"

namespace ldp {

/// The estimates of one attribute or table. All of them have the same law, or each has its own.
struct LawfulEstimates {
    std::vector<Estimate> estimates;
    std::vector<ErrorLaw> laws;

    [[nodiscard]] std::size_t size() const noexcept { return estimates.size(); }
    [[nodiscard]] bool empty() const noexcept { return estimates.empty(); }
    [[nodiscard]] GroupEstimate operator[](std::size_t item) const {
        return {estimates[item], laws.size() == 1 ? laws[0] : laws[item]};
    }
};

/// The estimates of one group with their error laws. The group's summary must outlive it.
class GroupEstimates {
  public:
    GroupEstimates(const SummaryView& view, Target target);

    /// Returns whether the attribute is a number, so that its mean is compared; otherwise its shares are.
    [[nodiscard]] bool number(std::size_t attribute) const;
    /// Returns the mean of a number, or the share of each value of a category. The result is empty if the
    /// group has no reports, and unknown if none is about the attribute. Error unsupported if the mechanism
    /// has no such estimates.
    [[nodiscard]] LawfulEstimates of_attribute(std::size_t attribute) const;
    /// Returns the share of each cell of the joint table of these attributes, which are ascending; empty
    /// without reports.
    [[nodiscard]] LawfulEstimates of_table(const std::vector<std::size_t>& attributes) const;

  private:
    SummaryView view_;
    Target target_;
    std::vector<Estimate> means_;
};

/// Returns whether the attribute is a text of a record, whose shares are not compared.
[[nodiscard]] bool is_text_of_record(const Mechanism& mechanism, std::size_t attribute);

}  // namespace ldp
