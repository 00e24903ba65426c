// Mixtures of normal distributions, of results that are averaged over an unknown variance.
#pragma once

#include <vector>

#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// A mixture of normal distributions. The probabilities add up to 1.
struct NormalMixture {
    struct NormalPart {
        double probability, mean, deviation;
    };
    std::vector<NormalPart> parts;

    /// Returns mean and standard deviation.
    [[nodiscard]] Estimate moments() const;
    /// Returns a quantile; `moments` are the moments of the mixture.
    [[nodiscard]] double quantile(double probability, const Estimate& moments) const;
};

}  // namespace ldp
