// Numbers and foreign text in pages.

#include "figures/formatting.hpp"

#include "client_support.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(wording)

using namespace ldp::figures;

BOOST_AUTO_TEST_CASE(digits_follow_the_error) {
    BOOST_CHECK_EQUAL(shown(0.238412, 0.00817, true), "23.84\u00A0%");
    BOOST_CHECK_EQUAL(shown(0.238412, 0.0817, true), "23.8\u00A0%");
    BOOST_CHECK_EQUAL(shown(0.238412, 0.1, true), "24\u00A0%");
    BOOST_CHECK_EQUAL(shown(1234567.8, 4321, false), "1,234,568");
    BOOST_CHECK_EQUAL(shown(-1234.5678, 0.01, false), "\u22121,234.568");
    BOOST_CHECK_EQUAL(shown(-0.0001, 0.2, false), "0.00");
    BOOST_CHECK_EQUAL(shown(NAN, 1, true), "none");
    // No error, or an unknown one: the message of the number itself.
    BOOST_CHECK_EQUAL(shown(0.25, NAN, true), "25\u00A0%");
    BOOST_CHECK_EQUAL(shown(0.25, 1e-17, true), "25\u00A0%");
    BOOST_CHECK_EQUAL(shown(2.0 / 3, 0, false), "0.66667");
}

BOOST_AUTO_TEST_CASE(numbers_without_errors_are_rounded) {
    BOOST_CHECK_EQUAL(rounded(0), "0");
    BOOST_CHECK_EQUAL(rounded(2500), "2,500");
    BOOST_CHECK_EQUAL(rounded(208.33333), "208.33");
    BOOST_CHECK_EQUAL(rounded(-0.5), "\u22120.5");
    BOOST_CHECK_EQUAL(rounded(1e-9), "1.0e-09");
    BOOST_CHECK_EQUAL(rounded(HUGE_VAL), "\u221E");
    BOOST_CHECK_EQUAL(rounded(-HUGE_VAL), "\u2212\u221E");
    BOOST_CHECK_EQUAL(rounded(NAN), "none");
    BOOST_CHECK_EQUAL(brief(0.0021002), "0.0021");
    BOOST_CHECK_EQUAL(brief(5.3512), "5.35");
    BOOST_CHECK_EQUAL(brief(28155), "28,155");
}

BOOST_AUTO_TEST_CASE(foreign_text_controls_nothing) {
    BOOST_CHECK_EQUAL(unmarked(name("plain \u00E4\u05D0")), "plain \u00E4\u05D0");
    BOOST_CHECK_EQUAL(name("a"), "\u2068a\u2069");
    BOOST_CHECK_EQUAL(unmarked(name("\x1B[31m\x7F\n")), "\\u{1b}[31m\\u{7f}\\u{a}");
    BOOST_CHECK_EQUAL(unmarked(name("\u202E\u2066\u2069\u0085\uFEFF\uFFFE")),
                      "\\u{202e}\\u{2066}\\u{2069}\\u{85}\\u{feff}\\u{fffe}");
    BOOST_CHECK_EQUAL(unmarked(name("\xFF\xC3")), "\\u{ff}\\u{c3}");  // no UTF-8
    BOOST_CHECK_EQUAL(unmarked(name("abcdef", 3)), "abc\u2026");
    BOOST_CHECK_EQUAL(unmarked(name("\u00E4\u00F6\u00FC", 3)), "\u00E4\u00F6\u00FC");
    BOOST_CHECK_EQUAL(in_html(name("<b>&\"'")), "<bdi>&lt;b&gt;&amp;&quot;&#39;</bdi>");
    BOOST_CHECK_EQUAL(in_html("e^\u03B5\u00A0= 2, e^\u03B5"),
                      "e<sup>\u03B5</sup>\u00A0= 2, e<sup>\u03B5</sup>");
    BOOST_CHECK_EQUAL(escaped(name("<")), "\u2068&lt;\u2069");
}

BOOST_AUTO_TEST_CASE(constants_of_sql) {
    BOOST_CHECK_EQUAL(constant("it's \\ plain"), "'it''s \\ plain'");
    BOOST_CHECK_EQUAL(constant("\u202E it's \\"), "U&'\\+00202e it''s \\\\'");
    // Braces would begin a placeholder.
    BOOST_CHECK_EQUAL(constant("{name}"), "U&'\\+00007bname}'");
}

BOOST_AUTO_TEST_CASE(lines_break_between_words) {
    const std::vector<std::string> two{"one two", "three"};
    BOOST_TEST(lines_of("one two three", 8) == two);
    BOOST_TEST(lines_of("one two three", 100).size() == 1);
    BOOST_TEST(lines_of("unbreakable", 3).size() == 1);
    BOOST_TEST(lines_of("", 3).size() == 1);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
