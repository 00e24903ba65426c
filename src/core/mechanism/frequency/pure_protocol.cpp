#include "core/mechanism/frequency/pure_protocol.hpp"

#include <algorithm>
#include <cmath>

namespace ldp {

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
