// A batch whose COMMIT has no reply, since it waits for a synchronous standby.

#include "endpoint.hpp"

using namespace ldp;
using namespace ldp::e2e;

BOOST_AUTO_TEST_SUITE(unknown_commit)

// COMMIT waits for a standby that does not exist until the endpoint ends the session: the batch is stored,
// and the endpoint cannot know.
BOOST_FIXTURE_TEST_CASE(a_commit_without_a_reply_is_reported_as_unknown, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint({"--time-limit", "1"});
    struct Standby {
        static void set(const std::string& names) {
            Database::run_in("postgres", "ALTER SYSTEM SET synchronous_standby_names = '" + names + "'");
            Database::run_in("postgres", "SELECT pg_reload_conf()");
        }
        ~Standby() {
            try {
                Database::run_in("postgres", "ALTER SYSTEM RESET synchronous_standby_names");
                Database::run_in("postgres", "SELECT pg_reload_conf()");
            } catch (const std::exception& error) {
                std::cerr << error.what() << "\n";
            }
        }
    };
    Batch batch = batch_of(collection, 3);
    std::int64_t stored = 0;
    Wire wire(endpoint);
    std::optional<Response> response;
    {
        const Standby standby;
        Standby::set("ldp_e2e_nobody");
        // The setting takes effect in a moment.
        const auto until = Clock::now() + 10s;
        while (status_of(response = wire.ask(post("colour", batch))) == 201 && Clock::now() < until) {
            stored += 3;
            batch = batch_of(collection, 3);
            std::this_thread::sleep_for(100ms);
        }
        const auto unknown = [&] {
            BOOST_TEST(status_of(response) == 503U);
            BOOST_TEST(
                response->body().find("It is not known whether the batch was stored") != std::string::npos,
                response->body());
        };
        unknown();
        // The batch is counted now, and still not replicated: a repetition is not acknowledged either.
        response = wire.ask(post("colour", batch));
        unknown();
    }
    BOOST_TEST(number("SELECT count(*) FROM colour") == stored + 3);
    BOOST_TEST(status_of(wire.ask(post("colour", batch))) == 200U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == stored + 3);
}

BOOST_AUTO_TEST_SUITE_END()
