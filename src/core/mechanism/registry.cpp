#include "core/mechanism/registry.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/mechanism.hpp"

namespace ldp {

std::span<const MechanismEntry* const> registry() noexcept {
    static constexpr const MechanismEntry* entries[] = {
        &grr_entry,         &oue_entry,         &piecewise_entry, &pdp_entry,          &haar_entry,
        &sue_entry,         &subset_entry,      &blh_entry,       &olh_entry,          &hadamard_entry,
        &projective_entry,  &rappor_entry,      &laplace_entry,   &duchi_entry,        &onebit_entry,
        &hybrid_entry,      &square_wave_entry, &sampled_entry,   &duchi_vector_entry, &haar_ordered_entry,
        &haar_ranges_entry, &l_grr_entry,       &l_sue_entry,     &l_oue_entry,        &loloha_entry,
        &dbitflip_entry,    &ddrm_entry,        &optimal_entry,   &exponential_entry,  &tree_entry,
        &joint_entry,       &gaussian_entry,
    };
    return entries;
}

const MechanismEntry* find_mechanism(std::string_view name) noexcept {
    const auto found = std::ranges::find(registry(), name, &MechanismEntry::name);
    return found == registry().end() ? nullptr : *found;
}

const MechanismEntry* find_mechanism(std::uint8_t id) noexcept {
    const auto found = std::ranges::find(registry(), id, &MechanismEntry::id);
    return found == registry().end() ? nullptr : *found;
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
