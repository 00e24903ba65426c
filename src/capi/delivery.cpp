#include <cstring>

#include "capi/c_boundary.hpp"
#include "core/base/sha256.hpp"
#include "core/delivery/delivery_receipt.hpp"
#include "core/delivery/next_step.hpp"

using namespace ldp;
using namespace ldp::capi;

static_assert(LDP_DELIVERED == static_cast<int>(BatchOutcome::delivered) &&
              LDP_REPEATED == static_cast<int>(BatchOutcome::repeated) &&
              LDP_LATER == static_cast<int>(BatchOutcome::later) &&
              LDP_REFUSED == static_cast<int>(BatchOutcome::refused) &&
              LDP_TOO_LARGE == static_cast<int>(BatchOutcome::too_large) &&
              LDP_OUTDATED == static_cast<int>(BatchOutcome::outdated));
static_assert(LDP_SUBMIT == static_cast<int>(DeliveryRequest::submit) &&
              LDP_REVOKE == static_cast<int>(DeliveryRequest::revoke));
static_assert(LDP_SETTLE == static_cast<int>(DeliveryAction::settle) &&
              LDP_REPEAT == static_cast<int>(DeliveryAction::repeat) &&
              LDP_THEN_REVOKE == static_cast<int>(DeliveryAction::revoke) &&
              LDP_STOP == static_cast<int>(DeliveryAction::stop));

namespace {

DeliveryRequest request_of(ldp_request request) noexcept {
    return request == LDP_REVOKE ? DeliveryRequest::revoke : DeliveryRequest::submit;
}

/// A status that no answer has settles nothing.
unsigned status_of(int status) noexcept {
    return status < 0 ? 0 : static_cast<unsigned>(status);
}

ldp_action step(DeliveryRequest request, DeliveryReply reply, ldp_outcome* outcome) noexcept {
    const bool known = outcome != nullptr && *outcome >= LDP_DELIVERED && *outcome <= LDP_OUTDATED;
    const auto so_far = known ? static_cast<BatchOutcome>(*outcome) : BatchOutcome::later;
    const DeliveryStep next = next_step(request, so_far, reply);
    if (outcome != nullptr) *outcome = static_cast<ldp_outcome>(next.outcome);
    return static_cast<ldp_action>(next.action);
}

}  // namespace

ldp_action ldp_http_step(ldp_request request, int status, int receipt, ldp_outcome* outcome) {
    const DeliveryRequest asked = request_of(request);
    return step(asked, http_reply(asked, status_of(status), receipt != 0), outcome);
}

ldp_action ldp_spec_step(int status, int receipt) {
    const DeliveryReply reply = http_reply(status_of(status), receipt != 0);
    if (reply.outcome == BatchOutcome::delivered) return LDP_SETTLE;
    return reply.passing ? LDP_REPEAT : LDP_STOP;
}

ldp_action ldp_sql_step(ldp_request request, const char* sqlstate, int fresh, ldp_outcome* outcome) {
    const DeliveryRequest asked = request_of(request);
    const std::string_view state =
        sqlstate == nullptr ? std::string_view() : std::string_view(sqlstate, strnlen(sqlstate, 6));
    return step(asked, sql_reply(asked, state, fresh != 0), outcome);
}

ldp_status ldp_delivery_receipt(const char* method, int status, const char* collection, const char* batch,
                                int32_t round, const uint8_t* content, size_t size, char* receipt,
                                ldp_error** error) {
    return guarded(error, [&] {
        need(receipt, "pointer for the receipt");
        *receipt = '\0';
        if (size > 0) need(content, "content");
        const std::string text = delivery_receipt(
            text_of(method, LDP_TO_END, "method"), status_of(status),
            text_of(collection, LDP_TO_END, "collection"), text_of(batch, LDP_TO_END, "batch"), round,
            sha256(Bytes(reinterpret_cast<const std::byte*>(content), size)));
        std::memcpy(receipt, text.c_str(), LDP_RECEIPT_SIZE);
    });
}

const char* ldp_foreign_response(int status, int receipt) {
    const std::string_view text = foreign_response(status_of(status), receipt != 0);
    return text.empty() ? nullptr : text.data();
}
const char* ldp_foreign_hint(void) {
    return foreign_hint().data();
}
