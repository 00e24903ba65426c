// One budget of a person over several collections.
// Length: the cases share specs, a store and a ledger that survive the end of a program.

#include <signal.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <thread>

#include "client/budget/budget_ledger.hpp"
#include "client/fleet/sqlite_fleet.hpp"
#include "client/fleet/sqlite_ledger.hpp"
#include "core/base/sha256.hpp"
#include "fragile.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(group_budgets)

namespace {

std::string spec_of(const std::string& rest, const std::string& budget) {
    return R"({"mechanism": "grr", "attributes": [{"name": "a", "domain": 2}], "budget": )" + budget + ", " +
           rest + "}";
}
/// Each report is a fresh draw and costs 1.
std::string fresh(const std::string& budget = R"({"group": "acme", "epsilon": 3})") {
    return spec_of(R"("epsilon": 1)", budget);
}
/// Two values, whose responses cost 0.5 each: 1 in all.
std::string memoized(const std::string& budget = R"({"group": "acme", "epsilon": 3})") {
    return spec_of(R"("epsilon": 0.5, "evolving": {})", budget);
}
/// A series, which costs 1.
const char* const series_in_group = R"({"mechanism": "ddrm", "epsilon": 1, "rounds": 8, "changes": 1,
    "domain": 2, "budget": {"group": "acme", "epsilon": 3}})";

Collection group_collection(const std::string& json) {
    return Collection(resolve(json));
}

double reserved_in(const BudgetLedger& ledger, const std::string& person = {}) {
    double sum = 0;
    for (const LedgerEntry& entry : ledger.entries())
        if (entry.person == person) sum += entry.reserved;
    return sum;
}
double spent_in(const BudgetLedger& ledger) {
    double sum = 0;
    for (const LedgerEntry& entry : ledger.entries()) sum += entry.spent;
    return sum;
}

Client with_ledger(const std::string& json, const std::shared_ptr<BudgetLedger>& ledger) {
    Client client(group_collection(json), MemoryStore());
    client.set_ledger(ledger);
    return client;
}

/// What survives the end of a program: snapshots of stores and of a ledger.
struct Survivors {
    std::map<char, std::vector<std::byte>> stores;
    std::vector<std::byte> ledger = MemoryLedger().snapshot();
};

/// A store that keeps a snapshot after each step, and dies before or after it.
class SurvivingStore final : public StoreAround<MemoryStore> {
  public:
    SurvivingStore(std::vector<std::byte>& kept, Fuse& fuse)
        : StoreAround(kept.empty() ? MemoryStore() : MemoryStore(Bytes(kept))), kept_(kept), fuse_(fuse) {}
    void bind(const Contract& contract) override {
        step([&] { store_.bind(contract); });
    }
    void append(std::span<const Report> reports, std::int32_t round, std::span<const Checkpoint> checkpoints,
                const StateDelta& delta, std::span<const ColumnRun> runs) override {
        step([&] { store_.append(reports, round, checkpoints, delta, runs); });
    }

  private:
    template <class Work>
    void step(Work work) {
        fuse_.step();
        work();
        kept_ = store_.snapshot();
        fuse_.step();
    }
    std::vector<std::byte>& kept_;
    Fuse& fuse_;
};

class SurvivingLedger final : public BudgetLedger {
  public:
    SurvivingLedger(std::vector<std::byte>& kept, Fuse& fuse) : ledger_(kept), kept_(kept), fuse_(fuse) {}
    [[nodiscard]] std::optional<double> reserve(const LedgerEntry& entry) override {
        fuse_.step();
        const auto left = ledger_.reserve(entry);
        kept_ = ledger_.snapshot();
        fuse_.step();
        return left;
    }
    [[nodiscard]] std::vector<LedgerEntry> entries() const override { return ledger_.entries(); }
    [[nodiscard]] LedgerLimits limits() const override { return ledger_.limits(); }

  private:
    MemoryLedger ledger_;
    std::vector<std::byte>& kept_;
    Fuse& fuse_;
};

std::string spec_named(char collection) {
    return collection == 'f' ? fresh() : collection == 'm' ? memoized() : std::string(series_in_group);
}

/// ε of what the stores contain, which is all that can leave the device.
double truly_spent(const Survivors& survivors) {
    double sum = 0;
    for (const auto& [collection, snapshot] : survivors.stores) {
        if (snapshot.empty()) continue;
        const MemoryStore store{Bytes(snapshot)};
        if (collection == 'f') sum += static_cast<double>(store.pending());
        if (collection == 'm') sum += 0.5 * static_cast<double>(store.memory().responses.size());
        if (collection == 's') sum += store.checkpoint("ldp.rounds.0").has_value() ? 1 : 0;
    }
    return sum;
}

/// Whether the store has a report of this round.
bool has_round(const Survivors& survivors, char collection, int round) {
    const auto found = survivors.stores.find(collection);
    if (found == survivors.stores.end() || found->second.empty()) return false;
    const auto rounds = MemoryStore(Bytes(found->second)).checkpoint("ldp.rounds.0");
    return rounds && (*rounds >> round & 1) != 0;
}

/// Runs the script, one report for each character, in round 1, 2, … Returns whether each report was made.
std::string run_script(const std::string& script, Survivors& survivors, Fuse& fuse) {
    const auto ledger = std::make_shared<SurvivingLedger>(survivors.ledger, fuse);
    std::map<char, Client> clients;
    std::string made;
    for (std::size_t i = 0; i < script.size(); ++i) {
        const char name = script[i];
        auto client = clients.find(name);
        if (client == clients.end()) {
            client =
                clients
                    .emplace(name, Client(group_collection(spec_named(name)),
                                          std::make_unique<SurvivingStore>(survivors.stores[name], fuse)))
                    .first;
            client->second.set_ledger(ledger);
            client->second.set_once_per_round(true);
        }
        const int round = static_cast<int>(i) + 1;
        const auto value = static_cast<double>(i % 2);
        const bool done = has_round(survivors, name, round);
        try {
            client->second.report({value}, round);
            made += 'y';
        } catch (const Error& error) {
            BOOST_REQUIRE(error.code() == ErrorCode::spent);
            BOOST_REQUIRE(!done);
            made += 'n';
        }
        BOOST_REQUIRE_LE(reserved_in(*ledger), 3 * (1 + 1e-12));
        BOOST_REQUIRE_LE(truly_spent(survivors), spent_in(*ledger) + 1e-9);
    }
    return made;
}

std::multimap<Fingerprint, std::pair<double, double>> accounts(const Survivors& survivors) {
    std::multimap<Fingerprint, std::pair<double, double>> all;
    for (const LedgerEntry& entry : MemoryLedger(survivors.ledger).entries())
        all.emplace(entry.fingerprint, std::pair(entry.spent, entry.reserved));
    return all;
}

}  // namespace

BOOST_AUTO_TEST_CASE(a_spec_names_the_group) {
    const Spec whole = resolve(fresh());
    BOOST_REQUIRE(whole.budget() && whole.budget()->group);
    BOOST_CHECK((*whole.budget()->group == BudgetGroup{"acme", 3}));
    BOOST_TEST(whole.budget()->epsilon == 3);
    const Spec part = resolve(fresh(R"({"group": "acme", "epsilon": 3, "at_most": 2})"));
    BOOST_TEST(part.budget()->epsilon == 2);
    for (const Spec& spec : {whole, part, resolve(memoized()), resolve(series_in_group)}) {
        const Spec again = Spec::from_json(spec.to_json());
        BOOST_CHECK((again.budget() == spec.budget()));
        BOOST_TEST(again.to_json() == spec.to_json());
    }
    // The group is a promise to the person, so that a spec with another group is another spec.
    BOOST_CHECK(whole.fingerprint() != part.fingerprint());
    BOOST_CHECK(whole.fingerprint() != resolve(fresh(R"({"group": "b", "epsilon": 3})")).fingerprint());
    BOOST_CHECK(resolve(memoized(R"({"epsilon": 3})")).fingerprint() != resolve(memoized()).fingerprint());

    const std::pair<std::string, const char*> wrong[] = {
        {fresh(R"({"epsilon": 3})"), "must be used together"},
        {fresh(R"({"group": "", "epsilon": 3})"), "group"},
        {fresh(R"({"group": 3, "epsilon": 3})"), "group"},
        {fresh(R"({"group": "a\nb", "epsilon": 3})"), "group"},
        {fresh(R"({"group": "acme", "epsilon": 0.5})"), "does not pay for one response"},
        {fresh(R"({"group": "acme", "epsilon": 3, "at_most": 0.5})"), "does not pay for one response"},
        {fresh(R"({"group": "acme", "epsilon": 3, "at_most": 4})"), "at_most"},
        {memoized(R"({"epsilon": 3, "at_most": 2})"), "budget of a group"},
        {fresh(R"({"group": "acme", "epsilon": 3, "report_spent": true})"), "memoized responses only"},
        {R"({"mechanism": "gaussian", "epsilon": 1, "delta": 1e-6, "attributes": [
            {"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}],
            "budget": {"group": "acme", "epsilon": 3}})",
         "delta"}};
    for (const auto& [json, text] : wrong)
        BOOST_CHECK_EXCEPTION(static_cast<void>(resolve(json)), Error,
                              error_with(ErrorCode::invalid_spec, text));
}

BOOST_AUTO_TEST_CASE(collections_of_a_group_draw_on_one_budget) {
    const auto ledger = std::make_shared<MemoryLedger>();
    Client reports = with_ledger(fresh(), ledger), kept = with_ledger(memoized(), ledger);
    Client series = with_ledger(series_in_group, ledger);
    reports.report({0.0});
    BOOST_TEST(reserved_in(*ledger) == 1);
    kept.report({0.0});
    BOOST_TEST(reserved_in(*ledger) == 2);
    BOOST_TEST(spent_in(*ledger) == 1.5);
    for (int i = 0; i < 5; ++i) kept.report({static_cast<double>(i % 2)});  // costs once for each value
    BOOST_TEST(spent_in(*ledger) == 2);
    BOOST_TEST(reserved_in(*ledger) == 2);
    for (int round = 1; round <= 8; ++round) series.report({1.0}, round);  // costs once
    BOOST_TEST(reserved_in(*ledger) == 3);
    const std::uint64_t queued = reports.pending();
    const auto refusal = error_with(ErrorCode::spent, "the budget of the group \"acme\" is spent");
    BOOST_CHECK_EXCEPTION(reports.report({0.0}), Error, refusal);
    BOOST_CHECK_EXCEPTION(reports.report({0.0}), Error, error_with(ErrorCode::spent, "0 of 3 is left"));
    BOOST_CHECK_EXCEPTION(reports.stage({0.0}), Error, refusal);
    BOOST_TEST(reports.pending() == queued);
    BOOST_TEST(ledger->entries().size() == 3u);
    kept.report({1.0});  // was paid for
    Client late = with_ledger(memoized(R"({"group": "acme", "epsilon": 3, "at_most": 1})"), ledger);
    BOOST_CHECK_EXCEPTION(late.report({0.0}), Error, refusal);
    BOOST_TEST(late.pending() == 0u);
    BOOST_TEST(late.ledger().empty());  // nothing was drawn
}

BOOST_AUTO_TEST_CASE(what_is_left_is_named) {
    const auto ledger = std::make_shared<MemoryLedger>();
    Client one = with_ledger(spec_of(R"("epsilon": 1.25)", R"({"group": "acme", "epsilon": 3})"), ledger);
    one.report({0.0});
    one.report({0.0});
    BOOST_CHECK_EXCEPTION(one.report({0.0}), Error, error_with(ErrorCode::spent, "0.5 of 3 is left"));
    Client other = with_ledger(spec_of(R"("epsilon": 0.1)", R"({"group": "acme", "epsilon": 3})"), ledger);
    for (int i = 0; i < 5; ++i) other.report({0.0});  // 0.1 five times is 0.5
    BOOST_CHECK_EXCEPTION(other.report({0.0}), Error, error_with(ErrorCode::spent, "0 of 3 is left"));
}

BOOST_AUTO_TEST_CASE(a_collection_has_at_most_its_part) {
    const auto ledger = std::make_shared<MemoryLedger>();
    Client part = with_ledger(fresh(R"({"group": "acme", "epsilon": 3, "at_most": 2})"), ledger);
    part.stage({0.0});
    part.stage({1.0});
    part.commit();
    BOOST_CHECK_EXCEPTION(part.report({0.0}), Error, error_with(ErrorCode::spent, "It pays for 2 reports"));
    BOOST_TEST(reserved_in(*ledger) == 2);
    Client stops = with_ledger(fresh(R"({"group": "acme", "epsilon": 3, "when_spent": "stop"})"), ledger);
    BOOST_CHECK(stops.report({0.0}).origin == Origin::drawn);
    BOOST_CHECK(stops.report({0.0}).origin == Origin::silent);
    BOOST_CHECK(stops.stage({0.0}).origin == Origin::silent);
    BOOST_TEST(stops.pending() == 1u);
}

BOOST_AUTO_TEST_CASE(reports_that_are_staged_are_reserved) {
    const auto ledger = std::make_shared<MemoryLedger>();
    Client client = with_ledger(fresh(), ledger);
    for (int i = 0; i < 3; ++i) client.stage({0.0});
    BOOST_CHECK_THROW(client.stage({0.0}), Error);
    client.discard();  // what was not queued is not spent: the next three have this reservation
    for (int i = 0; i < 3; ++i) client.report({0.0});
    BOOST_CHECK_THROW(client.report({0.0}), Error);
    BOOST_TEST(reserved_in(*ledger) == 3);
}

BOOST_AUTO_TEST_CASE(a_group_has_one_epsilon_and_a_ledger) {
    const auto ledger = std::make_shared<MemoryLedger>();
    Client first = with_ledger(fresh(), ledger);
    first.report({0.0});
    Client second = with_ledger(fresh(R"({"group": "acme", "epsilon": 4})"), ledger);
    BOOST_CHECK_EXCEPTION(second.report({0.0}), Error,
                          error_with(ErrorCode::incompatible, "the group \"acme\" has two budgets"));
    BOOST_TEST(second.pending() == 0u);
    Client other = with_ledger(fresh(R"({"group": "other", "epsilon": 4})"), ledger);
    for (int i = 0; i < 4; ++i) other.report({0.0});
    Client without(group_collection(fresh()), MemoryStore());
    BOOST_CHECK_EXCEPTION(without.report({0.0}), Error,
                          error_with(ErrorCode::unsupported, "no ledger of the group \"acme\""));
    BOOST_TEST(without.pending() == 0u);
}

BOOST_AUTO_TEST_CASE(a_store_that_was_lost_does_not_return_its_cost) {
    const auto ledger = std::make_shared<MemoryLedger>();
    with_ledger(memoized(), ledger).report({0.0});
    with_ledger(memoized(), ledger).report({0.0});  // another memory draws another response
    BOOST_TEST(reserved_in(*ledger) == 2);
    std::vector<std::byte> snapshot;
    Fuse calm(1 << 30);
    {
        Client client(group_collection(memoized()), std::make_unique<SurvivingStore>(snapshot, calm));
        client.set_ledger(ledger);
        client.report({0.0});
    }
    BOOST_TEST(reserved_in(*ledger) == 3);
    Client again(group_collection(memoized()), MemoryStore(Bytes(snapshot)));
    again.set_ledger(std::make_shared<MemoryLedger>(Bytes(ledger->snapshot())));
    again.report({1.0});  // the same account
    BOOST_TEST(reserved_in(*ledger) == 3);
}

// Whether a collection is refused depends on the collections to which a person has reported, not on the
// person's values: otherwise the missing report would reveal them.
BOOST_AUTO_TEST_CASE(a_refusal_does_not_depend_on_values) {
    const std::string three = R"({"mechanism": "grr", "epsilon": 1, "evolving": {}, "attributes": [
        {"name": "a", "domain": 3}], "budget": {"group": "acme", "epsilon": 4, "at_most": 3}})";
    const std::string other = fresh(R"({"group": "acme", "epsilon": 4})");
    std::map<std::string, int> patterns;
    for (int values = 0; values < 27; ++values) {
        const auto ledger = std::make_shared<MemoryLedger>();
        Client a = with_ledger(three, ledger), b = with_ledger(other, ledger);
        std::string pattern;
        for (int i = 0, rest = values; i < 3; ++i, rest /= 3) {
            a.report({static_cast<double>(rest % 3)});
            try {
                b.report({0.0});
                pattern += 'y';
            } catch (const Error&) {
                pattern += 'n';
            }
        }
        ++patterns[pattern];
        BOOST_TEST(reserved_in(*ledger) == 4);
    }
    BOOST_TEST(patterns.size() == 1u);
    BOOST_TEST(patterns["ynn"] == 27);
}

// Three collections: of fresh reports (1 each), of memoized responses (1 in all) and a series (1 in all), under
// a budget of 3. Every order of five reports, and every moment at which the program dies.
BOOST_AUTO_TEST_CASE(no_order_and_no_crash_exceeds_the_budget) {
    int runs = 0, crashes = 0;
    for (int order = 0; order < 243; ++order) {
        std::string script;
        for (int i = 0, rest = order; i < 5; ++i, rest /= 3) script += "fms"[rest % 3];
        Survivors whole;
        Fuse endless(1 << 30);
        const std::string made = run_script(script, whole, endless);
        BOOST_REQUIRE_LE(truly_spent(whole), 3);
        bool burnt = true;
        for (int steps = 0; burnt; ++steps, ++runs) {
            Survivors survivors;
            Fuse fuse(steps);
            try {
                run_script(script, survivors, fuse);
            } catch (const Died&) {
                ++crashes;
            }
            burnt = fuse.burnt();
            BOOST_REQUIRE_LE(reserved_in(MemoryLedger(survivors.ledger)), 3);
            BOOST_REQUIRE_LE(truly_spent(survivors), spent_in(MemoryLedger(survivors.ledger)));
            // The program runs again. Rounds that were reported are ignored, and the crash costs nothing.
            Fuse calm(1 << 30);
            BOOST_REQUIRE_EQUAL(run_script(script, survivors, calm), made);
            BOOST_REQUIRE((accounts(survivors) == accounts(whole)));
            BOOST_REQUIRE_EQUAL(truly_spent(survivors), truly_spent(whole));
        }
    }
    BOOST_TEST(runs > 243 * 10);
    BOOST_TEST(crashes > 243 * 9);
}

BOOST_FIXTURE_TEST_CASE(processes_share_a_ledger_file, Directory) {
    constexpr int limit = 40;
    const std::string budget = R"({"group": "acme", "epsilon": )" + std::to_string(limit) + "}";
    const auto work = [&](const char* state, const std::string& json) {
        return [&, state, json] {
            const auto ledger = std::make_shared<SqliteLedger>(file("ledger"));
            Client client(group_collection(json), SqliteStore(file(state)));
            client.set_ledger(ledger);
            int made = 0;
            try {
                for (;; ++made) client.report({0.0});
            } catch (const Error& error) {
                if (error.code() != ErrorCode::spent) return 98;
            }
            return made;
        };
    };
    const std::string other = spec_of(R"("epsilon": 2)", budget);
    const pid_t child = fork();
    BOOST_REQUIRE(child >= 0);
    if (child == 0) _exit(work("one", fresh(budget))());
    const int second = in_child(work("two", other));
    int status = 0;
    waitpid(child, &status, 0);
    BOOST_REQUIRE(WIFEXITED(status));
    const int first = WEXITSTATUS(status);
    BOOST_TEST(first + 2 * second == limit);
    const SqliteLedger ledger(file("ledger"));
    BOOST_TEST(reserved_in(ledger) == limit);
    BOOST_TEST(ledger.entries().size() == static_cast<std::size_t>((first > 0) + (second > 0)));
    BOOST_TEST(SqliteStore(file("one")).pending() == static_cast<std::uint64_t>(first));
    BOOST_TEST(SqliteStore(file("two")).pending() == static_cast<std::uint64_t>(second));
}

BOOST_FIXTURE_TEST_CASE(people_of_a_fleet_have_a_budget_each, Directory) {
    const auto ledger = std::make_shared<SqliteLedger>(file("ledger"));
    SqliteFleet reports(file("reports")), kept(file("kept"));
    const auto report = [&](SqliteFleet& fleet, const std::string& json, const char* person) {
        Client client(group_collection(json), fleet.store(person));
        client.set_ledger(ledger);
        client.report({0.0});
    };
    for (const char* person : {"ann", "bob"})
        for (int i = 0; i < 2; ++i) report(reports, fresh(), person);
    report(kept, memoized(), "ann");
    BOOST_CHECK_THROW(report(reports, fresh(), "ann"), Error);
    report(reports, fresh(), "bob");
    BOOST_CHECK_THROW(report(kept, memoized(), "bob"), Error);
    BOOST_TEST(reserved_in(*ledger, "ann") == 3);
    BOOST_TEST(reserved_in(*ledger, "bob") == 3);
    // A joint step that fails leaves reservations, which the same reports use when they are repeated.
    const auto step = [&](bool fails) {
        reports.together([&] {
            for (int i = 0; i < 3; ++i) report(reports, fresh(), "eve");
            if (fails) throw Died{};
        });
    };
    BOOST_CHECK_THROW(step(true), Died);
    BOOST_TEST(reserved_in(*ledger, "eve") == 3);
    step(false);
    BOOST_TEST(reserved_in(*ledger, "eve") == 3);
    BOOST_TEST(reports.pending() == 5u + 3u);
}

BOOST_AUTO_TEST_CASE(another_ledger_pays_for_all_responses) {
    for (const std::string& json : {memoized(), fresh(), std::string(series_in_group)}) {
        const auto one = std::make_shared<MemoryLedger>(), two = std::make_shared<MemoryLedger>();
        Client client = with_ledger(json, one);
        client.report({0.0}, 1);
        client.set_ledger(two);
        client.report({0.0}, 2);
        BOOST_TEST(reserved_in(*two) == (json == fresh() ? 2 : 1));
    }
}

// Otherwise a power failure could undo a reservation whose report was stored and sent.
BOOST_FIXTURE_TEST_CASE(a_reservation_survives_a_power_failure, Directory) {
    static std::string steps;
    static sqlite3_syscall_ptr remove, directory;
    SqliteLedger ledger(file("ledger"));
    sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
    remove = vfs->xGetSystemCall(vfs, "unlink");
    directory = vfs->xGetSystemCall(vfs, "openDirectory");
    using Remove = int (*)(const char*);
    using OpenDirectory = int (*)(const char*, int*);
    const Remove remove_and_note = [](const char* path) {
        steps += "unlink ";
        return reinterpret_cast<Remove>(remove)(path);
    };
    const OpenDirectory open_and_note = [](const char* path, int* descriptor) {
        steps += "directory ";
        return reinterpret_cast<OpenDirectory>(directory)(path, descriptor);
    };
    vfs->xSetSystemCall(vfs, "unlink", reinterpret_cast<sqlite3_syscall_ptr>(remove_and_note));
    vfs->xSetSystemCall(vfs, "openDirectory", reinterpret_cast<sqlite3_syscall_ptr>(open_and_note));
    static_cast<void>(ledger.reserve({"acme", 3, "", fingerprint_from(1), "store", "title", 1, 1}));
    vfs->xSetSystemCall(vfs, "unlink", nullptr);
    vfs->xSetSystemCall(vfs, "openDirectory", nullptr);
    BOOST_TEST(steps.ends_with("unlink directory "), steps);
}

// A ledger that cannot be written pays for nothing: the client reports nothing, and goes on later.
BOOST_FIXTURE_TEST_CASE(a_ledger_without_space_pays_for_nothing, Directory) {
    const auto ledger = std::make_shared<SqliteLedger>(file("ledger"));
    Client client(group_collection(fresh()), MemoryStore());
    client.set_ledger(ledger);
    client.set_once_per_round(false);
    client.report({0.0});
    // Accounts of others, up to the end of the last page.
    const auto fill = [&](int account) {
        static_cast<void>(ledger->reserve({"other", 3, "person " + std::to_string(account),
                                           fingerprint_from(1), "store", std::string(300, 't'), 1, 1}));
    };
    rlimit before{};
    BOOST_REQUIRE(getrlimit(RLIMIT_FSIZE, &before) == 0);
    const auto ignore = signal(SIGXFSZ, SIG_IGN);
    const rlimit tight{rlim_t{64} << 10, before.rlim_max};
    BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &tight) == 0);
    int accounts = 0;
    const auto full = [&] {
        try {
            for (; accounts < 1000; ++accounts) fill(accounts);
        } catch (const Error& error) {
            return error.code() == ErrorCode::environment;
        }
        return false;
    };
    const bool stopped = full(), again = full();
    const rlimit none{1, before.rlim_max};
    BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &none) == 0);
    std::optional<ErrorCode> refused;
    try {
        client.report({1.0}, 1);
    } catch (const Error& error) {
        refused = error.code();
    }
    BOOST_REQUIRE(setrlimit(RLIMIT_FSIZE, &before) == 0);
    signal(SIGXFSZ, ignore);
    BOOST_TEST(stopped);
    BOOST_TEST(again);
    BOOST_TEST(accounts > 50);
    BOOST_TEST((refused == ErrorCode::environment));
    BOOST_TEST(client.pending() == 1u);
    BOOST_TEST(spent_in(*ledger) == accounts + 1.0);  // those that were promised, and no other
    fill(accounts);
    client.report({1.0}, 1);
    BOOST_TEST(client.pending() == 2u);
    BOOST_TEST(SqliteLedger(file("ledger")).entries().size() == accounts + 2u);
}

BOOST_FIXTURE_TEST_CASE(a_locked_ledger_is_waited_for, Directory) {
    const auto ledger = std::make_shared<SqliteLedger>(file("ledger"));
    Client client(group_collection(fresh()), MemoryStore());
    client.set_ledger(ledger);
    sqlite3* other = nullptr;
    BOOST_REQUIRE(sqlite3_open(file("ledger").c_str(), &other) == SQLITE_OK);
    const auto run = [&](const char* sql) {
        return sqlite3_exec(other, sql, nullptr, nullptr, nullptr) == SQLITE_OK;
    };
    BOOST_REQUIRE(run("BEGIN EXCLUSIVE"));
    std::thread reporter([&] { client.report({0.0}); });
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const bool released = run("ROLLBACK");
    reporter.join();
    sqlite3_close(other);
    BOOST_TEST(released);
    BOOST_TEST(client.pending() == 1u);
    BOOST_TEST(spent_in(*ledger) == 1);
}

BOOST_FIXTURE_TEST_CASE(errors_of_a_ledger_name_it, Directory) {
    const auto refused = [&](const std::string& path, const std::string& what) {
        BOOST_CHECK_EXCEPTION(SqliteLedger ledger(path), Error, [&](const Error& error) {
            BOOST_TEST_CONTEXT(error.what() << " / " << error.detail()) {
                BOOST_TEST(std::string(error.what()).starts_with("ledger " + path + ": " + what));
                BOOST_TEST(error.detail().find("state file") == std::string::npos);
            }
            return error.code() == ErrorCode::environment;
        });
    };
    refused(root.string(), "not a regular file");
    refused(file("none/ledger"), "cannot be created");
    run_sql(file("empty"), "");
    refused(file("empty"), "damaged: it is empty");
    static_cast<void>(SqliteLedger(file("ledger")));
    std::filesystem::resize_file(file("ledger"), 1000);
    refused(file("ledger"), "damaged, or not a ledger of ldp");
    std::filesystem::resize_file(file("ledger"), 10);
    refused(file("ledger"), "damaged, or not a ledger of ldp");
}

BOOST_AUTO_TEST_CASE(a_snapshot_of_another_release_is_not_called_damaged) {
    std::vector<std::byte> snapshot = MemoryLedger().snapshot();
    snapshot[32] = std::byte{4};
    const auto digest = sha256(Bytes(snapshot).subspan(32));
    std::ranges::copy(digest, snapshot.begin());
    BOOST_CHECK_EXCEPTION(MemoryLedger{Bytes(snapshot)}, Error,
                          error_with(ErrorCode::environment, "unsupported version"));
}

BOOST_FIXTURE_TEST_CASE(a_damaged_ledger_is_refused, Directory) {
    {
        const auto ledger = std::make_shared<SqliteLedger>(file("ledger"));
        Client client(group_collection(fresh()), SqliteStore(file("state")));
        client.set_ledger(ledger);
        client.report({0.0});
    }
    BOOST_TEST(SqliteLedger(file("ledger")).entries().at(0).title == "grr");
    run_sql(file("ledger"), "UPDATE account SET reserved = 0.5");
    BOOST_CHECK_EXCEPTION(static_cast<void>(SqliteLedger(file("ledger")).entries()), Error,
                          error_with(ErrorCode::environment, "An entry has changed"));
    Client client(group_collection(fresh()), SqliteStore(file("state")));
    run_sql(file("ledger"), "UPDATE account SET reserved = 1");
    const auto open = std::make_shared<SqliteLedger>(file("ledger"));
    client.set_ledger(open);
    run_sql(file("ledger"), "UPDATE account SET reserved = 0.5");
    BOOST_CHECK_EXCEPTION(client.report({0.0}), Error,
                          error_with(ErrorCode::environment, "An entry has changed"));
    BOOST_TEST(client.pending() == 1u);
    run_sql(file("ledger"), "DELETE FROM account");
    BOOST_CHECK_EXCEPTION(static_cast<void>(SqliteLedger(file("ledger")).entries()), Error,
                          error_with(ErrorCode::environment, "Entries are missing"));
    static_cast<void>(SqliteStore(file("other")));
    BOOST_CHECK_EXCEPTION(SqliteLedger(file("other")), Error,
                          error_with(ErrorCode::environment, "not a ledger of ldp"));
    BOOST_CHECK_EXCEPTION(SqliteStore(file("ledger")), Error,
                          error_with(ErrorCode::environment, "not a state file of ldp"));
    std::vector<std::byte> snapshot = MemoryLedger().snapshot();
    snapshot.back() ^= std::byte{1};
    BOOST_CHECK_EXCEPTION(MemoryLedger{Bytes(snapshot)}, Error,
                          error_with(ErrorCode::environment, "damaged"));
}

// The first spec of a group does not decide what a person spends.
BOOST_FIXTURE_TEST_CASE(the_person_decides_the_epsilon_of_a_group, Directory) {
    const std::string path = file("ledger");
    SqliteLedger(path).set_limit("acme", 3);
    {
        SqliteLedger ledger(path);
        BOOST_TEST(ledger.limits().at("acme") == 3);
        BOOST_CHECK_EXCEPTION(static_cast<void>(ledger.reserve(
                                  {"acme", 500, "", fingerprint_from(1), "store", "hostile", 1, 1})),
                              Error, error_with(ErrorCode::incompatible, "has epsilon 3; the spec has 500"));
        BOOST_TEST(ledger.entries().empty());
        BOOST_TEST(!ledger.reserve({"acme", 3, "", fingerprint_from(2), "store", "honest", 1, 1}));
        // A later title does not replace the first one.
        BOOST_TEST(!ledger.reserve({"acme", 3, "", fingerprint_from(2), "store", "renamed", 2, 2}));
        BOOST_TEST(ledger.entries().at(0).title == "honest");
        BOOST_TEST(ledger.reserve({"acme", 3, "", fingerprint_from(3), "store", "more", 2, 2}).value() == 1);
        BOOST_CHECK_EXCEPTION(ledger.set_limit("acme", 4), Error,
                              error_with(ErrorCode::incompatible, "opened at epsilon 3; found 4"));
        BOOST_CHECK_THROW(ledger.set_limit("acme", 0), Error);
        ledger.set_limit("acme", 3);
        ledger.set_limit("other", 5);
        ledger.set_limit("other", 6);
        BOOST_TEST(!ledger.reserve({"any", 500, "", fingerprint_from(4), "store", "unlimited", 1, 1}));
    }
    BOOST_TEST(SqliteLedger(path).limits().size() == 2u);
    run_sql(path, "UPDATE group_limit SET epsilon = 600 WHERE name = 'other'");
    BOOST_CHECK_EXCEPTION(static_cast<void>(SqliteLedger(path)), Error,
                          error_with(ErrorCode::environment, "not a ledger of ldp"));
}

BOOST_FIXTURE_TEST_CASE(the_person_limits_all_accounts_of_a_ledger, Directory) {
    const std::string path = file("ledger");
    const auto in_memory = std::make_shared<MemoryLedger>();
    const std::shared_ptr<BudgetLedger> both[] = {in_memory, std::make_shared<SqliteLedger>(path)};
    for (const auto& ledger : both) {
        ledger->set_limit({}, 4.5);
        BOOST_CHECK_THROW(ledger->set_limit({}, 0), Error);
        BOOST_CHECK_THROW(ledger->set_limit({}, std::numeric_limits<double>::infinity()), Error);
        Client group = with_ledger(fresh(), ledger);  // at most 3 in its group
        Client alone = with_ledger(R"({"mechanism": "grr", "epsilon": 1, "domain": 2})", ledger);
        Client memory = with_ledger(R"({"mechanism": "grr", "epsilon": 0.5, "domain": 2, "evolving": {},
                                        "budget": {"epsilon": 0.5}})",
                                    ledger);
        group.report({0});
        group.report({1});
        alone.report({0});
        memory.report({1});  // reserves 0.5
        BOOST_CHECK(memory.report({1}, 1).origin == Origin::memoized);
        // Of the group, 1 is left; of all accounts, 1.
        alone.report({0});
        BOOST_CHECK_EXCEPTION(group.report({1}), Error, [](const Error& error) {
            return error.code() == ErrorCode::spent &&
                   error.what() == std::string("the budget of all collections of the person is spent") &&
                   error.detail().find("0 of 4.5 is left") != std::string::npos;
        });
        BOOST_CHECK_THROW(alone.report({0}), Error);
        double reserved = 0;
        for (const LedgerEntry& entry : ledger->entries()) reserved += entry.reserved;
        BOOST_TEST(reserved == 4.5);
        BOOST_TEST(group.pending() + alone.pending() == 4u);
    }
    BOOST_TEST(SqliteLedger(path).limits().at({}) == 4.5);
    const MemoryLedger again{Bytes(in_memory->snapshot())};
    BOOST_TEST(again.limits().at({}) == 4.5);
    BOOST_TEST((again.entries() == in_memory->entries()));
    // A ledger without limits ignores specs without a group.
    const auto unlimited = std::make_shared<MemoryLedger>();
    Client ignored = with_ledger(R"({"mechanism": "grr", "epsilon": 1, "domain": 2})", unlimited);
    ignored.report({0});
    BOOST_TEST(unlimited->entries().empty());
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
