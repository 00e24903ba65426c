#include "core/mechanism/role/registry.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/role/mechanism.hpp"

// The table of mechanisms, in the order of their ids. LITERATURE mechanisms are kept for comparison only.
// clang-format off
#define LDP_MECHANISM_TABLE(COMMON, LITERATURE) \
    COMMON(grr) \
    LITERATURE(oue) \
    LITERATURE(piecewise) \
    COMMON(pdp) \
    COMMON(haar) \
    LITERATURE(sue) \
    COMMON(subset) \
    LITERATURE(blh) \
    COMMON(olh) \
    COMMON(hadamard) \
    COMMON(projective) \
    LITERATURE(rappor) \
    LITERATURE(laplace) \
    COMMON(duchi) \
    COMMON(onebit) \
    LITERATURE(hybrid) \
    COMMON(square_wave) \
    COMMON(sampled) \
    COMMON(duchi_vector) \
    COMMON(haar_ordered) \
    COMMON(haar_ranges) \
    COMMON(l_grr) \
    LITERATURE(l_sue) \
    COMMON(l_osue) \
    COMMON(loloha) \
    COMMON(dbitflip) \
    COMMON(ddrm) \
    COMMON(optimal) \
    COMMON(exponential) \
    COMMON(tree) \
    COMMON(joint) \
    LITERATURE(gaussian) \
    COMMON(joint_haar) \
    COMMON(strings) \
    COMMON(threshold_series) \
    COMMON(dithered) \
    COMMON(optional_mean) \
    COMMON(label_sets) \
    COMMON(ball) \
    COMMON(means_by_group) \
    COMMON(ring)
// clang-format on
#define LDP_ENTRY(name) &name::entry,
#define LDP_NAME(name) #name,
#define LDP_OMITTED(name)

namespace ldp {

#ifdef LDP_LINKED_MECHANISMS
// The list of a program for devices (LDP_MECHANISMS in capi/ldp_device.h), or of all mechanisms; it ends with null.
// Nothing else refers to the entries, so that the linker leaves out the mechanisms that are not listed.
extern "C" {
extern const MechanismEntry* const ldp_device_mechanisms[];
}

std::span<const MechanismEntry* const> registry() noexcept {
    std::size_t count = 0;
    while (ldp_device_mechanisms[count] != nullptr) ++count;
    return {ldp_device_mechanisms, count};
}
#else
std::span<const MechanismEntry* const> registry() noexcept {
    static constexpr const MechanismEntry* entries[] = {
#ifdef LDP_WITHOUT_LITERATURE
        LDP_MECHANISM_TABLE(LDP_ENTRY, LDP_OMITTED)
#else
        LDP_MECHANISM_TABLE(LDP_ENTRY, LDP_ENTRY)
#endif
    };
    return entries;
}
#endif

bool is_left_out([[maybe_unused]] std::string_view name) noexcept {
#if defined(LDP_LINKED_MECHANISMS)
    constexpr std::string_view known[] = {LDP_MECHANISM_TABLE(LDP_NAME, LDP_NAME)};
#elif defined(LDP_WITHOUT_LITERATURE)
    constexpr std::string_view known[] = {LDP_MECHANISM_TABLE(LDP_OMITTED, LDP_NAME)};
#else
    constexpr std::span<const std::string_view> known;
#endif
    return std::ranges::find(known, name) != std::end(known) && find_mechanism(name) == nullptr;
}

const MechanismEntry* find_mechanism(std::string_view name) noexcept {
    const auto found = std::ranges::find(registry(), name, &MechanismEntry::name);
    return found == registry().end() ? nullptr : *found;
}

const MechanismEntry* find_mechanism(std::uint8_t id) noexcept {
    const auto found = std::ranges::find(registry(), id, &MechanismEntry::id);
    return found == registry().end() ? nullptr : *found;
}

const MechanismEntry& mechanism_for(Purpose purpose) {
    const auto found = std::ranges::find(registry(), purpose, &MechanismEntry::purpose);
    if (found == registry().end())
        raise(ErrorCode::invalid_spec, "a mechanism for a part of the record is missing in this build",
              "A program for devices may list the mechanisms that it links.", "Add it to LDP_MECHANISMS.");
    return **found;
}

std::unique_ptr<const Mechanism> load_mechanism(Bytes bytes, Kind kind) {
    const Header header = read_header(bytes, kind);
    if (const MechanismEntry* entry = find_mechanism(header.mechanism))
        return entry->load(header, bytes.first(header.block_size));
    raise(ErrorCode::malformed, "unknown mechanism number " + std::to_string(header.mechanism), {},
          "Newer clients need a newer server extension.");
}

std::unique_ptr<const Mechanism> make_mechanism(const Settings& settings, const Terms& terms) {
    Writer parameters;
    settings.mechanism().write(settings, parameters);
    const std::vector<std::byte> block =
        make_block(settings.mechanism().id, terms, settings.epsilon(), parameters.bytes());
    return load_mechanism(block, Kind::report);
}

}  // namespace ldp
