#include "core/groups/measured/normal_mixture.hpp"

#include <cmath>
#include <numbers>

#include "core/base/square.hpp"
#include "core/math/statistics.hpp"

namespace ldp {

Estimate NormalMixture::moments() const {
    double mean = 0, variance = 0;
    for (const NormalPart& part : parts) mean += part.probability * part.mean;
    for (const NormalPart& part : parts)
        variance += part.probability * (square(part.deviation) + square(part.mean - mean));
    return {mean, std::sqrt(variance)};
}
// Newton's method between bounds.
double NormalMixture::quantile(double probability, const Estimate& moments) const {
    constexpr double wide = 40;
    double low = moments.value - wide * moments.standard_error,
           high = moments.value + wide * moments.standard_error;
    double at = moments.value;
    for (int step = 0; step < 60; ++step) {
        double below = -probability, density = 0;
        for (const NormalPart& part : parts) {
            const double z = (at - part.mean) / part.deviation;
            below += part.probability * (1 - one_sided(z));
            density += part.probability * std::exp(-z * z / 2) / part.deviation;
        }
        density /= std::sqrt(2 * std::numbers::pi);
        (below > 0 ? high : low) = at;
        const double next = at - below / density;
        const double move = next > low && next < high ? next - at : (low + high) / 2 - at;
        at += move;
        if (!(std::abs(move) > 1e-9 * moments.standard_error)) break;
    }
    return at;
}

}  // namespace ldp
