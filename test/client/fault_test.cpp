// What goes wrong below and behind a client: disks that fill up or fail at any step, damaged and outdated
// files, reports that a server refuses, servers that come and go.
//
// Length: every case injects faults with the disk, file and server that this file simulates.

#include <sqlite3.h>
#include <sys/resource.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <set>

#include "client/batch_transport.hpp"
#include "client/pqxx_compat.hpp"
#include "core/base/sha256.hpp"
#include "fragile.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(faults)

namespace {

// A disk that fails -----------------------------------------------------------------------------------

/// SQLite's way to the disk, whose step number `fails_at` fails, with this code: that one alone, or all that
/// follow. A step is all that changes a file or makes it durable.
class Disk {
  public:
    Disk() {
        real = sqlite3_vfs_find(nullptr);
        BOOST_REQUIRE(real != nullptr);
        vfs = *real;
        vfs.zName = "failing";
        vfs.szOsFile = static_cast<int>(sizeof(File)) + real->szOsFile;
        vfs.xOpen = [](sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* given) {
            auto* ours = reinterpret_cast<File*>(file);
            ours->base.pMethods = nullptr;
            const int code = real->xOpen(real, name, below(file), flags, given);
            if (code == SQLITE_OK) ours->base.pMethods = &methods;
            return code;
        };
        vfs.xDelete = [](sqlite3_vfs*, const char* name, int sync) {
            return fails() ? failure : real->xDelete(real, name, sync);
        };
        methods = {};
        methods.iVersion = 1;
        methods.xClose = [](sqlite3_file* f) { return below(f)->pMethods->xClose(below(f)); };
        methods.xRead = [](sqlite3_file* f, void* to, int size, sqlite3_int64 at) {
            return below(f)->pMethods->xRead(below(f), to, size, at);
        };
        methods.xWrite = [](sqlite3_file* f, const void* from, int size, sqlite3_int64 at) {
            return fails() ? failure : below(f)->pMethods->xWrite(below(f), from, size, at);
        };
        methods.xTruncate = [](sqlite3_file* f, sqlite3_int64 size) {
            return fails() ? failure : below(f)->pMethods->xTruncate(below(f), size);
        };
        methods.xSync = [](sqlite3_file* f, int flags) {
            return fails() ? failure : below(f)->pMethods->xSync(below(f), flags);
        };
        methods.xFileSize = [](sqlite3_file* f, sqlite3_int64* size) {
            return below(f)->pMethods->xFileSize(below(f), size);
        };
        methods.xLock = [](sqlite3_file* f, int level) { return below(f)->pMethods->xLock(below(f), level); };
        methods.xUnlock = [](sqlite3_file* f, int level) {
            return below(f)->pMethods->xUnlock(below(f), level);
        };
        methods.xCheckReservedLock = [](sqlite3_file* f, int* held) {
            return below(f)->pMethods->xCheckReservedLock(below(f), held);
        };
        methods.xFileControl = [](sqlite3_file* f, int what, void* with) {
            return below(f)->pMethods->xFileControl(below(f), what, with);
        };
        methods.xSectorSize = [](sqlite3_file* f) { return below(f)->pMethods->xSectorSize(below(f)); };
        methods.xDeviceCharacteristics = [](sqlite3_file* f) {
            return below(f)->pMethods->xDeviceCharacteristics(below(f));
        };
        BOOST_REQUIRE(sqlite3_vfs_register(&vfs, 1) == SQLITE_OK);
    }
    ~Disk() {
        sqlite3_vfs_unregister(&vfs);
        sqlite3_vfs_register(real, 1);
    }
    void fail_at(int step, int code, bool lasting) {
        steps = 0, failed = false, fails_at = step, failure = code, lasts = lasting;
    }
    void work() { fail_at(-1, SQLITE_OK, false); }
    [[nodiscard]] bool has_failed() const { return failed; }

  private:
    struct File {
        sqlite3_file base;
    };
    static sqlite3_file* below(sqlite3_file* file) {
        return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(File));
    }
    static bool fails() {
        const int step = steps++;
        const bool now = fails_at >= 0 && (lasts ? step >= fails_at : step == fails_at);
        failed = failed || now;
        return now;
    }
    static inline sqlite3_vfs* real;
    static inline sqlite3_vfs vfs;
    static inline sqlite3_io_methods methods;
    static inline int steps = 0, fails_at = -1, failure = SQLITE_OK;
    static inline bool lasts = false, failed = false;
};

/// The observable content of a store.
struct Content {
    std::vector<std::pair<std::int32_t, Report>> queue;
    std::vector<Refused> refused;
    std::optional<std::int64_t> row, far;
    Memory memory;
    friend bool operator==(const Content& a, const Content& b) {
        return a.queue == b.queue && a.refused == b.refused && a.row == b.row && a.far == b.far &&
               a.memory.fingerprint == b.memory.fingerprint &&
               a.memory.public_randomness == b.memory.public_randomness &&
               a.memory.progress == b.memory.progress && a.memory.responses == b.memory.responses &&
               a.memory.fingerprint == b.memory.fingerprint;
    }
};

/// Reads a store out, which empties its queue.
Content content(Store& store) {
    Content found{{}, store.refused(), store.checkpoint("row"), store.checkpoint("far"), store.memory()};
    while (const auto batch = store.next_batch(7)) {
        for (const Report& one : batch->reports) found.queue.emplace_back(batch->round, one);
        store.confirm(batch->id);
    }
    const std::vector<Refused> refused = store.refused();
    if (refused.size() != found.refused.size()) found.refused = refused;
    return found;
}

}  // namespace

// Every step of a life fails once, or from then on: what a call had promised is there afterwards, what it had
// not is there whole or not at all, and no other file remains.
BOOST_FIXTURE_TEST_CASE(a_disk_may_fail_at_any_step, Directory) {
    Disk disk;
    const auto life = [&](int& done) {
        const std::vector<std::byte> once(8, std::byte{5}), progress(4, std::byte{6});
        SqliteStore store(file("state"));
        done = 1;
        store.bind(contract_of_spec(77));
        done = 2;
        store.append(reports(0, 3), 4, std::vector<Checkpoint>{{"row", 3}}, {once, progress});
        done = 3;
        const std::string id = store.next_batch(2)->id;
        static_cast<void>(store.batch_after(2));
        store.confirm(id);
        done = 4;
        store.append(reports(3, 400), 4, std::vector<Checkpoint>{{"row", 400}});
        done = 5;
        store.move_to_dead_letters(store.next_batch(1)->id, "bad");
        done = 6;
    };
    const auto check = [&](int done) {
        SqliteStore store(file("state"));
        const std::int64_t row = store.checkpoint("row").value_or(0);
        const std::uint64_t aside = store.refused().size();
        // How far it must have come, and how far the step that failed may have.
        BOOST_TEST((row == (done >= 5   ? 400
                            : done >= 3 ? 3
                                        : 0) ||
                    (done == 2 && row == 3) || (done == 4 && row == 400)));
        const std::uint64_t gone = done >= 4 ? 2 : 0;
        BOOST_TEST(((store.pending() + aside + gone == static_cast<std::uint64_t>(row)) ||
                    (done == 3 && store.pending() == 1)),
                   "done " << done << ", row " << row << ", pending " << store.pending());
        BOOST_TEST((aside == (done == 6 ? 1u : 0u) || (done == 5 && aside == 1)));
        const Memory memory = store.memory();
        BOOST_TEST(memory.public_randomness.size() == (row > 0 ? 8u : 0u));
        BOOST_TEST(memory.progress.size() == (row > 0 ? 4u : 0u));
        BOOST_TEST((memory.fingerprint == fingerprint_from(77) || done <= 1));
        const std::vector<Report> all = reports(0, 400);
        while (const auto batch = store.next_batch(1000)) {
            const auto at =
                static_cast<std::ptrdiff_t>(row - static_cast<std::int64_t>(batch->reports.size()));
            BOOST_TEST(std::equal(batch->reports.begin(), batch->reports.end(), all.begin() + at) ==
                       (store.pending() == batch->reports.size()));
            store.confirm(batch->id);
        }
    };
    int walked = 0;
    for (const bool lasting : {false, true})
        for (const int code : {SQLITE_FULL, SQLITE_IOERR_WRITE}) {
            bool failed = true;
            for (int step = 0; failed; ++step) {
                for (const auto& entry : std::filesystem::directory_iterator(root))
                    std::filesystem::remove(entry.path());
                int done = 0;
                disk.fail_at(step, code, lasting);
                try {
                    life(done);
                } catch (const Error& error) {
                    BOOST_TEST((error.code() == ErrorCode::environment));
                    BOOST_TEST(!error.hint().empty());
                    if (done == 0)  // what could not be made leaves nothing, or a whole file
                        for (const auto& entry : std::filesystem::directory_iterator(root))
                            BOOST_TEST(entry.path().filename().string().starts_with("state"), entry.path());
                }
                failed = disk.has_failed();
                disk.work();
                for (const auto& entry : std::filesystem::directory_iterator(root))
                    BOOST_TEST(
                        (entry.path().filename() == "state" || entry.path().filename() == "state-wal" ||
                         entry.path().filename() == "state-journal"),
                        entry.path());
                check(done);
                BOOST_TEST(std::distance(std::filesystem::directory_iterator(root), {}) == 1);
                ++walked;
            }
        }
    BOOST_TEST(walked > 100);
}

BOOST_FIXTURE_TEST_CASE(a_full_disk_leaves_no_half_made_file, Directory) {
    rlimit before{};
    BOOST_REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
    for (const rlim_t size : {0, 512, 4096, 8192, 20000}) {
        const rlimit tight{size, before.rlim_max};
        BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
        BOOST_CHECK_EXCEPTION(SqliteStore(file("state")), Error,
                              error_with(ErrorCode::environment, "cannot be created"));
        BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
        BOOST_TEST(std::filesystem::is_empty(root));
    }
    std::signal(SIGXFSZ, ignored);
    SqliteStore store(file("state"));
    BOOST_TEST(store.pending() == 0u);
}

// Damage ----------------------------------------------------------------------------------------------

// Bytes of the file change at random: the file is refused, or what it holds is as it was. LDP_DAMAGES says
// how often.
BOOST_FIXTURE_TEST_CASE(damage_is_noticed_or_harmless, Directory) {
    const std::string sound = file("sound");
    const std::vector<std::byte> once(40, std::byte{5}), progress(24, std::byte{6});
    std::vector<PermanentResponse> answers;
    for (std::uint64_t i = 0; i < 20; ++i)
        answers.push_back({{i, i + 1}, std::vector<std::byte>(12, static_cast<std::byte>(i)), 0.5});
    {
        SqliteStore store(sound);
        store.bind(contract_of_spec(77));
        store.append(reports(0, 300), 4, std::vector<Checkpoint>{{"row", 300}}, {once, progress, answers});
        store.move_to_dead_letters(store.next_batch(20)->id, "refused");
        store.confirm(store.next_batch(30)->id);
        store.append(reports(300, 320), -5, std::vector<Checkpoint>{{"row", 320}, {"far", 1}});
        store.append(std::vector<Report>(3, Report(9000, std::byte{3})), 6);
        static_cast<void>(store.next_batch(100));
    }
    std::filesystem::copy_file(sound, file("read"));
    Content expected;
    {
        SqliteStore read(file("read"));
        expected = content(read);
    }
    BOOST_TEST(expected.queue.size() == 273u);

    std::ifstream in(sound, std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(in), {});
    const char* asked = std::getenv("LDP_DAMAGES");
    const int times = asked != nullptr ? std::atoi(asked) : 300;
    std::mt19937 random(20261122);
    const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
    int noticed = 0, harmless = 0;
    for (int time = 0; time < times; ++time) {
        std::string damaged = bytes;
        const std::size_t at = below(damaged.size());
        switch (below(4)) {
            case 0:  // a bit
                damaged[at] = static_cast<char>(damaged[at] ^ (1 << below(8)));
                break;
            case 1:  // a byte
                damaged[at] = static_cast<char>(random());
                break;
            case 2:  // a range of zeros
                std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(at),
                            std::min<std::size_t>(1 + below(600), damaged.size() - at), '\0');
                break;
            default:  // a copy of another place
                for (std::size_t i = 0, from = below(damaged.size()), n = 1 + below(64);
                     i < n && at + i < damaged.size() && from + i < damaged.size(); ++i)
                    damaged[at + i] = bytes[from + i];
        }
        std::filesystem::remove(file("state-wal"));
        std::filesystem::remove(file("state-journal"));
        std::ofstream(file("state"), std::ios::binary | std::ios::trunc) << damaged;
        std::optional<Content> found;
        try {
            SqliteStore store(file("state"));
            found = content(store);
        } catch (const Error& error) {
            BOOST_TEST((error.code() == ErrorCode::environment), error.what());
        }
        // A report that was damaged before its batch was named waits aside, and is said to be damaged.
        if (found && found->refused.size() > expected.refused.size()) {
            BOOST_TEST(!found->refused.back().sound);
            found.reset();
        }
        if (found)
            BOOST_TEST((*found == expected), "byte " << at << " of " << bytes.size() << ", time " << time);
        ++(found ? harmless : noticed);
    }
    BOOST_TEST_MESSAGE(noticed << " noticed, " << harmless << " harmless");
    BOOST_TEST(noticed > times / 4);
    BOOST_TEST(harmless > 0);
}

// Damaged data is dead-lettered, report by report where reports can still be separated. The unit is one
// append, in parts of 64 KiB.
BOOST_FIXTURE_TEST_CASE(damaged_reports_keep_no_others_back, Directory) {
    struct Damage {
        const char* change;
        std::size_t aside;
    };
    for (const auto& [change, aside] :
         {Damage{"content = content || x'00000000'", 4u}, Damage{"round = 3", 4u},
          Damage{"content = content || x'00'", 1u}, Damage{"shared = -1", 1u},
          Damage{"count = 9223372036854775807", 1u}, Damage{"count = 0", 1u}}) {
        BOOST_TEST_CONTEXT(change) {
            std::filesystem::remove(file("state"));
            {
                SqliteStore store(file("state"));
                for (int i = 0; i < 12; i += 4) store.append(reports(i, i + 4), 2);
            }
            run_sql(file("state"), std::string("UPDATE outbox SET ") + change + " WHERE id = 5");
            SqliteStore store(file("state"));
            const auto batch = store.next_batch(100);
            std::vector<Report> sound = reports(0, 4);
            std::ranges::move(reports(8, 12), std::back_inserter(sound));
            BOOST_TEST((batch->reports == sound));
            BOOST_TEST(store.pending() == 8u);
            BOOST_TEST(store.refused().size() == aside);
            for (const Refused& one : store.refused()) BOOST_TEST(!one.sound);
            BOOST_TEST(store.requeue_refused() == 0u);  // what it says was not drawn
            store.confirm(batch->id);
            BOOST_TEST(store.pending() == 0u);
            BOOST_TEST(!store.next_batch(1).has_value());
            BOOST_TEST(store.drop_refused() == aside);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(a_mark_that_changed_is_not_taken_for_none, Directory) {
    for (const char* change : {"UPDATE checkpoint SET name = 'rox'", "UPDATE checkpoint SET value = 4"}) {
        std::filesystem::remove(file("state"));
        { SqliteStore(file("state")).append({}, 0, std::vector<Checkpoint>{{"row", 3}}); }
        run_sql(file("state"), change);
        BOOST_CHECK_EXCEPTION(SqliteStore(file("state")), Error,
                              error_with(ErrorCode::environment, "A checkpoint has changed"));
    }
}

BOOST_FIXTURE_TEST_CASE(a_batch_on_its_way_that_changed_is_damage, Directory) {
    {
        SqliteStore store(file("state"));
        store.append(reports(0, 10), 2);
        static_cast<void>(store.next_batch(5));
    }
    run_sql(file("state"), "UPDATE outbox SET content = x'0100000102030405' WHERE id = 1");
    SqliteStore store(file("state"));
    BOOST_CHECK_EXCEPTION(static_cast<void>(store.next_batch(5)), Error,
                          error_with(ErrorCode::environment, "current batch"));
}

// Two histories of one file ---------------------------------------------------------------------------

/// A server with the rules of ldp_claim_batch: it distinguishes a batch from another one with the same
/// id, and rejects some.
class ClaimingServer final : public BatchTransport {
  public:
    bool deliver(const Batch& batch) override {
        ++attempts;
        if (const auto found = batches.find(batch.id); found != batches.end()) {
            if (found->second != batch.digest())
                throw Undelivered(BatchOutcome::outdated,
                                  Error(ErrorCode::environment, "counted before with others"));
            return false;
        }
        if (batch.reports.size() > most)
            throw Undelivered(BatchOutcome::too_large, Error(ErrorCode::environment, "too slow"));
        for (const Report& one : batch.reports)
            if (bad.contains(one))
                throw Undelivered(BatchOutcome::refused, Error(ErrorCode::environment, "no such report"));
        batches.emplace(batch.id, batch.digest());
        counted.insert(counted.end(), batch.reports.begin(), batch.reports.end());
        if (deaf_every != 0 && attempts % deaf_every == 0) throw Error(ErrorCode::environment, "no answer");
        return true;
    }
    std::map<std::string, std::array<std::byte, 32>> batches;
    std::vector<Report> counted;
    std::set<Report> bad;
    std::size_t most = 1000000;
    int attempts = 0, deaf_every = 0;
};

BOOST_FIXTURE_TEST_CASE(an_older_copy_is_noticed_and_goes_on, Directory) {
    ClaimingServer server;
    const auto older = file("older"), state = file("state");
    const auto report_and_flush = [&](int from, int to, std::size_t most) {
        Client client(collection(numbered), SqliteStore(state));
        for (int i = from; i < to; ++i) client.report({i});
        client.flush(server, most);
    };
    report_and_flush(0, 10, 4);
    std::filesystem::copy_file(state, older);
    report_and_flush(10, 20, 4);
    const auto counted = server.counted.size();
    BOOST_TEST(counted == 20u);

    std::filesystem::copy_file(older, state, std::filesystem::copy_options::overwrite_existing);
    const auto identity = [&] { return SqliteStore(state).identity().store; };
    const std::string before = identity(), contract = SqliteStore(state).contract();
    BOOST_CHECK_EXCEPTION(report_and_flush(10, 20, 4), Error,
                          error_with(ErrorCode::incompatible, "10 reports were moved to the dead letters"));
    BOOST_TEST(server.counted.size() == counted);
    {
        const SqliteStore store(state);
        BOOST_TEST(store.pending() == 0u);
        BOOST_TEST(store.refused().size() == 10u);
        BOOST_TEST(store.refused().front().reason == "counted before with others");
        BOOST_TEST(store.contract() == contract);
    }
    // The account of a group's ledger stays the same.
    BOOST_TEST(identity() == before);
    // Later reports go on under other ids, and those that were set aside if the person wants it.
    report_and_flush(20, 23, 4);
    BOOST_TEST(server.counted.size() == counted + 3);
    BOOST_TEST(SqliteStore(state).requeue_refused() == 10u);
    report_and_flush(0, 0, 4);
    BOOST_TEST(server.counted.size() == counted + 13);
    BOOST_TEST(SqliteStore(state).refused().empty());
}

// A server that answers every batch with "counted before with other reports" costs a person nothing but reports.
BOOST_FIXTURE_TEST_CASE(no_answer_of_a_server_makes_a_person_spend_again, Directory) {
    struct HostileServer final : BatchTransport {
        bool deliver(const Batch&) override {
            throw Undelivered(BatchOutcome::outdated, Error(ErrorCode::environment, "counted before"));
        }
    } server;
    const Collection changing = collection(
        R"({"mechanism": "grr", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 2},
            "attributes": [{"name": "colour", "domain": ["red", "green", "blue"]}]})");
    const auto check = [&](auto open, auto close) {
        std::vector<PermanentResponse> drawn;
        for (int round = 0; round < 6; ++round) {
            Client client(changing, open());
            for (const char* colour : {"red", "green", "blue"}) client.report({colour}, round);
            const auto ledger = client.ledger();
            BOOST_TEST(client.spent().epsilon <= 2);
            if (round == 0)
                drawn.assign(ledger.begin(), ledger.end());
            else
                BOOST_TEST(std::ranges::equal(ledger, drawn));
            BOOST_CHECK_EXCEPTION(client.flush(server), Error,
                                  error_with(ErrorCode::incompatible, "another copy of the store"));
            BOOST_TEST(client.pending() == 0u);
            BOOST_TEST(client.store().refused().size() == static_cast<std::size_t>(3 * (round + 1)));
            close(client);
        }
    };
    check([&] { return std::make_unique<SqliteStore>(file("state")); }, [](const Client&) {});
    std::vector<std::byte> snapshot = MemoryStore().snapshot();
    check([&] { return std::make_unique<MemoryStore>(Bytes(snapshot)); },
          [&](const Client& client) {
              snapshot = dynamic_cast<const MemoryStore&>(client.store()).snapshot();
          });
}

BOOST_FIXTURE_TEST_CASE(a_copy_that_held_the_same_reports_goes_on, Directory) {
    ClaimingServer server;
    const auto older = file("older"), state = file("state");
    {
        Client client(collection(numbered), SqliteStore(state));
        for (int i = 0; i < 10; ++i) client.report({i});
    }
    std::filesystem::copy_file(state, older);
    for (int time = 0; time < 2; ++time) {
        {
            Client client(collection(numbered), SqliteStore(state));
            BOOST_TEST(client.flush(server, 5).repeated == (time == 0 ? 0u : 2u));
        }
        std::filesystem::copy_file(older, state, std::filesystem::copy_options::overwrite_existing);
    }
    BOOST_TEST(server.counted.size() == 10u);
}

BOOST_FIXTURE_TEST_CASE(copies_arrive_at_the_same_ids, Directory) {
    { SqliteStore store(file("one")); }
    std::filesystem::copy_file(file("one"), file("other"));
    SqliteStore one(file("one")), other(file("other")), third(file("third"));
    std::set<std::string> seen;
    for (int i = 0; i < 20; ++i) {
        for (SqliteStore* store : {&one, &other, &third}) store->append(reports(i, i + 1), 0);
        const std::string id = one.next_batch(1)->id;
        BOOST_TEST(other.next_batch(1)->id == id);
        BOOST_TEST(third.next_batch(1)->id != id);
        BOOST_TEST(seen.insert(id).second);
        for (SqliteStore* store : {&one, &other, &third}) store->confirm(store->next_batch(1)->id);
    }
}

// Refusals --------------------------------------------------------------------------------------------

// Batches are refused, are too large, and their answers get lost: every good report counts once, every bad
// one waits aside, in every store.
BOOST_AUTO_TEST_CASE_TEMPLATE(the_good_count_once_and_the_bad_wait_aside, Kind, Stores) {
    const std::vector<std::set<int>> bads{{0}, {99}, {31, 32, 33, 34}, {2, 40, 41, 77, 98}};
    for (const auto& bad : bads)
        for (const std::size_t most : {7u, 100u})
            for (const std::size_t bearable : {5u, 1000u})
                for (const auto& [deaf_every, ahead] :
                     {std::pair(0, false), {0, true}, {3, false}, {3, true}}) {
                    Kind kept;
                    auto own = std::make_unique<decltype(kept.store)>(std::move(kept.store));
                    Store* const store = own.get();
                    Client client(collection(numbered), std::unique_ptr<Store>(std::move(own)));
                    ClaimingServer server;
                    server.most = bearable;
                    server.deaf_every = deaf_every;
                    store->append(reports(0, 100), 8);
                    for (const int number : bad) server.bad.insert(report(number));
                    std::uint64_t refused = 0;
                    for (int time = 0; client.pending() > 0 && time < 500; ++time) try {
                            refused +=
                                (ahead ? flush_ahead(client, server, most) : client.flush(server, most))
                                    .refused;
                        } catch (const Error&) {
                        }
                    BOOST_TEST(client.pending() == 0u);
                    if (deaf_every == 0) BOOST_TEST(refused == bad.size());
                    auto counted = server.counted;
                    std::ranges::sort(counted);
                    BOOST_TEST((std::ranges::adjacent_find(counted) == counted.end()));
                    BOOST_TEST(counted.size() == 100 - bad.size());
                    std::set<Report> aside;
                    for (const Refused& one : client.store().refused()) {
                        BOOST_TEST(one.round == 8);
                        BOOST_TEST(one.reason == "no such report");
                        aside.insert(one.report);
                    }
                    BOOST_TEST((aside == server.bad));

                    server.bad.clear();  // the cause is found
                    BOOST_TEST(store->requeue_refused() == bad.size());
                    while (client.pending() > 0) try {
                            client.flush(server, most);
                        } catch (const Error&) {
                        }
                    BOOST_TEST(server.counted.size() == 100u);
                    BOOST_TEST(client.store().refused().empty());
                }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_server_that_refuses_all_is_an_error, Kind, Stores) {
    Kind kept;
    Client client(collection(numbered), std::move(kept.store));
    for (int i = 0; i < 100; ++i) client.report({i});
    struct Refusing final : BatchTransport {
        bool deliver(const Batch&) override {
            throw Undelivered(BatchOutcome::refused, Error(ErrorCode::environment, "no", "why", "do"));
        }
    } refusing;
    BOOST_CHECK_EXCEPTION(client.flush(refusing, 100), Error,
                          error_with(ErrorCode::environment, "one report after another: no"));
    BOOST_TEST(client.store().refused().size() == 10u);
    BOOST_TEST(client.pending() == 90u);
    struct Slow final : BatchTransport {
        bool deliver(const Batch&) override {
            throw Undelivered(BatchOutcome::too_large, Error(ErrorCode::environment, "too slow"));
        }
    } slow;
    BOOST_CHECK_EXCEPTION(client.flush(slow, 100), Error, error_with(ErrorCode::environment, "too slow"));
    BOOST_TEST(client.pending() == 90u);
    BOOST_TEST(client.store().refused().size() == 10u);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_released_batch_leaves_under_another_id, Kind, Stores) {
    Kind kept;
    Store& store = kept.store;
    store.append(reports(0, 5), 0);
    const std::string first = store.next_batch(5)->id;
    store.release("00000000-0000-4000-8000-000000000000");
    BOOST_TEST(store.next_batch(1)->id == first);
    store.release(first);
    const auto second = store.next_batch(2);
    BOOST_TEST(second->id != first);
    BOOST_TEST((second->reports == reports(0, 2)));
    store.move_to_dead_letters(first, "");
    BOOST_TEST(store.refused().empty());
    store.move_to_dead_letters(second->id, "reason");
    BOOST_TEST(store.refused().size() == 2u);
    BOOST_TEST(store.pending() == 3u);
}

// RetryPolicy --------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(pauses_grow_and_end) {
    using std::chrono::milliseconds;
    SystemRandom bits;
    for (int time = 0; time < 100; ++time) {
        Backoff backoff({milliseconds(10000), milliseconds(100), milliseconds(1000)}, bits);
        for (const int longest : {100, 200, 400, 800, 1000, 1000}) {
            const auto pause = backoff.next(milliseconds(500));
            BOOST_REQUIRE(pause.has_value());
            BOOST_TEST(pause->count() >= longest / 2);
            BOOST_TEST(pause->count() <= longest);
        }
        BOOST_TEST(backoff.next(milliseconds(9990))->count() == 10);  // the last attempt, at the end
        BOOST_TEST(!backoff.next(milliseconds(10000)).has_value());
        BOOST_TEST(!Backoff({milliseconds(0)}, bits).next(milliseconds(0)).has_value());
    }
}

BOOST_AUTO_TEST_CASE(what_passes_is_told_from_what_does_not) {
    // test/unit/format/delivery_test.cpp has every SQLSTATE; here, how a statement's failure gets there.
    const auto failure = [](const char* state) -> std::optional<pq::Failure> {
        try {
            pq::guarded("submitting", [&]() -> int { throw pqxx::sql_error("ERROR:  no", "SELECT", state); });
        } catch (const pq::Failure& caught) {
            return caught;
        }
        return {};
    };
    BOOST_TEST(failure("LD001")->is(BatchOutcome::outdated));
    for (const char* state : {"23505", "23514", "22P02"})
        BOOST_TEST(failure(state)->is(BatchOutcome::refused), state);
    for (const char* state : {"LD002", "53300", "55P03", "25006"}) {
        BOOST_TEST(failure(state)->is(BatchOutcome::later), state);
        BOOST_TEST((failure(state)->passing() && !failure(state)->lost()), state);
    }
    BOOST_TEST(failure("57014")->is(BatchOutcome::too_large));
    for (const char* state : {"42P01", "XX000", ""}) {
        BOOST_TEST(failure(state)->is(BatchOutcome::later), state);
        BOOST_TEST(!failure(state)->passing(), state);
    }

    // A message of a failed connection ends with its SQLSTATE, in every language.
    BOOST_TEST(pq::sqlstate_of("Verbindung zum Server fehlgeschlagen: FATAL:  53300\n") == "53300");
    BOOST_TEST(pq::sqlstate_of("connection to server at \"::1\" failed: FATAL:  28P01\n") == "28P01");
    BOOST_TEST(pq::sqlstate_of("could not connect: No such file") == "");
    BOOST_TEST(pq::sqlstate_of("FATAL:  LD") == "");
    BOOST_TEST(!pq::connects_later("colour=red"));
    BOOST_TEST(pq::connects_later("host=/nonexistent"));
}

// Each part of a server's message is cut, and no character of it is.
BOOST_AUTO_TEST_CASE(long_messages_are_cut) {
    std::string much;
    while (much.size() < 5000) much += "ü";
    const pq::ServerWords words = pq::server_words("ERROR:  x" + much + "\nDETAIL:  " + much + "\n" + much);
    BOOST_TEST(words.message == "x" + much.substr(0, 1022));
    BOOST_TEST(words.detail == much.substr(0, 1024));
    BOOST_TEST(pq::server_words("FEHLER:  Division durch Null\nDETAIL:  x").message == "Division durch Null");
}

// A connection string keeps its parameters, in both forms, and its own options come last.
BOOST_AUTO_TEST_CASE(sessions_are_requested_in_utf8) {
    const char* const environment = std::getenv("PGOPTIONS");
    const std::string before = environment == nullptr ? "" : environment;
    unsetenv("PGOPTIONS");
    const auto parameters = [](const char* given, std::initializer_list<const char*> expected) {
        const std::string all = " " + pq::session_parameters(given, "-c x=1");
        for (const char* one : expected)
            BOOST_TEST(all.find(std::string(" ") + one) != std::string::npos, all << one);
        return all.size();
    };
    const char* const mixed = R"(host=a password='it\'s \\ so' client_encoding=latin1)";
    const std::initializer_list<const char*> apart{"host='a'", R"(password='it\'s \\ so')",
                                                   "client_encoding='UTF8'", "options='-c x=1'"};
    std::size_t size = 0;
    for (const char* one : apart) size += std::strlen(one) + 1;
    BOOST_TEST(parameters(mixed, apart) == size);
    parameters("postgresql://u@h:1/d%20b?options=-c%20y%3D2",
               {"user='u'", "host='h'", "port='1'", "dbname='d b'", "client_encoding='UTF8'",
                "options='-c x=1 -c y=2'"});
    setenv("PGOPTIONS", "-c z=3", 1);
    BOOST_TEST(pq::session_parameters("", "-c x=1") == "client_encoding='UTF8' options='-c x=1 -c z=3'");
    BOOST_TEST(pq::session_parameters("", "") == "client_encoding='UTF8'");
    environment == nullptr ? unsetenv("PGOPTIONS") : setenv("PGOPTIONS", before.c_str(), 1);
    BOOST_TEST(pq::session_parameters("colour=red", "-c x=1") == "colour=red");
    BOOST_TEST(pq::refuses_options("FATAL:  unsupported startup parameter: options"));
    BOOST_TEST(!pq::refuses_options("FATAL:  no such database"));
}

BOOST_AUTO_TEST_CASE(a_link_is_patient_with_what_passes) {
    using std::chrono::milliseconds;
    Connection link("host=/nonexistent", {milliseconds(150), milliseconds(20), milliseconds(50)});
    int pauses = 0;
    link.on_waiting([&](const Error&, milliseconds) { ++pauses; });
    const auto ask = [&] { link.persist("asking", [](pqxx::connection&) { return 1; }); };
    BOOST_CHECK_EXCEPTION(ask(), pq::Failure, [](const pq::Failure& failure) { return failure.passing(); });
    BOOST_TEST(pauses >= 3);
    Connection wrong("colour=red", {milliseconds(60000)});
    wrong.on_waiting([&](const Error&, milliseconds) { BOOST_ERROR("it waits"); });
    BOOST_CHECK_EXCEPTION(wrong.persist("asking", [](pqxx::connection&) { return 1; }), pq::Failure,
                          [](const pq::Failure& failure) { return !failure.passing(); });
}

// The hash --------------------------------------------------------------------------------------------

// The examples of FIPS 180-4, and each length around a block in every division, by either way to work a
// block.
BOOST_AUTO_TEST_CASE(sha256_is_as_the_standard_says) {
    const auto hex = [](std::string_view text, bool fast) {
        Sha256 hash(fast);
        hash.add(text);
        return to_hex(hash.digest());
    };
    std::string text;
    for (int i = 0; i < 200; ++i) text.push_back(static_cast<char>(37 * i));
    for (const bool fast : {true, false}) {
        BOOST_TEST(hex("abc", fast) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        BOOST_TEST(hex("", fast) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        BOOST_TEST(hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", fast) ==
                   "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
        BOOST_TEST(hex(std::string(1000000, 'a'), fast) ==
                   "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
        for (std::size_t size = 0; size <= text.size(); ++size)
            for (const std::size_t cut : {std::size_t{0}, size / 3, size / 2, size}) {
                Sha256 hash(fast);
                hash.add(std::string_view(text).substr(0, cut));
                hash.add(std::string_view(text).substr(cut, size - cut));
                BOOST_TEST(to_hex(hash.digest()) == hex(std::string_view(text).substr(0, size), !fast));
            }
    }
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
