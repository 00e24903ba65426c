#include "core/format/header.hpp"

#include <string>

#include "core/base/error.hpp"
#include "core/format/budget_terms.hpp"

namespace ldp {

namespace {

constexpr std::size_t flags_offset = 3, min_group_offset = 6;
constexpr std::byte kept_flag{1};

[[noreturn]] void malformed(Kind kind, const std::string& detail) {
    raise(ErrorCode::malformed, std::string("these bytes are not an ldp ") + noun(kind), detail,
          "They are truncated or damaged, or do not come from ldp.");
}

}  // namespace

const char* noun(Kind kind) noexcept {
    constexpr const char* nouns[] = {"report", "summary", "batch"};
    return nouns[static_cast<std::size_t>(kind)];
}

Header unchecked_header(Bytes bytes) noexcept {
    const auto min_group = load<std::uint16_t>(bytes.data() + min_group_offset);
    return {{load<std::uint64_t>(bytes.data() + 8), (bytes[flags_offset] & kept_flag) != std::byte{0},
             min_group == 0 ? usual_min_group : min_group},
            kind_of(bytes),
            load<std::uint8_t>(bytes.data() + 2),
            load<std::uint16_t>(bytes.data() + block_size_offset),
            load<double>(bytes.data() + 16)};
}

void check_version(Bytes bytes) {
    const auto version = bytes.empty() ? format_version : load<std::uint8_t>(bytes.data());
    if (version != format_version)
        raise(ErrorCode::malformed, "unknown format version " + std::to_string(version),
              "This release reads version " + std::to_string(format_version) + ".",
              version < format_version ? "It was written by a development version before 1.0."
                                       : "Newer clients need a newer server extension.");
}

Header read_header(Bytes bytes, Kind kind) {
    if (bytes.size() < header_size)
        malformed(kind, "Found " + std::to_string(bytes.size()) + " bytes; the header alone has " +
                            std::to_string(header_size) + ".");
    check_version(bytes);
    if (kind_of(bytes) != kind) malformed(kind, std::string("They are not a ") + noun(kind) + ".");
    // The usual min_group is written as 0 alone, so that equal specs have equal blocks.
    if (!valid_flags(bytes[flags_offset]) ||
        load<std::uint16_t>(bytes.data() + min_group_offset) == usual_min_group)
        malformed(kind, "A reserved field has a value that is not defined.");
    const Header header = unchecked_header(bytes);
    if (header.block_size < header_size || header.block_size > max_block_size ||
        header.block_size > bytes.size())
        malformed(kind, "The parameter block states " + std::to_string(header.block_size) + " of " +
                            std::to_string(bytes.size()) + " bytes.");
    if (!(header.epsilon >= min_epsilon && header.epsilon <= max_epsilon))
        malformed(kind, "Epsilon is out of range.");
    return header;
}

std::vector<std::byte> make_block(std::uint8_t mechanism, const Terms& terms, double epsilon,
                                  Bytes parameters) {
    const std::size_t size = header_size + parameters.size();
    if (size > max_block_size)
        raise(ErrorCode::invalid_spec, "the spec needs more parameters than a report can carry",
              std::to_string(size) + " bytes are needed, " + std::to_string(max_block_size) + " are allowed.",
              "Put equal attributes next to each other, and use equal ranges for neighbouring coefficients: "
              "a run of equal values is stored once.");
    Writer writer;
    writer.put(format_version);
    writer.put(static_cast<std::uint8_t>(Kind::report));
    writer.put(mechanism);
    writer.put(static_cast<std::uint8_t>(terms.kept ? kept_flag : std::byte{0}));
    writer.put(static_cast<std::uint16_t>(size));
    writer.put(terms.min_group == usual_min_group ? std::uint16_t{0} : terms.min_group);
    writer.put(terms.fingerprint);
    writer.put(epsilon);
    std::vector<std::byte> block = std::move(writer.bytes());
    block.insert(block.end(), parameters.begin(), parameters.end());
    return block;
}

}  // namespace ldp
