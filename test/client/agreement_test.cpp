// Clients and stores under a contract: changes wait for an acceptance, and older states adopt a contract once.

#include "client/fleet/sqlite_fleet.hpp"
#include "client/sqlite/state_file.hpp"
#include "client_support.hpp"
#include "core/base/json.hpp"
#include "core/base/sha256.hpp"

namespace ldp::test {

namespace {

std::string asking(const char* question, bool memoized, double epsilon = 1) {
    return R"({"mechanism": "grr", "epsilon": )" + std::to_string(epsilon) +
           (memoized ? R"(, "evolving": {}, "budget": {"epsilon": 2})" : "") +
           R"(, "attributes": [{"name": "mood", "domain": ["yes", "no"], "question": ")" + question +
           R"("}]})";
}

Collection asked(const char* question, bool memoized = true, ContractTerms terms = {},
                 const char* endpoint = "", double epsilon = 1) {
    return Collection({Spec::from_json(asking(question, memoized, epsilon)), {}, endpoint, "c"},
                      std::move(terms));
}

constexpr const char* first_question = "Do you live in Europe?";
constexpr const char* second_question = "Do you smoke?";

auto changed(const char* text) {
    return [text](const Error& error) {
        return error.code() == ErrorCode::changed && error.detail().find(text) != std::string::npos;
    };
}

/// Counts everything, at an address.
class CountingServer final : public BatchTransport {
  public:
    explicit CountingServer(Destination at = {}) : at_(std::move(at)) {}
    bool deliver(const Batch& batch) override {
        if (down) throw Error(ErrorCode::environment, "down");
        counted += batch.reports.size();
        return true;
    }
    [[nodiscard]] Destination destination() const override { return at_; }
    [[nodiscard]] std::string history() const override { return in; }
    std::size_t counted = 0;
    bool down = false;
    std::string in = {};

  private:
    Destination at_;
};

/// A store that survives its client: a file, or a snapshot with changes behind it.
struct StoreInFile {
    std::unique_ptr<Store> open() { return std::make_unique<SqliteStore>(directory.file("state")); }
    void close(const Client&) {}
    Directory directory;
};
struct StoreInSnapshot {
    std::unique_ptr<Store> open() {
        auto store = std::make_unique<MemoryStore>(Bytes(snapshot));
        store->record_changes(snapshot);
        for (const auto& change : changes) store->apply(change);
        return store;
    }
    void close(const Client& client) {
        auto made = const_cast<MemoryStore&>(dynamic_cast<const MemoryStore&>(client.store())).changes();
        if (!made.empty()) changes.push_back(std::move(made));
    }
    std::vector<std::byte> snapshot = MemoryStore().snapshot();
    std::vector<std::vector<std::byte>> changes;
};
using Kept = boost::mpl::list<StoreInFile, StoreInSnapshot>;

}  // namespace

BOOST_AUTO_TEST_SUITE(agreement)

BOOST_AUTO_TEST_CASE_TEMPLATE(another_question_gets_no_memoized_response_before_it_is_accepted, Kind, Kept) {
    Kind kept;
    CountingServer server;
    {
        Client client(asked(first_question), kept.open());
        BOOST_TEST(client.changes().empty());
        client.report({"yes"});
        kept.close(client);
    }
    {
        Client client(asked(second_question), kept.open());
        const std::string stored = client.store().contract();
        BOOST_CHECK_EXCEPTION(client.report({"yes"}, 1), Error, changed("now \"Do you smoke?\""));
        BOOST_CHECK_EXCEPTION(client.stage({"yes"}), Error, changed("before \"Do you live in Europe?\""));
        BOOST_CHECK_EXCEPTION(client.flush(server), Error, changed("attributes.mood.question"));
        BOOST_CHECK_THROW(client.accept(asked(first_question).contract().digest()), Error);
        BOOST_TEST(client.store().contract() == stored);
        BOOST_TEST(client.ledger().size() == 1u);
        BOOST_TEST(client.pending() == 1u);
        BOOST_TEST(server.counted == 0u);
        kept.close(client);
    }
    {
        Client client(asked(first_question), kept.open());  // the honest offer still works
        BOOST_CHECK(client.report({"yes"}, 1).origin == Origin::memoized);
        kept.close(client);
    }
    {
        Client client(asked(second_question), kept.open());
        BOOST_REQUIRE(client.waiting() != nullptr);
        client.accept(client.waiting()->contract.short_digest());
        BOOST_CHECK(client.report({"yes"}, 2).origin == Origin::memoized);
        BOOST_TEST(client.contract().revision == 2u);
        client.flush(server);
        BOOST_TEST(server.counted == 3u);
        kept.close(client);
    }
    Client client(asked(second_question), kept.open());
    BOOST_TEST(client.changes().empty());
    BOOST_TEST(client.contract().digest() == asked(second_question).contract().digest());
}

BOOST_AUTO_TEST_CASE_TEMPLATE(another_question_of_fresh_draws_is_shown_once, Kind, Kept) {
    Kind kept;
    for (const char* question : {first_question, second_question, second_question}) {
        Client client(asked(question, false), kept.open());
        client.report({"yes"});
        const bool first = client.contract().revision == 2 && client.pending() == 2;
        BOOST_TEST(client.changes().size() == (first ? 1u : 0u));
        if (first) BOOST_TEST(word_of(client.changes()[0].kind) == "shown");
        kept.close(client);
    }
}

BOOST_AUTO_TEST_CASE_TEMPLATE(another_spec_is_refused_with_the_difference, Kind, Kept) {
    Kind kept;
    Client first(asked(first_question), kept.open());
    kept.close(first);
    { const Client closed = std::move(first); }
    BOOST_CHECK_EXCEPTION(Client(asked(first_question, true, {}, "", 2), kept.open()), Error,
                          [](const Error& error) {
                              return error.code() == ErrorCode::incompatible &&
                                     error.detail().find("epsilon: before 1, now 2") != std::string::npos;
                          });
}

BOOST_AUTO_TEST_CASE(columns_in_clear_are_those_of_the_contract) {
    ContractTerms terms;
    terms.in_clear = {{"country"}};
    Client client(asked(first_question, false, terms), std::make_unique<MemoryStore>());
    client.report({"yes"}, 0, {{"country", "de"}});
    BOOST_CHECK_EXCEPTION(client.report({"yes"}, 0, {{"city", "Bonn"}}), Error,
                          error_with(ErrorCode::invalid_value, "public column \"city\""));
    BOOST_CHECK_EXCEPTION(client.stage({"yes"}, {{"city", "Bonn"}}), Error,
                          error_with(ErrorCode::invalid_value, "public column \"city\""));
    BOOST_TEST(client.pending() == 1u);
    Client free(asked(first_question, false), std::make_unique<MemoryStore>());
    free.report({"yes"}, 0, {{"city", "Bonn"}});
    BOOST_CHECK_EXCEPTION(free.report({"yes"}, 0, {{"mood", "yes"}}), Error,
                          error_with(ErrorCode::invalid_value, "the name of an attribute"));
    BOOST_TEST(free.pending() == 1u);
}

BOOST_AUTO_TEST_CASE(terms_refuse_a_collection_before_a_draw) {
    BOOST_CHECK_EXCEPTION(asked(first_question, true, {.report_epsilon = 0.5}), Error,
                          error_with(ErrorCode::incompatible, "report_epsilon: before at most 0.5, now 1"));
    BOOST_CHECK_THROW(asked(first_question, true, {.life_epsilon = 1.5}), Error);
    BOOST_CHECK_THROW(asked(first_question, true, {.attributes = {{"age"}}}), Error);
    BOOST_CHECK_THROW(asked(first_question, true, {.digest = std::string(64, '0')}), Error);
    const std::string digest = asked(first_question).contract().digest();
    BOOST_CHECK_NO_THROW(asked(first_question, true, {.digest = digest}));
    BOOST_CHECK_THROW(asked(second_question, true, {.digest = digest}), Error);
    BOOST_CHECK_THROW(Client(asked(first_question), std::make_unique<MemoryStore>(), {.report_epsilon = 0.5}),
                      Error);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(terms_bound_the_number_of_fresh_reports, Kind, Kept) {
    for (const ContractTerms& terms : {ContractTerms{.reports = 3}, ContractTerms{.life_epsilon = 3.5}}) {
        Kind kept;
        for (int i = 0; i < 3; ++i) {
            Client client(asked(first_question, false, terms), kept.open());
            client.report({"yes"});
            kept.close(client);
        }
        Client client(asked(first_question, false, terms), kept.open());
        BOOST_CHECK_EXCEPTION(client.report({"yes"}), Error, error_with(ErrorCode::spent, "allow 3 reports"));
        BOOST_CHECK_THROW(client.stage({"yes"}), Error);
        BOOST_TEST(client.pending() == 3u);
    }
}

BOOST_FIXTURE_TEST_CASE(reports_go_to_the_endpoint_that_was_agreed, Directory) {
    CountingServer a({"https://a.example", "c"}), b({"https://b.example", "c"}), unknown;
    {
        Client client(asked(first_question), std::make_unique<SqliteStore>(file("state")));
        client.report({"yes"});
        client.flush(a);
        client.report({"no"}, 1);
        BOOST_CHECK_EXCEPTION(client.flush(b), Error, changed("endpoint: before \"https://a.example\""));
        BOOST_REQUIRE(client.changes().size() == 1u);
        BOOST_TEST(client.changes()[0].field == "endpoint");
        client.report({"no"}, 1);  // another destination does not stop reports
        client.flush(a);
        BOOST_TEST(client.waiting() == nullptr);
        client.report({"no"}, 1);
        BOOST_CHECK_THROW(client.flush(b), Error);
        BOOST_TEST(client.pending() == 1u);
        BOOST_TEST(b.counted == 0u);
        client.accept(client.contract().digest());
        client.flush(b);
        BOOST_TEST(b.counted == 1u);
        client.report({"no"}, 2);
        client.flush(unknown);
    }
    Client client(asked(first_question, true, {}, "https://a.example/"),
                  std::make_unique<SqliteStore>(file("state")));
    BOOST_CHECK_EXCEPTION(client.report({"yes"}), Error, changed("endpoint: before \"https://b.example\""));
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_destination_is_learned_from_a_delivered_batch, Kind, Kept) {
    Kind kept;
    CountingServer mistyped({"https://a.exampel", "c"}), a({"https://A.example:443/", "c"}),
        named({"https://a.example", "d"});
    mistyped.down = true;
    {
        Client client(asked(first_question), kept.open());
        client.report({"yes"});
        BOOST_CHECK_EXCEPTION(client.flush(mistyped), Error, error_with(ErrorCode::environment, "down"));
        BOOST_TEST(client.contract().endpoint.empty());
        client.flush(a);
        BOOST_TEST(client.contract().endpoint == "https://a.example");
        kept.close(client);
    }
    Client client(asked(first_question), kept.open());
    client.report({"no"}, 1);
    BOOST_CHECK_EXCEPTION(client.flush(named), Error, changed("collection: before \"c\", now \"d\""));
    client.flush(a);
    BOOST_TEST(a.counted == 2u);
    kept.close(client);
}

BOOST_AUTO_TEST_CASE_TEMPLATE(a_server_that_was_set_back_is_noticed_once, Kind, Kept) {
    Kind kept;
    CountingServer server;
    const auto sent = [&](const char* history, std::size_t most = 10) {
        Client client(asked(first_question, false), kept.open());
        client.report({"yes"});
        client.report({"no"}, 1);
        server.in = history;
        std::optional<Flushed> flushed;
        try {
            flushed = client.flush(
                server, most, [&](const Flushed& so_far) { server.down = most == 1 && so_far.batches == 1; });
        } catch (const Error&) {
            server.down = false;
        }
        kept.close(client);
        return flushed;
    };
    BOOST_TEST(!sent("00000000000000aa")->set_back);
    BOOST_TEST(!sent("00000000000000aa")->set_back);
    BOOST_TEST(!sent("")->set_back);
    BOOST_TEST(!sent("bb", 1).has_value());  // an interrupted flush does not hide it
    BOOST_TEST(sent("bb")->set_back);
    BOOST_TEST(!sent("bb")->set_back);
    BOOST_TEST(!sent("no history")->set_back);
}

BOOST_AUTO_TEST_CASE(addresses_have_one_form) {
    BOOST_TEST(normal_address("HTTPS://A.Example:443/Path/") == "https://a.example/Path");
    BOOST_TEST(normal_address("http://a.example:80") == "http://a.example");
    BOOST_TEST(normal_address("http://a.example:8417/") == "http://a.example:8417");
    BOOST_TEST(normal_address("localhost:8417") == "http://localhost:8417");
    BOOST_TEST(normal_address("https://me:secret@a.example") == "https://a.example");
    BOOST_TEST(normal_address("/ldp/") == "/ldp");
    BOOST_TEST(database_address("", "", "d") == "postgresql://localhost:5432/d");
    BOOST_TEST(database_address("/var/run/postgresql", "5432", "d") ==
               database_address("localhost", "", "d"));
    BOOST_TEST(database_address("::1", "5433", "d") == "postgresql://localhost:5433/d");
    BOOST_TEST(database_address("/srv/One", "5432", "d") == "postgresql://%2Fsrv%2FOne:5432/d");
    BOOST_TEST(database_address("/srv/One", "5432", "d") != database_address("/srv/one", "5432", "d"));
    BOOST_TEST(database_address("A,b", "5432,5433", "d/e") == "postgresql://a:5432,b:5433/d%2Fe");
    BOOST_TEST(normal_address("postgresql://me:x@A/d") == "postgresql://a:5432/d");
}

BOOST_AUTO_TEST_CASE(a_failover_stays_at_the_place_that_was_agreed) {
    const std::string both = database_address("a,b", "5432", "d");
    BOOST_TEST(is_same_place(both, database_address("b", "5432", "d")));
    BOOST_TEST(is_same_place(both, database_address("b,a", "", "d")));
    BOOST_TEST(!is_same_place(both, database_address("b", "5433", "d")));
    BOOST_TEST(!is_same_place(both, database_address("b", "5432", "e")));
    BOOST_TEST(!is_same_place(both, database_address("a,b,c", "5432", "d")));
    BOOST_TEST(!is_same_place("http://a", "http://b"));
    CountingServer all({both, "c"}), second({database_address("b", "", "d"), "c"}),
        third({database_address("c", "", "d"), "c"});
    Client client(asked(first_question), std::make_unique<MemoryStore>());
    for (CountingServer* server : {&all, &second, &all}) {
        client.report({"yes"});
        client.flush(*server);
    }
    BOOST_TEST(client.contract().endpoint == both);
    client.report({"yes"});
    BOOST_CHECK_EXCEPTION(client.flush(third), Error, changed("endpoint"));
}

BOOST_FIXTURE_TEST_CASE(a_fleet_has_one_contract, Directory) {
    {
        SqliteFleet fleet(file("fleet"));
        for (const char* person : {"a", "b"})
            Client(asked(first_question), std::make_unique<SqliteStore>(fleet.store(person))).report({"yes"});
    }
    SqliteFleet fleet(file("fleet"));
    for (const char* person : {"a", "b", "c"}) {
        Client client(asked(second_question), std::make_unique<SqliteStore>(fleet.store(person)));
        BOOST_CHECK_THROW(client.report({"yes"}, 1), Error);
    }
    Client(asked(second_question), std::make_unique<SqliteStore>(fleet.store("a")))
        .accept(asked(second_question).contract().digest());
    Client client(asked(second_question), std::make_unique<SqliteStore>(fleet.store("b")));
    BOOST_CHECK(client.report({"yes"}, 1).origin == Origin::memoized);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
