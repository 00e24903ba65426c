#include "cli/collect/catalogue.hpp"

#include <algorithm>
#include <charconv>

#include "client/in_quotes.hpp"
#include "client/store.hpp"
#include "core/base/error.hpp"
#include "core/base/sha256.hpp"
#include "core/base/text.hpp"
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

std::vector<std::string> names_of(const std::vector<PublicColumn>& columns) {
    std::vector<std::string> names;
    for (const PublicColumn& column : columns) names.push_back(in_quotes(column.name));
    return names;
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

/// Throws Error (invalid_value) if the collection has no such public column.
void need_column(const CatalogEntry& to, const std::string& name) {
    if (std::ranges::find(to.columns, name, &PublicColumn::name) == to.columns.end())
        raise(ErrorCode::invalid_value, "the collection has no public column " + in_quotes(name),
              "Its public columns are: " + joined(names_of(to.columns)) + ".",
              "The endpoint finds new columns after a few seconds.");
}

/// Removes the public columns from the beginning of a body, and returns them.
PublicValues take_public_values(std::string& body) {
    const std::size_t end = body.find('\n');
    if (end == std::string::npos)
        raise(ErrorCode::malformed, "the public columns of the batch are not terminated",
              "Expected a JSON object and a line feed before the batch.");
    PublicValues columns = PublicValues::from_json(std::string_view(body).substr(0, end));
    body.erase(0, end + 1);
    return columns;
}

}  // namespace

bool CatalogEntry::same_as(const CatalogEntry& other) const {
    return name == other.name && table == other.table && fingerprint == other.fingerprint &&
           created == other.created && owner == other.owner && rounds == other.rounds &&
           columns == other.columns && texts == other.texts && history == other.history;
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
                             std::string body, bool columned) {
    const Mechanism& mechanism = *to->mechanism;
    PublicValues columns = columned ? take_public_values(body) : PublicValues();
    Bytes bytes = std::as_bytes(std::span(body));
    if (is_short_batch(bytes)) {
        const std::vector<std::byte> whole = with_block(bytes, mechanism.block());
        body.assign(reinterpret_cast<const char*>(whole.data()), whole.size());
        bytes = std::as_bytes(std::span(body));
    }
    (void)read_header(bytes, Kind::batch);
    if (!begins_with_block(bytes, mechanism.block())) raise_incompatible(mechanism.block(), bytes);
    check_batch(mechanism, bytes);
    for (const auto& [name, value] : columns.values()) need_column(*to, name);
    const std::string public_part = columns.empty() ? "" : columns.json();
    const auto digest = digest_of(id, "round " + std::to_string(round) + ":" + public_part, bytes);
    std::optional<std::array<std::byte, 32>> token_digest;
    if (const auto token = columns.take(token_column))
        token_digest = sha256(std::as_bytes(std::span(*token)));
    return {std::move(to), round, stored_id(id), digest, std::move(body), std::move(columns), token_digest};
}

ReceivedBatch void_batch(std::shared_ptr<const CatalogEntry> to, const Uuid& id) {
    return {std::move(to), 0, stored_id(id), digest_of(id, "void", {}), {}};
}

ReceivedBatch value_check(std::shared_ptr<const CatalogEntry> to, std::string_view json) {
    ColumnValues asked = ColumnValues::from_json(json);
    need_column(*to, asked.column);
    const auto digest = digest_of(Uuid{}, "values", std::as_bytes(std::span(json)));
    return {std::move(to), 0, to_hex(digest), digest, {}, {}, {}, std::move(asked)};
}

}  // namespace ldp::collect
