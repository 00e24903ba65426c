#include "core/mechanism/joint/view_choice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/interrupt.hpp"
#include "core/channel/subset_channel.hpp"

namespace ldp::joint {

namespace {

/// Assumed squared Cramér's V of two attributes, and of the interaction of three attributes beyond their
/// pairs, before any report exists.
constexpr double squared_v_of_pairs = 0.05, squared_v_of_triples = 0.01;

double product_of_sizes(const ViewAttributes& set, const std::vector<std::uint64_t>& sizes) {
    double cells = 1;
    for (const std::size_t j : set.all()) cells *= static_cast<double>(sizes[j]);
    return cells;
}

}  // namespace

ViewKind kind_of_view(const ViewAttributes& view, const std::vector<std::uint64_t>& sizes) {
    std::uint64_t cells = 1;
    for (const std::size_t j : view.all()) cells *= sizes[j];  // at most 2^39
    return {cells, view.count};
}

double promised_cell(std::uint64_t cells, double epsilon) {
    const SubsetChannel channel(cells, SubsetChannel::best_size(epsilon, cells), epsilon);
    return channel.contrast() * (1 - 1 / static_cast<double>(cells));
}

double assignment_weight(const ViewKind& kind, double epsilon, bool ranges) {
    const auto [cells, attributes] = kind;
    if (!ranges) return std::sqrt(promised_cell(cells, epsilon));
    const double box = std::exp2(-static_cast<double>(attributes));
    return std::sqrt(promised_cell(cells, epsilon) * static_cast<double>(cells) * box * (1 - box));
}

std::vector<ViewAttributes> subsets_of(const ViewAttributes& set) {
    std::vector<ViewAttributes> all;
    for (unsigned bits = 1; bits < 1U << set.count; ++bits) {
        ViewAttributes& subset = all.emplace_back();
        for (std::size_t i = 0; i < set.count; ++i)
            if ((bits >> i & 1) != 0) subset.numbers[subset.count++] = set.numbers[i];
    }
    return all;
}

std::vector<ViewAttributes> with_the_others(std::vector<ViewAttributes> named, std::uint64_t d) {
    std::vector<bool> seen(d);
    for (const ViewAttributes& set : named)
        for (const std::size_t j : set.all()) seen[j] = true;
    for (const ViewAttributes& alone : all_views(d, 1))
        if (!seen[alone.numbers[0]]) named.push_back(alone);
    return named;
}

ExpectedErrors::ExpectedErrors(std::vector<std::uint64_t> sizes, double epsilon, bool ranges,
                               const std::vector<ViewAttributes>& views, double people)
    : sizes_(std::move(sizes)) {
    struct WeightedVariance {
        double weight, variance;
    };
    std::map<ViewKind, WeightedVariance> kinds;
    double all = 0;
    Work work;
    for (const ViewAttributes& view : views) {
        const ViewKind kind = kind_of_view(view, sizes_);
        work.done(100);
        const auto [at, fresh] = kinds.try_emplace(kind);
        if (fresh) {
            const auto cells = static_cast<double>(kind.first);
            at->second = {assignment_weight(kind, epsilon, ranges), promised_cell(kind.first, epsilon)};
            at->second.variance /= 1 - 1 / cells;
        }
        all += at->second.weight;
    }
    for (const ViewAttributes& view : views) {
        const auto [weight, variance] = kinds.at(kind_of_view(view, sizes_));
        const double cells = product_of_sizes(view, sizes_);
        work.done(100);
        for (const ViewAttributes& effect : subsets_of(view))
            precision_[effect] +=
                people * weight / all / (variance * cells / product_of_sizes(effect, sizes_));
    }
}

// An effect of some of the attributes is spread evenly over the cells of the others. With the assumed V and
// equal shares, its squares add up to V²·(k − 1)/cells, where k is the smallest number of values.
double ExpectedErrors::of(const ViewAttributes& asked) const {
    const double cells = product_of_sizes(asked, sizes_);
    double squares = 0;
    for (const ViewAttributes& effect : subsets_of(asked)) {
        double directions = 1, least = std::numeric_limits<double>::infinity();
        for (const std::size_t j : effect.all()) {
            directions *= static_cast<double>(sizes_[j] - 1);
            least = std::min(least, static_cast<double>(sizes_[j] - 1));
        }
        const auto found = precision_.find(effect);
        const bool known = found != precision_.end();
        if (!known && effect.count < 3) return std::numeric_limits<double>::infinity();
        const double noise =
            known ? directions / found->second * product_of_sizes(effect, sizes_) / cells : 0;
        if (effect.count == 1) {
            squares += noise;
            continue;
        }
        const double size = (effect.count == 2 ? squared_v_of_pairs : squared_v_of_triples) * least / cells;
        squares += known ? size * noise / (size + noise) : size;
    }
    return std::sqrt(2 / std::numbers::pi) * std::sqrt(cells * squares) / 2;
}

double ExpectedErrors::of(const std::vector<ViewAttributes>& asked) const {
    double sum = 0;
    Work work;
    for (const ViewAttributes& set : asked) {
        work.done(100);
        sum += of(set);
    }
    return sum / static_cast<double>(asked.size());
}

}  // namespace ldp::joint
