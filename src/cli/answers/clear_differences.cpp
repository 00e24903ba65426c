#include "cli/answers/clear_differences.hpp"

#include <algorithm>
#include <cmath>

#include "core/groups/difference.hpp"
#include "core/groups/independent.hpp"

namespace ldp::cli {

namespace {

/// The probability of a false clear difference, over all comparisons of a family.
constexpr double significance = 0.05;

BoundedEstimate bounded(const Row& row) {
    return {{row.estimate, row.error}, {row.lower, row.upper}};
}

}  // namespace

void join_two_groups(Figure& figure) {
    std::vector<GroupContrast> found;
    for (const GroupContrast& one : figure.contrasts) {
        const std::string& label = figure.rows[one.row].label;
        const auto rows = std::ranges::count(figure.rows, label, &Row::label);
        const auto first = std::ranges::find_if(
            found, [&](const GroupContrast& earlier) { return figure.rows[earlier.row].label == label; });
        if (rows == 2 && first != found.end())
            first->other = one.row;
        else
            found.push_back(one);
    }
    figure.contrasts = std::move(found);
}

void compare_rounds(Figure& figure) {
    std::vector<std::string> groups;
    for (const Row& row : figure.rows)
        if (std::ranges::find(groups, row.group) == groups.end()) groups.push_back(row.group);
    std::vector<LineChange> latest, whole;
    for (const std::string& group : groups) {
        std::vector<const Row*> line;
        for (const Row& row : figure.rows)
            if (row.group == group && std::isfinite(row.estimate)) line.push_back(&row);
        if (line.size() < 2) continue;
        std::ranges::stable_sort(line, {}, &Row::at);
        const auto change = [&](const Row& from) {
            const BoundedEstimate found = difference_of(bounded(*line.back()), bounded(from));
            return LineChange{group,
                              from.at,
                              line.back()->at,
                              found.estimate.value,
                              found.interval.lower,
                              found.interval.upper};
        };
        latest.push_back(change(*line[line.size() - 2]));
        if (line.size() > 2) whole.push_back(change(*line[0]));
    }
    figure.changes = std::move(latest);
    figure.changes.insert(figure.changes.end(), whole.begin(), whole.end());
}

bool is_latest(const Figure& figure, const LineChange& change) {
    return change.from == figure.changes.at(0).from;
}

void mark_clear(std::span<Section> sections) {
    struct Tested {
        double p_value;
        LineChange* change;
        Figure* figure;
        const GroupContrast* contrast;
        bool clear = false;
    };
    std::vector<Tested> latest, whole, groups;
    for (Section& section : sections)
        for (Figure& figure : section.figures) {
            for (LineChange& change : figure.changes)
                (is_latest(figure, change) ? latest : whole)
                    .push_back({change.p_value, &change, &figure, nullptr});
            for (const GroupContrast& contrast : figure.contrasts) {
                figure.rows[contrast.row].contrast = Contrast::unclear;
                if (contrast.other) figure.rows[*contrast.other].contrast = Contrast::unclear;
                groups.push_back({contrast.p_value, nullptr, &figure, &contrast});
            }
        }
    for (std::vector<Tested>* family : {&latest, &whole, &groups}) {
        adjust_by_holm<Tested>(
            *family, [](const Tested& one) { return one.p_value; },
            [](Tested& one, double adjusted) { one.clear = adjusted < significance; });
        for (const Tested& one : *family) {
            if (one.change != nullptr) one.change->clear = one.clear;
            if (!one.clear || one.contrast == nullptr) continue;
            const bool above = one.contrast->estimate > 0;
            one.figure->rows[one.contrast->row].contrast = above ? Contrast::above : Contrast::below;
            if (one.contrast->other)
                one.figure->rows[*one.contrast->other].contrast = above ? Contrast::below : Contrast::above;
        }
    }
}

}  // namespace ldp::cli
