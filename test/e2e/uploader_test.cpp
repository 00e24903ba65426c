// The client library against a real server, named by PGHOST and its like: specs fetched, reports submitted in
// both ways, estimates compared with the truth, and batches counted once whatever happens on the way.

#include <boost/test/unit_test.hpp>
#include <cmath>
#include <map>
#include <thread>

#include "core/mechanism/longitudinal/series.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/summary/summary.hpp"
#include "e2e_server.hpp"

using namespace ldp;
using namespace ldp::e2e;

namespace {

const char* const colours =
    R"({"mechanism": "grr", "epsilon": 2, "attributes": [{"name": "colour", "domain": ["red", "green", "blue"]}]})";
const char* const wages =
    R"({"mechanism": "pdp", "epsilon": 1, "attributes": [{"name": "wage", "min": -100, "max": 300}]})";
const char* const people =
    R"({"mechanism": "haar", "epsilon": 3, "attributes": [{"name": "wage", "min": 0, "max": 1000},
        {"name": "age", "min": 17, "max": 90}, {"name": "years", "min": 0, "max": 60}]})";
const char* const pages =
    R"({"mechanism": "oue", "epsilon": 1, "attributes": [{"name": "page", "domain": 20}]})";

constexpr Uploader::Method both[] = {Uploader::Method::insert, Uploader::Method::call};

/// Estimates by attribute and label, each within six standard errors of its truth.
void check_estimates(Server& server, const std::string& name, std::int64_t n,
                     const std::map<std::pair<std::string, std::string>, double>& truth) {
    const pqxx::result rows = server.sql(
        "SELECT attribute, coalesce(label, ''), estimate, stderr, n FROM ldp_estimate('" + name + "')");
    BOOST_TEST(static_cast<std::size_t>(rows.size()) == truth.size());
    for (int i = 0; i < static_cast<int>(rows.size()); ++i) {
        const auto item = std::pair(rows[i][0].as<std::string>(), rows[i][1].as<std::string>());
        const auto estimate = rows[i][2].as<double>();
        const auto error = rows[i][3].as<double>();
        BOOST_TEST(rows[i][4].as<std::int64_t>() == n);
        BOOST_REQUIRE(truth.contains(item));
        BOOST_TEST(error > 0);
        BOOST_TEST(std::abs(estimate - truth.at(item)) < 6 * error,
                   item.first << " " << item.second << ": " << estimate << " ± " << error << ", truly "
                              << truth.at(item));
    }
}

}  // namespace

BOOST_AUTO_TEST_SUITE(uploading)

BOOST_FIXTURE_TEST_CASE(the_spec_makes_the_round_trip, Server) {
    for (const char* spec : {colours, wages, people, pages}) {
        const Collection fetched = create("round_trip", spec);
        BOOST_CHECK(fetched.spec().fingerprint() == Spec::from_json(spec).fingerprint());
    }
    BOOST_CHECK_EXCEPTION((void)fetch_spec(connection, "nowhere"), Error,
                          says("collection 'nowhere' does not exist"));
}

BOOST_FIXTURE_TEST_CASE(estimates_agree_with_the_truth, Server) {
    constexpr int n = 20000;
    for (const auto method : both) {
        {
            Client client(create("colours", colours), MemoryStore());
            for (int i = 0; i < n; ++i) client.report({i % 4 == 0 ? "red" : "green"});
            Uploader(connection, "colours", method).flush(client, 6000);
            check_estimates(
                *this, "colours", n,
                {{{"colour", "red"}, 0.25}, {{"colour", "green"}, 0.75}, {{"colour", "blue"}, 0}});
        }
        {
            Client client(create("wages", wages), MemoryStore());
            for (int i = 0; i < n; ++i) client.report({i % 401 - 100 + 0.25});  // 300.25 is clamped
            double sum = 0;
            for (int i = 0; i < n; ++i) sum += std::min(i % 401 - 100 + 0.25, 300.0);
            BOOST_TEST(client.clamped().attributes[0] == n / 401);
            Uploader(connection, "wages", method).flush(client);
            check_estimates(*this, "wages", n, {{{"wage", ""}, sum / n}});
        }
        {
            Client client(create("people", people), MemoryStore());
            for (int i = 0; i < n; ++i) client.report({400 + i % 201, 30, i % 2 == 0 ? 10.5 : 20.5});
            double sum = 0;
            for (int i = 0; i < n; ++i) sum += 400 + i % 201;
            Uploader(connection, "people", method).flush(client);
            check_estimates(*this, "people", n,
                            {{{"wage", ""}, sum / n}, {{"age", ""}, 30}, {{"years", ""}, 15.5}});
        }
        {
            Client client(create("pages", pages), MemoryStore());
            std::map<std::pair<std::string, std::string>, double> truth;
            for (int page = 0; page < 20; ++page) truth[{"page", std::to_string(page)}] = page < 10 ? 0.1 : 0;
            for (int i = 0; i < n; ++i) client.report({i % 10});
            Uploader(connection, "pages", method).flush(client);
            check_estimates(*this, "pages", n, truth);
        }
    }
}

BOOST_FIXTURE_TEST_CASE(a_repeated_batch_counts_once, Server) {
    for (const auto first : both)
        for (const auto second : both) {
            const Collection collection = create("repeated", colours);
            const Batch batch = batch_of(collection, 100);
            BOOST_TEST(Uploader(connection, "repeated", first).deliver(batch));
            BOOST_TEST(!Uploader(connection, "repeated", second).deliver(batch));
            BOOST_TEST(!Uploader(connection, "repeated", first).deliver(batch));
            BOOST_TEST(number("SELECT count(*) FROM repeated") == 100);
        }
}

BOOST_FIXTURE_TEST_CASE(collections_of_batches_count_the_same, Server) {
    for (const auto first : both)
        for (const auto second : both) {
            const Collection single = create("singles", wages);
            Batch batch = batch_of(create("batched", wages, "batches"), 500);
            BOOST_TEST(Uploader(connection, "singles").deliver(batch));
            BOOST_TEST(Uploader(connection, "batched", first).deliver(batch));
            BOOST_TEST(!Uploader(connection, "batched", second).deliver(batch));
            BOOST_TEST(number("SELECT count(*) FROM batched") == 1);
            BOOST_TEST(sql("SELECT ldp_summary_of('batched') = ldp_summary_of('singles')")[0][0].as<bool>());

            // All or nothing: of a batch with a damaged report no other counts, and the rest is sent without
            // it.
            Batch damaged = batch_of(single, 20);
            damaged.reports[7].pop_back();
            BOOST_CHECK_THROW(Uploader(connection, "batched", second).deliver(damaged), Undelivered);
            damaged.reports[7] = batch_of(create("others", colours), 1).reports[0];
            BOOST_CHECK_THROW(Uploader(connection, "batched", second).deliver(damaged), Undelivered);
            BOOST_TEST(number("SELECT ldp_count(ldp_agg(batch)) FROM batched") == 500);
        }
    // A flush of more reports than one row has room for is several rows, and one batch.
    const Collection wide = create(
        "wide", R"({"mechanism": "oue", "epsilon": 1, "attributes": [{"name": "page", "domain": 65536}]})",
        "batches");
    Batch batch = batch_of(wide, 1);
    batch.reports.resize(2100, batch.reports[0]);
    for (const auto method : both) {
        batch.id.back() = method == both[0] ? 'a' : 'b';
        BOOST_TEST(Uploader(connection, "wide", method).deliver(batch));
    }
    BOOST_TEST(number("SELECT count(*) FROM wide") == 4);
    BOOST_TEST(number("SELECT ldp_count(ldp_agg(batch)) FROM wide") == 4200);
}

BOOST_FIXTURE_TEST_CASE(an_answer_that_was_lost_is_asked_for_again, Server) {
    struct Deaf final : BatchTransport {
        explicit Deaf(Uploader& uploader) : real(uploader) {}
        bool deliver(const Batch& batch) override {
            real.deliver(batch);
            throw Error(ErrorCode::environment, "the answer was lost");
        }
        Uploader& real;
    };
    for (const auto method : both) {
        const Collection collection = create("deaf", colours);
        std::filesystem::remove(directory / "state");
        Uploader uploader(connection, "deaf", method);
        {
            Client client(collection, store());
            for (int i = 0; i < 250; ++i) client.report({"red"});
            Deaf deaf(uploader);
            BOOST_CHECK_THROW(client.flush(deaf, 100), Error);
        }
        Client client(collection, store());
        BOOST_TEST(client.pending() == 250u);
        const Flushed flushed = uploader.flush(client, 100);
        BOOST_TEST(flushed.reports == 250u);
        BOOST_TEST(flushed.repeated == 1u);
        BOOST_TEST(number("SELECT count(*) FROM deaf") == 250);
    }
}

BOOST_FIXTURE_TEST_CASE(a_lost_connection_loses_no_reports, Server) {
    for (const auto method : both) {
        const Collection collection = create("lost", colours);
        std::filesystem::remove(directory / "state");
        Client client(collection, store());
        for (int i = 0; i < 1000; ++i) client.report({"red"});
        {
            pqxx::connection doomed(dsn());
            Uploader uploader(doomed, "lost", method);
            const auto cut = [&](const Flushed& so_far) {
                if (so_far.batches == 3)
                    sql("SELECT pg_terminate_backend(" + std::to_string(doomed.backendpid()) + ")");
            };
            BOOST_CHECK_EXCEPTION(uploader.flush(client, 100, cut), Error, says("lost"));
            BOOST_TEST(client.pending() == 700u);
            BOOST_CHECK_EXCEPTION(uploader.flush(client, 100), Error, says(""));
        }
        Uploader(connection, "lost", method).flush(client, 100);
        BOOST_TEST(client.pending() == 0u);
        BOOST_TEST(number("SELECT count(*) FROM lost") == 1000);
    }
}

BOOST_FIXTURE_TEST_CASE(the_submitters_role_suffices_and_can_read_nothing, Server) {
    const Collection collection = create("modest", colours);
    pqxx::connection modest(dsn());
    pqxx::nontransaction(modest).exec("SET ROLE ldp_submitter");
    BOOST_CHECK(fetch_spec(modest, "modest").fingerprint() == collection.spec().fingerprint());
    for (const auto method : both)
        BOOST_TEST(Uploader(modest, "modest", method).deliver(batch_of(collection, 10)));
    BOOST_TEST(number("SELECT count(*) FROM modest") == 20);
    for (const char* forbidden :
         {"SELECT * FROM modest", "DELETE FROM modest", "SELECT * FROM ldp_internal.ldp_batch",
          "SELECT * FROM ldp_estimate('modest')"})
        BOOST_CHECK_THROW(pqxx::nontransaction(modest).exec(forbidden), pqxx::insufficient_privilege);
}

BOOST_FIXTURE_TEST_CASE(other_roles_cannot_submit, Server) {
    const Collection collection = create("closed", colours);
    pqxx::connection analyst(dsn());
    pqxx::nontransaction(analyst).exec("SET ROLE ldp_analyst");
    for (const auto method : both)
        BOOST_CHECK_EXCEPTION(Uploader(analyst, "closed", method).deliver(batch_of(collection, 10)), Error,
                              says("ldp_submitter"));
    BOOST_TEST(number("SELECT count(*) FROM closed") == 0);
}

BOOST_FIXTURE_TEST_CASE(reports_of_another_collection_are_refused_whole, Server) {
    const Collection ours = create("ours", colours);
    const Collection theirs = create("theirs", wages);
    for (const auto method : both) {
        Uploader uploader(connection, "ours", method);
        Batch mixed = batch_of(ours, 50);
        const Report good = mixed.reports[25];
        mixed.reports[25] = batch_of(theirs, 1).reports[0];
        BOOST_CHECK_EXCEPTION(uploader.deliver(mixed), Undelivered, [](const Undelivered& why) {
            return why.outcome() == BatchOutcome::refused && says("submitting to collection \"ours\"")(why);
        });
        BOOST_TEST(number("SELECT count(*) FROM ours") == 0);

        Client client(theirs, MemoryStore());
        client.report({5});
        BOOST_CHECK_EXCEPTION(uploader.flush(client), Error, says("rejects all reports"));
        BOOST_TEST(client.pending() == 0u);
        BOOST_TEST(client.store().refused().size() == 1u);

        // What was refused claimed nothing: its id is free for the batch as it should have been.
        mixed.reports[25] = good;
        BOOST_TEST(uploader.deliver(mixed));
        BOOST_TEST(number("SELECT count(*) FROM ours") == 50);
        sql("DELETE FROM ours");
    }
}

BOOST_FIXTURE_TEST_CASE(a_reused_id_is_noticed, Server) {
    const Collection collection = create("reused", colours);
    for (const auto method : both) {
        Uploader uploader(connection, "reused", method);
        Batch batch = batch_of(collection, 10);
        BOOST_TEST(uploader.deliver(batch));
        batch.reports.pop_back();
        BOOST_CHECK_EXCEPTION(uploader.deliver(batch), Undelivered, [](const Undelivered& why) {
            return why.outcome() == BatchOutcome::outdated && says("counted before with other reports")(why);
        });
    }
    BOOST_TEST(number("SELECT count(*) FROM reused") == 20);
}

BOOST_FIXTURE_TEST_CASE(one_of_two_senders_of_a_batch_counts, Server) {
    const Collection collection = create("race", colours);
    for (const auto method : both)
        for (int i = 0; i < 10; ++i) {
            const Batch batch = batch_of(collection, 500);
            pqxx::connection other(dsn());
            bool here = false, there = false;
            std::thread rival([&] { there = Uploader(other, "race", method).deliver(batch); });
            here = Uploader(connection, "race", method).deliver(batch);
            rival.join();
            BOOST_TEST(here != there);
        }
    BOOST_TEST(number("SELECT count(*) FROM race") == 2 * 10 * 500);
}

BOOST_FIXTURE_TEST_CASE(a_link_is_made_anew, Server) {
    for (const auto method : both) {
        const Collection collection = create("anew", colours);
        Client client(collection, store());
        for (int i = 0; i < 1000; ++i) client.report({"red"});
        Connection link(dsn());
        int waited = 0;
        link.on_waiting([&](const Error&, std::chrono::milliseconds) { ++waited; });
        Uploader uploader(link, "anew", method);
        const auto cut = [&](const Flushed& so_far) {
            if (so_far.batches % 3 == 0)
                sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = "
                    "current_database() AND pid <> pg_backend_pid()");
        };
        BOOST_TEST(uploader.flush(client, 100, cut).reports == 1000u);
        BOOST_TEST(waited >= 2);
        BOOST_TEST(number("SELECT count(*) FROM anew") == 1000);
        { const Client closed = std::move(client); }  // a file is removed only if no client has it open
        std::filesystem::remove(directory / "state");
    }
}

// An attempt that nobody saw the end of holds its claim: no refusal of a later one is definite before that
// ends.
BOOST_FIXTURE_TEST_CASE(a_refusal_is_definite_only_if_no_attempt_is_left, Server) {
    const Collection ours = create("doubt", colours);
    const Collection theirs = create("theirs", wages);
    for (const auto method : both)
        for (const bool committed : {false, true}) {
            Batch batch = batch_of(ours, 5);
            batch.reports[2] = batch_of(theirs, 1).reports[0];
            pqxx::connection earlier(dsn());
            pqxx::work unseen(earlier);
            unseen.exec("SELECT ldp_claim_batch('doubt', " + unseen.quote(batch.id) + ", 5, '\\x" +
                        to_hex(batch.digest()) + "')");
            {
                pqxx::connection hasty(dsn());
                pqxx::nontransaction(hasty).exec("SET statement_timeout = '200ms'");
                BOOST_CHECK_EXCEPTION(
                    Uploader(hasty, "doubt", method).deliver(batch), Error, [](const Error& error) {
                        return dynamic_cast<const Undelivered*>(&error) == nullptr && says("timeout")(error);
                    });
            }
            std::thread end([&] {
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
                if (committed)
                    unseen.commit();
                else
                    unseen.abort();
            });
            Uploader uploader(connection, "doubt", method);
            if (committed)
                BOOST_TEST(!uploader.deliver(batch));
            else
                BOOST_CHECK_THROW(uploader.deliver(batch), Undelivered);
            end.join();
            BOOST_TEST(number("SELECT count(*) FROM doubt") == 0);
        }
}

BOOST_FIXTURE_TEST_CASE(rounds_are_filed, Server) {
    Client client(create("rounds", colours), MemoryStore());
    sql("SELECT ldp_open_rounds('rounds', 0, 10)");
    for (int i = 0; i < 30; ++i) client.report({"red"}, i / 10);
    Uploader uploader(connection, "rounds");
    BOOST_TEST(uploader.flush(client).batches == 3u);
    BOOST_TEST(number("SELECT count(*) FROM (SELECT FROM rounds GROUP BY round HAVING count(*) = 10) AS r") ==
               3);
    Uploader(connection, "rounds", Uploader::Method::call).deliver(batch_of(client.collection(), 5, 7));
    BOOST_TEST(number("SELECT count(*) FROM rounds WHERE round = 7") == 5);
}

BOOST_FIXTURE_TEST_CASE(names_need_no_care, Server) {
    sql("CREATE SCHEMA IF NOT EXISTS \"Other Place\"");
    sql("SET search_path = \"Other Place\", public");
    const std::string name = "it's \"quoted\", Umläute; too";
    const Collection collection = create(name, colours);
    sql("SET search_path = public");
    for (const auto method : both)
        BOOST_TEST(Uploader(connection, name, method).deliver(batch_of(collection, 10)));
    BOOST_TEST(number("SELECT count(*) FROM \"Other Place\".\"it's \"\"quoted\"\", Umläute; too\"") == 20);
}

BOOST_FIXTURE_TEST_CASE(an_unknown_collection_is_an_error, Server) {
    const Collection collection = create("known", colours);
    for (const auto method : both)
        BOOST_CHECK_EXCEPTION(Uploader(connection, "unknown", method).deliver(batch_of(collection, 1)), Error,
                              says("no collection \"unknown\""));
}

BOOST_FIXTURE_TEST_CASE(summaries_are_the_same_inside_and_outside, Server) {
    // Every mechanism: the server's aggregate and the library, over the same reports, in another order.
    for (const MechanismEntry* entry : registry()) {
        const std::string name = std::string("same_") + entry->name;
        const std::string range = R"("min": 0, "max": 100)",
                          bins = name.starts_with("same_joint") ? R"(, "bins": 4)" : "";
        const std::string attribute =
            entry->shape == Shape::one_categorical ? R"("domain": 100)"
            : entry->shape == Shape::one_string    ? R"("strings": {"alphabet": "a-c", "max_length": 4})"
            : entry->shape == Shape::one_set       ? R"("domain": 100, "several": true, "most": 3)"
            : takes_circular_numbers(*entry)       ? range + R"(, "circular": true)"
            : takes_missing_numbers(*entry)        ? range + R"(, "missing": true)"
            : entry->shape == Shape::one_numeric || entry->shape == Shape::one_ordered ? range
            : entry->purpose == Purpose::means_by_group
                ? R"("attributes": [{"name": "a", "domain": 100}, {"name": "b", )" + range + "}]"
                : R"("attributes": [{"name": "a", )" + range + bins + R"(}, {"name": "b", )" + range + bins +
                      "}]";
        const std::string delta = name == "same_gaussian" ? R"("delta": 1e-6, )" : "";
        const Collection collection = create(name, std::string(R"({"mechanism": ")") + entry->name +
                                                       R"(", "epsilon": 1, )" + delta + attribute + "}");
        sql("SELECT ldp_open_rounds('" + name + "', 1, 500)");
        Client client(collection, MemoryStore());
        // A client of a series is one person, with a value in each round.
        const SeriesRandomizer* series = find_capability<SeriesRandomizer>(collection.mechanism());
        const int records = series != nullptr ? static_cast<int>(series->rounds()) : 500;
        for (int i = 1; i <= records; ++i)
            static_cast<void>(client.report(
                std::vector<Value>(collection.spec().attributes().size(), entry->shape == Shape::one_string
                                                                              ? Value(i % 3 == 0 ? "ab" : "c")
                                                                              : Value(i % 100)),
                i));
        Uploader(connection, name).flush(client);

        std::vector<std::byte> summary(summary_size(collection.mechanism()));
        start_summary(collection.mechanism(), summary);
        const pqxx::result rows = sql("SELECT report FROM " + name + " ORDER BY report");
        for (const auto& row : rows) {
            const auto text = row[0].as<std::string>();
            Report report(text.size() / 2);
            BOOST_REQUIRE(from_hex(text, report.data()));
            BOOST_REQUIRE(accumulate(collection.mechanism(), summary, report) == Outcome::ok);
        }
        BOOST_TEST(to_hex(summary) == sql("SELECT ldp_agg(report) FROM " + name)[0][0].as<std::string>(),
                   entry->name);
    }
}

// While partitions are being added, a row that waits for them fits none: that passes. A CHECK of the table
// does not.
BOOST_FIXTURE_TEST_CASE(an_insertion_amid_new_partitions_is_tried_again, Server) {
    for (const char* rows : {"reports", "batches"})
        for (const auto method : both) {
            sql("SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name = 'parts'");
            sql("SELECT ldp_create_collection('parts', " + connection.quote(colours) +
                ", ARRAY[['seen', 'timestamptz']], partition_by => 'seen', rows => '" + rows + "')");
            sql("ALTER TABLE parts ALTER seen SET DEFAULT now()");
            const Collection collection(fetch_spec(connection, "parts"));
            const Batch batch = batch_of(collection, 10);
            Connection link(dsn());
            int waited = 0;
            link.on_waiting([&](const Error&, std::chrono::milliseconds) { ++waited; });
            Uploader uploader(link, "parts", method);
            bool delivered = false;
            std::string failure;
            {
                pqxx::work adding(connection);
                adding.exec("SELECT ldp_add_partitions('parts', now() + interval '2 days')");
                std::thread sender([&] {
                    try {
                        delivered = uploader.deliver(batch);
                    } catch (const std::exception& error) {
                        failure = error.what();
                    }
                });
                pqxx::connection watching(dsn());
                for (int i = 0; i < 200; ++i) {
                    if (pqxx::nontransaction(watching)
                            .exec(
                                "SELECT count(*) FROM pg_locks WHERE NOT granted AND database = (SELECT oid "
                                "FROM pg_database WHERE datname = current_database())")[0][0]
                            .as<int>() > 0)
                        break;
                    std::this_thread::sleep_for(std::chrono::milliseconds(50));
                }
                adding.commit();
                sender.join();
            }
            BOOST_TEST(delivered, failure);
            BOOST_TEST(waited >= 1);
            BOOST_TEST(number("SELECT ldp_count(ldp_summary_of('parts'))") == 10);

            sql("ALTER TABLE parts ADD CONSTRAINT nothing_more CHECK (seen < '2000-01-01') NOT VALID");
            BOOST_CHECK_EXCEPTION(
                uploader.deliver(batch_of(collection, 1)), Undelivered,
                [](const Undelivered& why) { return why.outcome() == BatchOutcome::refused; });
        }
}

BOOST_AUTO_TEST_SUITE_END()
