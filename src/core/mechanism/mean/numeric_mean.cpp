#include "core/mechanism/mean/numeric_mean.hpp"

#include "core/base/error.hpp"

namespace ldp {

std::span<const Quantity> NumericMean::answers() const noexcept {
    static constexpr Quantity quantities[] = {Quantity::means};
    return quantities;
}

void NumericMean::write(const NumericRandomizer& randomizer, const Settings& settings, double epsilon,
                        Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    if (randomizer.from_zero && attribute.min != 0)
        raise(ErrorCode::invalid_spec, std::string(randomizer.name) + " takes a range with \"min\": 0",
              "The range of \"" + attribute.name + "\" does not begin at 0.",
              "Measure from the least value, or use duchi, the same channel on any range.");
    const ChannelSize size = channel_size(randomizer, epsilon, settings.number("grid"));
    write_channel(writer, size);
    write_readings(writer, randomizer.response, size);
    write_range(writer, {attribute.min, attribute.max});
}

NumericMean::Parameters NumericMean::take(const NumericRandomizer& randomizer, Reader& reader,
                                          const Header& header) {
    ChannelSize size = read_channel(reader);
    read_readings(reader, randomizer.response, size);
    auto channel = make_channel(randomizer.response, size, header.epsilon);
    const Range range = read_range(reader);
    if (randomizer.from_zero && range.min != 0)
        raise(ErrorCode::malformed, "the declared range does not begin at 0", {},
              "The bytes were damaged or forged.");
    return {std::move(channel), range};
}

std::unique_ptr<const Mechanism> NumericMean::load(const NumericRandomizer& randomizer, const Header& header,
                                                   Bytes block) {
    Reader reader(block.subspan(header_size));
    auto [channel, range] = take(randomizer, reader, header);
    reader.finish();
    return std::make_unique<NumericMean>(header, block, std::move(channel), range);
}

}  // namespace ldp
