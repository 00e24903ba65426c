#include "core/choice/plan/planned_error.hpp"

#include <cmath>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/mechanism.hpp"
#include "core/summary/pooling.hpp"

namespace ldp {

double planned_error(const SummaryView& view, std::size_t attribute, double unit) {
    const SummaryView reported = part(view, attribute);
    double variance = view.mechanism->expected_variance(attribute);
    auto people = static_cast<double>(view.n);
    if (const auto* series = find_capability<SeriesRandomizer>(*reported.mechanism)) {
        people = static_cast<double>(reported.n) / series->reports_per_user();
        variance = reported.mechanism->expected_variance_of_part(0, reported.drawn);
    }
    const Estimate fresh{0, unit * std::sqrt(variance / people)};
    return Inflation(reported).inflated(fresh, fresh).standard_error;
}

}  // namespace ldp
