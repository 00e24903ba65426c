// A trigger runs with the privileges of the role that submits. It can change the settings of that role, which
// hold from the next session on, and after a restart of the endpoint. Also errors without end, and changes of
// tables while the endpoint looks the collections up.

#include "hostile_owner.hpp"

using namespace ldp;
using namespace ldp::e2e;

namespace {

/// Restores the role of the endpoint at the end.
struct Altered : Hostile {
    ~Altered() {
        try {
            sql("ALTER ROLE " + gateway() + " RESET ALL");
        } catch (const std::exception& error) {
            std::cerr << error.what() << "\n";
        }
    }
    /// Ends the sessions of the role, as a trigger can.
    void end_sessions() {
        sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + gateway() + "'");
    }
    std::string settings() {
        return sql("SELECT coalesce(string_agg(setconfig::text, ' '), '') FROM pg_db_role_setting AS s "
                   "JOIN pg_roles AS r ON r.oid = s.setrole WHERE r.rolname = '" +
                   gateway() + "'")[0][0]
            .as<std::string>();
    }
    /// The status of a batch that is sent until the endpoint has connected again.
    static unsigned sent(const Endpoint& endpoint, const std::string& request) {
        unsigned status = 503;
        for (int i = 0; i < 40 && (status == 503 || status == 0); ++i) {
            if (i > 0) std::this_thread::sleep_for(250ms);
            Wire wire(endpoint);
            status = status_of(wire.ask(request));
        }
        return status;
    }
};

std::string set(const std::string& assignment) {
    return "EXECUTE format('ALTER ROLE %I SET " + assignment + "', session_user);";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(hostile_settings)

BOOST_FIXTURE_TEST_CASE(a_trigger_that_alters_its_role_changes_nothing_for_others, Altered) {
    sql("ALTER TABLE colour ADD COLUMN \"gr\xC3\xB6\xC3\x9F"
        "e\" text");
    const std::string several = set("default_transaction_read_only = on") + set("client_encoding = latin1") +
                                set("search_path = hostile") + set("statement_timeout = 1") +
                                set("lock_timeout = 1") + set("default_transaction_isolation = serializable");
    for (const std::string& body :
         {set("role = ldp_submitter"), several,
          set("exit_on_error = on") + set("local_preload_libraries = missing") +
              set("idle_session_timeout = 100") + set("idle_in_transaction_session_timeout = 100") +
              set("plpgsql.extra_errors = ''all''")}) {
        sql("ALTER ROLE " + gateway() + " RESET ALL");
        trap(body);
        sql("DELETE FROM colour");
        const Batch batch = batch_of(*colour, 5), direct = batch_of(*colour, 5);
        const std::string parameters = dsn() + " user=" + gateway();
        {
            const Endpoint endpoint({"--sessions", "1"});
            Connection link(parameters);
            BOOST_TEST(Uploader(link, "colour").deliver(direct));
            BOOST_TEST(sent(endpoint, post("colour", batch)) == 201U);
            BOOST_TEST(sent(endpoint, post("snare", batch_of(*snare, 1))) == 201U);
            BOOST_TEST(!settings().empty());
            end_sessions();
            BOOST_TEST(sent(endpoint, post("colour", batch)) == 200U, body);
            BOOST_TEST(sent(endpoint, post("colour", batch_of(*colour, 5))) == 201U, body);
            BOOST_TEST(!Uploader(link, "colour").deliver(direct), body);
        }
        const Endpoint restarted;
        Connection link(parameters);
        BOOST_TEST(sent(restarted, post("colour", batch)) == 200U, body);
        BOOST_TEST(sent(restarted, post("colour", batch_of(*colour, 5))) == 201U, body);
        BOOST_TEST(!Uploader(link, "colour").deliver(direct), body);
        BOOST_TEST(Uploader(link, "colour").deliver(batch_of(*colour, 5)), body);
        BOOST_TEST(stored() == 25);
        // The operator learns of it.
        std::string said;
        for (char c = 0; c != '\n' && read(restarted.errors, &c, 1) == 1;) said += c;
        BOOST_TEST(said.find("the role of the endpoint has settings") != std::string::npos, said);
    }
    // A connection that the program opened itself: the claims are those of the session's user.
    sql("ALTER ROLE " + gateway() + " RESET ALL");
    const Batch batch = batch_of(*colour, 5);
    for (const bool fresh : {true, false}) {
        pqxx::connection own(dsn() + " user=" + gateway());
        BOOST_TEST(Uploader(own, "colour").deliver(batch) == fresh);
        sql("ALTER ROLE " + gateway() + " SET role = ldp_submitter");
    }
    BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE submitter = 'ldp_submitter'") == 0);
}

// Each setting that the role may change, at both ends of its range.
BOOST_FIXTURE_TEST_CASE(no_setting_of_the_role_has_an_effect, Altered) {
    trap("");
    const Batch batch = batch_of(*colour, 5);
    unsigned expected = 201;
    for (const std::string value :
         {"CASE vartype WHEN 'bool' THEN (NOT boot_val::boolean)::text WHEN 'enum' THEN enumvals[1] ELSE "
          "min_val END",
          "CASE vartype WHEN 'bool' THEN (NOT boot_val::boolean)::text WHEN 'enum' THEN "
          "enumvals[cardinality(enumvals)] ELSE max_val END"}) {
        sql("ALTER ROLE " + gateway() + " RESET ALL");
        const auto all =
            sql("SELECT name, " + value +
                " FROM pg_settings WHERE context = 'user' AND vartype <> 'string' AND name NOT LIKE "
                "'transaction%' AND name <> 'seed' ORDER BY name");
        int changed = 0;
        for (const auto& row : all) {
            try {
                sql("ALTER ROLE " + gateway() + " SET " + row[0].as<std::string>() + " = " +
                    connection.quote(row[1].as<std::string>()));
                ++changed;
            } catch (const pqxx::sql_error&) {
                // A value that the server cannot have.
            }
        }
        BOOST_TEST(changed > 100);
        const Endpoint endpoint;
        BOOST_TEST(sent(endpoint, post("colour", batch)) == expected);
        BOOST_TEST(sent(endpoint, post("colour", batch_of(*colour, 5))) == 201U);
        BOOST_TEST(sent(endpoint, message("GET /healthz")) == 200U);
        expected = 200;
    }
}

BOOST_FIXTURE_TEST_CASE(an_error_of_any_length_is_cut, Hostile) {
    trap(
        "RAISE EXCEPTION USING MESSAGE = repeat('m', 32000000), DETAIL = repeat('d', 32000000), HINT = "
        "repeat('\xC3\xBC', 16000000);");
    const Endpoint endpoint;
    Wire wire(endpoint);
    BOOST_TEST(status_of(wire.ask(post("colour", batch_of(*colour, 1)))) == 201U);
    const std::int64_t before = endpoint.memory("VmHWM:");
    const auto refused = wire.ask(post("snare", batch_of(*snare, 1)));
    BOOST_TEST(status_of(refused) == 422U);
    BOOST_TEST(refused->body().size() < 4096);
    BOOST_TEST(endpoint.memory("VmHWM:") - before < 16 * 1024);
    // A constraint trigger raises it outside ldp_insert: libpq receives it, and the reply is cut.
    trap("RAISE EXCEPTION USING MESSAGE = repeat('m', 4000000);",
         "CONSTRAINT AFTER INSERT ON hostile.snare DEFERRABLE INITIALLY DEFERRED");
    const auto late = wire.ask(post("snare", batch_of(*snare, 1)));
    BOOST_TEST(status_of(late) == 422U);
    BOOST_TEST(late->body().size() < 4096);
}

BOOST_FIXTURE_TEST_CASE(changes_of_a_table_do_not_delay_other_collections, Hostile) {
    sql("SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name = 'later'");
    const Endpoint endpoint;
    Wire wire(endpoint);
    pqxx::connection theirs(dsn());
    std::atomic<bool> enough = false;
    auto changes = std::async(std::launch::async, [&] {
        pqxx::nontransaction session(theirs);
        while (!enough) {
            session.exec(
                "ALTER TABLE hostile.snare ADD COLUMN x text; ALTER TABLE hostile.snare DROP COLUMN x");
            // A table has room for 1,600 columns in all, dropped ones included.
            std::this_thread::sleep_for(10ms);
        }
    });
    const auto found = [&](const std::string& name) {
        const auto until = Clock::now() + 20s;
        unsigned status = 0;
        while (status != 200 && Clock::now() < until) {
            std::this_thread::sleep_for(200ms);
            status = status_of(wire.ask(message("GET /collections/" + name + "/spec")));
        }
        return status;
    };
    create("later", plain);
    BOOST_TEST(found("later") == 200U);
    enough = true;
    changes.get();
    // A lock without end.
    pqxx::work locked(theirs);
    locked.exec("LOCK TABLE hostile.snare");
    create("latest", plain);
    BOOST_TEST(found("latest") == 200U);
    BOOST_TEST(status_of(wire.ask(post("colour", batch_of(*colour, 2)))) == 201U);
    locked.abort();
    sql("SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name IN ('later', 'latest')");
}

// A client must not give up because the endpoint does not know the collections yet.
BOOST_FIXTURE_TEST_CASE(an_endpoint_without_a_look_up_asks_for_patience, Server) {
    const Collection collection = create("colour", plain);
    pqxx::connection other(dsn());
    std::optional<pqxx::work> locked;
    locked.emplace(other);
    locked->exec("LOCK TABLE ldp_internal.ldp_collection");
    const Endpoint endpoint;
    Wire wire(endpoint);
    for (const std::string& request :
         {message("GET /collections/colour/spec"), post("colour", batch_of(collection, 1))}) {
        const auto reply = wire.ask(request);
        BOOST_TEST(status_of(reply) == 503U);
        BOOST_TEST((*reply)[http::field::retry_after] != "");
    }
    locked->abort();
    locked.reset();
    HttpConnection patient(endpoint.address());
    BOOST_CHECK(fetch_spec(patient, "colour").fingerprint() == collection.spec().fingerprint());
    BOOST_TEST(status_of(wire.ask(message("GET /collections/nowhere/spec"))) == 404U);
}

// SIGTERM while the server does not respond: libpq would wait without end.
BOOST_FIXTURE_TEST_CASE(an_endpoint_ends_although_the_server_hangs, Server) {
    const Collection collection = create("colour", plain);
    Endpoint endpoint({"--time-limit", "600"});
    const pqxx::result found = sql("SELECT pid FROM pg_stat_activity WHERE usename = '" + gateway() + "'");
    BOOST_REQUIRE(!found.empty());
    pqxx::work locked(connection);
    locked.exec("LOCK TABLE colour");
    Wire wire(endpoint);
    wire.send(post("colour", batch_of(collection, 1)));
    std::this_thread::sleep_for(500ms);
    pqxx::connection watching(dsn());
    const pqxx::result all = pqxx::nontransaction(watching).exec(
        "SELECT pid FROM pg_stat_activity WHERE usename = '" + gateway() + "'");
    for (const auto& row : all) BOOST_REQUIRE(kill(row[0].as<int>(), SIGSTOP) == 0);
    BOOST_TEST(endpoint.stop(SIGTERM) == 0);
    BOOST_TEST(status_of(wire.receive()) == 503U);
    for (const auto& row : all) kill(row[0].as<int>(), SIGCONT);
    locked.abort();
}

// A connection that the program opened in another encoding: what is stored is what was sent, and the encoding
// stays.
BOOST_FIXTURE_TEST_CASE(a_borrowed_connection_keeps_its_encoding, Server) {
    sql("SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name = 'towns'");
    sql("SELECT ldp_create_collection('towns', '" + std::string(plain) + "', ARRAY[['city', 'text']])");
    pqxx::connection own(dsn());
    own.set_client_encoding("LATIN1");
    const std::string town = "K\xC3\xB6ln \xE6\x9D\xB1";
    for (const auto method : {Uploader::Method::insert, Uploader::Method::call}) {
        Batch batch = batch_of(Collection(fetch_spec(own, "towns")), 1);
        batch.columns = PublicValues::from_json("{\"city\": \"" + town + "\"}");
        BOOST_TEST(Uploader(own, "towns", method).deliver(batch));
        BOOST_TEST(!Uploader(own, "towns", method).deliver(batch));
    }
    BOOST_TEST(number("SELECT count(*) FROM towns WHERE city = " + connection.quote(town)) == 2);
    BOOST_TEST(pqxx::nontransaction(own).exec("SHOW client_encoding")[0][0].as<std::string>() == "LATIN1");
    sql("SELECT ldp_drop_collection('towns')");
}

BOOST_AUTO_TEST_SUITE_END()
