// Records of batches, and tokens. A claim records a batch for the current transaction. One claim and a group of claims
// are decided by the same code.
#pragma once

#include "collection/session_plans.hpp"

namespace ldp {

enum class ClaimResult : std::uint8_t {
    fresh,            ///< recorded, and its token redeemed
    repeated,         ///< counted before, with the same content
    other_batch,      ///< counted before with other content
    token_missing,    ///< the collection requires a token
    several_reports,  ///< a token admits one report
    token_unknown,    ///< the token is unknown or redeemed
};

/// A batch to be claimed, as PostgreSQL's values, none of which is NULL.
struct Claim {
    Datum batch, reports, digest;
    StatementParameter token;
    ClaimResult result;
    std::int64_t counted;  ///< number of reports of the recorded batch, for `other_batch`
};

/// The collection and the submitter of claims.
struct ClaimOwner {
    StatementParameter collection;
    StatementParameter submitter;  ///< the name in the records
    bool tokens;                   ///< whether the collection requires tokens
};

/// Decides the claims and sets their results: records those that are new, and redeems their tokens. If another
/// transaction claims the same batch or redeems the same token, waits until that transaction ends. Sorts the claims by
/// batch, so that two transactions with the same batches wait in the same order. A batch that is refused for its token is
/// not recorded. Must be called between SPI_connect() and SPI_finish(). May jump.
void claim_together(const ClaimOwner& owner, Claim* claims, std::size_t count);

/// The same for one claim. Returns whether it is new, and raises an error if it is refused.
[[nodiscard]] bool claim_alone(const ClaimOwner& owner, Claim claim);

/// The text of a result for the endpoint: 'new', 'repeated', or the SQLSTATE of the error of claim_alone().
[[nodiscard]] const char* result_text(ClaimResult result) noexcept;

}  // namespace ldp
