#include "core/mechanism/mean/numeric_card.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/channel/hybrid.hpp"
#include "core/channel/laplace.hpp"
#include "core/mechanism/vector/runs.hpp"

namespace ldp {

void write_channel(Writer& writer, const NumericCard& card, double epsilon, std::uint64_t steps) {
    writer.put(static_cast<std::uint32_t>(steps));
    writer.put(static_cast<std::uint32_t>(card.width(epsilon, steps)));
}

ChannelSize read_channel(Reader& reader) {
    const auto steps = reader.take<std::uint32_t>();
    const auto width = reader.take<std::uint32_t>();
    return {steps, width};
}

std::unique_ptr<const NumericChannel> make_channel(Response response, const ChannelSize& size,
                                                   double epsilon) {
    const auto [steps, width] = size;
    const bool windowed =
        response == Response::window || (response == Response::hybrid && epsilon > hybrid_threshold);
    if (steps < 2 || steps > max_grid || (windowed ? width < 1 || width > 4 * max_grid : width != 0))
        throw Error(
            ErrorCode::malformed, "the window is out of range",
            "Found " + std::to_string(steps) + " grid steps and a window of " + std::to_string(width) + ".",
            "The bytes were damaged or forged.");
    switch (response) {
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
    throw Error(ErrorCode::malformed, "unknown response to a number", {},
                "Newer clients need a newer server extension.");
}

void write_range(Writer& writer, const Range& range) {
    writer.put(range.min);
    writer.put(range.max);
}

Range read_range(Reader& reader) {
    const auto min = reader.take<double>();
    const auto max = reader.take<double>();
    if (!(min < max && max - min <= 1e300))
        throw Error(ErrorCode::malformed, "the declared range is empty or infinite", {},
                    "The bytes were damaged or forged.");
    return {min, max};
}

void write_ranges(Writer& writer, const std::vector<Attribute>& attributes) {
    std::vector<Range> ranges(attributes.size());
    std::ranges::transform(attributes, ranges.begin(), [](const Attribute& attribute) {
        return Range{attribute.min, attribute.max};
    });
    write_runs<std::uint32_t>(writer, ranges, write_range);
}

std::vector<Range> read_ranges(Reader& reader, std::size_t d) {
    return read_runs<std::uint32_t>(reader, d, read_range);
}

}  // namespace ldp
