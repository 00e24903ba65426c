// The canonical text of specs (RFC 8785), the fingerprint, and the short form of batches.
#include <bit>
#include <boost/test/unit_test.hpp>
#include <fstream>
#include <sstream>

#include "core/base/error.hpp"
#include "core/base/json.hpp"
#include "core/base/text.hpp"
#include "core/contract/canonical.hpp"
#include "core/format/batch_frame.hpp"
#include "core/format/fingerprint.hpp"
#include "core/summary/batch.hpp"
#include "support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(canonical_texts)

// RFC 8785, appendix B, without NaN and Infinity.
BOOST_AUTO_TEST_CASE(numbers_are_written_as_ecmascript_writes_them) {
    const std::pair<std::uint64_t, const char*> samples[] = {
        {0x0000000000000000, "0"},
        {0x8000000000000000, "0"},
        {0x0000000000000001, "5e-324"},
        {0x8000000000000001, "-5e-324"},
        {0x7fefffffffffffff, "1.7976931348623157e+308"},
        {0xffefffffffffffff, "-1.7976931348623157e+308"},
        {0x4340000000000000, "9007199254740992"},
        {0xc340000000000000, "-9007199254740992"},
        {0x4430000000000000, "295147905179352830000"},
        {0x44b52d02c7e14af5, "9.999999999999997e+22"},
        {0x44b52d02c7e14af6, "1e+23"},
        {0x44b52d02c7e14af7, "1.0000000000000001e+23"},
        {0x444b1ae4d6e2ef4e, "999999999999999700000"},
        {0x444b1ae4d6e2ef4f, "999999999999999900000"},
        {0x444b1ae4d6e2ef50, "1e+21"},
        {0x3eb0c6f7a0b5ed8c, "9.999999999999997e-7"},
        {0x3eb0c6f7a0b5ed8d, "0.000001"},
        {0x41b3de4355555553, "333333333.3333332"},
        {0x41b3de4355555554, "333333333.33333325"},
        {0x41b3de4355555555, "333333333.3333333"},
        {0x41b3de4355555556, "333333333.3333334"},
        {0x41b3de4355555557, "333333333.33333343"},
        {0xbecbf647612f3696, "-0.0000033333333333333333"},
        {0x43143ff3c1cb0959, "1424953923781206.2"},
    };
    for (const auto& [bits, text] : samples) BOOST_TEST(ecmascript_text(std::bit_cast<double>(bits)) == text);
    BOOST_TEST(canonical_text(json_of("[2e15, 1.0, 1E2, 0.50, -0, 4503599627370496]", Unsound::refused)) ==
               "[2000000000000000,1,100,0.5,0,4503599627370496]");
}

// RFC 8785, sections 3.2.2.2 and 3.2.3: escapes, and keys in the order of UTF-16 code units.
BOOST_AUTO_TEST_CASE(keys_and_strings_have_one_form) {
    const std::string text =
        "{\"\\u20ac\": \"Euro Sign\", \"\\r\": \"Carriage Return\", \"\\ufb33\": \"Hebrew Letter Dalet With Dagesh\", "
        "\"1\": \"One\", \"\\ud83d\\ude00\": \"Emoji: Grinning Face\", \"\\u0080\": \"Control\", "
        "\"\\u00f6\": \"Latin Small Letter O With Diaeresis\"}";
    BOOST_TEST(
        canonical_text(json_of(text, Unsound::refused)) ==
        "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\xC2\x80\":\"Control\","
        "\"\xC3\xB6\":\"Latin Small Letter O With Diaeresis\",\"\xE2\x82\xAC\":\"Euro Sign\","
        "\"\xF0\x9F\x98\x80\":\"Emoji: Grinning Face\",\"\xEF\xAC\xB3\":\"Hebrew Letter Dalet With Dagesh\"}");
    BOOST_TEST(
        canonical_text(json_of(
            R"({"literals": [null, true, false], "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/"})",
            Unsound::refused)) ==
        "{\"literals\":[null,true,false],\"string\":\"\xE2\x82\xAC$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\"}");
}

BOOST_AUTO_TEST_CASE(the_page_has_the_text_and_the_fingerprint) {
    std::ifstream file("doc/formats.md");
    std::stringstream page;
    page << file.rdbuf();
    const Spec spec = resolve(R"({"mechanism": "grr", "epsilon": 1, "domain": 4})");
    const std::string text = canonical_text(canonical_json(spec));
    BOOST_TEST(page.str().find("\n" + text + "\n" + fingerprint_text(spec.fingerprint()) + "\n") !=
               std::string::npos);
    BOOST_CHECK(spec.fingerprint() == Fingerprint::of(text));
    BOOST_TEST(fingerprint_text(spec.fingerprint()).substr(0, 16) ==
               fingerprint_text(spec.fingerprint().in_block()));
}

// What the served spec has is what its reports have, whatever the form of its numbers.
BOOST_AUTO_TEST_CASE(the_block_is_derived) {
    const auto derived = [](const std::string& json) {
        return json_of(Spec::from_json(json).to_json(), Unsound::refused)["derived"];
    };
    for (const char* json :
         {R"({"mechanism": "grr", "epsilon": 1, "domain": 4})",
          R"({"mechanism": "optimal", "epsilon": 2, "min": 0, "max": 2e15})",
          R"({"mechanism": "optimal", "epsilon": 2.0, "min": 0.0, "max": 2000000000000000})"}) {
        const std::string resolved = Spec::from_json(json).to_json();
        const auto mechanism = make_mechanism(Spec::from_json(resolved));
        BOOST_TEST(derived(json)["block"] == to_hex(mechanism->block()));
        Json other = json_of(resolved, Unsound::refused);
        std::string digits = other["derived"]["block"];
        digits.back() = digits.back() == '0' ? '1' : '0';
        other["derived"]["block"] = digits;
        BOOST_CHECK_EXCEPTION(static_cast<void>(Spec::from_json(json_text(other))), Error,
                              [](const Error& error) { return error.code() == ErrorCode::invalid_spec; });
    }
    BOOST_CHECK(
        Spec::from_json(R"({"mechanism": "optimal", "epsilon": 2, "min": 0, "max": 2e15})").fingerprint() ==
        Spec::from_json(R"({"mechanism": "optimal", "epsilon": 2, "min": 0, "max": 2000000000000000})")
            .fingerprint());
}

BOOST_AUTO_TEST_CASE(the_short_form_is_a_batch_without_its_block) {
    const auto grr = mechanism(R"({"mechanism": "grr", "epsilon": 1, "domain": 4})");
    const auto other = mechanism(R"({"mechanism": "grr", "epsilon": 1, "domain": 5})");
    SeededBits bits(7);
    std::vector<Report> reports;
    for (std::uint64_t i = 0; i < 3; ++i) reports.push_back(grr->perturb({{i}}, bits));
    const std::vector<std::byte> batch = pack(*grr, reports).front();
    const std::size_t block = grr->block().size();
    const std::vector<std::byte> brief = short_form_of(batch, block);
    BOOST_TEST(brief.size() == 14 + 3u);
    BOOST_TEST(batch.size() == block + 4 + 3);
    BOOST_TEST(is_short_batch(brief));
    BOOST_TEST(!is_short_batch(batch));
    BOOST_CHECK(with_block(brief, grr->block()) == batch);
    BOOST_TEST(to_hex(Bytes(brief).first(10)) ==
               "0203" + fingerprint_text(unchecked_header(batch).fingerprint));

    const auto refused = [&](const std::vector<std::byte>& bytes, Bytes of, ErrorCode code) {
        BOOST_CHECK_EXCEPTION(check_batch(*grr, with_block(bytes, of)), Error,
                              [&](const Error& error) { return error.code() == code; });
    };
    refused(brief, other->block(), ErrorCode::incompatible);
    for (std::size_t size = 0; size < brief.size(); ++size)
        refused({brief.begin(), brief.begin() + static_cast<std::ptrdiff_t>(size)}, grr->block(),
                ErrorCode::malformed);
    for (const std::size_t at : {0, 1, 10, 13, 14}) {
        std::vector<std::byte> damaged = brief;
        damaged[at] = std::byte{0xFF};
        refused(damaged, grr->block(), ErrorCode::malformed);
    }
    std::vector<std::byte> longer = brief;
    longer.push_back(std::byte{0});
    refused(longer, grr->block(), ErrorCode::malformed);
    BOOST_CHECK_THROW(static_cast<void>(read_header(brief, Kind::batch)), Error);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
