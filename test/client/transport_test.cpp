// What the server says, as an Error.

#include "client/uploader.hpp"
#include "support.hpp"

using namespace ldp;
using namespace ldp::test;

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
    BOOST_TEST(pq::guarded("doing it", [] { return 7; }) == 7);
}

BOOST_AUTO_TEST_CASE(no_server_is_an_error_that_says_so) {
    BOOST_CHECK_EXCEPTION(
        pq::guarded("connecting", [] { return pqxx::connection("host=/nonexistent port=1").is_open(); }),
        Error, error_with(ErrorCode::environment, "no connection to the server"));
}

BOOST_AUTO_TEST_SUITE_END()
