// Responses of the server as an Error.

#include "client/uploader.hpp"
#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(transport)

BOOST_AUTO_TEST_CASE(the_parts_of_a_message_find_their_places) {
    const Error error =
        pq::server_error("submitting",
                         "ERROR:  new row violates it\nand more\nDETAIL:  Failing row.\nHINT:  Do this.\n"
                         "CONTEXT:  COPY reports, line 1\nsecond line\n");
    BOOST_TEST((error.code() == ErrorCode::environment));
    BOOST_TEST(error.what() == std::string("submitting: new row violates it and more"));
    BOOST_TEST(error.detail() == "Failing row.");
    BOOST_TEST(error.hint() == "Do this.");
    BOOST_TEST(pq::server_error("asking", "gone").what() == std::string("asking: gone"));
    BOOST_TEST(pq::server_error("asking", "").what() == std::string("asking: "));
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
    check(failed<pqxx::serialization_failure>("ERROR:  could not serialize"),
          "nothing was done: repeat the call");
    check(failed<pqxx::deadlock_detected>("ERROR:  deadlock detected\nDETAIL:  Two waited."), "Two waited.");
    check(pqxx::usage_error("another transaction"), "no transaction open");
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
