// The rule of delivery and its receipts: every request, status and SQLSTATE that matters.

#include <boost/test/unit_test.hpp>
#include <set>

#include "core/base/sha256.hpp"
#include "core/delivery/delivery_receipt.hpp"
#include "core/delivery/next_step.hpp"
#include "core/delivery/time_form.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(delivery)

namespace {

using enum BatchOutcome;
using Request = DeliveryRequest;
using Action = DeliveryAction;

std::array<std::byte, 32> content(std::string_view text) {
    return sha256(std::as_bytes(std::span(text)));
}

void check(DeliveryStep step, Action action, BatchOutcome outcome, const std::string& about) {
    BOOST_TEST((step.action == action), about);
    BOOST_TEST((step.outcome == outcome), about);
}

DeliveryStep http(Request request, BatchOutcome so_far, unsigned status, bool receipt) {
    return next_step(request, so_far, http_reply(request, status, receipt));
}

DeliveryStep sql(Request request, BatchOutcome so_far, std::string_view state, bool fresh = false) {
    return next_step(request, so_far, sql_reply(request, state, fresh));
}

/// A failure that a repetition may remedy. Statuses such as 507, 520 and 599 are those of proxies.
bool passes(unsigned status) {
    const std::set<unsigned> passing{0, 302, 303, 307, 408, 425, 429};
    return passing.contains(status) || (status / 100 == 5 && status != 501 && status != 505);
}

/// A status that settles or revokes, so that it needs a receipt.
bool decides(unsigned status) {
    const std::set<unsigned> refusals{400, 409, 413, 422};
    return status / 100 == 2 || refusals.contains(status);
}

}  // namespace

// Computed by sha256sum, from the description in doc/protocol.md.
BOOST_AUTO_TEST_CASE(receipts_are_as_the_manual_says) {
    const std::string id = "0d6c7ea3-3a2f-4f0e-9a53-1a3d3a9a5a10";
    BOOST_TEST(delivery_receipt("POST", 201, "my ü", id, -7, content("abc")) ==
               "522df90988a55c1e09f1149efec27ae4e3711ede21f231743888bfb6de3d8bba");
    BOOST_TEST(delivery_receipt("DELETE", 204, "my ü", id, 0, content("")) ==
               "0948f4c2441e28a53e5d0512b7e4d48c195771966ada8e01fc6b5ae50576dd85");
    BOOST_TEST(delivery_receipt("GET", 200, "my ü", {}, 0, content("{}")) ==
               "95a718660a88dccb5a0454e719532b94971c6a87c5b65a612c80113c244b25b1");
}

// The endpoint need not read a body that is too large.
BOOST_AUTO_TEST_CASE(the_receipt_of_413_has_no_content) {
    const std::string id = "0d6c7ea3-3a2f-4f0e-9a53-1a3d3a9a5a10";
    const std::string receipt = delivery_receipt("POST", 413, "my ü", id, -7, content("abc"));
    BOOST_TEST(receipt == delivery_receipt("POST", 413, "my ü", id, -7, content("")));
    BOOST_TEST(receipt == "3babc9f18b0aefd7e154d0e0c80d3930740c7717718238fa19e8e79e4fbf8455");
}

BOOST_AUTO_TEST_CASE(a_receipt_is_of_one_request_and_one_answer) {
    const std::string id = "0d6c7ea3-3a2f-4f0e-9a53-1a3d3a9a5a10", other = "1" + id.substr(1);
    const std::set<std::string> receipts{delivery_receipt("POST", 201, "a", id, 1, content("abc")),
                                         delivery_receipt("POST", 200, "a", id, 1, content("abc")),
                                         delivery_receipt("DELETE", 201, "a", id, 1, content("abc")),
                                         delivery_receipt("POST", 201, "b", id, 1, content("abc")),
                                         delivery_receipt("POST", 201, "a", other, 1, content("abc")),
                                         delivery_receipt("POST", 201, "a", id, 2, content("abc")),
                                         delivery_receipt("POST", 201, "a", id, 1, content("abd"))};
    BOOST_TEST(receipts.size() == 7U);
}

BOOST_AUTO_TEST_CASE(a_submission_over_http_is_settled_by_a_receipt_alone) {
    for (unsigned status = 0; status < 700; ++status)
        for (const bool receipt : {false, true}) {
            const DeliveryStep step = http(Request::submit, later, status, receipt);
            const std::string about = std::to_string(status) + (receipt ? " with a receipt" : "");
            if (receipt && status == 201)
                check(step, Action::settle, delivered, about);
            else if (receipt && status == 200)
                check(step, Action::settle, repeated, about);
            else if (receipt && status == 409)
                check(step, Action::revoke, outdated, about);
            else if (receipt && (status == 400 || status == 422))
                check(step, Action::revoke, refused, about);
            else if (status == 413)
                check(step, receipt ? Action::revoke : Action::repeat, too_large, about);
            else if (passes(status) || (!receipt && decides(status)))
                check(step, Action::repeat, later, about);
            else
                check(step, Action::stop, later, about);
        }
}

// A proxy that refuses once may pass the batch on the next time. A limit refuses it each time.
BOOST_AUTO_TEST_CASE(a_second_413_without_a_receipt_is_a_limit) {
    check(http(Request::submit, too_large, 413, false), Action::revoke, too_large, "in a row");
    for (const unsigned status : {0U, 400U, 422U, 520U})
        check(http(Request::submit, too_large, status, false), Action::repeat, later, "not in a row");
    check(http(Request::submit, too_large, 201, true), Action::settle, delivered, "counted");
    check(http(Request::submit, too_large, 422, true), Action::revoke, refused, "refused");
    check(http(Request::revoke, too_large, 413, false), Action::repeat, too_large, "of a revocation");
}

BOOST_AUTO_TEST_CASE(a_revocation_over_http_is_settled_by_a_receipt_alone) {
    for (const BatchOutcome so_far : {refused, too_large, outdated})
        for (unsigned status = 0; status < 700; ++status)
            for (const bool receipt : {false, true}) {
                const DeliveryStep step = http(Request::revoke, so_far, status, receipt);
                const std::string about = std::to_string(status) + (receipt ? " with a receipt" : "");
                if (receipt && status == 204)
                    // Only an id that was void before stands for another batch and is void.
                    check(step, Action::settle, so_far == outdated ? too_large : so_far, about);
                else if (receipt && status == 409)
                    check(step, Action::settle, so_far == outdated ? outdated : repeated, about);
                else if (passes(status) || (!receipt && decides(status)))
                    check(step, Action::repeat, so_far, about);
                else
                    check(step, Action::stop, later, about);
            }
}

BOOST_AUTO_TEST_CASE(other_answers_are_described) {
    for (unsigned status = 0; status < 700; ++status) {
        const bool redirect = status / 100 == 3, login = status == 511;
        const bool unproven = decides(status);
        BOOST_TEST(foreign_response(status, true).empty() == !(redirect || login), status);
        BOOST_TEST(foreign_response(status, false).empty() == !(redirect || login || unproven), status);
        const bool names_it = foreign_response(status, false).find("redirect") != std::string_view::npos;
        BOOST_TEST(names_it == redirect, status);
    }
    BOOST_TEST((http_reply(200, true).outcome == delivered));
    BOOST_TEST((http_reply(200, false).outcome == later && http_reply(200, false).passing));
    BOOST_TEST((http_reply(404, true).outcome == later && !http_reply(404, true).passing));
}

BOOST_AUTO_TEST_CASE(sqlstates_have_one_meaning) {
    check(sql(Request::submit, later, "00000", true), Action::settle, delivered, "counted");
    check(sql(Request::submit, later, "00000", false), Action::settle, repeated, "counted before");
    check(sql(Request::submit, later, "LD001"), Action::revoke, outdated, "another batch of this id");
    check(sql(Request::submit, later, "LD003"), Action::revoke, refused, "no token");
    check(sql(Request::revoke, refused, "LD003"), Action::settle, refused, "free, and no token");
    // A unique index of an owner's table is no other batch, and a partition that is missing is no CHECK.
    for (const char* state : {"23505", "23514", "22P02", "54000", "P0001"})
        check(sql(Request::submit, later, state), Action::revoke, refused, state);
    for (const char* state : {"57014", "53200"})
        check(sql(Request::submit, later, state), Action::revoke, too_large, state);
    for (const char* state :
         {"", "LD002", "08006", "40001", "40P01", "53300", "55P03", "57P01", "25006", "25P03"}) {
        check(sql(Request::submit, later, state), Action::repeat, later, state);
        check(sql(Request::revoke, refused, state), Action::repeat, refused, state);
    }
    for (const char* state : {"42501", "42P01", "53400", "LD999", "XX000"})
        check(sql(Request::submit, later, state), Action::stop, later, state);
    // What refuses the claim of a revocation says nothing of the batch.
    for (const char* state : {"23514", "22023", "57014", "42501", "53400"})
        check(sql(Request::revoke, too_large, state), Action::stop, later, state);
    for (const BatchOutcome so_far : {refused, too_large}) {
        check(sql(Request::revoke, so_far, "00000", true), Action::settle, so_far, "free");
        check(sql(Request::revoke, so_far, "00000", false), Action::settle, repeated, "claimed");
        check(sql(Request::revoke, so_far, "LD001"), Action::settle, outdated, "claimed with others");
    }
    check(sql(Request::revoke, outdated, "LD001"), Action::settle, outdated, "still claimed with others");
    check(sql(Request::revoke, outdated, "00000", true), Action::settle, too_large, "free by now");
}

BOOST_AUTO_TEST_CASE(the_forms_of_dates_and_times) {
    const auto all = [](TimeForm form, std::initializer_list<const char*> texts) {
        for (const char* text : texts) BOOST_TEST((time_form(text) == form), text);
    };
    all(TimeForm::infinite, {"infinity", "-infinity"});
    all(TimeForm::date,
        {"2026-11-25", "2024-02-29", "2000-02-29", "12026-01-01", "0044-03-15 BC", "0005-02-29 BC"});
    all(TimeForm::local,
        {"2026-11-25 10:30", "2026-11-25T10:30:00", "2026-11-25t10:30:15.25", "2026-11-25 24:00",
         "2026-11-25 24:00:00.000", "2026-12-31 23:59:60", "0044-03-15 10:30 BC"});
    all(TimeForm::instant,
        {"2026-11-25 10:30Z", "2026-11-25T10:30:00z", "2026-11-25 10:30+01", "2026-11-25 10:30 +01",
         "2026-11-25 10:30-0330", "2026-11-25 10:30+05:45", "1890-01-01 00:00:00+00:53:28"});
    all(TimeForm::none, {"",
                         "2026",
                         "2026-11",
                         "20261125",
                         "2026-1-5",
                         "03/04/2026",
                         "3.4.2026",
                         "2026-13-01",
                         "2026-00-01",
                         "2026-11-31",
                         "2026-11-00",
                         "2025-02-29",
                         "1900-02-29",
                         "0000-01-01",
                         "26-11-25",
                         "2026-11-25 ",
                         " 2026-11-25",
                         "2026-11-25 10",
                         "2026-11-25 25:00",
                         "2026-11-25 24:01",
                         "2026-11-25 24:00:01",
                         "2026-11-25 24:00:00.5",
                         "2026-11-25 10:60",
                         "2026-11-25 10:30:61",
                         "2026-11-25 10:30.",
                         "2026-11-25 10:30:15.",
                         "2026-11-25 10:30+1",
                         "2026-11-25 10:30+16",
                         "2026-11-25 10:30+01:",
                         "2026-11-25 10:30+01:60",
                         "2026-11-25 10:30+010203045",
                         "2026-11-25 10:30Z+01",
                         "2026-11-25 10:30 CET",
                         "2026-11-25 Z",
                         "2026-11-25+01",
                         "2026-11-25 10:30 AD",
                         "today",
                         "now",
                         "Infinity",
                         "+2026-11-25",
                         "2026-11-25 AD"});
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
