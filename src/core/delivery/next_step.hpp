// The rule of delivery: the next step after each reply to a request about a batch. Pure functions, which the
// clients in C++, C, JavaScript and Python share.
//
// A batch is submitted under its id until a reply is final. If the server rejects a batch, it rejects one attempt; an earlier
// attempt, whose reply was lost, may have been counted or may still be in progress. Therefore the client revokes the id next.
// Afterwards no attempt can be counted, and the reports can be sent in other batches.
#pragma once

#include <cstdint>
#include <string_view>

namespace ldp {

/// The outcome of a batch's delivery. The last three are certain: the batch was not counted.
enum class BatchOutcome : std::uint8_t {
    delivered = 0,  ///< counted by this attempt
    repeated = 1,   ///< counted by an earlier attempt
    later = 2,      ///< unknown: deliver the same batch again, under the same id
    refused = 3,    ///< the server refuses a report in it, now and later
    too_large = 4,  ///< too large as a whole; parts of it may be counted
    outdated = 5,   ///< its id was counted with other reports: the store is older than the server's record
};

/// A request about a batch.
enum class DeliveryRequest : std::uint8_t {
    submit = 0,  ///< POST of the batch, or its claim and insertion in one transaction
    revoke = 1,  ///< DELETE of the id, or its claim in a transaction that is rolled back
};

/// The next action of a client.
enum class DeliveryAction : std::uint8_t {
    settle = 0,  ///< none: the outcome is final
    repeat = 1,  ///< the same request again, after a pause
    revoke = 2,  ///< revoke the id, and keep the outcome for the step after that
    stop = 3,    ///< none now: the cause must be removed first; the batch stays queued
};

/// The meaning of one reply.
struct DeliveryReply {
    /// For a submission, the outcome of this attempt. For a revocation: `refused`, the id is void; `repeated`,
    /// reports were counted under the id; `outdated`, these reports differ from the batch; or `later`.
    BatchOutcome outcome;
    /// For `later`: whether a repetition may succeed without intervention. For `too_large`: whether the
    /// response has no receipt; then the batch is revoked after the second such response in a row.
    bool passing = false;
};

/// The next action, and the outcome, which is final if the action is `settle`, and otherwise is passed on.
struct DeliveryStep {
    DeliveryAction action;  ///< the next action
    BatchOutcome outcome;   ///< the outcome so far
};

/// The next step after a reply. `so_far` is the outcome of the preceding step: `later` for the first
/// submission, and for the first revocation the outcome that led to it.
[[nodiscard]] DeliveryStep next_step(DeliveryRequest request, BatchOutcome so_far,
                                     DeliveryReply reply) noexcept;

/// The meaning of an HTTP status; 0 means no response. `receipt` states whether the response has the receipt of this request
/// (delivery_receipt.hpp). A status that would settle a batch counts only with a receipt.
[[nodiscard]] DeliveryReply http_reply(DeliveryRequest request, unsigned status, bool receipt) noexcept;
/// The meaning of the status of a GET: `delivered` for 200 with a receipt, else `later`.
[[nodiscard]] DeliveryReply http_reply(unsigned status, bool receipt) noexcept;
/// Describes a response that does not come from the endpoint: a redirect, a login page, a page without a receipt. Empty for any
/// other response. The text is static and ends with a zero.
[[nodiscard]] std::string_view foreign_response(unsigned status, bool receipt) noexcept;
/// The hint for such a response. The text is static and ends with a zero.
[[nodiscard]] std::string_view foreign_hint() noexcept;

/// The meaning of an SQLSTATE (appendix A of PostgreSQL's manual; class LD is this project's, doc/sql.md).
/// "00000" stands for success; `fresh` then states whether the claim was new. "" stands for a lost connection.
[[nodiscard]] DeliveryReply sql_reply(DeliveryRequest request, std::string_view sqlstate,
                                      bool fresh) noexcept;

/// A batch id that was counted with other reports.
inline constexpr std::string_view sqlstate_outdated = "LD001";
/// A new batch without a valid token: the token is missing, unknown or redeemed, or the batch has several reports.
inline constexpr std::string_view sqlstate_token = "LD003";
/// A row for which no partition exists yet, for example while partitions are being added.
inline constexpr std::string_view sqlstate_no_partition = "LD002";

}  // namespace ldp
