#include "core/results/rows/other_groups.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"
#include "core/groups/against_others.hpp"
#include "core/groups/comparison.hpp"
#include "core/groups/group_estimates.hpp"
#include "core/results/row_functions.hpp"
#include "core/summary/pooling.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

namespace {

/// The number in a column of a row; nothing if it is NULL.
std::optional<double> number_in(Results& rows, std::size_t row, std::string_view column) {
    const auto columns = rows.columns();
    const auto at =
        static_cast<std::size_t>(std::ranges::find(columns, column, &ResultColumn::name) - columns.begin());
    const ResultCell& cell = rows.row(row)[at];
    if (!cell.known) return {};
    return columns[at].type == ColumnType::number ? cell.number : static_cast<double>(cell.whole);
}

}  // namespace

OtherGroups::OtherGroups(const Mechanism& mechanism, std::span<const std::vector<std::byte>> summaries)
    : mechanism_(mechanism), summaries_(summaries), others_(summaries_of_others(mechanism, summaries)) {}

std::vector<OtherGroups::Contrast> OtherGroups::contrasts(const Labels& labels,
                                                          const SummaryQuery& query) const {
    std::vector<Contrast> found;
    for (std::size_t j = 0; j < mechanism_.cells().size(); ++j) {
        if (is_left_out(mechanism_, j) || compared_values(mechanism_, j) > max_comparisons) continue;
        for (std::size_t g = 0; g < summaries_.size(); ++g) {
            check_interrupt();
            const Contrast contrast{g, j, {}, unknown, unknown};
            const bool any = compares_medians(mechanism_, j) ? add_median(query, contrast, found)
                                                             : add(labels, query, contrast, found);
            if (!any) break;
        }
    }
    return found;
}

bool OtherGroups::add(const Labels& labels, SummaryQuery query, Contrast contrast,
                      std::vector<Contrast>& into) const {
    const std::optional<std::string_view> groups[] = {"group", "others"};
    const Bytes both[] = {summaries_[contrast.group], others_[contrast.group]};
    const std::string name = labels.name(contrast.attribute);
    const std::string_view attributes[] = {name};
    query.groups = groups;
    query.summaries = both;
    query.attributes = attributes;
    query.baseline_group = groups[1];
    try {
        const auto rows = accessors::compare_groups({.labels = &labels}, query);
        for (std::size_t i = 0; i < rows->count(); ++i) {
            if (const auto value = number_in(*rows, i, "value"))
                contrast.value = static_cast<std::int32_t>(*value);
            contrast.estimate = number_in(*rows, i, "estimate").value_or(unknown);
            contrast.p_value = number_in(*rows, i, "p_value").value_or(unknown);
            into.push_back(contrast);
        }
        return true;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::unsupported) throw;
        return false;
    }
}

bool OtherGroups::add_median(const SummaryQuery& query, Contrast contrast,
                             std::vector<Contrast>& into) const {
    const SummaryView group = view_of(mechanism_, summaries_[contrast.group]),
                      others = view_of(mechanism_, others_[contrast.group]);
    const SummaryView of_group = part(group, contrast.attribute),
                      of_others = part(others, contrast.attribute);
    if (of_group.n > 0 && of_others.n > 0 && enough(of_group) && enough(of_others)) {
        const Difference found = difference_of_medians(group, others, contrast.attribute,
                                                       IntervalRule::of(query.confidence, false, false),
                                                       target_named(query.target));
        contrast.estimate = found.difference.value;
        contrast.p_value = found.p_value;
    }
    into.push_back(contrast);
    return true;
}

}  // namespace ldp
