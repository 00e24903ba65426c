#include "cli/answers/clear_differences.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/math/statistics.hpp"
#include "core/mechanism/estimate.hpp"

namespace ldp::cli {

namespace {

/// The probability of a false clear difference, over all comparisons of a family.
constexpr double significance = 0.05;

/// The estimate of all rows but one together, with weights in proportion to numbers of reports.
Row others_of(const std::vector<const Row*>& rows, const Row& one, double confidence) {
    double weights = 0, sum = 0, variance = 0;
    for (const Row* row : rows) {
        if (row == &one) continue;
        const double n = std::strtod(row->n.c_str(), nullptr), error = normal_error(*row, confidence);
        if (!(n > 0) || !std::isfinite(row->estimate) || !std::isfinite(error)) continue;
        weights += n;
        sum += n * row->estimate;
        variance += n * n * error * error;
    }
    if (weights == 0) return {};
    return {.estimate = sum / weights, .error = std::sqrt(variance) / weights};
}

}  // namespace

double normal_error(const Row& row, double confidence) {
    if (std::isfinite(row.error)) return row.error;
    const Interval unit = interval({0, 1}, confidence);
    return (row.upper - row.lower) / (unit.upper - unit.lower);
}

RowDifference row_difference(const Row& one, const Row& other, double confidence) {
    const double estimate = one.estimate - other.estimate;
    const double error = std::hypot(normal_error(one, confidence), normal_error(other, confidence));
    const Interval range = interval({estimate, error}, confidence);
    return {estimate, error, range.lower, range.upper};
}

double RowDifference::p_value() const noexcept {
    if (!(error > 0) || !std::isfinite(estimate)) return 1;
    return two_sided(std::abs(estimate / error));
}

void compare_groups(Figure& figure, double confidence) {
    std::vector<std::string> labels;
    for (const Row& row : figure.rows)
        if (std::ranges::find(labels, row.label) == labels.end()) labels.push_back(row.label);
    figure.contrasts.clear();
    for (const std::string& label : labels) {
        std::vector<const Row*> rows;
        for (const Row& row : figure.rows)
            if (row.label == label) rows.push_back(&row);
        std::vector<GroupContrast> found;
        for (const Row* row : rows) {
            if (!std::isfinite(row->estimate)) continue;
            const Row others = others_of(rows, *row, confidence);
            if (!std::isfinite(others.estimate)) continue;
            const RowDifference difference = row_difference(*row, others, confidence);
            found.push_back({static_cast<std::size_t>(row - figure.rows.data()),
                             {},
                             difference.estimate,
                             difference.p_value()});
        }
        if (found.size() == 2) {
            found[0].other = found[1].row;
            found.pop_back();
        }
        figure.contrasts.insert(figure.contrasts.end(), found.begin(), found.end());
    }
}

void compare_rounds(Figure& figure, double confidence) {
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
            const RowDifference found = row_difference(*line.back(), from, confidence);
            return LineChange{group,       from.at,     line.back()->at, found.estimate,
                              found.lower, found.upper, found.p_value()};
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
    };
    std::vector<Tested> latest, whole, groups;
    for (Section& section : sections)
        for (Figure& figure : section.figures) {
            for (LineChange& change : figure.changes) {
                change.clear = false;
                (is_latest(figure, change) ? latest : whole)
                    .push_back({change.p_value, &change, &figure, nullptr});
            }
            for (const GroupContrast& contrast : figure.contrasts) {
                figure.rows[contrast.row].contrast = Contrast::unclear;
                if (contrast.other) figure.rows[*contrast.other].contrast = Contrast::unclear;
                groups.push_back({contrast.p_value, nullptr, &figure, &contrast});
            }
        }
    for (std::vector<Tested>* family : {&latest, &whole, &groups}) {
        std::ranges::stable_sort(*family, {}, &Tested::p_value);
        for (std::size_t i = 0; i < family->size(); ++i) {
            const auto& [p_value, change, figure, contrast] = (*family)[i];
            if (!(p_value * static_cast<double>(family->size() - i) < significance)) break;
            if (change != nullptr) {
                change->clear = true;
                continue;
            }
            const bool above = contrast->estimate > 0;
            figure->rows[contrast->row].contrast = above ? Contrast::above : Contrast::below;
            if (contrast->other)
                figure->rows[*contrast->other].contrast = above ? Contrast::below : Contrast::above;
        }
    }
}

}  // namespace ldp::cli
