// Series: what a client remembers from round to round, and that no round is ever answered twice.

#include "core/mechanism/longitudinal/series.hpp"

#include <map>
#include <set>
#include <sstream>

#include "../support/seeded_words.hpp"
#include "cli/records.hpp"
#include "client/memory_store.hpp"
#include "client/series_reporter.hpp"
#include "core/summary/summary.hpp"
#include "fragile.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(series)

namespace {

constexpr const char* mood = R"({"mechanism": "ddrm", "epsilon": 4, "rounds": 12, "changes": 2,
    "attributes": [{"name": "mood", "domain": ["good", "bad", "none"]}]})";
const char* const labels[] = {"good", "bad", "none"};

/// A row and 2·node + answer, as a report ends.
struct NodeAnswer {
    unsigned row, node, answer;
    explicit NodeAnswer(const Report& report)
        : row(std::to_integer<unsigned>(report[report.size() - 2])),
          node(std::to_integer<unsigned>(report.back()) / 2),
          answer(std::to_integer<unsigned>(report.back()) % 2) {}
};

/// The levels have 12, 6, 3 and 1 nodes. Above them are the snapshots of the 12 rounds, with 3 outcomes each.
constexpr unsigned nodes[] = {12, 6, 3, 1, 1}, first[] = {0, 12, 18, 21}, snapshots = 4, all_nodes = 22;
unsigned level_of(const Client& client) {
    return std::to_integer<unsigned>(client.store().memory().public_randomness[1]);
}

/// A client that drew this level.
std::unique_ptr<Client> client_of(unsigned level) {
    for (;;) {
        auto client = std::make_unique<Client>(collection(mood), MemoryStore());
        if (level_of(*client) == level) return client;
    }
}

std::vector<Report> all_reports(Client& client) {
    Counter server;
    client.flush(server);
    return server.counted();
}

void check_complete(const std::vector<Report>& reports, unsigned level) {
    BOOST_REQUIRE(reports.size() == nodes[level]);
    if (level == snapshots) {
        BOOST_TEST(NodeAnswer(reports[0]).node >= all_nodes);
        return;
    }
    for (unsigned i = 0; i < reports.size(); ++i) BOOST_TEST(NodeAnswer(reports[i]).node == first[level] + i);
    for (const Report& report : reports) BOOST_TEST(NodeAnswer(report).row == NodeAnswer(reports[0]).row);
}

const auto refused = error_with(ErrorCode::invalid_value, "round");

}  // namespace

BOOST_AUTO_TEST_CASE(a_report_is_due_at_the_end_of_a_node) {
    for (const unsigned level : {0u, 1u, 2u}) {
        const auto client = client_of(level);
        for (int round = 1; round <= 12; ++round) {
            const bool due = round % (1 << level) == 0;
            const Receipt receipt = client->report({labels[round % 3]}, round);
            BOOST_TEST((receipt.origin == (due ? Origin::drawn : Origin::silent)));
            BOOST_TEST(client->pending() == static_cast<unsigned>(round >> level));
        }
        check_complete(all_reports(*client), level);
    }
}

BOOST_AUTO_TEST_CASE(numbers_are_reported_by_thresholds) {
    // Every person's number goes from 20 to 80 in round 5, also of those who skip rounds.
    const Collection weights = collection(R"({"mechanism": "threshold_series", "epsilon": 20, "rounds": 8,
        "changes": 1, "thresholds": 8, "attributes": [{"name": "weight", "min": 0, "max": 100}]})");
    std::vector<std::byte> summary(summary_size(weights.mechanism()));
    start_summary(weights.mechanism(), summary);
    for (int person = 0; person < 3000; ++person) {
        Client client(weights, MemoryStore());
        for (const int round : {1, 2, 3, 4, 5, 8})
            if (person % 3 != 0 || round == 4 || round > 4) client.report({round < 5 ? 20.0 : 80.0}, round);
        for (const Report& report : all_reports(client))
            BOOST_REQUIRE((accumulate(weights.mechanism(), summary, report) == Outcome::ok));
    }
    const auto means = estimate(view_of(weights.mechanism(), summary), {Quantity::means});
    BOOST_REQUIRE(means.size() == 8u);
    for (std::size_t round = 0; round < 8; ++round)
        BOOST_CHECK_LT(std::abs(means[round].value - (round < 4 ? 20 : 80)), 6 * means[round].standard_error);

    Client client(weights, MemoryStore());
    BOOST_CHECK_EXCEPTION(client.report({"heavy"}, 1), Error, error_with(ErrorCode::invalid_value, "heavy"));
    BOOST_TEST(client.report({120.0}, 2).clamped.attributes.size() == 1u);
    BOOST_CHECK_EXCEPTION(client.report({50.0}, 2), Error, refused);
    // In the last round all levels have a node, and a snapshot may be over.
    BOOST_TEST((client.report({50.0}, 8).origin == Origin::drawn || client.pending() == 1));
}

BOOST_AUTO_TEST_CASE(a_round_is_answered_once) {
    const auto client = client_of(0);
    for (const int round : {0, -1, 13}) BOOST_CHECK_EXCEPTION(client->report({"bad"}, round), Error, refused);
    BOOST_CHECK_EXCEPTION(client->report({"bad"}), Error, refused);
    client->report({"bad"}, 1);
    client->report({"bad"}, 3);
    const Memory before = client->store().memory();
    for (const int round : {1, 2, 3}) BOOST_CHECK_EXCEPTION(client->report({"good"}, round), Error, refused);
    BOOST_CHECK_EXCEPTION(client->report({"blue"}, 4), Error, error_with(ErrorCode::invalid_value, "blue"));
    BOOST_TEST((client->store().memory().progress == before.progress));
    BOOST_TEST(client->pending() == 3u);
    client->report({"good"}, 12);
    BOOST_CHECK_EXCEPTION(client->report({"good"}, 12), Error, refused);
    BOOST_CHECK_EXCEPTION(client->report({"good"}, 13), Error, refused);
    check_complete(all_reports(*client), 0);
}

// With the same words, leaving out rounds in which nothing changes makes no difference.
BOOST_AUTO_TEST_CASE(rounds_left_out_have_the_value_before) {
    const Collection c = collection(mood);
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SeededBits one(seed), other(seed);
        MemoryStore first_store, second_store;
        SeriesReporter whole(c, first_store, one), sparse(c, second_store, other);
        std::vector<Report> all, few;
        const int values[] = {1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 1};  // reported sparsely in 3, 4, 8 and 12
        for (int round = 1; round <= 12; ++round) {
            const std::vector<Value> record{labels[values[round - 1]]};
            std::ranges::copy(whole.report(record, round, one).reports, std::back_inserter(all));
            if (round != 3 && round != 4 && round != 8 && round != 12) continue;
            std::ranges::copy(sparse.report(record, round, other).reports, std::back_inserter(few));
            BOOST_TEST((sparse.series_state() == whole.series_state()));
        }
        BOOST_TEST((all == few));
    }
}

BOOST_AUTO_TEST_CASE(the_truth_comes_through, *boost::unit_test::label("slow")) {
    // At the highest ε a lie is rare enough to be counted out.
    const Collection c =
        collection(R"({"mechanism": "ddrm", "epsilon": 20, "rounds": 4, "changes": 1, "domain": 2})");
    std::map<unsigned, int> ones, all;
    for (int user = 0; user < 30000; ++user) {
        Client client(c, MemoryStore());
        for (const int round : {1, 2, 3, 4}) client.report({round < 3 ? 0 : 1}, round);  // + + − −
        for (const Report& report : all_reports(client)) {
            ++all[NodeAnswer(report).node];
            ones[NodeAnswer(report).node] += static_cast<int>(NodeAnswer(report).answer);
        }
    }
    // Seven nodes, then the values in four snapshots.
    const double expected[] = {1, 0.5, 0, 0.5, 1, 0, 0, 0, 0, 1, 1};
    for (unsigned node = 0; node < 11; ++node) {
        BOOST_REQUIRE(all[node] > 50);
        const double p = expected[node], share = static_cast<double>(ones[node]) / all[node];
        BOOST_TEST(std::abs(share - p) <= 6 * std::sqrt(std::max(p * (1 - p), 5e-4) / all[node]));
    }
}

BOOST_AUTO_TEST_CASE(there_is_nothing_to_stage_and_no_ledger) {
    Client client(collection(mood), MemoryStore());
    BOOST_CHECK_EXCEPTION(client.stage({"bad"}), Error, error_with(ErrorCode::unsupported, "need a round"));
    BOOST_CHECK_EXCEPTION(static_cast<void>(client.ledger()), Error,
                          error_with(ErrorCode::unsupported, "cost epsilon once"));
    std::istringstream in("mood\nbad\n");
    cli::CsvReader csv(in, "file");
    BOOST_CHECK_EXCEPTION(cli::Records(csv, collection(mood).spec(), cli::BadRow::stop), Error,
                          error_with(ErrorCode::unsupported, "changing values"));
}

BOOST_FIXTURE_TEST_CASE(a_file_remembers_where_it_stands, Directory) {
    std::size_t reports = 0;
    unsigned level = 0;
    for (int round = 1; round <= 12; ++round) {
        Client client(collection(mood), SqliteStore(file("state")));
        client.report({labels[round / 5]}, round);
        level = level_of(client);
        reports = client.pending();
    }
    BOOST_TEST(reports == nodes[level]);
    Client client(collection(mood), SqliteStore(file("state")));
    BOOST_CHECK_EXCEPTION(client.report({"good"}, 12), Error, refused);
    check_complete(all_reports(client), level);
}

BOOST_AUTO_TEST_CASE(foreign_memories_are_refused) {
    const Collection c = collection(mood);
    SeededBits bits(1);
    const auto starts = [&](std::vector<std::byte> public_randomness,
                            const std::vector<std::uint32_t>& series_state) {
        Writer progress;
        for (const std::uint32_t field : series_state) progress.put(field);
        MemoryStore store;
        store.append({}, 0, {}, {public_randomness, progress.bytes()});
        try {
            const SeriesReporter reporter(c, store, bits);
            return true;
        } catch (const Error& error) {
            BOOST_TEST((error.code() == ErrorCode::environment));
            return false;
        }
    };
    const auto drawn = [](int row, int level, int round = 0) {
        return std::vector<std::byte>{static_cast<std::byte>(row), static_cast<std::byte>(level),
                                      static_cast<std::byte>(round), std::byte{0}};
    };
    const std::vector<std::byte> good = drawn(3, 1);
    BOOST_TEST(starts(good, {5, 2, 1, 1}));
    for (const auto& series_state : std::vector<std::vector<std::uint32_t>>{
             {}, {5, 2, 1}, {5, 2, 1, 1, 0}, {13, 2, 1, 1}, {5, 3, 1, 1}, {5, 2, 2, 1}, {5, 2, 1, 3}})
        BOOST_TEST(!starts(good, series_state));
    BOOST_TEST(!starts({}, {5, 2, 1, 1}));
    BOOST_TEST(!starts({std::byte{3}}, {5, 2, 1, 1}));
    BOOST_TEST(!starts(drawn(4, 1), {5, 2, 1, 1}));
    BOOST_TEST(!starts(drawn(3, 4), {5, 2, 1, 1}));
    BOOST_TEST(starts(drawn(3, 4, 12), {5, 2, 0, 0}));
    BOOST_TEST(!starts(drawn(3, 4, 12), {5, 2, 1, 1}));
    BOOST_TEST(!starts(drawn(3, 4, 13), {5, 2, 0, 0}));
    BOOST_TEST(!starts(drawn(3, 1, 12), {5, 2, 1, 1}));
}

BOOST_AUTO_TEST_CASE(a_round_that_was_not_stored_can_be_reported_again) {
    bool broken = false;
    Client client(collection(mood), std::make_unique<FailingStore>(broken));
    for (int round = 1; round <= 12; ++round) {
        broken = true;
        BOOST_CHECK_EXCEPTION(client.report({labels[round % 3]}, round), Error,
                              error_with(ErrorCode::environment, "no space"));
        broken = false;
        client.report({labels[round % 3]}, round);
    }
    check_complete(all_reports(client), level_of(client));
}

// Dies before and after each step of a store, over several starts, until all rounds are reported: what was
// counted are a person's answers, each once.
BOOST_AUTO_TEST_CASE(dying_at_any_step_answers_nothing_twice) {
    bool died = true;
    int steps = 0;
    for (; died; ++steps) {
        Directory directory;
        Counter server;
        died = false;
        for (int start = 0; start < 2; ++start) {
            Fuse fuse(start == 0 ? steps : 1000000);
            try {
                Client client(collection(mood),
                              std::make_unique<FragileStore>(directory.file("state"), fuse));
                FragileTransport transport(server, fuse);
                for (int round = 1; round <= 12; ++round) {
                    try {
                        client.report({labels[round % 3]}, round);
                    } catch (const Error& error) {
                        BOOST_REQUIRE((start == 1 && error.code() == ErrorCode::invalid_value));
                    }
                    if (round % 5 == 0) client.flush(transport, 2);
                }
                client.flush(transport, 3);
                if (start == 1) check_complete(server.counted(), level_of(client));
            } catch (const Died&) {
                died = true;
            }
        }
    }
    BOOST_TEST(steps > 30);
}

// Series as parts of a record -------------------------------------------------------------------------------

namespace {

constexpr const char* profile = R"({"mechanism": "sampled", "epsilon": 4, "evolving": {},
    "budget": {"epsilon": 12}, "attributes": [
    {"name": "mood", "domain": ["good", "bad", "none"], "mechanism": "ddrm", "rounds": 12, "changes": 2},
    {"name": "wage", "min": 0, "max": 10, "mechanism": "pdp"},
    {"name": "weight", "min": 0, "max": 100, "mechanism": "threshold_series", "rounds": 12, "changes": 2}]})";

std::vector<Value> profile_in(int round) {
    return {labels[round % 3], round % 10, 50 + round};
}

/// The drawn part, whose number begins the public randomness.
unsigned part_of_client(const Client& client) {
    return std::to_integer<unsigned>(client.store().memory().public_randomness[0]);
}

}  // namespace

// The ledger has one response for a series, and one for each new value of the other part.
BOOST_FIXTURE_TEST_CASE(a_person_reports_the_drawn_part, Directory) {
    const Collection c = collection(profile);
    const auto& parts = *series_parts(c.mechanism());
    std::size_t seen[3] = {};
    for (int person = 0; person < 60; ++person) {
        const std::string name = file(("person-" + std::to_string(person)).c_str());
        std::size_t reports = 0, silent = 0;
        for (int round = 1; round <= 12; ++round) {
            Client client(c, SqliteStore(name));  // a restart in each round
            const unsigned drawn = part_of_client(client);
            BOOST_REQUIRE(client.reports_series() == (drawn != 1));
            BOOST_CHECK_EXCEPTION(client.report(profile_in(round), 0), Error, refused);
            BOOST_CHECK_EXCEPTION(client.report(profile_in(round), 13), Error, refused);
            BOOST_CHECK_EXCEPTION(client.stage(profile_in(round)), Error,
                                  error_with(ErrorCode::unsupported, "need a round"));
            const Receipt receipt = client.report(profile_in(round), round);
            silent += receipt.origin == Origin::silent ? 1 : 0;
            if (drawn != 1) {
                BOOST_CHECK_EXCEPTION(client.report(profile_in(round), round), Error, refused);
                BOOST_REQUIRE(client.ledger().size() == 1u);
                BOOST_TEST(client.ledger()[0].round == 1);
                BOOST_TEST(client.spent().sum == 4);
            } else {
                // Three responses at 4, of which one is the signal of the spent budget.
                BOOST_TEST(client.ledger().size() == static_cast<unsigned>(std::min(round, 2)));
                BOOST_TEST(client.spent().sum == 4.0 * std::min(round, 2) + 4);
            }
            reports = client.pending();
            if (round == 12) ++seen[drawn];
        }
        Client client(c, SqliteStore(name));
        if (!client.reports_series()) {
            BOOST_TEST(reports == 12u);
            continue;
        }
        for (const Report& report : all_reports(client)) {
            check_report(c.mechanism(), report);
            const Bytes payload = payload_of(Bytes(report), c.mechanism().block());
            BOOST_TEST(std::to_integer<unsigned>(payload[0]) == part_of_client(client));
        }
        BOOST_TEST(reports <= 12u);
        BOOST_TEST(parts.series_attribute(client.store().memory().public_randomness).has_value());
    }
    for (const std::size_t count : seen) BOOST_TEST(count >= 2u);  // 20 are expected; below 2: 3e-9
}

BOOST_AUTO_TEST_CASE(a_part_that_was_not_stored_can_be_reported_again) {
    for (int person = 0; person < 20; ++person) {
        bool broken = false;
        Client client(collection(profile), std::make_unique<FailingStore>(broken));
        for (int round = 1; round <= 12; ++round) {
            broken = true;
            BOOST_CHECK_EXCEPTION(client.report(profile_in(round), round), Error,
                                  error_with(ErrorCode::environment, "no space"));
            broken = false;
            client.report(profile_in(round), round);
        }
        BOOST_TEST((!client.reports_series() || client.ledger().size() == 1u));
    }
}

// All attributes are series: a person has one of them, without a ledger.
BOOST_AUTO_TEST_CASE(a_record_of_series_has_no_ledger) {
    Client client(collection(R"({"mechanism": "sampled", "epsilon": 4, "attributes": [
        {"name": "a", "domain": 2, "mechanism": "ddrm", "rounds": 4},
        {"name": "b", "domain": 3, "mechanism": "ddrm", "rounds": 4}]})"),
                  MemoryStore());
    BOOST_TEST(client.reports_series());
    for (int round = 1; round <= 4; ++round) client.report({1, 2}, round);
    BOOST_TEST(client.pending() >= 1u);
    BOOST_CHECK_EXCEPTION(static_cast<void>(client.ledger()), Error,
                          error_with(ErrorCode::unsupported, "cost epsilon once"));
}

BOOST_AUTO_TEST_CASE(memories_of_another_part_are_refused) {
    const Collection c = collection(profile);
    SeededBits bits(1);
    for (int person = 0; person < 40; ++person) {
        MemoryStore store;
        const auto reporter = make_reporter(c, store, bits);
        const auto reported = reporter->report(profile_in(1), 1, bits);
        const StateDelta delta = reporter->unsaved();
        Memory memory = store.memory();
        store.append(reported.reports, 1, {}, delta);
        // The same state with the public randomness of another part, or without its response.
        std::vector<std::byte> other = memory.public_randomness;
        other[0] = static_cast<std::byte>((std::to_integer<unsigned>(other[0]) + 1) % 3);
        const std::vector<std::byte> progress = store.memory().progress;
        const std::vector<PermanentResponse> answers = store.memory().responses;
        const auto starts = [&](const std::vector<std::byte>& drawn,
                                std::span<const PermanentResponse> responses) {
            MemoryStore copy;
            copy.append({}, 1, {}, {drawn, progress, responses});
            try {
                static_cast<void>(make_reporter(c, copy, bits));
                return true;
            } catch (const Error& error) {
                BOOST_TEST((error.code() == ErrorCode::environment));
                return false;
            }
        };
        BOOST_TEST(starts(memory.public_randomness, answers));
        BOOST_TEST(!starts(other, answers));
        BOOST_TEST((!reporter->reports_series() || !starts(memory.public_randomness, {})));
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
