#include "core/delivery/next_step.hpp"

namespace ldp {

namespace {

constexpr DeliveryReply passing{BatchOutcome::later, true};
constexpr DeliveryReply lasting{BatchOutcome::later, false};

constexpr unsigned network_login = 511;  // RFC 6585: a captive portal that says so

bool redirects(unsigned status) noexcept {
    return status >= 300 && status < 400;
}

/// Statuses that would settle a batch, revoke its id or give a spec, so that a receipt is demanded.
bool decides(unsigned status) noexcept {
    return (status >= 200 && status < 300) || status == 400 || status == 409 || status == 413 ||
           status == 422;
}

/// Failures of a server that a repetition does not remedy: an unknown method (501), and an unsupported version of HTTP (505).
bool is_defect(unsigned status) noexcept {
    return status == 501 || status == 505;
}

/// A status that settles nothing.
DeliveryReply unsettled(unsigned status, bool receipt) noexcept {
    switch (status) {
        case 0:
        case 302:  // 302, 303 and 307 are how a captive portal redirects for a time
        case 303:
        case 307:
        case 408:
        case 425:
        case 429:
            return passing;
        default:
            // 5xx: the endpoint, its database or a proxy fails, also with a status of the proxy's own.
            if (status >= 500 && status < 600) return is_defect(status) ? lasting : passing;
            return decides(status) && !receipt ? passing : lasting;
    }
}

}  // namespace

DeliveryStep next_step(DeliveryRequest request, BatchOutcome so_far, DeliveryReply reply) noexcept {
    const bool submitting = request == DeliveryRequest::submit;
    if (reply.outcome == BatchOutcome::later) {
        if (!reply.passing) return {DeliveryAction::stop, BatchOutcome::later};
        return {DeliveryAction::repeat, submitting ? BatchOutcome::later : so_far};
    }
    if (submitting) {
        // A limit of a proxy refuses the batch each time. The endpoint itself must revoke the id of the whole
        // before parts leave under other ids.
        if (reply.passing && so_far != reply.outcome) return {DeliveryAction::repeat, reply.outcome};
        const bool counted =
            reply.outcome == BatchOutcome::delivered || reply.outcome == BatchOutcome::repeated;
        return {counted ? DeliveryAction::settle : DeliveryAction::revoke, reply.outcome};
    }
    // An id that was counted with other reports cannot become void. It was void before, by a revocation whose
    // answer was lost: nothing refuses the reports, which may leave under other ids.
    const bool outdated = so_far == BatchOutcome::outdated;
    if (reply.outcome == BatchOutcome::refused)
        return {DeliveryAction::settle, outdated ? BatchOutcome::too_large : so_far};
    const bool others = outdated || reply.outcome == BatchOutcome::outdated;
    return {DeliveryAction::settle, others ? BatchOutcome::outdated : BatchOutcome::repeated};
}

DeliveryReply http_reply(DeliveryRequest request, unsigned status, bool receipt) noexcept {
    if (request == DeliveryRequest::submit) {
        if (status == 201 && receipt) return {BatchOutcome::delivered};
        if (status == 200 && receipt) return {BatchOutcome::repeated};
        if (status == 409 && receipt) return {BatchOutcome::outdated};
        if ((status == 400 || status == 422) && receipt) return {BatchOutcome::refused};
        // Without a receipt, of a proxy that may limit sizes: `passing`, so that next_step() repeats once.
        if (status == 413) return {BatchOutcome::too_large, !receipt};
    } else {
        if (status == 204 && receipt) return {BatchOutcome::refused};
        if (status == 409 && receipt) return {BatchOutcome::repeated};
    }
    return unsettled(status, receipt);
}

DeliveryReply http_reply(unsigned status, bool receipt) noexcept {
    if (status == 200 && receipt) return {BatchOutcome::delivered};
    return unsettled(status, receipt);
}

std::string_view foreign_response(unsigned status, bool receipt) noexcept {
    if (redirects(status)) return "something other than the endpoint answered: a redirect";
    if (status == network_login)
        return "something other than the endpoint answered: the network requires a login";
    if (decides(status) && !receipt)
        return "something other than the endpoint answered: its receipt is missing or wrong";
    return {};
}

std::string_view foreign_hint() noexcept {
    return "The response may come from a captive portal, a login page or a proxy. Log in to the network, "
           "or check the address of the endpoint, and send the batch again later.";
}

DeliveryReply sql_reply(DeliveryRequest request, std::string_view sqlstate, bool fresh) noexcept {
    const bool submitting = request == DeliveryRequest::submit;
    const auto of_class = [&](std::string_view begin) { return sqlstate.starts_with(begin); };
    if (sqlstate == "00000") {
        if (!submitting) return {fresh ? BatchOutcome::refused : BatchOutcome::repeated};
        return {fresh ? BatchOutcome::delivered : BatchOutcome::repeated};
    }
    if (sqlstate == sqlstate_outdated) return {BatchOutcome::outdated};
    // The claim was new, and is rolled back: a revocation finds that nothing was counted under the id.
    if (sqlstate == sqlstate_token) return {BatchOutcome::refused};
    if (sqlstate == "53400") return lasting;  // a configured limit
    // statement_timeout or a cancelled query; out of memory
    if (sqlstate == "57014" || sqlstate == "53200")
        return submitting ? DeliveryReply{BatchOutcome::too_large} : lasting;
    // 25006: a standby, which may become the primary; 25P03 and 57P…: a session that was ended
    if (sqlstate.empty() || of_class("08") || of_class("40") || of_class("53") || of_class("57P") ||
        sqlstate == "55P03" || sqlstate == "25006" || sqlstate == "25P03" ||
        sqlstate == sqlstate_no_partition)
        return passing;
    // 42703: a public column that the collection does not have
    if (submitting &&
        (of_class("22") || of_class("23") || of_class("54") || sqlstate == "P0001" || sqlstate == "42703"))
        return {BatchOutcome::refused};
    return lasting;
}

}  // namespace ldp
