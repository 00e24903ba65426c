// The estimates of many groups of different people, quantity by quantity, from their summaries.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/groups/answered_groups.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/groups/measured/clustered_mean.hpp"
#include "core/groups/measured/measured_group.hpp"
#include "core/groups/named_groups.hpp"
#include "core/results/estimate_rows.hpp"
#include "core/results/summary_query.hpp"

namespace ldp {

/// The most pairs of a group and a quantity in one call.
inline constexpr std::size_t max_group_items = 2'000'000;

/// A quantity in all groups.
struct GroupItem {
    std::uint32_t attribute;
    std::optional<std::uint32_t> value = {};    ///< the category's value; empty for the mean of a number
    std::vector<MeasuredGroup> groups = {};     ///< those with an estimate that may be published
    std::vector<std::uint32_t> numbers = {};    ///< their numbers among all groups, ascending
    std::span<const ReportStatus> status = {};  ///< of the reports of each group about the attribute
    Interval truths = ErrorLaw{}.truths;
    bool share = false;
    double within = unknown;
    double origin = 0, unit = 1;  ///< values are in units of `unit` from `origin` on

    [[nodiscard]] MeasuredGroups measured() const noexcept { return {groups, truths, share, within}; }
    [[nodiscard]] Estimate published(const Estimate& of) const noexcept {
        return {origin + unit * of.value, unit * of.standard_error};
    }
    [[nodiscard]] Interval published(const Interval& of) const noexcept {
        return {origin + unit * of.lower, origin + unit * of.upper};
    }
};

/// What differs between the functions of groups.
struct GroupTerms {
    std::size_t least;                       ///< number of groups
    AnswerRate rate = AnswerRate::of_group;  ///< in means among people who answer
    GroupWeights weights =
        GroupWeights::people;  ///< weights of the groups in the mean around which the means are linearized
    const char* panel_note = "if people repeat responses, the interval is too narrow";
};

/// The groups of a query that have a name. Summary bytes and labels must outlive it.
class GroupItems {
  public:
    /// Error incompatible if the summaries have different specs. Error invalid_value if there are fewer than
    /// terms.least groups, more than max_group_items results, or no such attribute. Error unsupported if the mechanism has no
    /// such estimates.
    GroupItems(const Subject& subject, const SummaryQuery& query, const GroupTerms& terms);

    /// Calls visit(item) for each quantity; the item is valid during the call.
    void for_each(const std::function<void(const GroupItem&)>& visit) const;
    [[nodiscard]] std::size_t groups() const noexcept { return views_.size(); }
    /// Returns the numbers of the groups in the query.
    [[nodiscard]] const std::vector<std::int64_t>& numbers() const noexcept { return named_.numbers; }
    /// Returns the names of the groups, by number.
    [[nodiscard]] const std::vector<std::optional<std::string_view>>& names() const noexcept {
        return named_.names;
    }
    /// Returns whether the groups may contain the same people, who repeat their responses.
    [[nodiscard]] bool panel() const noexcept { return panel_; }
    [[nodiscard]] const Labels& labels() const noexcept { return labels_; }

  private:
    void of_attribute(std::size_t attribute, const std::function<void(const GroupItem&)>& visit) const;
    /// The mean of a number with has_pooled_means().
    [[nodiscard]] GroupItem pooled(std::size_t attribute, std::span<const ReportStatus> status) const;

    const Labels& labels_;
    NamedGroups named_;
    std::vector<std::shared_ptr<const Mechanism>> mechanisms_;
    std::vector<SummaryView> views_;
    std::vector<GroupEstimates> estimates_, noisy_;  ///< with and without the sampling error
    std::vector<std::size_t> attributes_;
    GroupTerms terms_;
    bool panel_ = false;
};

}  // namespace ldp
