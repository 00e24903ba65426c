#include "core/summary/part_means.hpp"

#include "core/base/unknown.hpp"
#include "core/mechanism/longitudinal/series.hpp"
#include "core/summary/summary.hpp"

namespace ldp {

std::vector<Estimate> means_of_part(const SummaryView& view, std::size_t attribute, Target target) {
    need_reports(view);
    check_no_series(*view.mechanism, attribute);
    const SummaryView one = part(view, attribute);
    if (!one.mechanism->can_estimate(Quantity::means)) return {};
    if (one.n == 0) return std::vector<Estimate>(one.mechanism->cells().size(), {unknown, unknown});
    return estimate(one, {Quantity::means, target});
}

}  // namespace ldp
