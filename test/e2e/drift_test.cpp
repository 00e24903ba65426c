// People whose budgets end while their values drift, from the device to the answer page: the rows of SQL, the
// page and the command say that responses are repeated, and the intervals contain the truth.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <fstream>
#include <iterator>

#include "client/reporter.hpp"
#include "core/base/bytes.hpp"
#include "core/math/insecure_bits.hpp"
#include "core/summary/batch.hpp"
#include "e2e_server.hpp"

using namespace ldp;
using namespace ldp::e2e;

namespace {

constexpr int people = 3000;
constexpr int rounds[] = {5, 18, 40, 60};

/// From 50 to 250 in 61 rounds, with a spread of 100 between people.
double value_of(int person, int round) {
    return 50 + 200.0 * round / 60 + 100 * ((person + 0.5) / people - 0.5);
}

/// A collection of people whose minutes drift, with their reports of some rounds.
void collect(Server& server, const std::string& name, const std::string& budget) {
    const Collection collection =
        server.create(name, R"({"mechanism": "pdp", "epsilon": 1, "budget": )" + budget +
                                R"(, "evolving": {}, "attributes": [{"name": "minutes", "min": 0, "max": 360,
                                     "evolving": true}]})");
    server.sql("SELECT ldp_open_rounds('" + name + "', 0, 60)");
    InsecureBits bits(2026);
    std::vector<Report> kept[std::size(rounds)];
    for (int person = 0; person < people; ++person) {
        MemoryStore store;
        const auto reporter = make_reporter(collection, store, bits);
        for (int round = 0; round <= rounds[std::size(rounds) - 1]; ++round) {
            const Value record[] = {value_of(person, round)};
            const auto reported = reporter->report(record, round, bits);
            const auto* at = std::find(std::begin(rounds), std::end(rounds), round);
            if (at == std::end(rounds)) continue;
            for (const Report& report : reported.reports) kept[at - std::begin(rounds)].push_back(report);
        }
    }
    for (std::size_t i = 0; i < std::size(rounds); ++i)
        for (const std::vector<std::byte>& batch : pack(collection.mechanism(), kept[i]))
            server.sql("INSERT INTO " + name + " SELECT ldp_unpack('" + to_hex(batch) + "'), " +
                       std::to_string(rounds[i]));
}

/// What the command writes as an answer page.
std::string page_of(const std::filesystem::path& directory, const std::string& arguments) {
    const char* named = std::getenv("LDP");
    const std::string file = (directory / "answer.html").string();
    const std::string command = std::string(named != nullptr ? named : "build/bin/ldp") +
                                " estimate --dsn '" + Server::dsn() + "' " + arguments + " --html " + file +
                                " >" + file + ".out 2>&1";
    BOOST_REQUIRE(std::system(command.c_str()) == 0);
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

BOOST_AUTO_TEST_SUITE(drift)

// An estimate is further than 6 standard errors from the truth with a probability below 10⁻⁸.
BOOST_FIXTURE_TEST_CASE(estimates_after_the_end_of_budgets_say_so, Server) {
    collect(*this, "minutes", R"({"epsilon": 20})");
    for (const int round : rounds) {
        const auto row = sql(
            "SELECT estimate, stderr, lower, upper, coalesce(note, '') FROM ldp_estimate(ldp_summary_of('minutes', " +
            std::to_string(round) + "))")[0];
        const auto estimate = row[0].as<double>(), error = row[1].as<double>(), lower = row[2].as<double>(),
                   upper = row[3].as<double>();
        const auto note = row[4].as<std::string>();
        const double truth = 50 + 200.0 * round / 60;
        BOOST_TEST_CONTEXT("round " << round) {
            if (round < 19) {  // of 19 responses, none can have been repeated
                BOOST_TEST(note == "");
                BOOST_TEST(upper - lower < 4 * error);
                BOOST_TEST(std::abs(estimate - truth) < 6 * error);
            } else {
                BOOST_TEST(note.find("of the people repeat earlier responses") != std::string::npos, note);
                BOOST_TEST(upper - lower > 8 * error);
                BOOST_TEST(lower < truth);
                BOOST_TEST(truth < upper);
            }
            if (round == 60) BOOST_TEST(truth - estimate > 6 * error);  // it stays behind
        }
    }
    BOOST_TEST(
        number(
            "SELECT count(*) FROM ldp_spent(ldp_summary_of('minutes', 60)) WHERE lower > 0.3 AND p_value < 1e-8") ==
        1);
    BOOST_TEST(
        number(
            "SELECT count(*) FROM ldp_spent(ldp_summary_of('minutes', 18)) WHERE abs(estimate) < 6 * stderr") ==
        1);
    const std::string note = "of the people repeat earlier responses";
    BOOST_TEST(page_of(directory, "minutes --round 60").find(note) != std::string::npos);
    BOOST_TEST(page_of(directory, "minutes --round 18").find(note) == std::string::npos);
    BOOST_TEST(page_of(directory, "minutes").find(note) != std::string::npos);
}

BOOST_FIXTURE_TEST_CASE(without_a_signal_a_note_remains, Server) {
    collect(*this, "silent", R"({"epsilon": 20, "report_spent": false})");
    const std::string note = "people may repeat earlier responses";
    for (const int round : {18, 60}) {
        const auto found = sql("SELECT coalesce(note, '') FROM ldp_estimate(ldp_summary_of('silent', " +
                               std::to_string(round) + "))")[0][0]
                               .as<std::string>();
        BOOST_TEST((found.find(note) != std::string::npos) == (round == 60), found);
        BOOST_TEST((page_of(directory, "silent --round " + std::to_string(round)).find(note) !=
                    std::string::npos) == (round == 60));
    }
}

BOOST_AUTO_TEST_SUITE_END()
