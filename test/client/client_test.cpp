// The client: what a record becomes, and that flush delivers it once whatever breaks in between.

#include <cinttypes>
#include <cstdio>
#include <fstream>
#include <limits>
#include <set>

#include "client/memory_store.hpp"
#include "client/sqlite_store.hpp"
#include "client_support.hpp"
#include "core/summary/summary.hpp"
#include "fragile.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(client)

BOOST_AUTO_TEST_CASE(a_record_becomes_a_report_of_its_spec) {
    for (const char* json : {colours, wages, people, numbered}) {
        Client client(collection(json), MemoryStore());
        const auto& attributes = client.collection().spec().attributes();
        std::vector<Value> record;
        for (const Attribute& attribute : attributes)
            record.push_back(!attribute.labels.empty() ? Value(attribute.labels[1])
                             : attribute.numeric()     ? Value(attribute.max)
                                                       : Value(1));
        for (int i = 0; i < 100; ++i) BOOST_TEST(!client.report(record).clamped.any());
        Counter server;
        const Flushed flushed = client.flush(server, 30);
        BOOST_TEST(flushed.batches == 4u);
        BOOST_TEST(flushed.reports == 100u);
        BOOST_TEST(flushed.repeated == 0u);
        BOOST_TEST(client.pending() == 0u);
        const Mechanism& mechanism = client.collection().mechanism();
        std::set<Report> different;
        for (const Report& report : server.counted()) {
            BOOST_TEST(begins_with_block(report, mechanism.block()));
            check_report(mechanism, report);
            different.insert(report);
        }
        BOOST_TEST(different.size() > 1u);  // they are randomized
    }
}

namespace {

/// The bytes that are not 0 in memory that the kernel wipes in a forked child, which is where random words
/// wait; nothing if there is no such memory.
std::optional<std::size_t> bytes_that_wait() {
    std::ifstream maps("/proc/self/smaps");
    std::uintptr_t begin = 0, end = 0;
    std::optional<std::size_t> count;
    for (std::string line; std::getline(maps, line);) {
        std::uintptr_t from, to;
        if (std::sscanf(line.c_str(), "%" SCNxPTR "-%" SCNxPTR " ", &from, &to) == 2) begin = from, end = to;
        if (!line.starts_with("VmFlags:") || line.find(" wf") == line.npos) continue;
        const std::span bytes(reinterpret_cast<const char*>(begin), end - begin);
        count = count.value_or(0) + bytes.size() - static_cast<std::size_t>(std::ranges::count(bytes, '\0'));
    }
    return count;
}

}  // namespace

// A copy of a running machine goes on with the words that wait: the reports of both would have noise in
// common.
BOOST_AUTO_TEST_CASE(no_random_words_wait_between_reports) {
    for (const char* json : {colours, wages, people, numbered}) {
        Client client(collection(json), MemoryStore());
        const auto& attributes = client.collection().spec().attributes();
        std::vector<Value> record;
        for (const Attribute& attribute : attributes)
            record.push_back(!attribute.labels.empty() ? Value(attribute.labels[0]) : Value(0));
        for (int i = 0; i < 10; ++i) {
            client.report(record);
            BOOST_TEST(bytes_that_wait().value() == 0u);
            client.stage(record);
            BOOST_TEST(bytes_that_wait().value() == 0u);
        }
        BOOST_CHECK_THROW(client.report({1, 2, 3, 4, 5, 6, 7}), Error);
        BOOST_TEST(bytes_that_wait().value() == 0u);
    }
}

BOOST_AUTO_TEST_CASE(refused_records_queue_nothing) {
    Client client(collection(people, Outside::refuse), MemoryStore());
    BOOST_CHECK_THROW(client.report({1, 2, 3}), Error);
    BOOST_CHECK_THROW(client.report({1, "thirty", 3}), Error);
    BOOST_CHECK_THROW(client.stage({1}), Error);
    BOOST_TEST(client.pending() == 0u);
    BOOST_TEST(client.staged() == 0u);
}

BOOST_AUTO_TEST_CASE(clamped_values_are_counted) {
    Client client(collection(people), MemoryStore());
    BOOST_TEST(client.report({2000, 50, 3}).clamped.attributes == std::vector<std::size_t>{0},
               boost::test_tools::per_element());
    BOOST_TEST(client.stage({2000, 16, 3}).clamped.attributes.size() == 2u);
    BOOST_TEST(client.clamped().attributes == (std::vector<std::uint64_t>{2, 1, 0}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(coefficients_outside_their_ranges_are_counted) {
    Client client(collection(R"({"mechanism": "haar", "epsilon": 1, "coefficients": [[-1, 1], [-0.25, 0.25]],
                                 "attributes": [{"name": "a", "min": 0, "max": 8},
                                                {"name": "b", "min": 0, "max": 8}]})",
                             Outside::refuse),
                  MemoryStore());
    BOOST_TEST(client.report({4, 3}).clamped.coefficients ==
               0u);  // half the difference is 1/8 of the half range
    BOOST_TEST(client.report({8, 3}).clamped.coefficients == 1u);
    BOOST_TEST(client.stage({0, 8}).clamped.coefficients == 1u);
    BOOST_TEST(client.stage({0, 8}).clamped.attributes.empty());
    BOOST_TEST(client.clamped().coefficients == 3u);
}

BOOST_AUTO_TEST_CASE(numbers_of_too_long_vectors_are_counted) {
    Client client(collection(R"({"mechanism": "gaussian", "epsilon": 1, "delta": 1e-9, "norm": 1,
                                 "attributes": [{"name": "a", "min": 0, "max": 8},
                                                {"name": "b", "min": 0, "max": 8}]})",
                             Outside::refuse),
                  MemoryStore());
    BOOST_TEST(client.report({8, 4}).clamped.coefficients == 0u);
    BOOST_TEST(client.report({6, 6}).clamped.coefficients == 0u);
    BOOST_TEST(client.report({8, 0}).clamped.coefficients == 2u);
    BOOST_TEST(client.report({8, 5}).clamped.coefficients == 2u);
    BOOST_TEST(client.clamped().coefficients == 4u);
}

BOOST_AUTO_TEST_CASE(staged_records_are_queued_together) {
    Client client(collection(colours), MemoryStore());
    client.stage({"red"});
    client.stage({"blue"});
    BOOST_TEST(client.pending() == 0u);
    const Checkpoint checkpoints[] = {{"row", 2}};
    client.commit(6, checkpoints);
    BOOST_TEST(client.staged() == 0u);
    BOOST_TEST(client.pending() == 2u);
    BOOST_TEST(client.store().checkpoint("row").value() == 2);
    client.stage({"red"});
    client.discard();
    client.commit();
    BOOST_TEST(client.pending() == 2u);
}

// Each reporter, moved with what is staged, what is remembered, and where it stands.
BOOST_FIXTURE_TEST_CASE(a_moved_client_goes_on, Directory) {
    static_assert(std::is_nothrow_move_constructible_v<Client> && std::is_nothrow_move_assignable_v<Client>);
    constexpr const char* remembered = R"({"mechanism": "grr", "epsilon": 1, "evolving": {},
        "budget": {"epsilon": 9}, "domain": ["red", "green", "blue"]})";
    Counter server;
    std::vector<Client> clients;
    for (const char* json : {colours, remembered}) {
        Client first(collection(json), SqliteStore(file(json == colours ? "fresh" : "memory")));
        first.report({"red"});
        first.stage({"green"});
        Client second(std::move(first));
        second.stage({"blue"});
        BOOST_TEST(second.staged() == 2u);
        clients.push_back(std::move(second));
    }
    clients.emplace_back(collection(wages), MemoryStore()).stage({7});
    clients.front() = std::move(clients.back());  // what was staged in the one before ends with it
    clients.pop_back();
    clients.front().commit();
    BOOST_TEST(clients.front().flush(server).reports == 1u);

    Client& client = clients.back();
    BOOST_TEST((client.stage({"green"}).origin == Origin::memoized));
    client.discard();
    BOOST_TEST(client.ledger().size() == 1u);
    client.stage({"blue"});
    client.commit(3);
    BOOST_TEST((client.report({"blue"}).origin == Origin::memoized));
    BOOST_TEST(client.flush(server, 2).reports == 3u);
    BOOST_TEST(client.store().memory().responses.size() == 2u);
    BOOST_TEST(server.counted().size() == 4u);

    Client series(collection(R"({"mechanism": "ddrm", "epsilon": 4, "rounds": 3, "domain": 2})"),
                  MemoryStore());
    series.report({1}, 2);
    Client clamped = std::move(series);
    BOOST_CHECK_EXCEPTION(clamped.report({1}, 2), Error, error_with(ErrorCode::invalid_value, "is over"));
    clamped.report({1}, 3);
    BOOST_TEST(clamped.flush(server).reports > 0u);
}

// A second click, another answer to it, and an invalid one: nothing is drawn, queued or spent, in any store
// and under any reporter. The rounds are remembered after delivery and a restart.
BOOST_AUTO_TEST_CASE(a_round_has_one_record_if_the_client_takes_one) {
    const Directory directory;
    const char* memoized =
        R"({"mechanism": "grr", "epsilon": 1, "domain": 100, "evolving": {}, "budget": {"epsilon": 50}})";
    const char* series = R"({"mechanism": "ddrm", "epsilon": 1, "domain": 100, "rounds": 128, "changes": 2})";
    for (const char* json : {numbered, memoized, series}) {
        const Collection of = collection(json);
        const std::string path = directory.file(of.spec().mechanism().name) + (json == memoized ? "2" : "1");
        Counter server;
        std::uint64_t drawn = 0;
        for (int life = 0; life < 2; ++life) {
            Client client(of, SqliteStore(path));
            client.set_once_per_round(true);
            for (const int round : {1, 2, 63, 64, 65, 100}) {
                const std::uint64_t before = client.pending();
                const auto origin = [&](double value) { return client.report({value}, round).origin; };
                if (life == 0) BOOST_TEST((origin(round % 3) != Origin::ignored));
                const std::uint64_t queued = client.pending();
                BOOST_TEST((life == 0 || queued == before));
                for (const double value : {round % 3 + 0.0, 7.0, -1.0})
                    BOOST_TEST((origin(value) == Origin::ignored));
                BOOST_TEST(client.pending() == queued);
                drawn += queued - before;
            }
            BOOST_CHECK_EXCEPTION(client.stage({1}), Error,
                                  [](const Error& e) { return e.code() == ErrorCode::unsupported; });
            if (json == memoized) BOOST_TEST(client.ledger().size() == 3u);
            client.flush(server, 30);
        }
        BOOST_TEST(server.counted().size() == drawn);
        BOOST_TEST((json == series || drawn == 6u));
    }
    // A store that fails remembers nothing: the round is still free.
    Client client(collection(numbered), MemoryStore());
    for (int i = 0; i < 2; ++i) BOOST_TEST((client.report({1}).origin == Origin::drawn));
    client.set_once_per_round(true);
    BOOST_CHECK_THROW(client.report({100}), Error);
    BOOST_TEST((client.report({99}).origin == Origin::drawn));
    BOOST_TEST((client.report({98}, std::numeric_limits<std::int32_t>::min()).origin == Origin::drawn));
    BOOST_TEST((client.report({98}, std::numeric_limits<std::int32_t>::min()).origin == Origin::ignored));
    BOOST_TEST((client.report({98}, std::numeric_limits<std::int32_t>::max()).origin == Origin::drawn));
}

BOOST_AUTO_TEST_CASE(a_store_of_another_spec_is_refused) {
    Directory directory;
    { Client client(collection(colours), SqliteStore(directory.file("state"))); }
    BOOST_CHECK_EXCEPTION(Client(collection(wages), SqliteStore(directory.file("state"))), Error,
                          error_with(ErrorCode::incompatible, "another spec"));
    Client client(collection(colours), SqliteStore(directory.file("state")));
}

BOOST_AUTO_TEST_CASE(flush_tells_its_progress_and_refuses_empty_batches) {
    Client client(collection(colours), MemoryStore());
    for (int i = 0; i < 5; ++i) client.report({"red"});
    Counter server;
    BOOST_CHECK_EXCEPTION(client.flush(server, 0), Error, error_with(ErrorCode::invalid_value, "at least 1"));
    std::vector<std::uint64_t> seen;
    client.flush(server, 2, [&](const Flushed& so_far) { seen.push_back(so_far.reports); });
    BOOST_TEST(seen == (std::vector<std::uint64_t>{2, 4, 5}), boost::test_tools::per_element());
}

// Dies at the first step, the second, … of a session that queues and flushes, with or without a batch
// ahead. It restarts on the same file, and requires each time that every promised report was counted
// exactly once.
BOOST_AUTO_TEST_CASE(death_at_any_step_loses_and_doubles_nothing) {
    constexpr int sessions = 3;
    for (const bool ahead : {false, true}) {
        bool burnt = true;
        int steps = 0;
        for (; burnt; ++steps) {
            Directory directory;
            Counter server;
            Fuse fuse(steps);
            int promised = 0, attempted = 0;
            try {
                for (int session = 0; session < sessions; ++session) {
                    Client client(collection(colours),
                                  std::make_unique<FragileStore>(directory.file("state"), fuse));
                    FragileTransport transport(server, fuse);
                    for (int i = 0; i < 5; ++i) {
                        ++attempted;
                        client.report({"green"});
                        ++promised;
                    }
                    if (ahead)
                        flush_ahead(client, transport, 2);
                    else
                        client.flush(transport, 2);
                }
            } catch (const Died&) {
            }
            burnt = fuse.burnt();
            Client client(collection(colours), SqliteStore(directory.file("state")));
            client.flush(server, 2);
            BOOST_TEST(client.pending() == 0u);
            // A report whose queueing died half-way was not promised; it may have been queued all the same.
            BOOST_TEST(server.counted().size() >= static_cast<std::size_t>(promised));
            BOOST_TEST(server.counted().size() <= static_cast<std::size_t>(attempted));
        }
        BOOST_TEST(steps > 50);
    }
}

// Reports with the same public columns share a batch although they were queued in several steps, each with
// thousands of different columns.
BOOST_FIXTURE_TEST_CASE(columns_of_several_steps_share_batches, Directory) {
    constexpr int sets = 4000, steps = 4;
    SqliteStore store(file("state"));
    std::vector<ColumnRun> runs;
    for (int i = 0; i < sets; ++i) runs.push_back({1, {{"place", std::to_string(i)}}});
    for (int i = 0; i < steps; ++i) store.append(reports(i * sets, (i + 1) * sets), 0, {}, {}, runs);
    for (int i = 0; i < 10; ++i) {
        const auto batch = store.next_batch(1000);
        BOOST_TEST(batch->reports.size() == static_cast<std::size_t>(steps));
        store.confirm(batch->id);
    }
    BOOST_TEST(store.pending() == static_cast<std::size_t>((sets - 10) * steps));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
