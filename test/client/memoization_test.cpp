// Values that change: what a client remembers of a person, what that costs, and that no crash makes it
// forget.
//
// Length: all that a client remembers is tested through the same people.

#include "../support/draws.hpp"
#include "core/contract/evolving_options.hpp"

#include <signal.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "../support/seeded_words.hpp"
#include "cli/command.hpp"
#include "cli/records.hpp"
#include "client/memoizing_reporter.hpp"
#include "client/memory_store.hpp"
#include "core/base/exact.hpp"
#include "core/base/random.hpp"
#include "core/summary/queries/distribution.hpp"
#include "core/summary/summary.hpp"
#include "fragile.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(evolving)

namespace {

/// Minutes of six hours, under a budget and with more keys as given.
std::string minutes(const std::string& budget, double epsilon = 1, const std::string& more = {}) {
    return R"({"mechanism": "pdp", "epsilon": )" + std::to_string(epsilon) + R"(, "attributes":
        [{"name": "minutes", "min": 0, "max": 360, "evolving": true}], "budget": )" +
           budget + more + "}";
}
/// Numbers that are remembered as they are: a value is always rounded alike.
const std::string plain = R"({"mechanism": "pdp", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 100},
    "attributes": [{"name": "minutes", "min": 0, "max": 360}]})";

Collection of(const std::string& json) {
    return Collection(resolve(json));
}

/// One person whose every choice is seeded.
struct Person {
    Person(const Collection& given, std::uint64_t seed)
        : collection(given), bits(seed), reporter(given, store, bits) {}
    struct OriginReport {
        Report report;
        Origin origin;
    };
    OriginReport report(std::span<const Value> record) {
        auto [reports, receipt] = reporter.report(record, 0, bits);
        BOOST_REQUIRE(reports.size() == 1u);
        store.append({}, 0, {}, reporter.unsaved());
        reporter.commit(0);
        return {std::move(reports[0]), receipt.origin};
    }
    Collection collection;
    SeededBits bits;
    MemoryStore store;
    MemoizingReporter reporter;
};

std::vector<Report> all_reports(Client& client) {
    Counter server;
    client.flush(server);
    return server.counted();
}

}  // namespace

BOOST_AUTO_TEST_CASE(equal_values_are_answered_alike) {
    Client client(of(plain), MemoryStore());
    BOOST_TEST((client.report({100}).origin == Origin::drawn));
    BOOST_TEST((client.report({100}, 1).origin == Origin::memoized));
    BOOST_TEST((client.report({250}, 2).origin == Origin::drawn));
    BOOST_TEST((client.report({100}, 3).origin == Origin::memoized));
    const std::vector<Report> sent = all_reports(client);
    BOOST_REQUIRE(sent.size() == 4u);
    BOOST_TEST((sent[0] == sent[1] && sent[0] == sent[3] && sent[0] != sent[2]));
    BOOST_TEST(client.ledger().size() == 2u);
    BOOST_TEST(client.ledger()[1].round == 2);
    BOOST_TEST(client.spent().sum == 3);  // with the signal
    BOOST_TEST(client.spent().epsilon == 1);
    BOOST_TEST(client.spent().signal == 1);
    BOOST_TEST(client.spent(0.01).advanced < client.spent().advanced);
    BOOST_TEST((client.spent().least() < 3 && client.spent().by() == Composition::optimal));
    BOOST_CHECK_THROW(static_cast<void>(client.spent(0)), Error);
    BOOST_CHECK_THROW(static_cast<void>(client.spent(1)), Error);
}

// With two layers, the permanent response is memoized and costs once. The second layer is drawn anew, and
// only many reports reveal the permanent response.
BOOST_AUTO_TEST_CASE(a_second_layer_answers_anew) {
    const std::string rest =
        R"(, "epsilon": 6, "report_epsilon": 1, "evolving": {}, "budget": {"epsilon": 12},)";
    const std::string specs[] = {
        R"({"mechanism": "onebit")" + rest +
            R"("attributes": [{"name": "a", "min": 0, "max": 9, "evolving": true}]})",
        R"({"mechanism": "l_grr")" + rest + R"("domain": 2})",
        R"({"mechanism": "loloha", "hash_buckets": 2)" + rest + R"("domain": 9})",
        R"({"mechanism": "l_osue")" + rest + R"("domain": 9})",
        R"({"mechanism": "sampled")" + rest +
            R"("attributes": [{"name": "a", "domain": 3, "mechanism": "l_grr"},
            {"name": "b", "min": 0, "max": 9, "mechanism": "onebit", "evolving": true}]})",
        R"({"mechanism": "haar")" + rest +
            R"("attributes": [{"name": "a", "min": 0, "max": 9, "evolving": true}, {"name": "b", "min": 0, "max": 9}]})",
        R"({"mechanism": "joint")" + rest +
            R"("attributes": [{"name": "a", "domain": 2}, {"name": "b", "domain": 2}]})",
    };
    std::uint64_t seed = 50;
    for (const std::string& json : specs) {
        const Collection c = of(json);
        const Mechanism& m = c.mechanism();
        Person person(c, ++seed);
        std::map<Report, int> sent;
        constexpr int rounds = 2000;
        for (int i = 0; i < rounds; ++i) {
            const auto entry = person.report(std::vector<Value>(m.cells().size(), 1.0));
            BOOST_REQUIRE((entry.origin == (i == 0 ? Origin::drawn : Origin::memoized)));
            // Without the signal, which has a second layer of its own.
            ++sent[Report(
                entry.report.begin(),
                entry.report.begin() + static_cast<std::ptrdiff_t>(m.block().size() + m.payload_size()))];
        }
        BOOST_REQUIRE(person.reporter.ledger().size() == 1u);
        const Bytes permanent = person.reporter.ledger()[0].permanent;
        const Memory memory = person.store.memory();
        const Bytes public_randomness = Bytes(memory.public_randomness).first(m.public_size());
        BOOST_TEST(sent.size() > 1u);
        for (const auto& [report, count] : sent) {
            const double p = static_cast<double>(m.instantaneous_probability(
                public_randomness, permanent, payload_of(report, m.block()).first(m.payload_size())));
            BOOST_TEST(std::abs(count - rounds * p) <= 6 * std::sqrt(rounds * p) + 6);
        }
    }
}

BOOST_AUTO_TEST_CASE(other_specs_remember_nothing) {
    Client client(collection(wages), MemoryStore());
    for (int i = 0; i < 50; ++i) BOOST_TEST((client.report({100}).origin == Origin::drawn));
    BOOST_CHECK_EXCEPTION(static_cast<void>(client.spent()), Error,
                          error_with(ErrorCode::unsupported, "each report costs epsilon again"));
    const Memory memory = client.store().memory();
    BOOST_TEST((memory.public_randomness.empty() && memory.progress.empty() && memory.responses.empty()));
    const std::vector<Report> sent = all_reports(client);
    BOOST_TEST(std::set<Report>(sent.begin(), sent.end()).size() > 40u);
}

// Against a second bookkeeping: there are as many permanent responses as keys. With one layer, a report is a
// function of its key.
BOOST_AUTO_TEST_CASE(the_ledger_has_an_answer_for_each_key) {
    const std::string specs[] = {
        minutes(R"({"epsilon": 500})", 1, R"(, "evolving": {"window": 5})"),
        plain,
        R"({"mechanism": "haar", "epsilon": 1, "budget": {"epsilon": 500}, "attributes": [
            {"name": "a", "min": 0, "max": 8, "evolving": true}, {"name": "b", "min": 0, "max": 8, "evolving": true},
            {"name": "c", "min": 0, "max": 8}]})",
        R"({"mechanism": "sampled", "epsilon": 4, "per_report": 2, "budget": {"epsilon": 1000000}, "attributes": [
            {"name": "a", "min": 0, "max": 8, "evolving": true}, {"name": "b", "domain": 3},
            {"name": "c", "min": 0, "max": 8, "mechanism": "optimal"}, {"name": "d", "min": 0, "max": 9, "evolving": true}]})",
        R"({"mechanism": "sampled", "epsilon": 2, "budget": {"epsilon": 1000000}, "attributes": [
            {"name": "a", "vector": 2, "min": 0, "max": 8, "mechanism": "haar", "evolving": true}, {"name": "b", "domain": 3},
            {"name": "c", "domain": 3}, {"name": "d", "min": 0, "max": 9, "evolving": true}], "joint_tables": [["b", "c"]]})",
        R"({"mechanism": "olh", "epsilon": 1, "domain": 6, "evolving": {}, "budget": {"epsilon": 500}})",
        R"({"mechanism": "sampled", "epsilon": 4, "report_epsilon": 2, "budget": {"epsilon": 1000000}, "attributes": [
            {"name": "a", "min": 0, "max": 8, "mechanism": "optimal", "evolving": true},
            {"name": "b", "domain": 3, "mechanism": "l_grr"}, {"name": "c", "domain": 9, "mechanism": "loloha"}]})",
        R"({"mechanism": "joint", "epsilon": 2, "report_epsilon": 0.5, "evolving": {}, "budget": {"epsilon": 1000000},
            "attributes": [{"name": "a", "domain": 3}, {"name": "b", "domain": 3}]})",
        R"({"mechanism": "sampled", "epsilon": 2, "report_epsilon": 1, "budget": {"epsilon": 1000000}, "attributes": [
            {"name": "a", "vector": 2, "min": [0, -5], "max": [8, 5], "mechanism": "haar", "evolving": true},
            {"name": "b", "domain": 3}, {"name": "c", "domain": 3}], "joint_tables": [["b", "c"]]})",
    };
    std::uint64_t seed = 1;
    for (const std::string& json : specs) {
        const Collection c = of(json);
        const Mechanism& m = c.mechanism();
        int several = 0;  // people with more than one response; others hash both values alike
        for (int user = 0; user < 4; ++user) {
            Person person(c, ++seed);
            const Rounding rounding(c.spec(), m);
            const Memory memory = person.store.memory();
            const Bytes public_randomness = Bytes(memory.public_randomness).first(m.public_size());
            std::vector<std::uint64_t> alphas(rounding.alphas());
            for (std::size_t i = 0; i < alphas.size(); ++i)
                alphas[i] = load<std::uint64_t>(memory.public_randomness.data() + m.public_size() + 8 * i);
            std::vector<RoundingState> rounding_states(rounding.rounding_states());
            std::map<std::vector<Cell>, Report> answers;
            SeededBits stream(seed + 1000);
            std::vector<double> at;
            for (const std::uint64_t cells : m.cells())
                at.push_back(uniform(stream) * static_cast<double>(cells));
            for (int t = 0; t < 200; ++t) {
                std::vector<Value> record;
                for (std::size_t j = 0; j < at.size(); ++j) {
                    const Attribute& a = c.spec().attributes()[j];
                    if (stream.below(4) == 0) at[j] = uniform(stream);
                    record.emplace_back(a.numeric() ? a.min + (a.max - a.min) * std::min(at[j], 1.0)
                                                    : static_cast<double>(stream.below(2)));
                }
                const auto key = m.response_key(
                    rounding.follow(c.to_grid(record).positions, alphas, rounding_states), public_randomness);
                const auto entry = person.report(record);
                const auto [found, fresh] = answers.try_emplace(key, entry.report);
                const bool renewed = m.report_epsilon() < m.epsilon();
                BOOST_REQUIRE((renewed || found->second == entry.report));
                BOOST_REQUIRE((entry.origin == (fresh ? Origin::drawn : Origin::memoized)));
                check_report(m, entry.report);
            }
            BOOST_TEST(person.reporter.ledger().size() == answers.size());
            several += answers.size() > 1 ? 1 : 0;
            BOOST_TEST(spent(person.reporter.ledger().size(), m.epsilon(), 1e-6).sum ==
                       static_cast<double>(answers.size()) * m.epsilon());
        }
        BOOST_TEST(several >= 3);
    }
}

BOOST_AUTO_TEST_CASE(a_spent_budget_repeats_the_nearest_answer) {
    const std::string json = R"({"mechanism": "pdp", "epsilon": 1, "evolving": {}, "budget": {"epsilon": 4.5},
        "attributes": [{"name": "minutes", "min": 0, "max": 360}]})";
    Client client(of(json), MemoryStore());
    for (const double value : {0.0, 180.0, 360.0})
        BOOST_TEST((client.report({value}).origin == Origin::drawn));
    for (const double value : {91.0, 269.0, 180.0, 5.0})
        BOOST_TEST((client.report({value}).origin == (value == 180 ? Origin::memoized : Origin::nearest)));
    for (int i = 0; i < 40; ++i) client.report({180.0});
    const std::vector<Report> sent = all_reports(client);
    // The last byte is the signal, which changes once.
    const auto payload = [&](std::size_t i) { return std::vector(sent[i].begin(), sent[i].end() - 1); };
    BOOST_TEST((payload(3) == payload(1) && payload(4) == payload(1) && payload(5) == payload(1) &&
                payload(6) == payload(0)));
    for (const std::size_t i : {1, 2}) BOOST_TEST((sent[i].back() == sent[0].back()));
    for (std::size_t i = 4; i < sent.size(); ++i) BOOST_TEST((sent[i].back() == sent[3].back()));
    BOOST_TEST(client.ledger().size() == 3u);
    BOOST_TEST(client.spent().signal == 1);
    BOOST_TEST(client.spent().sum == 4);
}

// Each attribute counts in shares of its own range, and categories are alike or not.
BOOST_AUTO_TEST_CASE(the_nearest_answer_of_a_record) {
    const Collection c = of(
        R"({"mechanism": "sampled", "epsilon": 2, "per_report": 2, "evolving": {}, "budget": {"epsilon": 5},
            "attributes": [{"name": "a", "min": 0, "max": 1000000, "mechanism": "optimal"},
                {"name": "b", "domain": ["x", "y", "z"], "mechanism": "grr"}]})");
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        Person person(c, seed);
        const Report first = person.report(std::vector<Value>{900000, "z"}).report;
        const Report second = person.report(std::vector<Value>{0, "x"}).report;
        const auto same = [&](double a, const char* b, const Report& as) {  // without the signal
            const Report found = person.report(std::vector<Value>{a, b}).report;
            return std::ranges::equal(Bytes(found).first(found.size() - 1), Bytes(as).first(as.size() - 1));
        };
        BOOST_TEST(same(300000, "z", first));   // 0.6 against 1.3
        BOOST_TEST(same(300000, "y", second));  // 1.6 against 1.3
    }
}

// The person stops for good, also after a restart, and with values that have a response.
BOOST_AUTO_TEST_CASE(a_person_with_a_spent_budget_stops) {
    const std::string json =
        R"({"mechanism": "grr", "epsilon": 1, "domain": 5, "evolving": {}, "budget": {"epsilon": 2, "when_spent": "stop"}})";
    const Collection collection = of(json);
    const Directory directory;
    for (const bool staged : {false, true}) {
        const std::string path = directory.file(staged ? "staged" : "reported");
        {
            Client client(collection, SqliteStore(path));
            client.report({0});
            client.report({1}, 1);
            if (staged) {
                BOOST_TEST((client.stage({2}).origin == Origin::silent));
                client.discard();
                BOOST_TEST((client.stage({1}).origin == Origin::memoized));
                BOOST_TEST((client.stage({2}).origin == Origin::silent));
                client.commit(2);
            } else {
                BOOST_TEST((client.report({2}, 2).origin == Origin::silent));
            }
            BOOST_TEST((client.report({1}, 3).origin == Origin::silent));
        }
        Client client(collection, SqliteStore(path));
        BOOST_TEST((client.report({1}, 4).origin == Origin::silent));
        BOOST_TEST(client.pending() == (staged ? 3u : 2u));
        BOOST_TEST(client.ledger().size() == 2u);
        BOOST_TEST(client.spent().sum == 2);
    }
}

BOOST_AUTO_TEST_CASE(the_budget_is_never_passed) {
    for (const char* when : {"repeat", "stop"})
        for (const double cap : {1.0, 3.0, 7.5}) {
            std::ostringstream budget;
            budget << "{\"epsilon\": " << cap << ", \"when_spent\": \"" << when << "\"}";
            Client client(of(minutes(budget.str(), 0.5, R"(, "evolving": {"base_levels": 200})")),
                          MemoryStore());
            SeededBits stream(9);
            int answered = 0;
            for (int t = 0; t < 300; ++t) {
                answered += client.report({360 * uniform(stream)}, t).origin == Origin::silent ? 0 : 1;
                BOOST_REQUIRE(client.spent().sum <= cap);
            }
            BOOST_TEST(client.spent().sum == cap);
            BOOST_TEST((answered == 300) == (std::string(when) == "repeat"));
        }
}

BOOST_AUTO_TEST_CASE(what_is_not_queued_is_not_spent) {
    Client client(of(plain), MemoryStore());
    client.report({1});
    client.stage({2});
    client.stage({3});
    client.stage({1});
    BOOST_TEST(client.ledger().size() == 3u);
    client.discard();
    BOOST_TEST(client.ledger().size() == 1u);
    BOOST_TEST((client.stage({2}).origin == Origin::drawn));
    client.report({4}, 7);  // takes along what was drawn before it
    client.discard();
    BOOST_TEST(client.ledger().size() == 3u);
    BOOST_TEST((client.stage({2}).origin == Origin::memoized));
    client.stage({5});
    client.commit(8);
    BOOST_TEST((client.store().memory().responses.size() == 4u));
    BOOST_TEST((client.store().memory().responses[3].round == 8));
    BOOST_TEST(std::ranges::equal(client.store().memory().responses, client.ledger()));
    BOOST_TEST(client.pending() == 4u);
}

BOOST_AUTO_TEST_CASE(a_store_that_fails_spends_nothing) {
    bool broken = false;
    Client client(of(minutes(R"({"epsilon": 50})")), std::make_unique<FailingStore>(broken));
    client.report({10});
    client.stage({100});
    const Memory before = client.store().memory();
    broken = true;
    BOOST_CHECK_THROW(client.report({200}), Error);
    BOOST_CHECK_THROW(client.commit(), Error);
    BOOST_TEST(client.staged() == 1u);
    BOOST_TEST(client.ledger().size() == 2u);
    broken = false;
    client.discard();
    BOOST_TEST(client.ledger().size() == 1u);
    client.commit();
    BOOST_TEST((client.store().memory().progress == before.progress));
    BOOST_TEST((client.store().memory().responses == before.responses));
}

// Files ----------------------------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(a_file_remembers_a_person, Directory) {
    const std::string json = minutes(R"({"epsilon": 200})", 1, R"(, "evolving": {"window": 7})");
    SeededBits stream(4);
    std::vector<double> values;
    for (int i = 0; i < 60; ++i) values.push_back(360 * uniform(stream));
    // One client without a break, and one that is started anew for each report, from the same memory.
    Client whole(of(json), MemoryStore());
    const Memory start = whole.store().memory();
    {
        SqliteStore store(file("state"));
        store.bind(of(json).contract());
        store.append({}, 0, {}, {start.public_randomness, start.progress});
    }
    for (int t = 0; t < 60; ++t) {
        whole.report({values[static_cast<std::size_t>(t)]}, t);
        Client part(of(json), SqliteStore(file("state")));
        part.report({values[static_cast<std::size_t>(t)]}, t);
        const Memory one = part.store().memory(), other = whole.store().memory();
        BOOST_REQUIRE((one.public_randomness == other.public_randomness && one.progress == other.progress));
        BOOST_REQUIRE(one.responses.size() == other.responses.size());
        BOOST_REQUIRE(part.ledger().size() == whole.ledger().size());
        for (std::size_t i = 0; i < one.responses.size(); ++i) {
            BOOST_REQUIRE((one.responses[i].key == other.responses[i].key));
            BOOST_REQUIRE(one.responses[i].round == other.responses[i].round);
        }
    }
    BOOST_TEST(whole.ledger().size() > 5u);
}

BOOST_FIXTURE_TEST_CASE(a_memory_that_was_changed_is_refused, Directory) {
    const std::string json = minutes(R"({"epsilon": 50})");
    const auto used = [&](const char* name) {
        Client client(of(json), SqliteStore(file(name)));
        for (const double value : {10.0, 200.0, 300.0}) client.report({value});
    };
    const std::pair<const char*, const char*> changes[] = {
        {"UPDATE response SET response = zeroblob(length(response)) WHERE number = 2",
         "A permanent response has changed"},
        {"UPDATE response SET key = x'0000000000000000' WHERE number = 3",
         "A permanent response has changed"},
        {"UPDATE response SET key = x'00' WHERE number = 3", "A permanent response has changed"},
        {"UPDATE response SET epsilon = 0.5 WHERE number = 1", "A permanent response has changed"},
        {"UPDATE response SET person = 2 WHERE number = 3", "A permanent response is missing"},
        {"UPDATE response SET number = 4 WHERE number = 1", "A permanent response is missing"},
        {"DELETE FROM response WHERE number = 1", "changed by another program"},
        {"DELETE FROM response WHERE number = 3", "changed by another program"},
        {"UPDATE head SET batches = 7", "Its head has changed"},
        {"UPDATE person SET public_randomness = zeroblob(length(public_randomness))", "has changed"},
        {"UPDATE person SET progress = x''", "has changed"},
        {"UPDATE person SET name = 'x'", "has changed"},
        {"UPDATE person SET responses = 2", "has changed"},
        {"DELETE FROM person", "changed by another program"},
    };
    int i = 0;
    for (const auto& [sql, text] : changes) {
        const std::string name = "state" + std::to_string(i++);
        used(name.c_str());
        run_sql(file(name.c_str()), sql);
        BOOST_CHECK_EXCEPTION(Client(of(json), SqliteStore(file(name.c_str()))), Error,
                              error_with(ErrorCode::environment, text));
    }
}

// Digests are against damage; what passes them must still be something that is drawn, or it would lead out of
// bounds.
BOOST_AUTO_TEST_CASE(a_memory_that_no_draw_leads_to_is_refused) {
    const std::string numbers =
        R"("attributes": [{"name": "a", "min": 0, "max": 1}, {"name": "b", "min": 0, "max": 1}])";
    const std::pair<std::string, const char*> cases[] = {
        {R"("mechanism": "sampled", )" + numbers, "public randomness"},
        {R"("mechanism": "haar", )" + numbers, "public randomness"},
        {R"("mechanism": "haar_ranges", )" + numbers, "public randomness"},
        {R"("mechanism": "dbitflip", "domain": 20, "bits_per_report": 3)", "public randomness"},
        {R"("mechanism": "rappor", "domain": 20, "report_epsilon": 1)", "public randomness"},
        {R"("mechanism": "duchi_vector", )" + numbers, "response"},
        {R"("mechanism": "subset", "domain": 20)", "response"},
        {R"("mechanism": "grr", "domain": 20)", "response"},
        {R"("mechanism": "l_grr", "domain": 20)", "response"},
        {R"("mechanism": "l_osue", "domain": 20)", "response"},
        {R"("mechanism": "loloha", "domain": 20)", "response"},
        {R"("mechanism": "onebit", "min": 0, "max": 1, "report_epsilon": 1)", "response"},
        {R"("mechanism": "optimal", "min": 0, "max": 1, "report_epsilon": 1)", "response"},
    };
    for (const auto& [mechanism, changed] : cases) {
        const std::string json =
            R"({"epsilon": 2, "evolving": {}, "budget": {"epsilon": 20}, )" + mechanism + "}";
        Client client(of(json), MemoryStore());
        client.report(std::vector<Value>(of(json).spec().attributes().size(), Value(1)));
        Memory memory = client.store().memory();
        const auto again = [&] {
            MemoryStore store;
            store.append({}, 0, {}, {memory.public_randomness, memory.progress, memory.responses});
            Client(of(json), std::move(store));
        };
        BOOST_CHECK_NO_THROW(again());
        // Of the public randomness that of the mechanism, which precedes the rounding and the signal.
        const MutableBytes bytes =
            changed == std::string("response")
                ? MutableBytes(memory.responses[0].permanent)
                : MutableBytes(memory.public_randomness).first(of(json).mechanism().public_size());
        std::ranges::fill(bytes, std::byte{0xff});
        BOOST_CHECK_EXCEPTION(again(), Error,
                              error_with(ErrorCode::environment, changed + std::string(" is invalid")));
    }
}

BOOST_FIXTURE_TEST_CASE(two_processes_do_not_spend_twice, Directory) {
    const auto report = [&](double value) {
        Client client(of(plain), SqliteStore(file("state")));
        return client.report({value}).origin;
    };
    {
        Client client(of(plain), SqliteStore(file("state")));
        client.report({10});
        BOOST_TEST(in_child([&] {
                       try {
                           report(10);
                           return 1;
                       } catch (const Error& error) {
                           return error_with(ErrorCode::environment, "in use")(error) ? 0 : 2;
                       }
                   }) == 0);
    }
    BOOST_TEST(in_child([&] { return report(10) == Origin::memoized ? 0 : 1; }) == 0);
    BOOST_TEST(in_child([&] { return report(20) == Origin::drawn ? 0 : 1; }) == 0);
    BOOST_TEST((report(20) == Origin::memoized));
    BOOST_TEST(SqliteStore(file("state")).memory().responses.size() == 2u);
}

// Death ----------------------------------------------------------------------------------------------------

/// What the outside has seen of a person: the answers that were promised or sent, by value. No value has two.
class Witness {
  public:
    void saw(double value, const Report& report) {
        const auto [found, fresh] = seen_.try_emplace(value, report);
        BOOST_REQUIRE((found->second == report));
    }
    /// Asks for all values again: those that were seen have the same answer and cost nothing now.
    void examine(Client& client) {
        Counter server;
        client.flush(server);
        const std::size_t before = client.ledger().size();
        for (const auto& [value, report] : std::map(seen_)) {
            BOOST_REQUIRE((client.report({value}).origin == Origin::memoized));
            BOOST_REQUIRE((all_reports(client) == std::vector<Report>{report}));
        }
        BOOST_TEST(client.ledger().size() == before);
    }

  private:
    std::map<double, Report> seen_;
};
constexpr double script[] = {10, 200, 10, 300, 200, 55};

// Dies at the first step, the second, … as in client/death_at_any_step_loses_and_doubles_nothing.
BOOST_AUTO_TEST_CASE(death_at_any_step_forgets_nothing) {
    bool burnt = true;
    int steps = 0;
    for (; burnt; ++steps) {
        Directory directory;
        Counter server;
        Fuse fuse(steps);
        std::vector<double> attempted, promised;
        try {
            for (int session = 0; session < 2; ++session) {
                Client client(of(plain), std::make_unique<FragileStore>(directory.file("state"), fuse));
                FragileTransport transport(server, fuse);
                for (const double value : script) {
                    attempted.push_back(value);
                    client.report({value});
                    promised.push_back(value);
                }
                client.flush(transport, 4);
            }
        } catch (const Died&) {
        }
        burnt = fuse.burnt();
        Client client(of(plain), SqliteStore(directory.file("state")));
        client.flush(server, 4);
        BOOST_REQUIRE(server.counted().size() >= promised.size());
        BOOST_REQUIRE(server.counted().size() <= attempted.size());
        Witness witness;
        for (std::size_t i = 0; i < server.counted().size(); ++i)
            witness.saw(attempted[i], server.counted()[i]);
        witness.examine(client);
        BOOST_REQUIRE(client.ledger().size() <= std::set(attempted.begin(), attempted.end()).size());
        BOOST_REQUIRE(client.ledger().size() >= std::set(promised.begin(), promised.end()).size());
    }
    BOOST_TEST(steps > 50);
}

/// Kills the process just before SQLite's n-th write to a file, or wish to have one on disk.
class Killer {
  public:
    static void install(int writes) {
        left_ = writes;
        real_ = sqlite3_vfs_find(nullptr);
        static sqlite3_vfs shim = *real_;
        shim.zName = "killer";
        shim.xOpen = [](sqlite3_vfs*, sqlite3_filename name, sqlite3_file* file, int flags, int* out) {
            const int code = real_->xOpen(real_, name, file, flags, out);
            if (code == SQLITE_OK && file->pMethods != nullptr) {
                inner_ = file->pMethods;  // of databases and of logs: they write alike, and close differently
                static std::map<const sqlite3_io_methods*, sqlite3_io_methods> copies;
                auto& methods = copies.try_emplace(inner_, *inner_).first->second;
                methods.xWrite = [](sqlite3_file* at, const void* data, int size, sqlite3_int64 offset) {
                    count();
                    return inner_->xWrite(at, data, size, offset);
                };
                methods.xSync = [](sqlite3_file* at, int how) {
                    count();
                    return inner_->xSync(at, how);
                };
                methods.xTruncate = [](sqlite3_file* at, sqlite3_int64 size) {
                    count();
                    return inner_->xTruncate(at, size);
                };
                file->pMethods = &methods;
            }
            return code;
        };
        sqlite3_vfs_register(&shim, 1);
    }

  private:
    static void count() {
        if (left_-- == 0) kill(getpid(), SIGKILL);
    }
    static inline int left_ = 0;
    static inline sqlite3_vfs* real_ = nullptr;
    static inline const sqlite3_io_methods* inner_ = nullptr;
};

/// Notifies the parent, which receives it even if this process is killed right after.
void tell(int pipe, const std::string& line) {
    if (write(pipe, line.data(), line.size()) != static_cast<ssize_t>(line.size())) _exit(98);
}

// kill −9 before each write that SQLite makes while a client is created, reports, is opened again, and
// flushes.
BOOST_AUTO_TEST_CASE(being_killed_at_any_write_forgets_nothing) {
    class Telling final : public BatchTransport {
      public:
        explicit Telling(int pipe) : pipe_(pipe) {}
        bool deliver(const Batch& batch) override {
            std::string line = "batch " + batch.id;
            for (const Report& report : batch.reports) line += " " + to_hex(report);
            tell(pipe_, line + "\n");
            return true;
        }

      private:
        int pipe_;
    };
    int writes = 0;
    for (bool killed = true; killed; ++writes) {
        Directory directory;
        int pipes[2];
        BOOST_REQUIRE(pipe(pipes) == 0);
        const int end = in_child([&] {
            Killer::install(writes);
            for (int session = 0; session < 2; ++session) {
                Client client(of(plain), SqliteStore(directory.file("state")));
                Telling transport(pipes[1]);
                for (const double value : script) {
                    tell(pipes[1], "try\n");
                    client.report({value});
                    tell(pipes[1], "promise\n");
                }
                client.flush(transport, 4);
            }
            return 0;
        });
        BOOST_REQUIRE((end == 0 || end == -1));
        killed = end != 0;
        close(pipes[1]);
        std::string heard;
        char buffer[4096];
        for (ssize_t got; (got = read(pipes[0], buffer, sizeof(buffer))) > 0;)
            heard.append(buffer, static_cast<std::size_t>(got));
        close(pipes[0]);

        // Batches that were on their way when it died may or may not have been counted: here they were.
        Counter server;
        std::size_t tried = 0, promised = 0;
        std::istringstream lines(heard);
        for (std::string line, word; std::getline(lines, line);) {
            std::istringstream words(line);
            words >> word;
            if (word == "try") ++tried;
            if (word == "promise") ++promised;
            if (word != "batch") continue;
            Batch batch{};
            words >> batch.id;
            while (words >> word) {
                Report report(word.size() / 2);
                BOOST_REQUIRE(from_hex(word, report.data()));
                batch.reports.push_back(report);
            }
            server.deliver(batch);
        }
        Client client(of(plain), SqliteStore(directory.file("state")));
        client.flush(server, 4);
        BOOST_REQUIRE(server.counted().size() >= promised);
        BOOST_REQUIRE(server.counted().size() <= tried);
        Witness witness;
        for (std::size_t i = 0; i < server.counted().size(); ++i)
            witness.saw(script[i % std::size(script)], server.counted()[i]);
        witness.examine(client);
        BOOST_REQUIRE(client.ledger().size() <= 4u);
    }
    BOOST_TEST(writes > 50);
}

// Streams --------------------------------------------------------------------------------------------------

// Values that jitter about a base which jumps now and then: with rounding a person needs a tenth of the
// answers, and the mean stays what it was.
BOOST_AUTO_TEST_CASE(rounding_makes_jitter_cheap_and_keeps_the_mean, *boost::unit_test::label("slow")) {
    constexpr int groups = 40, people_each = 20, rounds = 120;
    const Collection rounded = of(minutes(R"({"epsilon": 1000})", 4));
    const Collection exact = of(
        R"({"mechanism": "pdp", "epsilon": 4, "evolving": {}, "budget": {"epsilon": 1000},
            "attributes": [{"name": "minutes", "min": 0, "max": 360}]})");
    const Mechanism& m = rounded.mechanism();
    SeededBits stream(11);
    double drawn = 0, drawn_exact = 0, sum = 0, squares = 0;
    for (int group = 0; group < groups; ++group) {
        std::vector<std::byte> summary(summary_size(m));
        start_summary(m, summary);
        double truth = 0;
        for (int i = 0; i < people_each; ++i) {
            Person person(rounded, stream.word()), careless(exact, stream.word());
            double base = 360 * uniform(stream);
            for (int t = 0; t < rounds; ++t) {
                if (uniform(stream) < 0.01) base = 360 * uniform(stream);
                const double noise = std::round(2000 * uniform(stream) - 1000) / 100;
                const double value = std::clamp(base + noise, 0.0, 360.0);
                truth += value / (people_each * rounds);
                BOOST_REQUIRE((accumulate(m, summary, person.report(std::vector<Value>{value}).report,
                                          Rounds::only(t)) == Outcome::ok));
                careless.report(std::vector<Value>{value});
            }
            drawn += static_cast<double>(person.reporter.ledger().size()) / (groups * people_each);
            drawn_exact += static_cast<double>(careless.reporter.ledger().size()) / (groups * people_each);
        }
        const double error =
            estimate(view_of(m, summary), {Quantity::means, Target::sample})[0].value - truth;
        sum += error;
        squares += error * error;
    }
    const double bias = sum / groups;
    const double deviation = std::sqrt((squares / groups - bias * bias) / (groups - 1));
    BOOST_TEST_MESSAGE("answers a person: " << drawn << " rounded, " << drawn_exact << " not; bias " << bias
                                            << " +- " << deviation);
    BOOST_TEST(drawn * 10 <= drawn_exact);
    BOOST_TEST(std::abs(bias) < 6 * deviation);
    BOOST_TEST(deviation < 4);  // of 360: sharp enough to see a bias
}

// What is kept --------------------------------------------------------------------------------------------

namespace {

/// Whether these bytes stand anywhere in others, in the order of little-endian or of big-endian machines.
bool stands_in(std::string_view content, double number) {
    std::string bytes(sizeof number, 0);
    std::memcpy(bytes.data(), &number, sizeof number);
    if (content.find(bytes) != content.npos) return true;
    std::ranges::reverse(bytes);
    return content.find(bytes) != content.npos;
}

}  // namespace

// Values are on disk as they are rounded, and nothing else is that follows from them: neither the latest
// value nor how far it is from the one before.
BOOST_FIXTURE_TEST_CASE(a_state_file_has_no_value_that_is_not_rounded, Directory) {
    const Collection c = of(minutes(R"({"epsilon": 200})", 1, R"(, "evolving": {"base_levels": 4})"));
    const double values[] = {123.456789, 301.23456};
    std::vector<double> secrets(std::begin(values), std::end(values));
    for (const double value : values) {
        const double position = c.to_grid(std::vector<Value>{value}).positions[0];
        for (const double scale : {1.0, 1.0 / 32768, 4.0 / 32768}) secrets.push_back(position * scale);
    }
    const double clamped = c.to_grid(std::vector<Value>{values[1]}).positions[0] -
                           c.to_grid(std::vector<Value>{values[0]}).positions[0];
    secrets.push_back(clamped);
    secrets.push_back(clamped / 32768);
    MemoryStore in_memory;
    {
        Client client(c, SqliteStore(file("state")));
        SeededBits bits(5);
        MemoizingReporter reporter(c, in_memory, bits);
        for (const double value : values) {
            client.report({value});
            static_cast<void>(reporter.report(std::vector<Value>{value}, 0, bits));
            in_memory.append({}, 0, {}, reporter.unsaved());
            reporter.commit(0);
        }
        BOOST_REQUIRE(!in_memory.memory().progress.empty());
    }
    std::string content;
    for (const auto& each : std::filesystem::directory_iterator(root)) {
        std::ifstream in(each.path(), std::ios::binary);
        content.append(std::istreambuf_iterator<char>(in), {});
    }
    const std::vector<std::byte> snapshot = in_memory.snapshot();
    const std::string_view memory(reinterpret_cast<const char*>(snapshot.data()), snapshot.size());
    BOOST_REQUIRE(content.size() > 4096u);
    for (const double secret : secrets) {
        BOOST_TEST(!stands_in(content, secret), secret);
        BOOST_TEST(!stands_in(memory, secret), secret);
    }
    for (const char* text : {"123.45", "301.23"}) BOOST_TEST((content.find(text) == content.npos));
}

// 900 people at 135 ± 10: the share of 125 to 145 is 1. Rounded as they move, they were reported as 0.04 of
// all, with an interval that ended at 0.11. A spec cannot ask for that any more; remembered as they are, the
// same people are where they are.
BOOST_AUTO_TEST_CASE(a_share_of_people_in_a_range_is_not_lost_by_rounding) {
    const auto spec = [](const char* attribute, const char* evolving) {
        return std::string(R"({"mechanism": "tree", "epsilon": 4, "budget": {"epsilon": 1000}, "attributes":
            [{"name": "minutes", "min": 0, "max": 360)") +
               attribute + R"(}], "evolving": )" + evolving + "}";
    };
    BOOST_CHECK_EXCEPTION(static_cast<void>(of(spec(R"(, "evolving": true)", R"({"window": 5})"))), Error,
                          error_with(ErrorCode::invalid_spec, "cannot be evolving"));
    const Collection c = of(spec("", "{}"));
    const Mechanism& m = c.mechanism();
    std::vector<std::byte> summary(summary_size(m));
    start_summary(m, summary);
    SeededBits stream(900);
    for (int i = 0; i < 900; ++i) {
        Person person(c, stream.word());
        for (int round = 1; round <= 7; ++round) {
            const double value = 125 + 20 * uniform(stream);
            const Report report = person.report(std::vector<Value>{value}).report;
            if (round == 7)
                BOOST_REQUIRE((accumulate(m, summary, report, Rounds::only(round)) == Outcome::ok));
        }
    }
    // Points lie a few minutes apart, so a value near an end may be placed beyond it.
    const Estimate share = share_between(view_of(m, summary), 120, 150, Target::sample);
    BOOST_TEST(share.standard_error > 0);
    BOOST_TEST(share.standard_error < 0.1);
    BOOST_TEST(std::abs(share.value - 1) < 5.5 * share.standard_error);
}

// The command ----------------------------------------------------------------------------------------------

BOOST_FIXTURE_TEST_CASE(the_command_shows_the_ledger, Directory) {
    const auto shown = [&](const std::string& name) {
        cli::Arguments arguments;
        const std::vector<std::string> words{"--file", name};
        boost::program_options::store(
            boost::program_options::command_line_parser(words).options(cli::ledger::command.options()).run(),
            arguments);
        std::ostringstream out;
        auto* const before = std::cout.rdbuf(out.rdbuf());
        try {
            cli::ledger::command.run(arguments);
        } catch (...) {
            std::cout.rdbuf(before);
            throw;
        }
        std::cout.rdbuf(before);
        return out.str();
    };
    {
        Client client(of(plain), SqliteStore(file("state")));
        client.report({1}, 5);
        client.report({2}, 5);
        client.report({3}, 6);
        client.report({3}, 7);
    }
    const std::string text = shown(file("state"));
    for (const std::string& part :
         {fingerprint_text(of(plain).spec().fingerprint()), std::string("3 of at most 99"),
          std::string("epsilon       1 for each response, between any two values\n"),
          std::string("signal        1 for the bit that states whether the budget is spent\n"),
          std::string(" at delta 1e-06, by optimal composition, the smallest bound\n"),
          std::string(
              "              4 at delta 0, the sum\n"
              "              for any two series of values of this person that change at the same times\n\n"),
          std::string("\n5             2         2\n6             1         1\n")})
        BOOST_TEST((text.find(part) != std::string::npos), text);
    BOOST_TEST(text.find("\n7 ") == std::string::npos);
    {
        Client client(
            of(R"({"mechanism": "pdp", "epsilon": 0.01, "evolving": {}, "budget": {"epsilon": 1}, "min": 0, "max": 360})"),
            SqliteStore(file("small")));
        for (int value = 0; value < 360; value += 4) client.stage({value});
        client.commit();
        BOOST_REQUIRE_LT(client.spent().least(), 0.95 * client.spent().sum);
    }
    const std::string small = shown(file("small"));
    for (const char* part :
         {" at delta 1e-06, by optimal composition, the smallest bound\n", " at delta 0, the sum\n"})
        BOOST_TEST((small.find(part) != std::string::npos), small);

    BOOST_CHECK_EXCEPTION(shown(file("nowhere")), Error, error_with(ErrorCode::environment, "no state file"));
    BOOST_TEST(!std::filesystem::exists(file("nowhere")));
    { Client client(collection(colours), SqliteStore(file("one-time"))); }
    BOOST_CHECK_EXCEPTION(shown(file("one-time")), Error, error_with(ErrorCode::unsupported, "no ledger"));
}

BOOST_AUTO_TEST_CASE(rows_of_a_file_are_not_one_person) {
    std::istringstream in("minutes\n1\n");
    cli::CsvReader csv(in, "file");
    BOOST_CHECK_EXCEPTION(cli::Records(csv, resolve(plain), cli::BadRow::stop), Error,
                          error_with(ErrorCode::unsupported, "changing values"));
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
