#include "core/tables/scaling.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/interrupt.hpp"
#include "core/tables/pooled.hpp"

namespace ldp {

Scaling::Scaling(std::span<const std::size_t> attributes, std::span<const std::uint64_t> sizes,
                 std::vector<Table> margins)
    : margins_(std::move(margins)) {
    for (const Table& margin : margins_) cells_.push_back(cells_of(attributes, sizes, margin.attributes));
}

double Scaling::sweep(std::vector<double>& shares, double step) const {
    double worst = 0;
    std::vector<double> factors;
    for (std::size_t m = 0; m < margins_.size(); ++m) {
        const std::vector<double>& wanted = margins_[m].shares;
        const std::vector<std::uint32_t>& cells = cells_[m];
        factors.assign(wanted.size(), 0);
        for_each_index(cells.size(), [&](std::size_t cell) { factors[cells[cell]] += shares[cell]; });
        double off = 0;
        for (std::size_t i = 0; i < wanted.size(); ++i) {
            off += std::abs(wanted[i] - factors[i]);
            if (factors[i] > 0)
                factors[i] = step == 1 ? wanted[i] / factors[i] : std::pow(wanted[i] / factors[i], step);
        }
        for_each_index(cells.size(),
                       [&](std::size_t cell) { shares[cell] = scaled(shares[cell], factors[cells[cell]]); });
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
