#include "core/mechanism/grr/grr_analysis.hpp"

namespace ldp::grr {

// A report supports one value: of a person who holds t its weight is that of t with probability p, and of
// each other value with probability q.
double Analysis::n_variance_of_sum(std::span<const double> weights, std::span<const double> shares) const {
    const double p = parameters_.channel.p(), q = parameters_.channel.q();
    double sum = 0, squares = 0, variance = 0;
    for (const double weight : weights) sum += weight, squares += weight * weight;
    for (std::size_t t = 0; t < weights.size(); ++t) {
        const double mean = q * sum + (p - q) * weights[t];
        variance += shares[t] * (q * squares + (p - q) * weights[t] * weights[t] - mean * mean);
    }
    return variance / ((p - q) * (p - q));
}

Exact Analysis::probability(Input input, Bytes permanent) const {
    return exact(parameters_.channel.weight(input[0], load_cell(permanent.data(), parameters_.width)),
                 parameters_.channel.total());
}

// Each input has one likely output and k−1 unlikely ones, all rows being permutations of one another: for
// k ≥ 2 the pair (x, x'≠x) at the output x attains high/low, and no weight is smaller or larger.
Exact Analysis::worst_ratio() const {
    return exact(parameters_.channel.worst_ratio().high, parameters_.channel.worst_ratio().low);
}

}  // namespace ldp::grr
