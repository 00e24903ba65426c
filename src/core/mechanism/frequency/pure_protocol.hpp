// The arithmetic that all frequency oracles have in common (Wang, Blocki, Li, Jha 2017).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/mechanism/estimate.hpp"

namespace ldp {

/// A pure protocol: a report supports its true value with probability p, any other with probability q.
struct PureProtocol {
    double p;
    double q;

    /// n·Var of an estimated frequency whose true value is f: the randomizer's part.
    [[nodiscard]] double n_variance(double f) const noexcept {
        return (f * p * (1 - p) + (1 - f) * q * (1 - q)) / ((p - q) * (p - q));
    }
    /// The unbiased frequency of a value that so many of n reports support.
    [[nodiscard]] Estimate frequency(std::uint64_t support, std::uint64_t n, Target target) const noexcept;
    /// Those of all values, from how many of n reports support each value.
    [[nodiscard]] std::vector<Estimate> frequencies(std::span<const std::uint64_t> supports, std::uint64_t n,
                                                    Target target) const;
};

}  // namespace ldp
