// Values of public columns: their canonical form, their digest, and what is refused.

#include <boost/test/unit_test.hpp>

#include "core/base/error.hpp"
#include "core/delivery/public_values.hpp"

using namespace ldp;

BOOST_AUTO_TEST_SUITE(public_values)

namespace {

auto of_code(ErrorCode code) {
    return [code](const Error& error) { return error.code() == code; };
}

std::array<std::byte, 32> digest_of(const PublicValues& values) {
    Sha256 digest;
    digest.add("3:");
    values.add_to(digest);
    return digest.digest();
}
std::array<std::byte, 32> sha256_of(std::string_view text) {
    return sha256(Bytes(reinterpret_cast<const std::byte*>(text.data()), text.size()));
}

}  // namespace

BOOST_AUTO_TEST_CASE(equal_values_have_one_form) {
    const PublicValues one{{"version", "12"}, {"country", "de"}};
    PublicValues other{{"country", "fr"}};
    other.set("version", "12");
    BOOST_TEST((one == other) == false);
    other.set("country", "de");
    BOOST_TEST((one == other));
    BOOST_TEST(one.json() == R"({"country":"de","version":"12"})");
    BOOST_TEST(PublicValues().json() == "{}");
    BOOST_TEST((PublicValues::from_json(R"( { "version" : "12", "country":"\u0064e" } )") == one));
    const PublicValues odd{{"a \"b\"\\", "line\nfeed\ttab \x01 \xC3\xA9"}};
    BOOST_TEST(odd.json() == "{\"a \\\"b\\\"\\\\\":\"line\\u000afeed\\u0009tab \\u0001 \xC3\xA9\"}");
    BOOST_TEST((PublicValues::from_json(odd.json()) == odd));
}

BOOST_AUTO_TEST_CASE(the_digest_tells_names_from_values) {
    BOOST_TEST((digest_of({}) == sha256_of("3:")));
    BOOST_TEST((digest_of({{"b", "x:y"}, {"a", ""}}) == sha256_of("3:\n1:a0:1:b3:x:y")));
    BOOST_TEST((digest_of({{"\xC3\xA9", "1"}}) == sha256_of("3:\n2:\xC3\xA9"
                                                            "1:1")));
    BOOST_TEST((digest_of({{"a", "b"}}) != digest_of({{"b", "a"}})));
}

BOOST_AUTO_TEST_CASE(what_no_column_can_hold_is_refused) {
    PublicValues values;
    for (const std::string_view name :
         {std::string_view(""), std::string_view("a\0b", 3), std::string_view("\xFF")})
        BOOST_CHECK_EXCEPTION(values.set(name, "x"), Error, of_code(ErrorCode::invalid_value));
    BOOST_CHECK_EXCEPTION(values.set(std::string(64, 'a'), "x"), Error, of_code(ErrorCode::invalid_value));
    for (const std::string_view value : {std::string_view("a\0b", 3), std::string_view("\xED\xA0\x80")})
        BOOST_CHECK_EXCEPTION(values.set("a", value), Error, of_code(ErrorCode::invalid_value));
    BOOST_CHECK_EXCEPTION(values.set("a", std::string(1025, 'x')), Error, of_code(ErrorCode::invalid_value));
    BOOST_TEST(values.empty());
    values.set(std::string(63, 'a'), std::string(1024, 'x'));
    for (int i = 1; i < 100; ++i) values.set("c" + std::to_string(i), "");
    BOOST_TEST(values.values().size() == 100u);
    BOOST_CHECK_EXCEPTION(values.set("one more", ""), Error, of_code(ErrorCode::invalid_value));
    for (const char* text :
         {"", "{", "[]", "null", R"({"a":1})", R"({"a":null})", R"({"a":{}})", "{\"a\":\"\xFF\"}",
          R"({"a":"1","a":"2"})", R"({"a":"1","\u0061":"1"})", R"({"a":[]})"})
        BOOST_CHECK_EXCEPTION((void)PublicValues::from_json(text), Error, of_code(ErrorCode::malformed));
    BOOST_CHECK_EXCEPTION((void)PublicValues::from_json(R"({"a":"1","\u0061":"1"})"), Error,
                          of_code(ErrorCode::malformed));
    BOOST_CHECK_EXCEPTION((void)PublicValues::from_json(R"({"a":"\u0000"})"), Error,
                          of_code(ErrorCode::invalid_value));
    BOOST_CHECK_EXCEPTION((void)PublicValues::from_json(std::string(100000, '[')), Error,
                          of_code(ErrorCode::malformed));
    BOOST_CHECK_EXCEPTION(
        (void)PublicValues::from_json("{" + std::string(PublicValues::longest_json, ' ') + "}"), Error,
        of_code(ErrorCode::malformed));
}

BOOST_AUTO_TEST_CASE(a_list_of_columns_makes_the_round_trip) {
    const std::vector<PublicColumn> columns{{"country", "text", false},
                                            {"odd \"name\"", "numeric(3,1)", true}};
    BOOST_TEST((public_columns(to_json(columns)) == columns));
    BOOST_TEST(to_json(std::vector<PublicColumn>{}) == "[]");
    for (const char* text : {"{}", "[1]", R"([{"name":"a"}])", "["})
        BOOST_CHECK_EXCEPTION((void)public_columns(text), Error, of_code(ErrorCode::malformed));
}

BOOST_AUTO_TEST_SUITE_END()
