#include "core/mechanism/role/fields.hpp"

#include <algorithm>
#include <string_view>

#include "core/mechanism/role/registry.hpp"

namespace ldp {

void refuse_block(const std::string& what, const std::string& detail) {
    raise(ErrorCode::malformed, what, detail, "The bytes are damaged or forged.");
}

std::uint64_t take_number(Reader& reader, const char* what, std::uint64_t least, std::uint64_t most) {
    const auto found = reader.take<std::uint32_t>();
    if (found < least || found > most)
        refuse_block(std::string("the ") + what + " is out of range",
                     "Found " + std::to_string(found) + "; allowed are " + std::to_string(least) + " to " +
                         std::to_string(most) + ".");
    return found;
}

bool takes_missing_numbers(const MechanismEntry& entry) noexcept {
    return std::ranges::any_of(entry.options, [](const Option& option) {
        return option.name == std::string_view(response_rate_option.name);
    });
}

bool takes_circular_numbers(const MechanismEntry& entry) noexcept {
    return entry.purpose == Purpose::direction;
}

bool suits_number(const MechanismEntry& entry, const Attribute& attribute) noexcept {
    if (attribute.circular != takes_circular_numbers(entry)) return false;
    // The trees over the points of a range have one more position for a missing number.
    const bool tree = entry.purpose == Purpose::distribution && entry.responses.name == nullptr;
    const bool only = takes_missing_numbers(entry);
    return may_be_missing(attribute) ? only || tree : !only;
}

void write_domain(const Settings& settings, Writer& writer) {
    writer.put(static_cast<std::uint32_t>(settings.attributes()[0].domain));
}

std::uint64_t take_domain(Reader& reader, std::uint64_t most) {
    return take_number(reader, "domain size", 2, most);
}

std::uint64_t read_domain(Reader& reader, std::uint64_t most) {
    const std::uint64_t k = take_domain(reader, most);
    reader.finish();
    return k;
}

double widest_half(std::span<const Range> ranges) noexcept {
    double widest = 0;
    for (const Range& range : ranges) widest = std::max(widest, range.half());
    return widest;
}

void write_range(Writer& writer, const Range& range) {
    writer.put(range.min);
    writer.put(range.max);
}

Range read_range(Reader& reader) {
    const auto min = reader.take<double>();
    const auto max = reader.take<double>();
    if (!(min < max && max - min <= 1e300)) refuse_block("the declared range is empty or infinite");
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
