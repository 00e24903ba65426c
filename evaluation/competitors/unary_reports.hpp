// Optimized unary encoding of nodes, counted (Wang, Blocki, Li, Jha 2017).
#pragma once

#include <cmath>
#include <random>
#include <span>
#include <vector>

namespace evaluation {

/// The variance of a node's share that few people hold, from n reports.
[[nodiscard]] inline double unary_variance(double epsilon, double n) {
    const double e = std::exp(epsilon);
    return 4 * e / ((e - 1) * (e - 1) * n);
}

/// Unbiased shares of nodes, from one report of each person: `held` people are at each node. The bits of a
/// node are independent, so that their sum is drawn at once.
[[nodiscard]] inline std::vector<double> unary_shares(std::span<const std::uint64_t> held, double epsilon,
                                                      std::mt19937_64& random) {
    const double p = 0.5, q = 1 / (std::exp(epsilon) + 1);
    std::uint64_t n = 0;
    for (const std::uint64_t people : held) n += people;
    std::vector<double> shares;
    for (const std::uint64_t people : held) {
        std::binomial_distribution<std::uint64_t> own(people, p), others(n - people, q);
        const auto ones = static_cast<double>(own(random) + others(random));
        shares.push_back((ones / static_cast<double>(n) - q) / (p - q));
    }
    return shares;
}

/// The nearest shares that are not negative and sum up to `sum` (norm-sub).
inline void norm_sub(std::span<double> shares, double sum) {
    for (bool again = true; again;) {
        double all = 0, positive = 0;
        for (double& share : shares) {
            share = std::max(share, 0.0);
            all += share;
            positive += share > 0;
        }
        if (positive == 0) {
            for (double& share : shares) share = sum / static_cast<double>(shares.size());
            return;
        }
        again = false;
        for (double& share : shares) {
            if (share <= 0) continue;
            share += (sum - all) / positive;
            again = again || share < 0;
        }
    }
}

}  // namespace evaluation
