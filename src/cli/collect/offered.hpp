// The collections that the endpoint offers, and what it makes of a batch before anything is stored.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "cli/collect/target.hpp"
#include "core/base/bytes.hpp"
#include "core/mechanism/mechanism.hpp"

namespace ldp::collect {

/// A collection as it was when the server was last asked. Immutable: threads share it.
struct Offered {
    std::string name;
    std::string table;  ///< quoted as SQL needs it
    bool batches;       ///< whether its rows hold batches
    std::string fingerprint;
    std::string created;  ///< as an HTTP date
    std::string spec;     ///< what clients are given
    std::unique_ptr<const Mechanism> mechanism;
};

using Catalog = std::map<std::string, std::shared_ptr<const Offered>, std::less<>>;

/// A batch that passed all checks that need no database, or an id that is to stand for none.
struct Submission {
    std::shared_ptr<const Offered> to;
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
[[nodiscard]] Submission submission(std::shared_ptr<const Offered> to, const Uuid& id, std::int32_t round,
                                    std::string frame);
/// The claim of an id for a batch that is never to be counted.
[[nodiscard]] Submission void_submission(std::shared_ptr<const Offered> to, const Uuid& id);

}  // namespace ldp::collect
