#include "haar.hpp"

#include <algorithm>
#include <bit>

namespace ldp {

HaarTree::HaarTree(std::size_t leaves)
    : leaves_(leaves), padded_(std::bit_ceil(leaves)), coefficient_(padded_, none) {
    reach_.push_back(static_cast<std::uint32_t>(leaves));
    // Node i of a level covers [i·width, (i+1)·width); leaves stand at its front, padding at its end.
    for (std::size_t nodes = 1, width = padded_; nodes < padded_; nodes *= 2, width /= 2) {
        for (std::size_t i = 0; i < nodes && i * width + width / 2 < leaves; ++i) {
            coefficient_[nodes + i] = static_cast<std::uint32_t>(reach_.size());
            reach_.push_back(static_cast<std::uint32_t>(std::min(width, leaves - i * width)));
        }
    }
}

void HaarTree::forward(std::span<const double> leaves, std::span<double> coefficients) const {
    std::vector<double> mean(2 * padded_);
    std::ranges::copy(leaves, mean.begin() + static_cast<std::ptrdiff_t>(padded_));
    for (std::size_t node = padded_; node-- > 1;) {
        const double left = mean[2 * node];
        const double right = mean[2 * node + 1];
        const std::uint32_t c = coefficient_[node];
        mean[node] = c == none ? left : (left + right) / 2;
        if (c != none) coefficients[c] = (left - right) / 2;
    }
    coefficients[0] = mean[1];
}

template <class Descend>
void HaarTree::descend(std::span<const double> coefficients, std::span<double> leaves, Descend step) const {
    std::vector<double> value(2 * padded_);
    value[1] = coefficients[0];
    for (std::size_t node = 1; node < padded_; ++node) {
        const std::uint32_t c = coefficient_[node];
        const double term = c == none ? 0 : coefficients[c];
        value[2 * node] = step(value[node], term, true);
        value[2 * node + 1] = step(value[node], term, false);
    }
    std::copy_n(value.begin() + static_cast<std::ptrdiff_t>(padded_), leaves_, leaves.begin());
}

void HaarTree::inverse(std::span<const double> coefficients, std::span<double> leaves) const {
    descend(coefficients, leaves,
            [](double parent, double detail, bool left) { return left ? parent + detail : parent - detail; });
}

void HaarTree::accumulate_paths(std::span<const double> terms, std::span<double> leaves) const {
    descend(terms, leaves, [](double parent, double term, bool) { return parent + term; });
}

}  // namespace ldp
