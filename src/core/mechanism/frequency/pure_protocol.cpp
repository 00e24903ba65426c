#include "core/mechanism/frequency/pure_protocol.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"

namespace ldp {

Estimate PureProtocol::frequency(std::uint64_t support, std::uint64_t n, Target target) const noexcept {
    const auto reports = static_cast<double>(n);
    const double f = (static_cast<double>(support) / reports - q) / (p - q);
    const double inside = std::clamp(f, 0.0, 1.0);
    const double sampling = target == Target::population ? inside * (1 - inside) : 0;
    return {f, std::sqrt((n_variance(inside) + sampling) / reports)};
}

std::vector<Estimate> PureProtocol::frequencies(std::span<const std::uint64_t> supports, std::uint64_t n,
                                                Target target) const {
    // The vector is not zero-filled, since touching millions of entries for the first time dominates the run
    // time.
    std::vector<Estimate> estimates;
    estimates.reserve(supports.size());
    for_each_index(supports.size(),
                   [&](std::size_t v) { estimates.push_back(frequency(supports[v], n, target)); });
    return estimates;
}

}  // namespace ldp
