#include "core/mechanism/role/registry.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/role/mechanism.hpp"

// A module without the mechanisms of the literature knows their names only.
#ifdef LDP_WITHOUT_LITERATURE
#define LDP_LITERATURE(name)
#else
#define LDP_LITERATURE(name) &name::entry,
#endif

namespace ldp {

std::span<const MechanismEntry* const> registry() noexcept {
    // clang-format off
    static constexpr const MechanismEntry* entries[] = {
        &grr::entry,
        LDP_LITERATURE(oue)
        LDP_LITERATURE(piecewise)
        &pdp::entry,
        &haar::entry,
        LDP_LITERATURE(sue)
        &subset::entry,
        LDP_LITERATURE(blh)
        &olh::entry,
        &hadamard::entry,
        &projective::entry,
        LDP_LITERATURE(rappor)
        LDP_LITERATURE(laplace)
        &duchi::entry,
        &onebit::entry,
        LDP_LITERATURE(hybrid)
        &square_wave::entry,
        &sampled::entry,
        &duchi_vector::entry,
        &haar_ordered::entry,
        &haar_ranges::entry,
        &l_grr::entry,
        LDP_LITERATURE(l_sue)
        &l_osue::entry,
        &loloha::entry,
        &dbitflip::entry,
        &ddrm::entry,
        &optimal::entry,
        &exponential::entry,
        &tree::entry,
        &joint::entry,
        LDP_LITERATURE(gaussian)
        &joint_haar::entry,
        &strings::entry,
        &threshold_series::entry,
        &dithered::entry,
        &optional_mean::entry,
        &label_sets::entry,
        &ball::entry,
        &means_by_group::entry,
        &ring::entry,
    };
    // clang-format on
    return entries;
}

bool is_left_out([[maybe_unused]] std::string_view name) noexcept {
#ifdef LDP_WITHOUT_LITERATURE
    constexpr std::string_view left_out[] = {"oue",     "piecewise", "sue",   "blh",     "rappor",
                                             "laplace", "hybrid",    "l_sue", "gaussian"};
    return std::ranges::find(left_out, name) != std::end(left_out);
#else
    return false;
#endif
}

const MechanismEntry* find_mechanism(std::string_view name) noexcept {
    const auto found = std::ranges::find(registry(), name, &MechanismEntry::name);
    return found == registry().end() ? nullptr : *found;
}

const MechanismEntry* find_mechanism(std::uint8_t id) noexcept {
    const auto found = std::ranges::find(registry(), id, &MechanismEntry::id);
    return found == registry().end() ? nullptr : *found;
}

const MechanismEntry& mechanism_for(Purpose purpose) noexcept {
    return **std::ranges::find(registry(), purpose, &MechanismEntry::purpose);
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
