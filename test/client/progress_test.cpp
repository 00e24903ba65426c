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

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
