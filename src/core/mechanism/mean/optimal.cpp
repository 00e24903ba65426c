// The warped window: least variance of one number, where it is largest or on average over the range. It is
// the window of pdp and piecewise over 95 outputs, placed and read as a convex program says (see
// warp_design.hpp). Its source is the linear program over all unbiased ε-LDP channels, whose solutions are
// such windows; we know of no publication of it.

#include "core/mechanism/entries.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"

namespace ldp {

namespace {

constexpr const char* aims[] = {"worst", "average"};
constexpr Option options[] = {grid_option, {.name = "target", .choices = aims, .optional = true}};

void write(const Settings& settings, Writer& writer) {
    const bool average = settings.word("target") == aims[1];
    NumericMean::write(average ? average_randomizer : optimal_randomizer, settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    return NumericMean::load(optimal_randomizer, header, block);
}

}  // namespace

const MechanismEntry optimal_entry{
    28, optimal_randomizer.name, "warped window", Shape::one_numeric, 1, true, options, write, load};

}  // namespace ldp
