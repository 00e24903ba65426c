#include "core/tables/scaling.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/tables/pooled.hpp"

namespace ldp {

Scaling::Scaling(std::span<const std::size_t> attributes, std::span<const std::uint64_t> sizes,
                 std::vector<Table> margins)
    : margins_(std::move(margins)) {
    for (const Table& margin : margins_) cells_.push_back(runs_of(attributes, sizes, margin.attributes));
}

Scaling::MarginCells Scaling::runs_of(std::span<const std::size_t> attributes,
                                      std::span<const std::uint64_t> sizes,
                                      std::span<const std::size_t> margin) {
    const auto kept = [&](std::size_t number) {
        return std::ranges::binary_search(margin, attributes[number]);
    };
    std::size_t leading = attributes.size(), kept_last = 0, length = 1;
    const bool rising = kept(leading - 1);
    while (leading > 0 && kept(leading - 1) == rising) {
        length *= sizes[--leading];
        kept_last += rising ? 1 : 0;
    }
    MarginCells all{
        length, rising,
        cells_of(attributes.first(leading), sizes.first(leading), margin.first(margin.size() - kept_last))};
    if (rising)
        for (std::uint32_t& start : all.starts) start *= static_cast<std::uint32_t>(length);
    return all;
}

double Scaling::sweep(std::vector<double>& shares, double step) const {
    double worst = 0;
    std::vector<double> factors;
    for (std::size_t m = 0; m < margins_.size(); ++m) {
        const std::vector<double>& wanted = margins_[m].shares;
        const auto& [length, rising, starts] = cells_[m];
        factors.assign(wanted.size(), 0);
        // Each factor adds its cells in their order.
        for_each_index(starts.size(), [&](std::size_t run) {
            const double* share = shares.data() + run * length;
            double* factor = factors.data() + starts[run];
            if (rising) {
                for (std::size_t i = 0; i < length; ++i) factor[i] += share[i];
            } else {
                double sum = *factor;
                for (std::size_t i = 0; i < length; ++i) sum += share[i];
                *factor = sum;
            }
        });
        double off = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            off += std::abs(wanted[i] - factors[i]);
            if (factors[i] > 0)
                factors[i] = step == 1 ? wanted[i] / factors[i] : std::pow(wanted[i] / factors[i], step);
        }
        for_each_index(starts.size(), [&](std::size_t run) {
            double* share = shares.data() + run * length;
            const double* factor = factors.data() + starts[run];
            if (rising) {
                for (std::size_t i = 0; i < length; ++i) share[i] = scaled(share[i], factor[i]);
            } else {
                const double same = *factor;
                for (std::size_t i = 0; i < length; ++i) share[i] = scaled(share[i], same);
            }
        });
        worst = std::max(worst, off);
    }
    return worst;
}

void Scaling::settle(std::vector<double>& shares) const {
    constexpr std::size_t most = 500;
    for (std::size_t i = 0; i < most && sweep(shares, scaling_step(i)) > 1e-9; ++i) {
    }
    // A partial step does not preserve the total of a margin.
    double sum = 0;
    for (const double share : shares) sum += share;
    if (sum > 0)
        for (double& share : shares) share /= sum;
}

double scaling_step(std::size_t sweep) {
    constexpr double whole = 20;
    return std::min(1.0, whole / static_cast<double>(sweep + 1));
}

}  // namespace ldp
