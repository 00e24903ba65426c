#include "cli/answers/clear_differences.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/math/statistics.hpp"
#include "core/mechanism/estimate.hpp"

namespace ldp::cli {

namespace {

/// The probability of a false clear difference, over all comparisons.
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

bool is_clear(const RowDifference& difference, std::size_t comparisons) {
    if (!(difference.error > 0) || !std::isfinite(difference.estimate)) return false;
    return two_sided(std::abs(difference.estimate / difference.error)) * static_cast<double>(comparisons) <
           significance;
}

void compare_groups(Figure& figure, double confidence) {
    std::vector<std::string> labels;
    for (const Row& row : figure.rows)
        if (std::ranges::find(labels, row.label) == labels.end()) labels.push_back(row.label);
    std::vector<std::pair<Row*, RowDifference>> found;
    std::size_t comparisons = 0;
    for (const std::string& label : labels) {
        std::vector<const Row*> rows;
        for (const Row& row : figure.rows)
            if (row.label == label) rows.push_back(&row);
        const std::size_t before = found.size();
        for (Row& row : figure.rows) {
            if (row.label != label || !std::isfinite(row.estimate)) continue;
            const Row others = others_of(rows, row, confidence);
            if (std::isfinite(others.estimate))
                found.emplace_back(&row, row_difference(row, others, confidence));
        }
        // Two groups have one difference.
        const std::size_t compared = found.size() - before;
        comparisons += compared == 2 ? 1 : compared;
    }
    for (const auto& [row, difference] : found)
        row->contrast = !is_clear(difference, comparisons) ? Contrast::unclear
                        : difference.estimate > 0          ? Contrast::above
                                                           : Contrast::below;
}

std::vector<Change> changes(const Figure& figure, double confidence) {
    std::vector<std::string> groups;
    for (const Row& row : figure.rows)
        if (std::ranges::find(groups, row.group) == groups.end()) groups.push_back(row.group);
    std::vector<Change> found;
    for (const std::string& group : groups) {
        Change change;
        for (const Row& row : figure.rows) {
            if (row.group != group || !std::isfinite(row.estimate)) continue;
            if (change.first == nullptr || row.at < change.first->at) change.first = &row;
            if (change.last == nullptr || row.at > change.last->at) change.last = &row;
        }
        if (change.first == change.last) change.first = change.last = nullptr;
        if (change.first != nullptr)
            change.difference = row_difference(*change.last, *change.first, confidence);
        found.push_back(change);
    }
    for (Change& change : found) change.clear = is_clear(change.difference, found.size());
    return found;
}

}  // namespace ldp::cli
