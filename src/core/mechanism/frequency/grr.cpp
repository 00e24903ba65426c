#include "core/mechanism/frequency/grr.hpp"

#include "core/base/interrupt.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp {

// A report supports one value. For a user with value t, its weight is that of t with probability p, and
// that of each other value with probability q.
std::optional<double> Grr::n_variance_of_sum(std::span<const double> weights,
                                             std::span<const double> shares) const {
    const auto [p, q] = protocol();
    double sum = 0, squares = 0, variance = 0;
    for (const double weight : weights) sum += weight, squares += weight * weight;
    for_each_index(weights.size(), [&, p = p, q = q](std::size_t t) {
        const double mean = q * sum + (p - q) * weights[t];
        variance += shares[t] * (q * squares + (p - q) * weights[t] * weights[t] - mean * mean);
    });
    return variance / ((p - q) * (p - q));
}

}  // namespace ldp

namespace ldp::grr {

namespace {

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t k = read_domain(reader, Grr::max_domain);
    return std::make_unique<Grr>(header, block, k);
}

}  // namespace

const MechanismEntry entry(1, "grr", "generalized randomized response",
                           "your own answer or, by chance, another one", Shape::one_categorical,
                           Grr::max_domain, write_domain, load, {.automatic = true});

}  // namespace ldp::grr
