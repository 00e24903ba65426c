// Attacks by a malicious administrator on other collections through a trigger on a collection of his own.
// The trigger runs in the session that stores reports: in the endpoint, and in a connection that uploaders
// share. Also attacks by malicious clients on the endpoint.

#include "hostile_owner.hpp"

using namespace ldp;
using namespace ldp::e2e;

namespace {

const char* const deferred = "CONSTRAINT AFTER INSERT ON hostile.snare DEFERRABLE INITIALLY DEFERRED";

/// False names in a schema that a trigger puts first on the search path.
const char* const false_names =
    "CREATE OR REPLACE FUNCTION hostile.ldp_claim_batch(text, uuid, bigint, bytea) RETURNS boolean LANGUAGE "
    "sql "
    "AS 'SELECT false'; "
    "CREATE OR REPLACE FUNCTION hostile.ldp_submit_batch(text, uuid, public.ldp_report[], integer) RETURNS "
    "bigint "
    "LANGUAGE sql AS 'SELECT 1::bigint'; "
    "CREATE OR REPLACE FUNCTION hostile.ldp_insert(regclass, public.ldp_report_batch, integer) RETURNS "
    "bigint "
    "LANGUAGE sql AS 'SELECT 10::bigint'; "
    "GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA hostile TO PUBLIC";

const char* const take_path = "PERFORM set_config('search_path', 'hostile, pg_catalog, public', false);";
const char* const take_role = "PERFORM set_config('role', 'ldp_submitter', false);";
const char* const take_names =
    "CREATE TEMPORARY VIEW ldp_collections AS SELECT NULL::text AS name, NULL::regclass AS reports, "
    "NULL::text AS "
    "rows, NULL::text AS fingerprint, NULL::timestamptz AS created WHERE false; "
    "CREATE TEMPORARY TABLE colour (report public.ldp_report, round integer);";

}  // namespace

BOOST_AUTO_TEST_SUITE(hostile_owners)

BOOST_FIXTURE_TEST_CASE(a_trigger_changes_nothing_for_others_at_the_endpoint, Hostile) {
    sql(false_names);
    // One session for all, so that what a trigger leaves meets the others.
    const std::vector<std::string> options{"--sessions", "1", "--time-limit", "2"};
    std::int64_t expected = 0;
    for (const char* body : {take_path, take_names, take_role}) {
        for (const char* when : {"AFTER INSERT ON hostile.snare", deferred}) {
            trap(body, when);
            const Batch batch = batch_of(*colour, 10);
            for (const unsigned first : {201U, 200U}) {  // the second time after a restart
                const Endpoint endpoint(options);
                Wire wire(endpoint);
                (void)wire.ask(post("snare", batch_of(*snare, 1)));
                BOOST_TEST(status_of(wire.ask(post("colour", batch))) == first, body << when);
                expected += first == 201 ? 10 : 0;
                BOOST_TEST(stored() == expected);
                std::this_thread::sleep_for(first == 201 ? 2500ms
                                                         : 0ms);  // it looks the collections up again
                BOOST_TEST(status_of(wire.ask(message("GET /collections/colour/spec"))) == 200U);
                BOOST_TEST(status_of(wire.ask(post("colour", batch))) == 200U);
            }
            BOOST_TEST(stored() == expected);
        }
    }
    // Nor does its own collection count a batch as another role.
    trap(take_role);
    const Endpoint endpoint(options);
    Wire wire(endpoint);
    BOOST_TEST(status_of(wire.ask(post("snare", batch_of(*snare, 1)))) == 503U);
    // What was not stored is not acknowledged.
    trap("", "BEFORE INSERT ON hostile.snare");
    const std::int64_t before = stored("hostile.snare");
    BOOST_TEST(status_of(wire.ask(post("snare", batch_of(*snare, 1)))) == 503U);
    BOOST_TEST(stored("hostile.snare") == before);
    BOOST_TEST(
        number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE submitter NOT LIKE 'ldp_e2e_gateway%'") ==
        0);
}

// Also where a row is a batch: as many reports must be taken as were sent.
BOOST_FIXTURE_TEST_CASE(batches_that_a_table_keeps_out_or_doubles_are_not_acknowledged, Hostile) {
    sql("SELECT ldp_drop_collection('snare')");
    sql("SET ROLE " + owner);
    sql("SELECT ldp_create_collection('snare', '" + std::string(plain) +
        "', schema => 'hostile', rows => 'batches')");
    sql("CREATE TABLE hostile.kept AS SELECT batch, round FROM hostile.snare");
    sql("GRANT INSERT ON hostile.kept TO PUBLIC");
    sql("RESET ROLE");
    const Endpoint endpoint;
    Wire wire(endpoint);
    pqxx::connection connected(dsn() + " user=" + gateway());
    Uploader uploader(connected, "snare");
    const auto refused = [&](const std::string& what) {
        BOOST_TEST(status_of(wire.ask(post("snare", batch_of(*snare, 7)))) == 503U, what);
        BOOST_CHECK_EXCEPTION(uploader.deliver(batch_of(*snare, 7)), Error, says("of 7 reports"));
        BOOST_TEST(stored("hostile.snare") + stored("hostile.kept") == 0, what);
        BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'snare'") == 0,
                   what);
    };
    trap("", "BEFORE INSERT ON hostile.snare");
    refused("a trigger");
    sql("DROP TRIGGER trap ON hostile.snare");
    sql("SET ROLE " + owner);
    sql("CREATE RULE aside AS ON INSERT TO hostile.snare DO INSTEAD INSERT INTO hostile.kept "
        "SELECT NEW.batch, NEW.round FROM generate_series(1, 2)");
    sql("RESET ROLE");
    refused("a rule");
    sql("DROP RULE aside ON hostile.snare");
    BOOST_TEST(status_of(wire.ask(post("snare", batch_of(*snare, 7)))) == 201U);
    BOOST_TEST(uploader.deliver(batch_of(*snare, 7)));
    BOOST_TEST(stored("hostile.snare") == 2);
}

BOOST_FIXTURE_TEST_CASE(a_trigger_that_sleeps_stops_its_own_collection_alone, Hostile) {
    // It catches what cancels it, and would go on.
    const std::string sleeps =
        "LOOP BEGIN PERFORM set_config('statement_timeout', '0', false); PERFORM pg_sleep(60); EXCEPTION "
        "WHEN "
        "query_canceled THEN NULL; END; END LOOP;";
    const Endpoint endpoint({"--time-limit", "1", "--sessions", "2"});
    for (const char* when : {"AFTER INSERT ON hostile.snare", deferred}) {
        trap(sleeps, when);
        auto caught = std::async(std::launch::async, [&] {
            Wire wire(endpoint);
            return status_of(wire.ask(post("snare", batch_of(*snare, 1))));
        });
        std::this_thread::sleep_for(300ms);
        const std::int64_t before = stored();
        Wire wire(endpoint);
        for (int i = 0; i < 5; ++i)
            BOOST_TEST(status_of(wire.ask(post("colour", batch_of(*colour, 2)))) == 201U);
        BOOST_TEST(stored() == before + 10);
        BOOST_CHECK(caught.wait_for(0s) == std::future_status::timeout);
        BOOST_TEST(caught.get() == 503U);
        BOOST_TEST(stored("hostile.snare") == 0);
    }
}

BOOST_FIXTURE_TEST_CASE(a_trigger_changes_nothing_for_others_on_a_shared_connection, Hostile) {
    sql(false_names);
    for (const bool lent : {true, false})
        for (const auto method : {Uploader::Method::insert, Uploader::Method::call})
            for (const char* when : {"AFTER INSERT ON hostile.snare", deferred})
                for (const char* body : {take_path, take_names, take_role}) {
                    trap(body, when);
                    sql("DELETE FROM colour");
                    const std::string parameters = dsn() + " user=" + gateway();
                    const Batch batch = batch_of(*colour, 10);
                    const auto round = [&](Connection& link, bool fresh) {
                        Uploader theirs(link, "snare", method), ours(link, "colour", method);
                        try {
                            (void)theirs.deliver(batch_of(*snare, 1));
                        } catch (const Error&) {
                            // Refused, because the role is another one.
                        }
                        BOOST_TEST(ours.deliver(batch) == fresh, body << when);
                        BOOST_TEST(stored() == 10);
                        BOOST_CHECK(fetch_spec(link, "colour").fingerprint() == colour->spec().fingerprint());
                    };
                    for (const bool fresh : {true, false}) {
                        pqxx::connection connected(parameters);
                        Connection borrowed(connected), made(parameters);
                        round(lent ? borrowed : made, fresh);
                    }
                }
    // A time limit of the application holds for what comes after, too.
    trap("PERFORM set_config('statement_timeout', '0', false);");
    pqxx::connection connected(dsn() + " user=" + gateway());
    pqxx::nontransaction(connected).exec("SET statement_timeout = '700ms'");
    Uploader theirs(connected, "snare"), ours(connected, "colour");
    BOOST_TEST(theirs.deliver(batch_of(*snare, 1)));
    trap("PERFORM pg_sleep(60);");
    BOOST_CHECK_EXCEPTION(theirs.deliver(batch_of(*snare, 1)), Error, says("timeout"));
    BOOST_TEST(ours.deliver(batch_of(*colour, 1)));
}

BOOST_AUTO_TEST_SUITE_END()

BOOST_AUTO_TEST_SUITE(hostile_clients)

BOOST_FIXTURE_TEST_CASE(what_has_no_end_takes_no_memory, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint;
    const std::string line = "POST /collections/colour/batches/" + batch_of(collection, 1).id;
    const std::string chunked = message(line, octets + "Transfer-Encoding: chunked\r\n");
    const std::string much(std::size_t{1} << 20, 'x');
    const std::int64_t before = endpoint.memory("VmHWM:");
    for (const std::string& begin :
         {chunked + "4;", chunked + "4\r\nabcd\r\n0\r\nX: ", line + " HTTP/1.1\r\nX: ", std::string("GET /"),
          chunked + "0000000000"}) {
        Wire wire(endpoint);
        wire.send(begin);
        bool open = true;
        for (int i = 0; open && i < 24; ++i) open = wire.send(much);
        BOOST_TEST(!open, begin);
    }
    BOOST_TEST(endpoint.memory("VmHWM:") - before < 8 * 1024);
    Wire wire(endpoint);
    BOOST_TEST(status_of(wire.ask(post("colour", batch_of(collection, 2)))) == 201U);
}

// What follows a request whose end is in doubt is no request.
BOOST_FIXTURE_TEST_CASE(no_request_is_smuggled_in_the_body_of_another, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint;
    const Batch batch = batch_of(collection, 3);
    const std::string at = "/collections/colour/batches/" + batch.id;
    Wire wire(endpoint);
    BOOST_TEST(status_of(wire.ask(message("POST " + at, octets + "Transfer-Encoding: identity\r\n") +
                                  message("DELETE " + at))) == 501U);
    BOOST_TEST(!wire.receive().has_value());
    BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'colour'") == 0);
}

BOOST_FIXTURE_TEST_CASE(clients_that_went_away_keep_nobody_out, Server) {
    const Collection collection = create("colour", plain);
    create("other", plain);
    sql("SELECT ldp_open_rounds('colour', 0, 700)");
    const Endpoint endpoint({"--hold", "2", "--connections", "64", "--hold-for", "60"});
    Wire patient(endpoint);  // waits for company, and is still there
    const Batch first = batch_of(collection, 1);
    patient.send(post("colour", first));
    // Open rounds, and rounds that are not.
    for (int i = 1; i <= 600; ++i) {
        const Batch batch = batch_of(collection, 1, i % 2 == 0 ? i : 1000 + i);
        Wire wire(endpoint);
        wire.send(
            message("POST /collections/colour/batches/" + batch.id + "?round=" + std::to_string(batch.round),
                    octets, frame_of(batch)));
    }
    Wire second(endpoint);
    second.send(post("colour", batch_of(collection, 1)));
    BOOST_TEST(status_of(second.receive()) == 201U);
    BOOST_TEST(status_of(patient.receive()) == 201U);
    Wire late(endpoint);
    const Batch closed = batch_of(collection, 1, 5000);
    BOOST_TEST(status_of(late.ask(message("POST /collections/colour/batches/" + closed.id + "?round=5000",
                                          octets, frame_of(closed)))) == 422U);
    const auto until = Clock::now() + 15s;
    const auto waiting = [&] {
        return late.ask(message("GET /metrics"))->body().find("\nldp_collect_waiting 0\n") ==
               std::string::npos;
    };
    while (waiting() && Clock::now() < until) std::this_thread::sleep_for(100ms);
    BOOST_TEST(!waiting());
}

// Clients that stay, and send one collection more than its share.
BOOST_FIXTURE_TEST_CASE(one_collection_does_not_hold_all_connections, Server) {
    const Collection collection = create("colour", plain);
    const Collection other = create("other", plain);
    sql("SELECT ldp_open_rounds('colour', 0, 700)");
    const Endpoint endpoint({"--hold", "2", "--connections", "32", "--hold-for", "60"});
    std::vector<std::unique_ptr<Wire>> wires;
    for (int i = 0; i < 31; ++i) {
        const Batch batch = batch_of(collection, 1, i);
        wires.push_back(std::make_unique<Wire>(endpoint));
        wires.back()->send(
            message("POST /collections/colour/batches/" + batch.id + "?round=" + std::to_string(i), octets,
                    frame_of(batch)));
    }
    // Clients that stay do not keep later ones of their own collection out: those that waited longest leave.
    for (std::size_t i = 0; i < 15; ++i) BOOST_TEST(status_of(wires[i]->receive()) == 503U);
    Wire one(endpoint), two(endpoint);
    one.send(post("colour", batch_of(collection, 1)));
    two.send(post("colour", batch_of(collection, 1)));
    BOOST_TEST(status_of(one.receive()) == 201U);
    BOOST_TEST(status_of(two.receive()) == 201U);
    Wire here(endpoint), there(endpoint);
    here.send(post("other", batch_of(other, 1)));
    there.send(post("other", batch_of(other, 1)));
    BOOST_TEST(status_of(here.receive()) == 201U);
    BOOST_TEST(status_of(there.receive()) == 201U);
}

BOOST_FIXTURE_TEST_CASE(an_address_has_so_many_connections, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint({"--per-address", "3"});
    std::vector<std::unique_ptr<Wire>> wires;
    for (int i = 0; i < 4; ++i) wires.push_back(std::make_unique<Wire>(endpoint));
    const std::string ask = message("GET /healthz");
    for (int i = 0; i < 3; ++i) BOOST_TEST(status_of(wires[static_cast<std::size_t>(i)]->ask(ask)) == 200U);
    BOOST_TEST(status_of(wires[3]->ask(ask)) == 0U);
    wires.erase(wires.begin());
    unsigned status = 0;
    for (int i = 0; i < 50 && status != 200; ++i) {
        std::this_thread::sleep_for(50ms);
        Wire wire(endpoint);
        status = status_of(wire.ask(ask));
    }
    BOOST_TEST(status == 200U);
}

BOOST_FIXTURE_TEST_CASE(a_batch_has_so_many_reports, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint({"--reports", "100"});
    Wire wire(endpoint);
    BOOST_TEST(status_of(wire.ask(post("colour", batch_of(collection, 101)))) == 413U);
    BOOST_TEST(status_of(wire.ask(post("colour", batch_of(collection, 100)))) == 201U);
}

BOOST_FIXTURE_TEST_CASE(a_database_that_hangs_is_no_healthy_one, Server) {
    create("colour", plain);
    const Endpoint endpoint;
    Wire wire(endpoint);
    const auto status = [&] { return status_of(wire.ask(message("GET /healthz"))); };
    BOOST_TEST(status() == 200U);
    const std::string processes = "SELECT pid FROM pg_stat_activity WHERE usename = '" + gateway() + "'";
    const pqxx::result found = sql(processes);
    BOOST_REQUIRE(!found.empty());
    for (const auto& row : found) BOOST_REQUIRE(kill(row[0].as<int>(), SIGSTOP) == 0);
    const auto until = Clock::now() + 30s;
    while (status() == 200 && Clock::now() < until) std::this_thread::sleep_for(200ms);
    BOOST_TEST(status() == 503U);
    for (const auto& row : found) kill(row[0].as<int>(), SIGCONT);
    while (status() != 200 && Clock::now() < until + 30s) std::this_thread::sleep_for(200ms);
    BOOST_TEST(status() == 200U);
}

BOOST_FIXTURE_TEST_CASE(roles_that_may_do_more_are_refused, Server) {
    const std::string role = "ldp_e2e_strong_" + std::to_string(getpid()), above = role + "_above";
    sql("CREATE ROLE " + role + " LOGIN IN ROLE ldp_submitter");
    sql("CREATE ROLE " + above);
    const auto refusal = [&](const std::string& grant, const std::string& back) {
        sql(grant);
        const char* named = std::getenv("LDP");
        const std::string command =
            std::string("timeout 20 ") + (named != nullptr ? named : "build/bin/ldp") +
            " collect --listen 127.0.0.1:0 --dsn '" + dsn() + " user=" + role + "' 2>&1";
        std::string said;
        FILE* running = popen(command.c_str(), "r");
        BOOST_REQUIRE(running != nullptr);
        for (int c; (c = fgetc(running)) != EOF;) said += static_cast<char>(c);
        BOOST_TEST(pclose(running) != 0);
        BOOST_TEST(said.find("must not run as a") != std::string::npos, grant << ": " << said);
        sql(back);
    };
    refusal("ALTER ROLE " + role + " SUPERUSER", "ALTER ROLE " + role + " NOSUPERUSER");
    refusal("ALTER ROLE " + role + " CREATEROLE", "ALTER ROLE " + role + " NOCREATEROLE");
    sql("GRANT " + above + " TO " + role);
    refusal("ALTER ROLE " + above + " SUPERUSER", "ALTER ROLE " + above + " NOSUPERUSER");
    for (const std::string granted :
         {"pg_read_server_files", "pg_execute_server_program", "pg_monitor", "ldp_admin"})
        refusal("GRANT " + granted + " TO " + above, "REVOKE " + granted + " FROM " + above);
    sql("DROP ROLE " + role + ", " + above);
}

BOOST_AUTO_TEST_SUITE_END()
