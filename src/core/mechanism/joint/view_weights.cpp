#include "core/mechanism/joint/view_weights.hpp"

#include <cmath>

#include "core/channel/subset_channel.hpp"

namespace ldp::joint {

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

}  // namespace ldp::joint
