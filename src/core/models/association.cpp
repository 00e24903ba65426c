#include "core/models/association.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/text.hpp"
#include "core/groups/difference.hpp"
#include "core/math/statistics.hpp"
#include "core/models/contingency.hpp"

namespace ldp {

namespace {

/// Sets the adjusted p-values.
void adjust(std::vector<Association>& all) {
    std::vector<double> p_values;
    p_values.reserve(all.size());
    for (const Association& one : all) p_values.push_back(one.p_value);
    const std::vector<double> adjusted = holm_adjusted(p_values);
    for (std::size_t i = 0; i < all.size(); ++i)
        if (!std::isnan(adjusted[i])) all[i].adjusted = adjusted[i];
}

}  // namespace

std::vector<Association> associations(const Measured& measured, double confidence) {
    const double critical_value = ldp::critical_value(confidence);
    std::vector<Association> found =
        std::visit([&](const auto& all) { return associated(all, critical_value); }, measured);
    adjust(found);
    return found;
}

std::vector<std::vector<std::size_t>> learnt_views(std::span<const Association> found, std::size_t attributes,
                                                   double significance) {
    if (!(significance >= 0 && significance <= 1))
        raise(ErrorCode::invalid_value, "the significance of a pair must be between 0 and 1",
              "Found " + shortest(significance) + ".", "The usual value is 0.05.");
    std::vector<std::vector<std::size_t>> views, pairs;
    std::vector<bool> paired(attributes);
    for (const Association& one : found)
        if (one.adjusted < significance) {
            pairs.push_back({one.first, one.second});
            paired[one.first] = paired[one.second] = true;
        }
    for (std::size_t a = 0; a < attributes; ++a)
        if (!paired[a]) views.push_back({a});
    views.insert(views.end(), pairs.begin(), pairs.end());
    return views;
}

}  // namespace ldp
