// Many people's stores in one file: what each remembers, what they do together, and what survives.

#include <signal.h>
#include <sys/wait.h>

#include <map>
#include <set>

#include "client/fleet/sqlite_fleet.hpp"
#include "fragile.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(fleet)

namespace {

/// Values that change, remembered for each person; every public randomness is a hash of 64 bits.
constexpr const char* remembered = R"({"mechanism": "loloha", "epsilon": 1, "domain": 100,
    "evolving": {}, "budget": {"epsilon": 50}})";

std::string name_of(int person) {
    return "person-" + std::to_string(person);
}

/// The memory of this number of people.
std::vector<Memory> memories(SqliteFleet& fleet, int people) {
    std::vector<Memory> all;
    for (int i = 0; i < people; ++i) all.push_back(fleet.store(name_of(i)).memory());
    return all;
}

bool same(const Memory& a, const Memory& b) {
    return a.fingerprint == b.fingerprint && a.public_randomness == b.public_randomness &&
           a.progress == b.progress && a.responses == b.responses && a.fingerprint == b.fingerprint;
}
bool same(const std::vector<Memory>& a, const std::vector<Memory>& b) {
    return std::ranges::equal(a, b, [](const Memory& x, const Memory& y) { return same(x, y); });
}

}  // namespace

BOOST_FIXTURE_TEST_CASE(everybody_has_a_memory_of_their_own, Directory) {
    constexpr int people = 40;
    const Collection values = collection(remembered);
    std::vector<Memory> before;
    {
        SqliteFleet fleet(file("fleet"));
        for (int round = 0; round < 3; ++round)
            for (int i = 0; i < people; ++i) {
                Client client(values, fleet.store(name_of(i)));
                const Receipt receipt = client.report({(i + round / 2) % 100}, round);
                if (round != 2)
                    BOOST_TEST((receipt.origin == (round == 0 ? Origin::drawn : Origin::memoized)));
                BOOST_TEST(client.ledger().size() >= 1u);
            }
        BOOST_TEST(fleet.people() == static_cast<std::uint64_t>(people));
        BOOST_TEST(fleet.pending() == 3u * people);
        before = memories(fleet, people);
    }
    std::set<std::vector<std::byte>> drawn;
    for (const Memory& memory : before) drawn.insert(memory.public_randomness);
    BOOST_TEST(drawn.size() == static_cast<std::size_t>(people));

    SqliteFleet fleet(file("fleet"));
    BOOST_TEST(same(memories(fleet, people), before));
    Client client(values, fleet.store(name_of(7)));
    BOOST_TEST((client.report({7}, 4).origin == Origin::memoized));
    BOOST_CHECK_EXCEPTION(Client(collection(numbered), fleet.store("another")), Error,
                          error_with(ErrorCode::incompatible, "another spec"));
}

BOOST_FIXTURE_TEST_CASE(one_queue_leaves_in_large_batches, Directory) {
    Counter server;
    SqliteFleet fleet(file("fleet"));
    const Collection values = collection(remembered);
    fleet.together([&] {
        for (int i = 0; i < 250; ++i) Client(values, fleet.store(name_of(i))).report({i % 100}, 1);
    });
    Client one(values, fleet.store("one more"));
    one.report({5}, 1);
    BOOST_TEST(one.pending() == 251u);
    const Flushed flushed = fleet.flush(server, 100);
    BOOST_TEST(flushed.batches == 3u);
    BOOST_TEST(flushed.reports == 251u);
    BOOST_TEST(server.counted().size() == 251u);
    one.report({5}, 2);
    BOOST_TEST(one.flush(server).reports == 1u);
    BOOST_TEST(fleet.pending() == 0u);
}

BOOST_FIXTURE_TEST_CASE(a_person_has_one_store_at_a_time, Directory) {
    SqliteFleet fleet(file("fleet"));
    {
        const SqliteStore store = fleet.store("person");
        BOOST_CHECK_EXCEPTION(static_cast<void>(fleet.store("person")), Error,
                              error_with(ErrorCode::environment, "in use"));
        static_cast<void>(fleet.store("another"));
    }
    static_cast<void>(fleet.store("person"));
    BOOST_CHECK_EXCEPTION(static_cast<void>(fleet.store("")), Error,
                          error_with(ErrorCode::invalid_value, "must not be empty"));
    BOOST_CHECK_EXCEPTION(SqliteStore(file("fleet")), Error, error_with(ErrorCode::environment, "in use"));
    BOOST_TEST(fleet.people() == 0u);  // nothing was remembered of them
}

// What is undone with the whole is drawn anew, and who was in it cannot go on as if it were not.
BOOST_FIXTURE_TEST_CASE(together_is_whole_or_nothing, Directory) {
    const Collection values = collection(remembered);
    SqliteFleet fleet(file("fleet"));
    Client before(values, fleet.store("before")), apart(values, fleet.store("apart"));
    before.report({1}, 1);
    const Memory kept = before.store().memory();
    std::optional<Client> within;
    const auto fail = [&] {
        fleet.together([&] {
            within.emplace(values, fleet.store("within"));
            within->report({2}, 1);
            before.report({3}, 1);
            BOOST_TEST(fleet.pending() == 3u);
            fleet.queue().drop_refused();
            BOOST_CHECK_EXCEPTION(fleet.queue().next_batch(1), Error,
                                  error_with(ErrorCode::environment, "cannot be sent yet"));
            throw Died{};
        });
    };
    BOOST_CHECK_THROW(fail(), Died);
    BOOST_TEST(fleet.pending() == 1u);
    BOOST_TEST(fleet.people() == 2u);
    for (Client* client : {&before, &*within}) {
        BOOST_CHECK_EXCEPTION(client->report({4}, 1), Error,
                              error_with(ErrorCode::environment, "ahead of the file"));
        BOOST_CHECK_THROW(static_cast<void>(client->store().memory()), Error);
    }
    BOOST_TEST((apart.report({4}, 1).origin == Origin::drawn));
    within.reset();
    { const Client gone(std::move(before)); }
    const SqliteStore again = fleet.store("before");
    BOOST_TEST(same(again.memory(), kept));
    BOOST_TEST(fleet.store("within").memory().responses.empty());
    BOOST_TEST(fleet.queue().next_batch(10)->reports.size() == 2u);
}

// An error in a store rolls back the whole transaction, even if it is caught.
BOOST_FIXTURE_TEST_CASE(a_part_that_failed_cannot_be_left_out, Directory) {
    SqliteFleet fleet(file("fleet"));
    SqliteStore one = fleet.store("one"), two = fleet.store("two");
    const std::vector<PermanentResponse> twice{{{1}, {std::byte{1}}, 1.0}, {{1}, {std::byte{2}}, 1.0}};
    const auto work = [&] {
        one.append(reports(0, 1), 0);
        BOOST_CHECK_THROW(two.append(reports(1, 2), 0, {}, {{}, {}, twice}), Error);
        BOOST_CHECK_THROW(one.append(reports(2, 3), 0), Error);
    };
    BOOST_CHECK_EXCEPTION(fleet.together(work), Error,
                          error_with(ErrorCode::environment, "a part of a joint step"));
    BOOST_TEST(fleet.pending() == 0u);
    BOOST_TEST(fleet.people() == 0u);
    BOOST_CHECK_EXCEPTION(fleet.together([&] { fleet.together([] {}); }), Error,
                          error_with(ErrorCode::unsupported, "in progress"));
    fleet.together([&] { fleet.store("three").append(reports(0, 3), 0); });
    BOOST_TEST(fleet.pending() == 3u);
}

// Rounds and lengths as they come; what was queued in a step stands in as few rows as there are rounds.
BOOST_FIXTURE_TEST_CASE(order_is_kept_across_people, Directory) {
    std::vector<std::pair<std::int32_t, Report>> came, left;
    SqliteFleet fleet(file("fleet"));
    for (int step = 0; step < 5; ++step)
        fleet.together([&] {
            for (int i = 0; i < 60; ++i) {
                const std::int32_t round = i / 17 % 2;
                Report one = report(100 * step + i);
                one.resize(i % 5 == 0 ? 5 : 3);
                fleet.store(name_of(i)).append({&one, 1}, round);
                came.emplace_back(round, std::move(one));
            }
        });
    while (const auto batch = fleet.queue().next_batch(7)) {
        for (const Report& one : batch->reports) left.emplace_back(batch->round, one);
        fleet.queue().confirm(batch->id);
    }
    BOOST_TEST((left == came));
}

// Killed at any moment, each step is there whole or not at all: each raises every person's mark by one.
BOOST_FIXTURE_TEST_CASE(steps_survive_being_killed, Directory) {
    constexpr int people = 20;
    std::int64_t promised = 0;
    for (int time = 0; time < 8; ++time) {
        int pipes[2];
        BOOST_REQUIRE(pipe(pipes) == 0);
        const pid_t child = fork();
        BOOST_REQUIRE(child >= 0);
        if (child == 0) {
            close(pipes[0]);
            SqliteFleet fleet(file("fleet"));
            for (;;) {
                fleet.together([&] {
                    for (int i = 0; i < people; ++i) {
                        SqliteStore store = fleet.store(name_of(i));
                        const std::int64_t done = store.checkpoint("steps").value_or(0) + 1;
                        const Checkpoint checkpoints[] = {{"steps", done}};
                        const std::vector<PermanentResponse> answers{
                            {{static_cast<Cell>(done)}, {std::byte{7}}, 1.0}};
                        store.append(reports(i, i + 1), 0, checkpoints, {{}, {}, answers});
                    }
                });
                if (write(pipes[1], "+", 1) != 1) _exit(1);
            }
        }
        close(pipes[1]);
        char promise = 0;
        for (int i = 0; i < 3 + time && read(pipes[0], &promise, 1) == 1; ++i) ++promised;
        kill(child, SIGKILL);
        waitpid(child, nullptr, 0);
        while (read(pipes[0], &promise, 1) == 1) ++promised;
        close(pipes[0]);
    }
    SqliteFleet fleet(file("fleet"));
    const std::int64_t steps = fleet.store(name_of(0)).checkpoint("steps").value();
    BOOST_TEST(steps >= promised);
    BOOST_TEST(steps <= promised + 8);
    for (int i = 0; i < people; ++i) {
        const SqliteStore store = fleet.store(name_of(i));
        BOOST_TEST(store.checkpoint("steps").value() == steps);
        BOOST_TEST(store.memory().responses.size() == static_cast<std::size_t>(steps));
    }
    BOOST_TEST(fleet.pending() == static_cast<std::uint64_t>(people * steps));
}

BOOST_FIXTURE_TEST_CASE(a_changed_person_is_damage, Directory) {
    const char* changes[] = {
        "UPDATE person SET name = 'person-9' WHERE id = 2",
        "UPDATE person SET progress = x'00' WHERE id = 2",
        "UPDATE person SET id = 9 WHERE id = 2",
        "UPDATE response SET person = 9 WHERE person = 1",
        "UPDATE response SET response = zeroblob(length(response) + 1) WHERE person = 2",
        "UPDATE checkpoint SET person = 9 WHERE person = 2",
        "DELETE FROM response WHERE person = 2",
        "DELETE FROM person WHERE id = 2",
    };
    for (const char* change : changes) BOOST_TEST_CONTEXT(change) {
            std::filesystem::remove(file("fleet"));
            {
                SqliteFleet fleet(file("fleet"));
                for (int i = 0; i < 3; ++i)
                    Client(collection(remembered), fleet.store(name_of(i))).report({i}, 1);
            }
            run_sql(file("fleet"), change);
            const auto use = [&] {
                SqliteFleet fleet(file("fleet"));
                for (int i = 0; i < 3; ++i) Client(collection(remembered), fleet.store(name_of(i)));
            };
            BOOST_CHECK_EXCEPTION(use(), Error, error_with(ErrorCode::environment, "damaged"));
        }
}

// While a batch is in flight and the next one has its id, other clients report. If a batch has one report
// that the server rejects, it is divided until that report is isolated. The batches with ids assigned
// before leave under other ids.
BOOST_FIXTURE_TEST_CASE(others_report_while_batches_are_named_ahead, Directory) {
    constexpr int people = 40, late = 20;
    const Collection values = collection(remembered);
    SqliteFleet fleet(file("fleet"));
    Report bad = report(999);
    struct RefusingServer final : BatchTransport {
        bool deliver(const Batch& batch) override {
            if (meanwhile) meanwhile();
            if (std::ranges::find(batch.reports, bad) != batch.reports.end())
                throw Undelivered(BatchOutcome::refused,
                                  Error(ErrorCode::environment, "no report of this spec"));
            return counter.deliver(batch);
        }
        Counter counter;
        Report bad;
        std::function<void()> meanwhile;
    } server;
    server.bad = bad;
    fleet.together([&] {
        for (int i = 0; i < people; ++i) {
            Client(values, fleet.store(name_of(i))).report({i}, 1);
            if (i == 17) fleet.queue().append({&bad, 1}, 1);
        }
    });
    int came = 0;
    server.meanwhile = [&] {
        if (came < late) Client(values, fleet.store(name_of(people + came))).report({came}, 1 + came / 10);
        ++came;
    };
    BatchSize size;
    const Flushed flushed = flush_ahead(Flush(fleet.queue(), size, 8), server);
    BOOST_TEST(came > late);
    BOOST_TEST(flushed.reports == static_cast<std::uint64_t>(people + late));
    BOOST_TEST(fleet.pending() == 0u);
    BOOST_TEST(fleet.people() == static_cast<std::uint64_t>(people + late));
    const auto refused = fleet.queue().refused();
    BOOST_REQUIRE(refused.size() == 1u);
    BOOST_TEST((refused[0].report == bad));
    BOOST_TEST(server.counter.counted().size() == static_cast<std::size_t>(people + late));
}

// The queue of an older copy of a fleet is set aside for everybody; all memories stay.
BOOST_FIXTURE_TEST_CASE(an_older_copy_of_a_fleet_is_noticed, Directory) {
    struct OutdatingServer final : BatchTransport {
        bool deliver(const Batch& batch) override {
            const auto [found, fresh] = batches.try_emplace(batch.id, batch.digest());
            if (found->second == batch.digest()) return fresh;
            throw Undelivered(BatchOutcome::outdated,
                              Error(ErrorCode::environment, "counted before with others"));
        }
        std::map<std::string, std::array<std::byte, 32>> batches;
    } server;
    const auto report = [&](SqliteFleet& fleet, int value) {
        for (int i = 0; i < 5; ++i)
            Client(collection(remembered), fleet.store(name_of(i))).report({value + i}, value);
    };
    const auto go_on = [&](int value) {
        SqliteFleet fleet(file("fleet"));
        report(fleet, value);
        BatchSize size;
        flush_ahead(Flush(fleet.queue(), size, 3), server);
    };
    // Copied while nothing is queued, and with one batch named and another ahead of it.
    for (const bool named : {false, true}) BOOST_TEST_CONTEXT("named ahead: " << named) {
            std::filesystem::remove(file("fleet"));
            go_on(0);
            if (named) {
                SqliteFleet fleet(file("fleet"));
                report(fleet, 5);
                BOOST_TEST(fleet.queue().next_batch(3).has_value());
                BOOST_TEST(fleet.queue().batch_after(3).has_value());
            }
            std::filesystem::copy_file(file("fleet"), file("older"));
            go_on(10);
            std::filesystem::rename(file("older"), file("fleet"));
            BOOST_CHECK_EXCEPTION(go_on(20), Error,
                                  error_with(ErrorCode::incompatible, "another copy of the store"));
            SqliteFleet fleet(file("fleet"));
            for (int i = 0; i < 5; ++i) {
                const SqliteStore store = fleet.store(name_of(i));
                BOOST_TEST(!store.memory().responses.empty());
            }
            BOOST_TEST(fleet.pending() == 0u);
            report(fleet, 30);
            BatchSize size;
            BOOST_TEST(flush_ahead(Flush(fleet.queue(), size, 3), server).reports == 5u);
        }
}

BOOST_AUTO_TEST_CASE(rounds_of_people_are_their_own) {
    const Directory directory;
    const Collection of = collection(numbered);
    SqliteFleet fleet(directory.file("once"));
    for (int again = 0; again < 2; ++again)
        for (const char* person : {"ann", "bo"}) {
            Client client(of, fleet.store(person));
            client.set_once_per_round(true);
            const Origin origin = client.report({1}, 3).origin;
            BOOST_TEST((origin == (again == 0 ? Origin::drawn : Origin::ignored)));
        }
    BOOST_TEST(fleet.pending() == 2u);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
