#include "cli/collect/catalogue.hpp"

#include <algorithm>
#include <charconv>

#include "core/base/sha256.hpp"
#include "core/summary/batch.hpp"

namespace ldp::collect {

namespace {

std::array<std::byte, 32> digest_of(const Uuid& id, std::string_view what, Bytes content) {
    Sha256 hash;
    hash.add(Bytes(id));
    hash.add(what);
    hash.add(content);
    return hash.digest();
}

/// A UUID of version 8 (RFC 9562), whose bits an application defines.
std::string stored_id(const Uuid& id) {
    const auto digest = digest_of(id, "id", {});
    Uuid stored;
    std::copy_n(digest.begin(), stored.size(), stored.begin());
    stored[6] = (stored[6] & std::byte{0x0F}) | std::byte{0x80};
    stored[8] = (stored[8] & std::byte{0x3F}) | std::byte{0x80};
    return uuid_text(stored);
}

}  // namespace

bool CatalogEntry::same_as(const CatalogEntry& other) const {
    return name == other.name && table == other.table && fingerprint == other.fingerprint &&
           created == other.created && owner == other.owner && rounds == other.rounds;
}

std::optional<std::pair<std::int32_t, std::int32_t>> parse_rounds(std::string_view check) {
    constexpr std::string_view call = "ldp_check_round(round, ";
    const std::size_t begin = check.find(call);
    if (begin == std::string_view::npos) return {};
    check.remove_prefix(begin + call.size());
    std::int32_t bounds[2];
    for (std::size_t i = 0; i < 2; ++i) {
        // A negative number is written '-1'::integer.
        const bool quoted = check.starts_with('\'');
        if (quoted) check.remove_prefix(1);
        const auto [end, error] = std::from_chars(check.data(), check.data() + check.size(), bounds[i]);
        if (error != std::errc{}) return {};
        check.remove_prefix(static_cast<std::size_t>(end - check.data()));
        const std::string after = std::string(quoted ? "'::integer" : "") + (i == 0 ? ", " : ")");
        if (!check.starts_with(after)) return {};
        check.remove_prefix(after.size());
    }
    return std::pair{bounds[0], bounds[1]};
}

std::uint32_t ReceivedBatch::reports() const noexcept {
    return frame.empty() ? 0 : batch_frame(*to->mechanism).count(bytes());
}

ReceivedBatch received_batch(std::shared_ptr<const CatalogEntry> to, const Uuid& id, std::int32_t round,
                             std::string frame) {
    const Mechanism& mechanism = *to->mechanism;
    const Bytes bytes = std::as_bytes(std::span(frame));
    (void)read_header(bytes, Kind::batch);
    if (!begins_with_block(bytes, mechanism.block())) raise_incompatible(mechanism.block(), bytes);
    check_batch(mechanism, bytes);
    const auto digest = digest_of(id, "round " + std::to_string(round) + ":", bytes);
    return {std::move(to), round, stored_id(id), digest, std::move(frame)};
}

ReceivedBatch void_batch(std::shared_ptr<const CatalogEntry> to, const Uuid& id) {
    return {std::move(to), 0, stored_id(id), digest_of(id, "void", {}), {}};
}

}  // namespace ldp::collect
