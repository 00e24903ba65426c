#include "figures/estimate_figure.hpp"

#include <algorithm>
#include <functional>
#include <map>

namespace ldp::figures {

std::vector<const Row*> display_order(const Figure& figure) {
    std::vector<const Row*> rows;
    for (const Row& row : figure.rows) rows.push_back(&row);
    const auto size = [](double estimate) { return std::isnan(estimate) ? -HUGE_VAL : estimate; };
    if (figure.kind == Figure::Kind::category && !figure.ordered) {
        std::ranges::stable_sort(rows, std::ranges::greater{},
                                 [&](const Row* row) { return size(row->estimate); });
    } else if (figure.kind == Figure::Kind::comparison && figure.ordered) {
        std::ranges::stable_sort(rows, {}, &Row::at);
    } else if (figure.kind == Figure::Kind::comparison) {
        std::map<std::string, double> largest;
        for (const Row& row : figure.rows) {
            const auto [at, added] = largest.try_emplace(row.label, size(row.estimate));
            at->second = std::max(at->second, size(row.estimate));
        }
        std::ranges::stable_sort(rows, [&](const Row* one, const Row* other) {
            const double a = largest[one->label], b = largest[other->label];
            return a != b ? a > b : one->label < other->label;
        });
    }
    return rows;
}

bool axis_from_zero(const Figure& figure) {
    if (figure.shares) return true;
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Row& row : figure.rows)
        for (const double value : {row.estimate, row.lower, row.upper})
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
    return low >= 0 && low <= high / 2;
}

}  // namespace ldp::figures
