#include "core/mechanism/mean/rounded_numbers.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/base/error.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"

namespace ldp {

void RoundedSteps::check(const Header& header) const {
    if (cells == 0 || (header.kept && cells <= steps)) return;
    refuse_block("the rounding is out of range",
                 "Found " + std::to_string(cells) + " cells of " + std::to_string(steps) + " grid steps.");
}

double RoundedSteps::deviation(double half_range) const noexcept {
    if (cells == 0) return 0;
    if (cells == 1) return std::numeric_limits<double>::infinity();
    // The ends of cells are grid points, so that a cell may be up to a step longer.
    const std::uint32_t longest = (steps + cells - 1) / cells;
    return half_range * static_cast<double>(longest) / static_cast<double>(steps);
}

std::uint32_t rounding_cells(const Settings& settings) {
    if (std::ranges::none_of(settings.attributes(), &Attribute::evolving)) return 0;
    try {
        return static_cast<std::uint32_t>(
            std::min<std::uint64_t>(settings.number(rounding_cells_option), RoundedSteps::most_cells));
    } catch (const std::out_of_range&) {
        return 0;  // the settings of a candidate, which are not those of a spec
    }
}

double rounding_deviation(const Mechanism& mechanism, std::size_t attribute) {
    if (!mechanism.header().kept) return 0;
    const RecordPart one = part_of(mechanism, attribute);
    return one.mechanism->rounding_deviation(attribute - one.first);
}

bool rounds_numbers(const Mechanism& mechanism) {
    if (!mechanism.header().kept) return false;
    if (find_capability<Record>(mechanism) == nullptr) return rounding_deviation(mechanism, 0) > 0;
    return std::ranges::any_of(
        parts_of(mechanism), [](const RecordPart& one) { return rounding_deviation(*one.mechanism, 0) > 0; });
}

}  // namespace ldp
