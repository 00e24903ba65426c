#include "core/mechanism/joint/view_weights.hpp"

#include <algorithm>
#include <cmath>

#include "core/channel/subset_channel.hpp"

namespace ldp::joint {

ViewKind kind_of_view(const ViewAttributes& view, const std::vector<std::uint64_t>& sizes) {
    std::uint64_t cells = 1;
    for (const std::size_t j : view.all()) cells *= sizes[j];  // at most 2^39
    return {cells, view.count};
}

namespace {

/// n·Var of Σ g·share per unit of Σ g² for equally frequent cells. After both layers, a report has the
/// probabilities of one layer at ε₁, so that the variance is that of grr or oue.
double contrast_of_values(double cells, double report_epsilon) {
    const double more = std::expm1(report_epsilon);
    return (more + cells) / (more * more) + (more + cells) / (more * cells);
}

double contrast_of_bits(double cells, double report_epsilon) {
    const double more = std::expm1(report_epsilon);
    return 4 * (more + 1) / (more * more) + 2 / cells;
}

}  // namespace

bool reports_bits(std::uint64_t cells, double report_epsilon) {
    const auto k = static_cast<double>(cells);
    return contrast_of_bits(k, report_epsilon) < contrast_of_values(k, report_epsilon);
}

double promised_cell(std::uint64_t cells, const ViewEpsilon& of) {
    const auto k = static_cast<double>(cells);
    const double others = 1 - 1 / k;
    if (of.first != 0)
        return std::min(contrast_of_bits(k, of.first), contrast_of_values(k, of.first)) * others;
    return SubsetChannel(cells, SubsetChannel::best_size(of.epsilon, cells), of.epsilon).contrast() * others;
}

double assignment_weight(const ViewKind& kind, const ViewEpsilon& of, bool ranges) {
    const auto [cells, attributes] = kind;
    if (!ranges) return std::sqrt(promised_cell(cells, of));
    const double box = std::exp2(-static_cast<double>(attributes));
    return std::sqrt(promised_cell(cells, of) * static_cast<double>(cells) * box * (1 - box));
}

}  // namespace ldp::joint
