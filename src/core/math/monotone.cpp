#include "core/math/monotone.hpp"

#include <algorithm>

#include "core/base/interrupt.hpp"

namespace ldp {

double place(std::span<const double> curve, double height) {
    const auto crossing = [&](auto bound) {
        if (bound == curve.begin()) return 0.0;
        if (bound == curve.end()) return static_cast<double>(curve.size() - 1);
        const double before = *(bound - 1);
        return static_cast<double>(bound - curve.begin()) - 1 + (height - before) / (*bound - before);
    };
    const auto last = std::ranges::upper_bound(curve, height);
    const auto first = std::ranges::lower_bound(curve, height);
    return (crossing(first) + crossing(last)) / 2;
}

std::vector<double> monotone(std::span<const double> curve, std::span<const double> weights) {
    struct MonotoneBlock {
        double sum, weight, mean;
        std::size_t size;
    };
    std::vector<MonotoneBlock> pools;
    pools.reserve(curve.size());
    Work work;
    for (std::size_t s = 0; s < curve.size(); ++s) {
        const double weight = weights.empty() ? 1 : weights[s];
        const double sum = curve[s] * weight;
        pools.push_back({sum, weight, sum / weight, 1});
        work.done();
        while (pools.size() > 1 && pools[pools.size() - 2].mean >= pools.back().mean) {
            const MonotoneBlock last = pools.back();
            pools.pop_back();
            MonotoneBlock& into = pools.back();
            into.sum += last.sum;
            into.weight += last.weight;
            into.mean = into.sum / into.weight;
            into.size += last.size;
        }
    }
    std::vector<double> level;
    level.reserve(curve.size());
    for (const MonotoneBlock& pool : pools) level.insert(level.end(), pool.size, pool.mean);
    return level;
}

std::vector<double> confined(std::vector<double> curve) {
    for (double& height : curve) height = std::clamp(height, 0.0, 1.0);
    curve.back() = 1;
    return curve;
}

}  // namespace ldp
