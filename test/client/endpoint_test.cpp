// The parts of the endpoint (ldp collect) that need neither clients nor a database: addresses, ids and
// digests, and what the queue stores together. test/e2e/collect_test.cpp has the whole.

#include <boost/test/unit_test.hpp>
#include <thread>

#include "cli/collect/batch_queue.hpp"
#include "cli/collect/catalogue.hpp"
#include "core/base/random.hpp"
#include "core/base/sha256.hpp"
#include "core/contract/spec.hpp"
#include "core/mechanism/role/registry.hpp"
#include "core/summary/batch.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(collecting)

using namespace ldp::collect;
using namespace std::chrono_literals;

namespace {

constexpr std::string_view some_id = "0d6c7ea3-3a2f-4f0e-9a53-1a3d3a9a5a10";

std::shared_ptr<const CatalogEntry> offered(const std::string& name, const std::string& owner = "owner") {
    auto mechanism = make_mechanism(Spec::from_json(R"({"mechanism": "grr", "epsilon": 1, "domain": 5})"));
    return std::make_shared<const CatalogEntry>(
        CatalogEntry{name, name, {}, {}, {}, std::move(mechanism), owner});
}

std::string frame(const CatalogEntry& of, std::size_t reports) {
    SystemRandom bits;
    std::vector<Report> made;
    const Cell cells[] = {0};
    for (std::size_t i = 0; i < reports; ++i) made.push_back(of.mechanism->perturb(cells, bits));
    const auto batch = pack(*of.mechanism, made).at(0);
    return {reinterpret_cast<const char*>(batch.data()), batch.size()};
}

Uuid numbered(std::size_t number) {
    Uuid id{};
    store<std::uint64_t>(id.data(), number);
    return id;
}

/// A queue, and the outcomes of batches that a test numbers.
struct QueueResults {
    explicit QueueResults(std::size_t hold, Clock::duration hold_for = 1h, std::size_t bytes = 1 << 20)
        : queue({hold, hold_for, bytes, 50ms}) {}

    void add(std::size_t number, std::int32_t round = 0) {
        queue.add(received_batch(shop, numbered(number), round, frame(*shop, 3)), tell(number));
    }
    void add(std::size_t number, const ReceivedBatch& one) { queue.add(one, tell(number)); }
    void add(std::size_t number, const std::shared_ptr<const CatalogEntry>& to) {
        queue.add(received_batch(to, numbered(number), 0, frame(*to, 3)), tell(number));
    }
    Listener tell(std::size_t number, std::shared_ptr<const std::atomic<bool>> gone = {}) {
        return {[this, number](const collect::HttpResponse& answer) {
                    statuses[number].push_back(answer.status);
                },
                std::move(gone)};
    }
    /// Size of the next group; 0 if no group is ready.
    std::size_t next() {
        Group group = queue.take(Clock::now());
        for (const QueuedBatch& one : group) one.end({201});
        if (!group.empty()) queue.release(group.front().batch.to->owner);
        return group.size();
    }

    std::shared_ptr<const CatalogEntry> shop = offered("shop");
    std::map<std::size_t, std::vector<unsigned>> statuses;
    Queue queue;
};

using Statuses = std::vector<unsigned>;

}  // namespace

BOOST_AUTO_TEST_CASE(a_token_is_no_value_of_a_row) {
    auto entry = std::make_shared<CatalogEntry>(
        CatalogEntry{"shop",
                     "shop",
                     {},
                     {},
                     {},
                     make_mechanism(Spec::from_json(R"({"mechanism": "grr", "epsilon": 1, "domain": 5})"))});
    entry->columns = {{"country", "text", false}, {"ldp_token", "text", true}};
    const std::string reports = frame(*entry, 1);
    const auto received = [&](const std::string& columns) {
        return received_batch(entry, numbered(1), 0, columns + "\n" + reports, true);
    };
    const auto digest_of_text = [](std::string_view text) { return sha256(std::as_bytes(std::span(text))); };
    const ReceivedBatch one = received(R"({"country":"de","ldp_token":"aa"})");
    BOOST_TEST((one.columns == PublicValues{{"country", "de"}}));
    BOOST_TEST((one.token == digest_of_text("aa")));
    const ReceivedBatch other = received(R"({"country":"de","ldp_token":"bb"})"),
                        none = received(R"({"country":"de"})");
    BOOST_TEST((other.columns == one.columns && none.columns == one.columns && !none.token));
    BOOST_TEST((one.id == other.id && one.id == none.id));
    BOOST_TEST((one.digest != other.digest && one.digest != none.digest));
    entry->columns.pop_back();
    BOOST_CHECK_THROW((void)received(R"({"ldp_token":"aa"})"), Error);
}

BOOST_AUTO_TEST_CASE(addresses_are_read) {
    const std::string batches = "/collections/a/batches/" + std::string(some_id);
    const auto batch = parse_target(batches + "?round=-3");
    BOOST_REQUIRE(batch.has_value());
    BOOST_CHECK(batch->of == collect::Target::Of::batch);
    BOOST_TEST(batch->collection == "a");
    BOOST_TEST(batch->round == -3);
    BOOST_TEST(uuid_text(batch->batch) == some_id);
    BOOST_TEST(parse_target(batches)->round == 0);
    BOOST_TEST(parse_target("/collections/%c3%BC%2f%25/spec")->collection == "ü/%");
    BOOST_CHECK(parse_target("/metrics")->of == collect::Target::Of::metrics);
    BOOST_CHECK(parse_target("/healthz")->of == collect::Target::Of::health);
    std::string upper = batches;
    for (std::size_t at = upper.rfind('/'); at < upper.size(); ++at)
        upper[at] = static_cast<char>(std::toupper(static_cast<unsigned char>(upper[at])));
    BOOST_CHECK(parse_target(upper)->batch == batch->batch);

    for (const std::string& wrong : {std::string(),
                                     std::string("/"),
                                     std::string("*"),
                                     std::string("/collections"),
                                     std::string("/collections/"),
                                     std::string("/collections//spec"),
                                     std::string("/collections/a/spec/"),
                                     std::string("/collections/a/spec?"),
                                     std::string("/collections/a%/spec"),
                                     std::string("/collections/a%2/spec"),
                                     std::string("/collections/a%2x/spec"),
                                     std::string("/collections/a/b/spec"),
                                     std::string("/metrics/"),
                                     std::string("/healthz?"),
                                     batches + "/",
                                     batches + "?",
                                     batches + "?round",
                                     batches + "?round=",
                                     batches + "?round=1x",
                                     batches + "?round=+1",
                                     batches + "?round=2147483648",
                                     batches + "0",
                                     batches.substr(0, batches.size() - 1),
                                     "/collections/a/batches/" + std::string(36, '0'),
                                     "/collections/a/batches/" + std::string(36, '-')})
        BOOST_TEST(!parse_target(wrong).has_value(), wrong);
}

BOOST_AUTO_TEST_CASE(ids_and_digests_are_as_the_manual_says) {
    const auto shop = offered("shop");
    const Uuid id = *parse_uuid(some_id);
    const std::string octets = frame(*shop, 4);
    const auto expected = [&](std::string_view middle, std::string_view content) {
        Sha256 hash;
        hash.add(Bytes(id));
        hash.add(middle);
        hash.add(content);
        return hash.digest();
    };
    const ReceivedBatch one = received_batch(shop, id, -7, octets);
    BOOST_CHECK(one.digest == expected("round -7:", octets));
    BOOST_TEST(one.reports() == 4U);
    // All fields except the version and the variant.
    std::string stored = to_hex(expected("id", {})).substr(0, 32);
    for (const std::size_t at : {8, 13, 18, 23}) stored.insert(at, 1, '-');
    stored[14] = '8';
    stored[19] = one.id[19];
    BOOST_TEST(one.id == stored);
    BOOST_TEST(std::string("89ab").find(one.id[19]) != std::string::npos);
    const ReceivedBatch none = void_batch(shop, id);
    BOOST_TEST(none.id == one.id);
    BOOST_CHECK(none.digest == expected("void", {}));
    BOOST_TEST(none.reports() == 0U);
    BOOST_TEST(received_batch(shop, numbered(1), 0, octets).id != one.id);
}

BOOST_AUTO_TEST_CASE(what_waits_together_is_stored_together) {
    QueueResults told(1);
    BOOST_TEST(told.next() == 0U);
    for (std::size_t i = 0; i < 5; ++i) told.add(i);
    told.add(5, 1);
    BOOST_TEST(told.queue.size() == 6U);
    BOOST_TEST(told.next() == 5U);
    BOOST_TEST(told.next() == 1U);
    BOOST_TEST(told.next() == 0U);
    BOOST_TEST(told.queue.size() == 0U);
    for (std::size_t i = 0; i < 6; ++i) BOOST_TEST(told.statuses[i] == Statuses{201});
}

BOOST_AUTO_TEST_CASE(a_batch_that_waits_is_one_however_often_it_is_sent) {
    QueueResults told(1);
    const ReceivedBatch one = received_batch(told.shop, numbered(1), 0, frame(*told.shop, 3));
    told.add(1, one);
    told.add(2, one);
    // Another one of its id, whose end is open, must come again.
    told.add(3, received_batch(told.shop, numbered(1), 0, frame(*told.shop, 4)));
    BOOST_TEST(told.statuses[3] == Statuses{503});
    BOOST_TEST(told.next() == 1U);
    BOOST_TEST(told.statuses[1] == Statuses{201});
    BOOST_TEST(told.statuses[2] == Statuses{201});
    BOOST_TEST(told.next() == 0U);
}

BOOST_AUTO_TEST_CASE(too_few_wait_for_others_and_are_sent_back_in_time) {
    QueueResults told(3, 1200ms);
    told.add(1);
    told.add(2);
    told.add(3, 9);  // of another round: no company
    BOOST_TEST(told.next() == 0U);
    told.add(4, void_batch(told.shop, numbered(1)));  // waits for nobody
    BOOST_TEST(told.next() == 1U);
    BOOST_TEST(told.statuses[4] == Statuses{201});
    BOOST_TEST(told.statuses[1].empty());
    told.add(5);
    BOOST_TEST(told.next() == 3U);
    BOOST_TEST(told.statuses[1] == Statuses{201});

    const auto until = Clock::now() + 10s;
    while (told.statuses[3].empty() && Clock::now() < until) {
        std::this_thread::sleep_for(50ms);
        BOOST_TEST(told.next() == 0U);
    }
    BOOST_TEST(told.statuses[3] == Statuses{503});
    BOOST_TEST(told.queue.size() == 0U);

    // What comes back to wait on is one of three again.
    told.add(6);
    told.add(7);
    told.add(8);
    Group group = told.queue.take(Clock::now());
    BOOST_REQUIRE(group.size() == 3U);
    group.pop_back();
    told.queue.add_again(std::move(group));
    told.queue.release("owner");
    BOOST_TEST(told.next() == 0U);
    told.add(9);
    BOOST_TEST(told.next() == 3U);
}

BOOST_AUTO_TEST_CASE(more_than_there_is_room_or_time_for_comes_later) {
    QueueResults small(1, 1h, 2000);
    for (std::size_t i = 0; i < 10; ++i) small.add(i);
    BOOST_TEST(small.statuses[0].empty());
    BOOST_TEST(small.statuses[9] == Statuses{429});
    const std::size_t taken = small.next();
    BOOST_TEST(taken >= 1U);
    BOOST_TEST(taken <= 4U);
    small.add(10);
    BOOST_TEST(small.statuses[10].empty());

    QueueResults slow(1);
    slow.add(1);
    std::this_thread::sleep_for(100ms);
    slow.add(2);
    BOOST_TEST(slow.statuses[2] == Statuses{429});
    BOOST_TEST(slow.next() == 1U);
    slow.add(3);
    BOOST_TEST(slow.next() == 1U);
    BOOST_TEST(slow.statuses[3] == Statuses{201});
}

BOOST_AUTO_TEST_CASE(at_the_end_nothing_is_left_without_an_answer) {
    QueueResults told(2);
    told.add(1);
    told.add(2);
    told.add(3, 5);
    told.queue.stop();
    BOOST_TEST(told.statuses[3] == Statuses{503});
    told.add(4);
    BOOST_TEST(told.statuses[4] == Statuses{503});
    BOOST_TEST(!told.queue.done());
    Group group = told.queue.take(Clock::now() + 1h);
    BOOST_TEST(group.size() == 2U);
    told.queue.add_again(std::move(group));
    BOOST_TEST(told.statuses[1] == Statuses{503});
    BOOST_TEST(told.queue.done());
}

BOOST_AUTO_TEST_CASE(open_rounds_are_read_from_the_check) {
    const auto rounds = [](std::int32_t first, std::int32_t last) { return std::pair{first, last}; };
    BOOST_CHECK(parse_rounds("CHECK (ldp_internal.ldp_check_round(round, 0, 3)) NOT VALID") == rounds(0, 3));
    BOOST_CHECK(parse_rounds("CHECK (s.ldp_check_round(round, '-7'::integer, 2147483647))") ==
                rounds(-7, 2147483647));
    for (const char* other : {"", "CHECK (round > 0)", "CHECK (ldp_internal.ldp_check_round(round, 0))",
                              "CHECK (ldp_internal.ldp_check_round(round, a, b))",
                              "CHECK (ldp_internal.ldp_check_round(round, 0, 99999999999))",
                              "CHECK (ldp_internal.ldp_check_round(round, '0, 1))"})
        BOOST_CHECK_MESSAGE(!parse_rounds(other), other);
}

BOOST_AUTO_TEST_CASE(owners_take_turns_and_wait_for_themselves_alone) {
    QueueResults told(1);
    const auto greedy = offered("greedy", "a"), second = offered("second", "a"),
               quiet = offered("quiet", "b");
    told.add(1, greedy);
    told.add(2, second);
    told.add(3, quiet);
    Group slow = told.queue.take(Clock::now());
    BOOST_REQUIRE(slow.size() == 1U);
    BOOST_TEST(slow[0].batch.to->owner == "a");
    // While it is stored the owner has no other transaction, and what waits for it makes nobody else's wait.
    std::this_thread::sleep_for(100ms);
    told.add(4, second);
    BOOST_TEST(told.statuses[4] == Statuses{429});
    BOOST_TEST(told.next() == 1U);
    BOOST_TEST(told.statuses[3] == Statuses{201});
    BOOST_TEST(told.next() == 0U);
    told.add(5, quiet);
    BOOST_TEST(told.next() == 1U);
    told.queue.release("a");
    // The owner who was served longest ago comes first.
    told.add(6, quiet);
    BOOST_TEST(told.next() == 1U);
    BOOST_TEST(told.statuses[2] == Statuses{201});
}

BOOST_AUTO_TEST_CASE(one_collection_cannot_take_all_the_room) {
    Queue queue({1, 1h, 1 << 20, 1h, 3});
    const auto shop = offered("shop"), other = offered("other");
    const std::string same = frame(*shop, 3);
    std::map<std::size_t, Statuses> statuses;
    const auto add = [&](std::size_t number, std::size_t id, const std::shared_ptr<const CatalogEntry>& to) {
        queue.add(received_batch(to, numbered(id), 0, same),
                  {[&, number](const collect::HttpResponse& answer) {
                      statuses[number].push_back(answer.status);
                  }});
    };
    add(1, 1, shop);
    add(2, 2, shop);
    add(3, 2, shop);  // a second client that waits for the same batch
    add(4, 4, shop);
    BOOST_TEST(statuses[4] == Statuses{429});
    add(5, 5, other);
    BOOST_TEST(statuses[5].empty());
    BOOST_TEST(queue.size() == 3U);
}

BOOST_AUTO_TEST_CASE(no_group_is_large) {
    Queue queue({1, 1h, 1 << 20, 1h, 1000, 10});
    const auto shop = offered("shop");
    for (std::size_t i = 0; i < 9; ++i)
        queue.add(received_batch(shop, numbered(i), 0, frame(*shop, 3)),
                  {[](const collect::HttpResponse&) {}});
    std::size_t all = 0;
    for (const std::size_t expected : {4U, 4U, 1U}) {
        const Group group = queue.take(Clock::now());
        BOOST_TEST(group.size() == expected);
        all += group.size();
        queue.release("owner");
    }
    BOOST_TEST(all == 9U);
    BOOST_TEST(queue.size() == 0U);
}

BOOST_AUTO_TEST_CASE(who_is_gone_holds_no_room) {
    QueueResults told(3);
    const auto gone = std::make_shared<std::atomic<bool>>(false);
    const std::string fixed = frame(*told.shop, 3);
    const auto send = [&](std::size_t number, std::size_t id, bool leaves) {
        told.queue.add(received_batch(told.shop, numbered(id), 0, fixed),
                       told.tell(number, leaves ? gone : nullptr));
    };
    send(1, 1, true);
    send(2, 2, true);
    send(3, 2, false);  // the same batch from a client that stays
    gone->store(true);
    told.queue.drop_gone();
    BOOST_TEST(told.queue.size() == 1U);
    send(4, 4, false);
    BOOST_TEST(told.next() == 0U);
    send(5, 5, false);
    BOOST_TEST(told.next() == 3U);
    BOOST_TEST(told.statuses[3] == Statuses{201});
    BOOST_TEST(told.statuses[1].empty());
    BOOST_TEST(told.statuses[2].empty());
}

BOOST_AUTO_TEST_CASE(the_busiest_collection_is_crowded_out_first) {
    QueueResults told(10);
    const auto busy = offered("busy"), quiet = offered("quiet");
    told.add(1, quiet);
    for (std::size_t i = 2; i < 5; ++i) told.add(i, busy);
    for (const std::size_t expected : {2U, 3U}) {
        BOOST_TEST(told.queue.crowd_out());
        BOOST_TEST(told.statuses[expected] == Statuses{503});
    }
    // Of two collections with as many, the batch that has waited longest.
    BOOST_TEST(told.queue.crowd_out());
    BOOST_TEST(told.statuses[1] == Statuses{503});
    BOOST_TEST(told.queue.crowd_out());
    BOOST_TEST(!told.queue.crowd_out());
    BOOST_TEST(told.queue.size() == 0U);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
