// The functions that make rows of a summary or of groups, by name. Hosts call them through this list.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/results/result_table.hpp"
#include "core/results/summary_query.hpp"

namespace ldp {

/// Whether a query has groups and summaries. Then the subject has the labels alone.
enum class GroupUse : std::uint8_t {
    none,
    optional,
    required,
    columns,  ///< required; the names of groups have the values of their columns (groups/group_columns.hpp)
    optional_columns,  ///< optional; the names of groups have the values of their columns
};

/// A function of a summary, or of the summaries of groups, and further arguments.
struct RowFunction {
    const char* name;
    std::unique_ptr<Results> (*find)(const Subject&, const SummaryQuery&);
    std::span<const QueryParameter> parameters;  ///< behind the summary or the groups, in their order
    SummaryQuery defaults = {};
    GroupUse groups = GroupUse::none;

    /// Whether the function needs groups.
    [[nodiscard]] constexpr bool needs_groups() const noexcept {
        return groups == GroupUse::required || groups == GroupUse::columns;
    }
    /// Whether the function accepts either a summary or groups.
    [[nodiscard]] constexpr bool may_have_groups() const noexcept {
        return groups == GroupUse::optional || groups == GroupUse::optional_columns;
    }
    /// Whether the names of groups have the values of their columns.
    [[nodiscard]] constexpr bool has_columns() const noexcept {
        return groups == GroupUse::columns || groups == GroupUse::optional_columns;
    }
    /// Returns the rows of find(), with their source.
    [[nodiscard]] std::unique_ptr<Results> rows(const Subject& subject, const SummaryQuery& query) const;
};

/// The spec of valid summaries with one spec, and a digest of what rows show of them: "a1b2c3d4/e5f60718". Rows of the same reports
/// have equal texts, and their errors may be correlated.
[[nodiscard]] std::string source_of(std::span<const Bytes> summaries);

/// All functions.
[[nodiscard]] std::span<const RowFunction> row_functions() noexcept;
/// The names of groups, and their summaries in the same order: the first parameters of a function of groups in hosts that name
/// all arguments.
[[nodiscard]] std::span<const QueryParameter> group_parameters() noexcept;
/// The function with this name. Throws Error (invalid_value) that lists the names.
[[nodiscard]] const RowFunction& row_function(std::string_view name);

// Each function returns rows of the type that its comment names. Subjects have no attribute selected: SummaryQuery::attribute
// names it. All throw Error, and Interrupted.
namespace accessors {

using Found = std::unique_ptr<Results>;

// Values: estimate_columns.
[[nodiscard]] Found estimate(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found consistent(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found robust_interval(const Subject& subject, const SummaryQuery& query);

// Values with p-values: ranked_columns.
[[nodiscard]] Found top(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found candidates(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found change(const Subject& subject, const SummaryQuery& query);

// Distributions.
[[nodiscard]] Found range(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found quantiles(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found histogram(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found distribution(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found learn_range(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found first_look(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found shrunk(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found coefficients(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found health(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found spent(const Subject& subject, const SummaryQuery& query);

// Series.
[[nodiscard]] Found series(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found series_mean(const Subject& subject, const SummaryQuery& query);
/// The mean of rounds with the two-sided p-value of the hypothesis that it equals the mean of the baseline.
/// It is not an SQL function.
[[nodiscard]] Found series_change(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found series_range(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found series_quantiles(const Subject& subject, const SummaryQuery& query);

// Strings of an open domain.
[[nodiscard]] Found frequent_strings(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found string_shares(const Subject& subject, const SummaryQuery& query);

// Several attributes together.
[[nodiscard]] Found views(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found marginal(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found share(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found conditional(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found covariance(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found correlation(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found regression(const Subject& subject, const SummaryQuery& query);
/// One row: the mean of a number in two rounds. The subject is the first round, whose bins its labels define.
[[nodiscard]] Found winsorized_mean(const Subject& pilot, const SummaryQuery& query);
[[nodiscard]] Found association(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found fitted(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found model(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found synthesize(const Subject& subject, const SummaryQuery& query);
/// One row: views for a second round, in the format of a spec. No row without reports.
[[nodiscard]] Found learn_views(const Subject& subject, const SummaryQuery& query);
[[nodiscard]] Found plan_views(const Subject& subject, const SummaryQuery& query);

/// One row: a weighted sum of estimates of the summary. estimate_columns.
[[nodiscard]] Found contrast(const Subject& subject, const SummaryQuery& query);
/// Differences between the groups of the query.
[[nodiscard]] Found compare_groups(const Subject& subject, const SummaryQuery& query);
/// Tests of all groups of the query together.
[[nodiscard]] Found group_test(const Subject& subject, const SummaryQuery& query);
/// Means over groups that are a sample of groups.
[[nodiscard]] Found clustered(const Subject& subject, const SummaryQuery& query);
/// Means of many small groups that borrow strength from each other.
[[nodiscard]] Found small_areas(const Subject& subject, const SummaryQuery& query);
/// A series without noise. The names of the groups are dates or integers.
[[nodiscard]] Found smoothed(const Subject& subject, const SummaryQuery& query);
/// The mean of a number as a curve. The names of the groups are numbers, dates or times. SummaryQuery::value is the bandwidth.
[[nodiscard]] Found kernel_regression(const Subject& subject, const SummaryQuery& query);
/// Estimates of a population from the estimates of its groups, whose weights agree with known totals. The names of the groups have the values
/// of their columns.
[[nodiscard]] Found calibrate(const Subject& subject, const SummaryQuery& query);

}  // namespace accessors

}  // namespace ldp
