#include "core/math/haar_tree.hpp"

#include <algorithm>
#include <bit>

namespace ldp {

HaarTree::HaarTree(std::size_t leaves)
    : leaves_(leaves), padded_(std::bit_ceil(leaves)), coefficient_(padded_, none) {
    extents_.push_back({0, static_cast<std::uint32_t>(leaves), 0});
    // Node i of a level covers [i·width, (i+1)·width); leaves come first, padding last.
    for (std::size_t nodes = 1, width = padded_; nodes < padded_; nodes *= 2, width /= 2) {
        levels_.push_back(extents_.size());
        for (std::size_t i = 0; i < nodes && i * width + width / 2 < leaves; ++i) {
            coefficient_[nodes + i] = static_cast<std::uint32_t>(extents_.size());
            const std::size_t first = i * width, right = std::min(width, leaves - first) - width / 2;
            extents_.push_back({static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(width / 2),
                                static_cast<std::uint32_t>(right)});
        }
    }
    levels_.push_back(extents_.size());
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

void HaarTree::transpose(std::span<const double> leaf_weights, std::span<double> weights) const {
    std::vector<double> sum(2 * padded_);
    std::ranges::copy(leaf_weights, sum.begin() + static_cast<std::ptrdiff_t>(padded_));
    for (std::size_t node = padded_; node-- > 1;) {
        sum[node] = sum[2 * node] + sum[2 * node + 1];
        if (const std::uint32_t c = coefficient_[node]; c != none)
            weights[c] = sum[2 * node] - sum[2 * node + 1];
    }
    weights[0] = sum[1];
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

namespace {

// A coefficient's weight W_t in the sum of the first t leaves rises to `left` and falls to `left` − `right`.
// Its weight in the leaves from s to t is W_t − W_s. The mean square over all s < t follows from Σ_{s<t} (W_t
// − W_s)² = (d+1)·ΣW² − (ΣW)².
double mean_square_over_ranges(const HaarTree::Extent& extent, std::size_t leaves) {
    const double after = static_cast<double>(leaves) - extent.first - extent.left - extent.right;
    const double last = static_cast<double>(extent.left) - extent.right;
    double sum = after * last, squares = after * last * last, part = 0;
    for (std::uint32_t t = 0; t < extent.left + extent.right; ++t) {
        part += t < extent.left ? 1 : -1;
        sum += part;
        squares += part * part;
    }
    const auto d = static_cast<double>(leaves);
    return ((d + 1) * squares - sum * sum) / (d * (d + 1) / 2);
}

}  // namespace

std::vector<double> squared_needs(const HaarTree& tree, Aim aim) {
    std::vector<double> needs(tree.size());
    for (std::size_t c = 0; c < tree.size(); ++c) {
        const HaarTree::Extent& extent = tree.extent(c);
        const double share =
            (static_cast<double>(extent.left) - extent.right) / static_cast<double>(tree.size());
        needs[c] = aim == Aim::leaves ? static_cast<double>(tree.reach(c))
                   : aim == Aim::mean ? share * share
                                      : mean_square_over_ranges(extent, tree.size());
    }
    return needs;
}

}  // namespace ldp
