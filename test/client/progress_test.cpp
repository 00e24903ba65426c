// How far a long run is, and what is said meanwhile.

#include "cli/progress.hpp"

#include <boost/test/unit_test.hpp>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(progress)

// On a terminal, what is said stands where the bar was, which goes; the last bar goes at the end.
BOOST_AUTO_TEST_CASE(a_line_takes_the_place_of_the_bar) {
    std::ostringstream out;
    {
        cli::Progress progress(out, true, "sending", "rows", 10);
        const auto drawn = [&](std::uint64_t done) {
            std::this_thread::sleep_for(std::chrono::milliseconds(110));
            progress.update(done);
        };
        drawn(5);
        std::thread([&] { progress.say("waiting"); }).join();
        progress.say("still waiting");
        drawn(10);
    }
    const std::string clear = "\r\x1b[K", half(15, '#'), rest(15, '-');
    BOOST_CHECK_EQUAL(out.str(), clear + "sending [" + half + rest + "] 50 %, 5 of 10 rows" + clear +
                                     "waiting\n" + "still waiting\n" + clear + "sending [" + half + half +
                                     "] 100 %, 10 of 10 rows" + clear);
}

// Elsewhere there is nothing to clear.
BOOST_AUTO_TEST_CASE(a_line_stands_alone_where_there_is_no_terminal) {
    std::ostringstream out;
    {
        cli::Progress progress(out, false, "sending", "rows", 10);
        progress.update(5);
        progress.say("waiting");
    }
    BOOST_CHECK_EQUAL(out.str(), "waiting\n");
}

// Text of others becomes visible where it would control a terminal; whole characters of all languages stay.
BOOST_AUTO_TEST_CASE(printable_output_shows_control_characters) {
    const auto printed = [](std::string_view text) {
        std::ostringstream last;
        cli::PrintableBuffer buffer(last.rdbuf());
        std::ostream out(&buffer);
        out << std::unitbuf << text << std::flush;
        for (const char c : text) out << c;  // in the parts of a character, each flushed
        const std::string twice = last.str(), once = twice.substr(0, twice.size() / 2);
        BOOST_CHECK_EQUAL(twice, once + once);
        return once;
    };
    BOOST_CHECK_EQUAL(printed("Köln\t三\n😀 \\x1b"), "Köln\t三\n😀 \\x1b");
    BOOST_CHECK_EQUAL(printed("a\x1b[31mred\x07\r\x7f"), "a\\x1b[31mred\\x07\\x0d\\x7f");
    BOOST_CHECK_EQUAL(printed("\xC2\x9B\x33\x31m"), "\\xc2\\x9b31m");
    BOOST_CHECK_EQUAL(printed("\x9B\xFF\xE4\xB8z"), "\\x9b\\xff\\xe4\\xb8z");
    BOOST_CHECK_EQUAL(printed("\u202Eevil\u2066"), "\\xe2\\x80\\xaeevil\\xe2\\x81\\xa6");
    std::ostringstream last;
    {
        cli::PrintableBuffer buffer(last.rdbuf());
        std::ostream out(&buffer);
        cli::PrintableBuffer::write_raw(out, "\x1b[K");
        out << "cut: \xE4\xB8";
    }
    BOOST_CHECK_EQUAL(last.str(), "\x1b[Kcut: \\xe4\\xb8");
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
