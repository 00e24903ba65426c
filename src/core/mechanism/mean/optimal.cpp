// The warped window: the channel for one number with the smallest variance, in the worst case or on average
// over the range. It is the window of pdp and piecewise over 95 outputs. A convex program determines its
// positions and decoded values (see warp_design.hpp). It is derived from the linear program over all unbiased
// ε-LDP channels, whose solutions are such windows; we know of no publication of it.
//
// With "report_epsilon", the output is memoized for the value and sometimes replaced by another one when it is
// sent. The replacement is symmetric, so that the report is a window again. Its decoded values are the best
// for ε₁.
//
// parameters: as of any number, then, if there are two layers, ε₁ (8 bytes)

#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/mean/two_layers.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::optimal {

namespace {

constexpr const char* aims[] = {"worst", "average"};
constexpr Option options[] = {
    grid_option, {.name = "criterion", .choices = aims, .optional = true}, second_layer_option};

void write(const Settings& settings, Writer& writer) {
    const bool average = settings.word("criterion") == aims[1];
    const double first = settings.real(second_layer_option.name);
    NumericMean::write(average ? average_randomizer : optimal_randomizer, settings,
                       first != 0 ? first : settings.epsilon(), writer);
    write_second_layer(settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    auto [channel, range, cells] = NumericMean::take(optimal_randomizer, reader, header);
    const double report_epsilon = take_second_layer(reader, header);
    if (report_epsilon == header.epsilon)
        return std::make_unique<NumericMean>(header, block, std::move(channel), range, cells);
    const auto& kept = static_cast<const WarpedChannel&>(*channel);
    const SymmetricChannel sent(kept.outputs(),
                                second_odds(kept.odds(), kept.outputs(), report_epsilon, kept.width()));
    return std::make_unique<TwoLayerMean<WarpedChain>>(header, block, WarpedChain(kept, sent), range, cells,
                                                       report_epsilon);
}

}  // namespace

const MechanismEntry entry(
    28, optimal_randomizer.name, "warped window",
    "one of a few dozen numbers, drawn by chance, more often one that is near your own", Shape::one_numeric,
    1, write, load, {.automatic = true, .options = options, .settle = settle_second_layer});

}  // namespace ldp::optimal
