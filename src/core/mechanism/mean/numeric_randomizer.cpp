#include "core/mechanism/mean/numeric_randomizer.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/channel/hybrid_channel.hpp"
#include "core/channel/laplace_channel.hpp"

// The randomizers of haar have these windows, too, also where the mechanisms of the literature are left out.
namespace ldp::piecewise {

std::uint64_t width(double epsilon, std::uint64_t steps) {
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(static_cast<double>(steps) * std::exp(-epsilon / 2))));
}

}  // namespace ldp::piecewise

namespace ldp::hybrid {

std::uint64_t width(double epsilon, std::uint64_t steps) {
    return epsilon > hybrid_threshold ? piecewise::width(epsilon, steps) : 0;
}

}  // namespace ldp::hybrid

namespace ldp {

ChannelSize channel_size(const NumericRandomizer& randomizer, double epsilon, std::uint64_t steps) {
    ChannelSize size{static_cast<std::uint32_t>(steps),
                     static_cast<std::uint32_t>(randomizer.width(epsilon, steps))};
    if (randomizer.response == Response::optimal) {
        const Warp warp = design_warp(epsilon, randomizer.aim);
        size.width = warp.width;
        size.decoded_values = warp.decoded_values;
    }
    return size;
}

void write_channel(Writer& writer, const ChannelSize& size) {
    writer.put(size.steps);
    writer.put(size.width);
}

void write_readings(Writer& writer, Response response, const ChannelSize& size) {
    if (response != Response::optimal) return;
    for (const std::uint8_t reading : size.decoded_values) writer.put(reading);
}

ChannelSize read_channel(Reader& reader) {
    const auto steps = reader.take<std::uint32_t>();
    const auto width = reader.take<std::uint32_t>();
    return {steps, width};
}

void read_readings(Reader& reader, Response response, ChannelSize& size) {
    if (response != Response::optimal) return;
    for (std::uint8_t& reading : size.decoded_values) reading = reader.take<std::uint8_t>();
}

std::unique_ptr<const NumericChannel> make_channel(Response response, const ChannelSize& size,
                                                   double epsilon) {
    const auto& [steps, width, decoded_values] = size;
    const bool windowed =
        response == Response::window || (response == Response::hybrid && epsilon > hybrid_threshold);
    const bool warped = response == Response::optimal;
    const Warp warp{static_cast<std::uint8_t>(width), decoded_values};
    if (steps < 2 || steps > max_grid ||
        (warped     ? width != warp.width || !warp.valid()
         : windowed ? width < 1 || width > 4 * max_grid
                    : width != 0))
        refuse_block(
            "the window is out of range",
            "Found " + std::to_string(steps) + " grid steps and a window of " + std::to_string(width) + ".");
    switch (response) {
        case Response::optimal:
            return std::make_unique<WarpedChannel>(steps, warp, epsilon);
        case Response::window:
            return std::make_unique<WindowChannel>(steps, width, epsilon);
        case Response::laplace:
            return std::make_unique<LaplaceChannel>(steps, epsilon);
        case Response::hybrid:
            if (windowed) return std::make_unique<HybridChannel>(steps, width, epsilon);
            [[fallthrough]];
        case Response::duchi:
            return std::make_unique<BinaryChannel>(steps, epsilon);
    }
    raise(ErrorCode::malformed, "unknown response to a number", {},
          "Newer clients need a newer server extension.");
}

}  // namespace ldp
