// The collections that the endpoint serves, and the validation of batches before they are stored.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/collect/request_target.hpp"
#include "core/base/bytes.hpp"
#include "core/delivery/column_values.hpp"
#include "core/delivery/public_values.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace ldp::collect {

/// A collection as of the last query of the catalog. Immutable, so threads can share it.
struct CatalogEntry {
    std::string name;
    std::string table;  ///< qualified name, quoted for SQL
    std::string fingerprint;
    std::string created;  ///< as an HTTP date
    std::string spec;     ///< as published for clients
    std::unique_ptr<const Mechanism> mechanism;
    std::string owner = {};  ///< owner of the table, whose triggers run
    /// The first and the last open round; empty if the table does not bound them.
    std::optional<std::pair<std::int32_t, std::int32_t>> rounds = {};
    std::vector<PublicColumn> columns = {};  ///< that the role may fill
    std::string texts = {};                  ///< a digest of the texts in the spec; empty without texts
    std::string history = {};                ///< the id of the history of the database

    /// Compares all members except the mechanism, which follows from the spec.
    [[nodiscard]] bool same_as(const CatalogEntry& other) const;
    [[nodiscard]] bool takes(std::int32_t round) const noexcept {
        return !rounds || (rounds->first <= round && round <= rounds->second);
    }
};

/// Returns the first and last open round from the table's CHECK "round_is_open", as pg_get_constraintdef()
/// formats it; nothing if the text has another form.
[[nodiscard]] std::optional<std::pair<std::int32_t, std::int32_t>> parse_rounds(std::string_view check);

using Catalog = std::map<std::string, std::shared_ptr<const CatalogEntry>, std::less<>>;

/// A batch that passed all checks outside the database, or an id to be revoked.
struct ReceivedBatch {
    std::shared_ptr<const CatalogEntry> to;
    std::int32_t round;
    std::string id;                    ///< the id stored in ldp_batch, a hash of the client's id
    std::array<std::byte, 32> digest;  ///< the digest stored in ldp_batch, of the client's id and the content
    std::string frame;                 ///< a batch (core/format/batch_frame.hpp); empty: a revoked id
    PublicValues columns = {};         ///< public columns of its reports, without the token
    std::optional<std::array<std::byte, 32>> token = {};  ///< digest of the token
    std::optional<ColumnValues> asked = {};  ///< if set, no batch: values of a public column to be checked

    [[nodiscard]] Bytes bytes() const noexcept { return std::as_bytes(std::span(frame)); }
    [[nodiscard]] std::uint32_t reports() const noexcept;
};

/// Returns the validated batch of a request. Its id and digest are hashes of the client's id, which is not
/// stored. Therefore a reader of the database cannot search for reports that match a digest, and thereby find
/// the reports of one request.
///
/// The digest covers the public columns, with which the body begins if `columned` (columned_batch_type), and the token, which
/// is one of them.
/// Throws Error (malformed) if the bytes are not a batch, Error (incompatible) for a batch of another spec,
/// and Error (invalid_value) for public columns that the collection does not have.
[[nodiscard]] ReceivedBatch received_batch(std::shared_ptr<const CatalogEntry> to, const Uuid& id,
                                           std::int32_t round, std::string body, bool columned = false);
/// Returns the revocation of an id: a claim without reports, so that its batch is never counted.
[[nodiscard]] ReceivedBatch void_batch(std::shared_ptr<const CatalogEntry> to, const Uuid& id);
/// Returns a check of the values in a JSON text (ColumnValues), which stores nothing. Throws Error (malformed) for another
/// text, and Error (invalid_value) for a column that the collection does not have.
[[nodiscard]] ReceivedBatch value_check(std::shared_ptr<const CatalogEntry> to, std::string_view json);

}  // namespace ldp::collect
