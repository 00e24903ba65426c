#include "core/mechanism/registry.hpp"

#include <algorithm>

#include "core/base/error.hpp"
#include "core/mechanism/entries.hpp"
#include "core/mechanism/mechanism.hpp"

namespace ldp {

std::span<const MechanismEntry* const> registry() noexcept {
    static constexpr const MechanismEntry* entries[] = {
        &grr::entry,
        &oue::entry,
        &piecewise::entry,
        &pdp::entry,
        &haar::entry,
        &sue::entry,
        &subset::entry,
        &blh::entry,
        &olh::entry,
        &hadamard::entry,
        &projective::entry,
        &rappor::entry,
        &laplace::entry,
        &duchi::entry,
        &onebit::entry,
        &hybrid::entry,
        &square_wave::entry,
        &sampled::entry,
        &duchi_vector::entry,
        &haar_ordered::entry,
        &haar_ranges::entry,
        &l_grr::entry,
        &l_sue::entry,
        &l_osue::entry,
        &loloha::entry,
        &dbitflip::entry,
        &ddrm::entry,
        &optimal::entry,
        &exponential::entry,
        &tree::entry,
        &joint::entry,
        &gaussian::entry,
        &joint_haar::entry,
        &strings::entry,
        &threshold_series::entry,
        &dithered::entry,
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
