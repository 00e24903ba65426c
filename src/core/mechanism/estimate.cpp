#include "core/mechanism/estimate.hpp"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <limits>

#include "core/base/error.hpp"
#include "core/base/text.hpp"

namespace ldp {

double reach(double confidence) {
    if (!(confidence > 0 && confidence < 1))
        throw Error(ErrorCode::invalid_value, "the confidence must lie between 0 and 1",
                    "Found " + shortest(confidence) + ".", "For a 95 % interval ask for 0.95.");
    return boost::math::quantile(boost::math::normal(), (1 + confidence) / 2);
}

Interval interval(const Estimate& estimate, double confidence) {
    const double z = reach(confidence);
    return {estimate.value - z * estimate.standard_error, estimate.value + z * estimate.standard_error};
}

std::vector<Estimate> PureProtocol::frequencies(std::span<const std::uint64_t> supports, std::uint64_t n,
                                                Target target) const {
    std::vector<Estimate> estimates(supports.size());
    const auto reports = static_cast<double>(n);
    for (std::size_t v = 0; v < supports.size(); ++v) {
        const double f = (static_cast<double>(supports[v]) / reports - q) / (p - q);
        const double inside = std::clamp(f, 0.0, 1.0);
        const double sampling = target == Target::population ? inside * (1 - inside) : 0;
        estimates[v] = {f, std::sqrt((n_variance(inside) + sampling) / reports)};
    }
    return estimates;
}

}  // namespace ldp
