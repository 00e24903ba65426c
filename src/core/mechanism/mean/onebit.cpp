// The one-bit mean of telemetry (Ding, Kulkarni, Yekhanin 2017) on [0,m]: 1 with probability 1/(e+1) +
// (x/m)·(e−1)/(e+1), e = exp(ε); the mean is (m/n)·Σ (bit·(e+1) − 1)/(e−1).
//
// With x = m(t+1)/2, t ∈ [−1,1], that probability is 1/2 + (t/2)(e−1)/(e+1) = 1/2 + t/(2B): duchi's, on a
// range that starts at 0. And (bit·(e+1) − 1)/(e−1) = (1 ± B)/2 is duchi's ±B, scaled to [0,1].
//
// With "report_epsilon", the bit is memoized for the value (which the client rounds: α-point rounding) and
// flipped again each time it is sent. This is the source's output perturbation, with the probability at which
// one report has ε₁.
//
// parameters: as of any number, then, if there are two layers, ε₁ (8 bytes)

#include "core/channel/binary.hpp"
#include "core/mechanism/frequency/second_layer.hpp"
#include "core/mechanism/mean/two_layers.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::onebit {

namespace {

constexpr Option options[] = {grid_option, second_layer_option};

void write(const Settings& settings, Writer& writer) {
    NumericMean::write(onebit_randomizer, settings, writer);
    write_second_layer(settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    auto [channel, range, cells] = NumericMean::take(onebit_randomizer, reader, header);
    const double report_epsilon = take_second_layer(reader, header);
    if (report_epsilon == header.epsilon)
        return std::make_unique<NumericMean>(header, block, std::move(channel), range, cells);
    const BinaryChannel kept(channel->steps(), header.epsilon);
    const SymmetricChannel sent(2, second_odds(kept.odds(), 2, report_epsilon));
    return std::make_unique<TwoLayerMean<BinaryChain>>(header, block, BinaryChain(kept, sent), range, cells,
                                                       report_epsilon);
}

}  // namespace

const MechanismEntry entry(
    15, onebit_randomizer.name, "one bit of a number from 0 up",
    "a single yes or no, drawn by chance; the larger your number is, the more often it is yes",
    Shape::one_numeric, 1, write, load, {.options = options, .settle = settle_second_layer});

}  // namespace ldp::onebit
