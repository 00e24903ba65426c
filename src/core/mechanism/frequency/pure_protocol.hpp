// Estimation in pure protocols (Wang, Blocki, Li, Jha 2017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/role/estimate.hpp"

namespace ldp {

/// A pure protocol: a report supports its true value with probability p, any other with probability q.
struct PureProtocol {
    double p;
    double q;

    /// Returns n·Var of an estimated frequency with true value f: the randomizer's part.
    [[nodiscard]] double n_variance(double f) const noexcept {
        return (f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) * (p - q));
    }
    /// Returns the unbiased frequency of a value that `support` of n reports support.
    [[nodiscard]] Estimate frequency(std::uint64_t support, std::uint64_t n, Target target) const noexcept;
    /// Returns the frequencies of all values from the number of reports that support each.
    [[nodiscard]] std::vector<Estimate> frequencies(std::span<const std::uint64_t> supports, std::uint64_t n,
                                                    Target target) const;
};

}  // namespace ldp
