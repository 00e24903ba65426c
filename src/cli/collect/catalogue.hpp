// The collections that the endpoint offers, and what it makes of a batch before anything is stored.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "cli/collect/request_target.hpp"
#include "core/base/bytes.hpp"
#include "core/mechanism/mechanism.hpp"

namespace ldp::collect {

/// A collection as it was when the server was last asked. Immutable: threads share it.
struct CatalogEntry {
    std::string name;
    std::string table;  ///< with its schema, quoted as SQL needs it
    std::string fingerprint;
    std::string created;  ///< as an HTTP date
    std::string spec;     ///< what clients are given
    std::unique_ptr<const Mechanism> mechanism;
    std::string owner = {};  ///< of the table: the role whose triggers run
    /// The first and the last round that takes reports; nothing if the table does not bound them.
    std::optional<std::pair<std::int32_t, std::int32_t>> rounds = {};

    /// All but the mechanism, which follows from the spec.
    [[nodiscard]] bool same_as(const CatalogEntry& other) const;
    [[nodiscard]] bool takes(std::int32_t round) const noexcept {
        return !rounds || (rounds->first <= round && round <= rounds->second);
    }
};

/// The rounds that a table's CHECK "round_is_open" leaves open, as pg_get_constraintdef() writes it. Nothing
/// if the text has another form.
[[nodiscard]] std::optional<std::pair<std::int32_t, std::int32_t>> parse_rounds(std::string_view check);

using Catalog = std::map<std::string, std::shared_ptr<const CatalogEntry>, std::less<>>;

/// A batch that passed all checks that need no database, or an id that is to stand for none.
struct ReceivedBatch {
    std::shared_ptr<const CatalogEntry> to;
    std::int32_t round;
    std::string id;                    ///< what ldp_batch has in place of the client's id
    std::array<std::byte, 32> digest;  ///< and of its content
    std::string frame;                 ///< a batch (core/format/batch_frame.hpp); empty: void

    [[nodiscard]] Bytes bytes() const noexcept { return std::as_bytes(std::span(frame)); }
    [[nodiscard]] std::uint32_t reports() const noexcept;
};

/// Neither id nor digest can be computed without the client's id, which is not stored: so nobody who sees the
/// database can look for the reports that make a digest, and thereby find those of one request.
///
/// Throws Error (malformed) for octets that are no batch, and Error (incompatible) for one of another spec.
[[nodiscard]] ReceivedBatch received_batch(std::shared_ptr<const CatalogEntry> to, const Uuid& id,
                                           std::int32_t round, std::string frame);
/// The claim of an id for a batch that is never to be counted.
[[nodiscard]] ReceivedBatch void_batch(std::shared_ptr<const CatalogEntry> to, const Uuid& id);

}  // namespace ldp::collect
