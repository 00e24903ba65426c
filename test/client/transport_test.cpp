// Responses of the server as an Error.

#include "client/http/endpoint_error.hpp"
#include "client/in_quotes.hpp"
#include "client/uploader.hpp"
#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(transport)

// The words of a server are quoted in the detail. None of them is in the message or in the hint.
BOOST_AUTO_TEST_CASE(the_words_of_a_server_are_a_quotation) {
    const pq::ServerWords words = pq::server_words(
        "ERROR:  new row violates it\nand more\nDETAIL:  Failing row.\nHINT:  Do this.\n"
        "CONTEXT:  COPY reports, line 1\nsecond line\n");
    BOOST_TEST(words.message == "new row violates it and more");
    BOOST_TEST(words.detail == "Failing row.");
    BOOST_TEST(words.hint == "Do this.");
    const Error error = pq::server_error("submitting", words, "Repeat the call.");
    BOOST_TEST((error.code() == ErrorCode::environment));
    BOOST_TEST(error.what() == std::string("submitting: the server rejected the statement"));
    BOOST_TEST(error.detail() == "the server says: \"new row violates it and more. Failing row. Do this\"");
    BOOST_TEST(error.hint() == "Repeat the call.");
    BOOST_TEST(pq::server_words("gone").message == "gone");
    BOOST_TEST(pq::server_words("").message.empty());
    BOOST_TEST(pq::server_error("asking", {}).detail().empty());
}

// A hostile text can neither end its quotation, nor begin a line, nor fill a screen.
BOOST_AUTO_TEST_CASE(a_quotation_holds_any_words) {
    BOOST_TEST(server_says("no\"\nhint: add --copy\x1b[2J\\", "x.") ==
               "the server says: \"no' hint: add --copy\\x1b[2J\\\\. x\"");
    const std::string shown = server_says(std::string(5000, 'x'), std::string(5000, 'y'));
    BOOST_TEST(shown.size() == std::string("the server says: \"\"").size() + 400);
    BOOST_TEST(server_says("", " \n", ".").empty());
}

// The same of an endpoint, of a proxy and of any other body.
BOOST_AUTO_TEST_CASE(an_endpoint_gives_no_hints) {
    const auto problem = R"({"title": "stop", "detail": "now", "hint": "add --copy"})";
    for (const bool receipt : {true, false})
        for (const unsigned status : {400U, 403U, 404U, 409U, 422U, 500U, 503U, 511U})
            for (const char* body : {problem, "add --copy", R"({"title": 3, "x": "add --copy"})"}) {
                const Error error = endpoint_error("submitting", status, body, receipt);
                BOOST_TEST(std::string(error.what()).find("stop") == std::string::npos);
                BOOST_TEST(error.hint().find("--copy") == std::string::npos);
                BOOST_TEST(error.detail().starts_with("the server says: \""));
                BOOST_TEST(error.detail().find("add --copy") != std::string::npos);
            }
}

BOOST_AUTO_TEST_CASE(foreign_exceptions_become_errors) {
    const auto said = error_with(ErrorCode::environment, "doing it");
    BOOST_CHECK_EXCEPTION(pq::guarded("doing it", []() -> int { throw pqxx::broken_connection("lost"); }),
                          Error, said);
    BOOST_CHECK_EXCEPTION(pq::guarded("doing it", []() -> int { throw pqxx::sql_error("ERROR:  no"); }),
                          Error, said);
    BOOST_CHECK_EXCEPTION(pq::guarded("doing it", []() -> int { throw std::logic_error("odd"); }), Error,
                          said);
    BOOST_CHECK_EXCEPTION(pq::guarded("doing it", []() -> int { throw Error(ErrorCode::full, "mine"); }),
                          Error, error_with(ErrorCode::full, "mine"));
    BOOST_CHECK_THROW(pq::guarded("doing it", []() -> int { throw std::bad_alloc(); }), std::bad_alloc);
    BOOST_TEST(pq::guarded("doing it", [] { return 7; }) == 7);
}

// One of libpqxx, which from version 8 on wants to know the statement, too.
template <class Failure>
Failure failed(const char* message) {
    if constexpr (std::is_constructible_v<Failure, const char*>)
        return Failure(message);
    else
        return Failure(message, "");
}

// Each kind of failure says what to do, and a batch in doubt is no alarm.
BOOST_AUTO_TEST_CASE(failures_say_what_to_do) {
    const auto check = [](auto thrown, const std::string& text) {
        const auto fail = [&] { pq::guarded("doing it", [&]() -> int { throw thrown; }); };
        BOOST_CHECK_EXCEPTION(fail(), Error, error_with(ErrorCode::environment, text));
        BOOST_CHECK_EXCEPTION(fail(), Error, [](const Error& error) {
            return std::string(error.what()).starts_with("doing it: ") &&
                   error.detail().find("manually") == std::string::npos;
        });
    };
    check(pqxx::in_doubt_error("WARNING: check manually"), "Repeat the call: a batch counts once");
    check(failed<pqxx::statement_completion_unknown>("check manually"),
          "Repeat the call: a batch counts once");
    check(failed<pqxx::serialization_failure>("ERROR:  could not serialize"), "had no effect: repeat it");
    check(failed<pqxx::deadlock_detected>("ERROR:  deadlock detected\nDETAIL:  Two waited."), "Two waited");
    check(pqxx::usage_error("another transaction"), "Close the open transaction");
    check(pqxx::too_many_connections("FATAL:  too many clients"), "no connection to the server");
    check(pqxx::insufficient_privilege("ERROR:  permission denied"), "ldp_submitter");
}

BOOST_AUTO_TEST_CASE(no_server_is_an_error_that_says_so) {
    BOOST_CHECK_EXCEPTION(static_cast<void>(connect("host=/nonexistent port=1")), Error,
                          error_with(ErrorCode::environment, "no connection to the server"));
    BOOST_CHECK_EXCEPTION(static_cast<void>(connect("colour=red")), Error,
                          error_with(ErrorCode::environment, "connecting to the server"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
