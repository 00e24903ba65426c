// The estimates of one summary that are compared with those of another.
#pragma once

#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/groups/difference.hpp"
#include "core/mechanism/role/summary_view.hpp"
#include "core/summary/errors.hpp"
#include "core/tables/marginal.hpp"

namespace ldp {

/// The estimates of one attribute or table. The estimates of an attribute share one law, or each estimate has
/// its own law. Each estimate of a table has its own law. These are computed on demand, because a law takes
/// ten times the memory of an estimate.
class LawfulEstimates {
  public:
    LawfulEstimates() = default;
    LawfulEstimates(std::vector<Estimate> estimates, const ErrorLaw& law)
        : estimates_(std::move(estimates)), laws_{law} {}
    LawfulEstimates(std::vector<Estimate> estimates, std::vector<ErrorLaw> laws)
        : estimates_(std::move(estimates)), laws_(std::move(laws)) {}
    explicit LawfulEstimates(Marginal&& table) : table_(std::move(table)), cells_(table_->sizes()) {}

    [[nodiscard]] std::size_t size() const noexcept { return table_ ? cells_->count() : estimates_.size(); }
    [[nodiscard]] bool empty() const noexcept { return size() == 0; }
    [[nodiscard]] GroupEstimate operator[](std::size_t item) const {
        if (!table_) return {estimates_[item], laws_.size() == 1 ? laws_[0] : laws_[item]};
        const MeasuredShare share = table_->measured(cells_->box(item));
        return {share.estimate, share.law};
    }

  private:
    std::vector<Estimate> estimates_;
    std::vector<ErrorLaw> laws_;
    std::optional<Marginal> table_;
    std::optional<Cells> cells_;
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
    ComparableMeans means_;
};

/// Returns the number of reports by different people that add as much information as all reports.
[[nodiscard]] double informative_people(const SummaryView& view);

/// Returns whether each group is a separate round and people repeat responses from round to round. The groups
/// may then contain the same people, while their errors count them as different people.
[[nodiscard]] bool are_rounds_of_a_panel(std::span<const SummaryView> groups);

/// Returns whether the mean of the attribute is compared, not its shares.
[[nodiscard]] bool is_compared_number(const Mechanism& mechanism, std::size_t attribute);

/// Returns the number of shares of an attribute that is not a number: the number of its values or of its
/// buckets.
[[nodiscard]] std::size_t compared_values(const Mechanism& mechanism, std::size_t attribute);

/// Returns whether the attribute is one of a record that is not compared: a text, or a series.
[[nodiscard]] bool is_left_out(const Mechanism& mechanism, std::size_t attribute);

}  // namespace ldp
