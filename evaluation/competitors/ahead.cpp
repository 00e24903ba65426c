#include <algorithm>
#include <bit>

#include "competitors.hpp"
#include "unary_reports.hpp"

namespace evaluation {

namespace {

/// A node of a level: its values, first to end − 1, and its children among the next level's nodes. A node
/// that is not split has itself as its only child.
struct Branch {
    std::size_t first, end, child, children;
    double share, variance;
};

std::vector<std::uint64_t> counted(std::span<const std::uint32_t> people, const std::vector<Branch>& level) {
    std::vector<std::uint64_t> held(level.size());
    for (const std::uint32_t value : people) {
        const auto after = std::ranges::upper_bound(level, value, {}, &Branch::first);
        ++held[static_cast<std::size_t>(after - level.begin()) - 1];
    }
    return held;
}

}  // namespace

std::vector<double> ahead(Held people, std::size_t k, double epsilon, std::mt19937_64& random) {
    std::ranges::shuffle(people, random);
    const auto depth = static_cast<std::size_t>(std::countr_zero(k));
    const std::size_t each = people.size() / depth;
    std::vector<std::vector<Branch>> levels;
    for (std::size_t l = 0; l < depth; ++l) {
        std::vector<Branch>& level = levels.emplace_back();
        const double variance = unary_variance(epsilon, static_cast<double>(each));
        if (l == 0) {
            level = {{0, k / 2, 0, 0, 0, variance}, {k / 2, k, 0, 0, 0, variance}};
        } else {
            const double split = std::sqrt(3 * variance);
            for (Branch& parent : levels[l - 1]) {
                parent.child = level.size();
                const std::size_t middle = (parent.first + parent.end) / 2;
                if (parent.share > split && parent.end - parent.first > 1) {
                    level.push_back({parent.first, middle, 0, 0, 0, variance});
                    level.push_back({middle, parent.end, 0, 0, 0, variance});
                } else {
                    level.push_back({parent.first, parent.end, 0, 0, 0, variance});
                }
                parent.children = level.size() - parent.child;
            }
        }
        const auto own = std::span(people).subspan(l * each, each);
        std::vector<double> shares = unary_shares(counted(own, level), epsilon, random);
        norm_sub(shares, 1);
        for (std::size_t i = 0; i < level.size(); ++i) level[i].share = shares[i];
    }
    for (std::size_t l = depth - 1; l-- > 0;)
        for (Branch& parent : levels[l]) {
            double share = 0, variance = 0;
            for (std::size_t c = parent.child; c < parent.child + parent.children; ++c) {
                share += levels[l + 1][c].share;
                variance += levels[l + 1][c].variance;
            }
            const double own = variance / (variance + parent.variance);
            parent.share = own * parent.share + (1 - own) * share;
            parent.variance = own * parent.variance;
        }
    // Down again, so that a range is the same sum whichever nodes make it up.
    double all = 0;
    for (const Branch& top : levels[0]) all += top.share;
    for (Branch& top : levels[0]) top.share += (1 - all) / static_cast<double>(levels[0].size());
    for (std::size_t l = 0; l + 1 < depth; ++l)
        for (const Branch& parent : levels[l]) {
            double share = 0;
            for (std::size_t c = parent.child; c < parent.child + parent.children; ++c)
                share += levels[l + 1][c].share;
            for (std::size_t c = parent.child; c < parent.child + parent.children; ++c)
                levels[l + 1][c].share += (parent.share - share) / static_cast<double>(parent.children);
        }
    std::vector<double> shares(k);
    for (const Branch& leaf : levels.back())
        for (std::size_t v = leaf.first; v < leaf.end; ++v)
            shares[v] = leaf.share / static_cast<double>(leaf.end - leaf.first);
    return shares;
}

}  // namespace evaluation
