// The endpoint (ldp collect) as clients see it, and what it makes of those that mean no good. LDP_REQUESTS
// says how many random requests it is sent (default 5000); LDP_SEED, which.
//
// Length: all cases use the same endpoint, wire and collections.

#include "endpoint.hpp"

using namespace ldp;
using namespace ldp::e2e;

namespace {

std::size_t setting(const char* name, std::size_t otherwise) {
    const char* given = std::getenv(name);
    return given != nullptr ? std::stoul(given) : otherwise;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(collecting)

BOOST_FIXTURE_TEST_CASE(reports_arrive_once_in_rows_of_either_kind, Server) {
    for (const std::string rows : {"reports", "batches"}) {
        const std::string name = "any name, " + rows + " 100% ü";
        const Collection collection = create(name, hashed, rows);
        sql("SELECT ldp_open_rounds('" + name + "', 0, 3)");
        const Endpoint endpoint;
        HttpConnection link = link_to(endpoint);
        BOOST_CHECK(fetch_spec(link, name).fingerprint() == collection.spec().fingerprint());
        Client client(Collection(fetch_spec(link, name)), MemoryStore());
        for (int i = 0; i < 50; ++i) client.report({i}, i % 4);
        HttpUploader uploader(link, name);
        const Flushed flushed = client.flush(uploader, 7);
        BOOST_TEST(flushed.reports == 50U);
        BOOST_TEST(flushed.repeated == 0U);
        const Batch batch = batch_of(collection, 10, 3);
        BOOST_TEST(uploader.deliver(batch));
        BOOST_TEST(!uploader.deliver(batch));
        BOOST_TEST(number("SELECT sum(ldp_count(summary)) FROM unnest(ldp_groups_of('" + name +
                          "', '{round}'))") == 60);
        BOOST_TEST(number("SELECT ldp_count(ldp_summary_of('" + name + "', 3))") == 22);
        // The reports that were sent, and no others.
        const std::string all = rows == "reports" ? "SELECT report FROM \"" + name + "\""
                                                  : "SELECT ldp_unpack(batch) FROM \"" + name + "\"";
        for (const Report& report : batch.reports)
            BOOST_TEST(number("SELECT count(*) FROM (" + all + ") AS r (report) WHERE report = '" +
                              to_hex(report) + "'") == 1);
    }
}

BOOST_FIXTURE_TEST_CASE(what_is_refused_is_known_not_to_be_counted, Server) {
    const Collection collection = create("colour", plain);
    const Collection other = create("shade", hashed);
    const Endpoint endpoint({"--largest", "1024"});
    HttpConnection link = link_to(endpoint);
    HttpUploader uploader(link, "colour");
    const auto refused_as = [](BatchOutcome outcome) {
        return [=](const Undelivered& refused) { return refused.outcome() == outcome; };
    };

    // Of another spec, of a round that is not open; afterwards their ids count for nothing.
    const Batch foreign = batch_of(other, 3), late = batch_of(collection, 3, 9);
    for (int i = 0; i < 2; ++i)
        BOOST_CHECK_EXCEPTION(uploader.deliver(foreign), Undelivered, refused_as(BatchOutcome::refused));
    BOOST_CHECK_EXCEPTION(uploader.deliver(late), Undelivered, refused_as(BatchOutcome::refused));
    sql("SELECT ldp_open_rounds('colour', 0, 9)");
    // The id is void, but nothing refuses the reports now: they may leave under other ids.
    for (int i = 0; i < 2; ++i)
        BOOST_CHECK_EXCEPTION(uploader.deliver(late), Undelivered, refused_as(BatchOutcome::too_large));
    BOOST_TEST(number("SELECT count(*) FROM colour") == 0);

    // Too large: in parts all arrive.
    BOOST_CHECK_EXCEPTION(uploader.deliver(batch_of(collection, 2000)), Undelivered,
                          refused_as(BatchOutcome::too_large));
    Client client(collection, MemoryStore());
    for (int i = 0; i < 3000; ++i) client.stage({i % 5});
    client.commit();
    BOOST_TEST(client.flush(uploader).reports == 3000U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 3000);

    // A store that was copied: its id was counted with other reports.
    const Batch first = batch_of(collection, 3);
    Batch second = batch_of(collection, 4);
    second.id = first.id;
    BOOST_TEST(uploader.deliver(first));
    BOOST_CHECK_EXCEPTION(uploader.deliver(second), Undelivered, refused_as(BatchOutcome::outdated));

    HttpUploader nowhere(link, "nowhere");
    BOOST_CHECK_EXCEPTION(nowhere.deliver(first), TransportFailure,
                          [](const TransportFailure& failure) { return !failure.passing(); });
    BOOST_CHECK_EXCEPTION((void)fetch_spec(link, "nowhere"), Error, says("no collection \"nowhere\""));
    BOOST_CHECK_EXCEPTION(HttpConnection("https://here"), Error,
                          [](const Error& error) { return error.code() == ErrorCode::invalid_value; });
}

BOOST_FIXTURE_TEST_CASE(specs_can_be_cached, Server) {
    create("colour", plain);
    const Endpoint endpoint({"--allow-origin", "https://page.example"});
    Wire wire(endpoint);
    const std::string line = "GET /collections/colour/spec";
    const auto whole = wire.ask(message(line));
    BOOST_REQUIRE(status_of(whole) == 200);
    const std::string tag((*whole)[http::field::etag]);
    BOOST_TEST(
        tag ==
        "\"" + sql("SELECT fingerprint FROM ldp_collections WHERE name = 'colour'")[0][0].as<std::string>() +
            "\"");
    BOOST_TEST((*whole)[http::field::access_control_allow_origin] == "https://page.example");
    BOOST_TEST(status_of(wire.ask(message(line, "If-None-Match: \"other\", W/" + tag + "\r\n"))) == 304);
    BOOST_TEST(status_of(wire.ask(message(line, "If-None-Match: \"other\"\r\n"))) == 200);
    // Texts are part of the document, but not of the fingerprint: a change of them is a new document.
    const auto served = [&](bool texts) {
        for (const auto until = Clock::now() + 10s; Clock::now() < until;
             std::this_thread::sleep_for(100ms)) {
            const auto found = wire.ask(message(line, "If-None-Match: " + tag + "\r\n"));
            if (texts ? status_of(found) == 200 && found->body().find("Colours") != std::string::npos
                      : status_of(found) == 304)
                return std::string((*found)[http::field::etag]);
        }
        return std::string("not served");
    };
    sql("SELECT ldp_describe('colour', '{\"title\": \"Colours\"}')");
    const std::string described = served(true);
    BOOST_TEST(described.starts_with(tag.substr(0, tag.size() - 1) + "-"));
    BOOST_TEST(status_of(wire.ask(message(line, "If-None-Match: " + described + "\r\n"))) == 304);
    sql("SELECT ldp_describe('colour', '{\"title\": null}')");
    BOOST_TEST(served(false) == tag);
    const auto head = wire.ask(message("HEAD /collections/colour/spec"));
    BOOST_TEST(status_of(head) == 200);
    BOOST_TEST((*head)[http::field::content_length] == std::to_string(whole->body().size()));
    const auto preflight = wire.ask(message("OPTIONS /collections/colour/batches/" + std::string(36, '0')));
    BOOST_TEST(status_of(preflight) == 404);
    const auto allowed =
        wire.ask(message("OPTIONS /collections/colour/batches/00000000-0000-4000-8000-000000000000"));
    BOOST_TEST(status_of(allowed) == 204);
    BOOST_TEST((*allowed)[http::field::access_control_allow_methods] == "POST, DELETE");
    const std::string preflight_line =
        "OPTIONS /collections/colour/batches/00000000-0000-4000-8000-000000000000";
    const auto stranger = wire.ask(message(preflight_line, "Origin: https://other.example\r\n"));
    BOOST_TEST(status_of(stranger) == 403);
    BOOST_TEST(stranger->count(http::field::access_control_allow_origin) == 0);
    BOOST_TEST(stranger->count(http::field::access_control_max_age) == 0);
    BOOST_TEST(stranger->body().find("--allow-origin") != std::string::npos);

    // Each of several origins is allowed by its own name, and caches distinguish them.
    const Endpoint several(
        {"--allow-origin", "https://one.example", "--allow-origin", "http://two.example:8080"});
    Wire both(several);
    for (const std::string origin :
         {"https://one.example", "http://two.example:8080", "https://one.example/", "null"}) {
        const auto read = both.ask(message(line, "Origin: " + origin + "\r\n"));
        BOOST_TEST(status_of(read) == 200);
        const bool known = origin == "https://one.example" || origin == "http://two.example:8080";
        BOOST_TEST((*read)[http::field::access_control_allow_origin] == (known ? origin : ""));
        BOOST_TEST((*read)[http::field::vary] == "Origin");
    }

    // A collection that is dropped goes, and one that comes is found.
    create("colour", hashed);
    create("new_one", plain);
    const auto until = Clock::now() + 10s;
    const auto status = [&](const std::string& name) {
        return status_of(wire.ask(message("GET /collections/" + name + "/spec")));
    };
    while (status("new_one") != 200 && Clock::now() < until) std::this_thread::sleep_for(100ms);
    BOOST_TEST(status("new_one") == 200U);
    BOOST_TEST((*wire.ask(message(line)))[http::field::etag] != tag);
}

BOOST_FIXTURE_TEST_CASE(malformed_requests_are_told_what_is_wrong, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint({"--largest", "4096"});
    const Batch batch = batch_of(collection, 10);
    const std::string frame = frame_of(batch), at = "/collections/colour/batches/";
    const auto with_body = [&](const std::string& body) {
        return message("POST " + at + batch.id, octets, body);
    };
    std::string disordered = frame, hidden = frame;
    disordered[frame.size() - 1] = 0;
    disordered[frame.size() - 10] = 4;
    hidden[frame.size() - 1] = 77;
    const std::string chunked = message("POST " + at + batch.id, octets + "Transfer-Encoding: chunked\r\n");
    const std::vector<std::pair<unsigned, std::string>> cases{
        {404, message("GET /")},
        {404, message("GET /collections/")},
        {404, message("GET /collections//spec")},
        {404, message("GET /collections/%zz/spec")},
        {404, message("GET /collections/%C3/spec")},
        {404, message("GET /collections/colour/spec?x=1")},
        {404, message("GET /collections/colour/spec/")},
        {404, message("POST " + at + "no-uuid", octets, frame)},
        {404, message("POST " + at + batch.id + "?round=99999999999", octets, frame)},
        {404, message("POST " + at + batch.id + "?round=", octets, frame)},
        {404, message("POST " + at + batch.id + "/x", octets, frame)},
        {404, message("POST /collections/nowhere/batches/" + batch.id, octets, frame)},
        {405, message("GET " + at + batch.id)},
        {405, message("POST /collections/colour/spec", octets, frame)},
        {405, message("OPTIONS /collections/colour/spec")},
        {405, message("BREW /healthz")},
        {415, message("POST " + at + batch.id, "Content-Type: text/plain\r\n", frame)},
        {400, with_body("x")},
        {400, with_body(frame.substr(0, frame.size() - 1))},
        {400, with_body(frame + "x")},
        {400, with_body(disordered)},
        {400, with_body(hidden)},
        {400, with_body(std::string(4096, '['))},
        {413, with_body(std::string(5000, '['))},
        {413, message("POST " + at + batch.id, octets + "Content-Length: 99999999999\r\n")},
        {400, message("POST " + at + batch.id, octets + "Content-Length: -1\r\n")},
        {400,
         message("POST " + at + batch.id, octets + "Content-Length: 12\r\nContent-Length: 13\r\n", frame)},
        {400, message("POST " + at + batch.id, octets + "Content-Length: 12\r\nContent-Length: 12\r\n", "[")},
        {400, "POST " + at + batch.id + " HTTP/1.1\r\nHost: here\r\nContent-Length: 1, 1\r\n\r\nx"},
        {400, "GET /healthz HTTP/1.1\r\nHost: here\r\nX: y\r\n z\r\n\r\n"},
        {400, "GET /healthz HTTP/1.1\r\nHost: here\r\nX: y\r\n\tz\r\n\r\n"},
        {415, message("POST " + at + batch.id, octets + "Content-Encoding: gzip\r\n", frame)},
        {415, message("POST " + at + batch.id, octets + "Content-Encoding: identity\r\n", frame)},
        {400, message("POST " + at + batch.id, octets + "Transfer-Encoding: chunked\r\n") + "zz\r\n"},
        {400, chunked + "4;x=y\r\nabcd\r\n0\r\n\r\n"},
        {400, chunked + "4\r\nabcd\r\n0\r\nX: y\r\n\r\n"},
        {501, message("POST " + at + batch.id, octets + "Transfer-Encoding: gzip\r\n") + frame},
        {501,
         message("POST " + at + batch.id, octets + "Transfer-Encoding: gzip, chunked\r\n") + "0\r\n\r\n"},
        {400, message("POST " + at + batch.id, octets + "Transfer-Encoding: chunked\r\n", frame)},
        {400, message("POST " + at + batch.id, octets + "Transfer-Encoding: gzip\r\n", frame)},
        {400, "GET /healthz HTTP/1.1\r\n\r\n"},
        {400, "GET /healthz HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
        {400, "GET /healthz HTTP/7.7\r\n\r\n"},
        {400, "\x16\x03\x01\x02\r\n\r\n"},
        {400, "GET\r\n\r\n"},
        {431, message("GET /healthz", "X: " + std::string(9000, 'x') + "\r\n")},
    };
    for (const auto& [expected, bytes] : cases) {
        Wire wire(endpoint);
        const auto response = wire.ask(bytes);
        BOOST_TEST(status_of(response) == expected, bytes.substr(0, 90) << ": " << status_of(response));
        if (response && !bytes.starts_with("HEAD")) BOOST_TEST(response->body().starts_with("{\"title\":"));
    }
    // Nothing of it came in, nor is an id used up.
    BOOST_TEST(number("SELECT count(*) FROM colour") == 0);
    Wire wire(endpoint);
    BOOST_TEST(status_of(wire.ask(
                   message("POST " + at + batch.id, octets + "Expect: 100-continue\r\n", frame))) == 100U);
    BOOST_TEST(status_of(wire.receive()) == 201U);
    BOOST_TEST(status_of(wire.ask(with_body(frame))) == 200U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 10);
}

// The same reports with and without the block are one batch.
BOOST_FIXTURE_TEST_CASE(both_forms_of_a_batch_count_once, Server) {
    const Collection collection = create("colour", plain), other = create("shade", hashed);
    const Endpoint endpoint;
    const Batch first = batch_of(collection, 4), second = batch_of(collection, 3),
                foreign = batch_of(other, 2);
    Wire wire(endpoint);
    const auto status = [&](const Batch& batch, const std::string& body) {
        return status_of(wire.ask(message("POST /collections/colour/batches/" + batch.id, octets, body)));
    };
    BOOST_TEST(short_frame_of(first).size() == 14 + 4u);
    BOOST_TEST(status(first, short_frame_of(first)) == 201U);
    BOOST_TEST(status(first, frame_of(first)) == 200U);
    BOOST_TEST(status(second, frame_of(second)) == 201U);
    BOOST_TEST(status(second, short_frame_of(second)) == 200U);
    BOOST_TEST(status(foreign, short_frame_of(foreign)) == 422U);
    const std::string whole = short_frame_of(batch_of(collection, 5));
    const Batch damaged = batch_of(collection, 1);
    for (std::size_t size = 0; size < whole.size(); ++size)
        BOOST_TEST(status(damaged, whole.substr(0, size)) == 400U);
    BOOST_TEST(status(damaged, whole + "x") == 400U);
    std::string many = whole;
    many[13] = '\x7f';
    BOOST_TEST(status(damaged, many) == 400U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 7);
}

BOOST_FIXTURE_TEST_CASE(refusals_have_a_receipt, Server) {
    const Collection collection = create("colour", plain), other = create("shade", hashed);
    const Endpoint endpoint({"--largest", "4096"});
    const Batch batch = batch_of(collection, 3);
    const auto refused = [&](unsigned status, const std::string& body, const std::string& content,
                             std::int32_t round = 0) {
        Wire wire(endpoint);
        const auto response = wire.ask(message("POST /collections/colour/batches/" + batch.id +
                                                   (round == 0 ? "" : "?round=" + std::to_string(round)),
                                               octets, body));
        BOOST_REQUIRE(status_of(response) == status);
        BOOST_TEST(std::string((*response)["Ldp-Receipt"]) ==
                   delivery_receipt("POST", status, "colour", batch.id, round,
                                    sha256(std::as_bytes(std::span(content)))));
    };
    const std::string damaged = frame_of(batch) + "x", foreign = frame_of(batch_of(other, 3)),
                      large(5000, '[');
    refused(400, damaged, damaged);
    refused(422, foreign, foreign);
    refused(422, frame_of(batch), frame_of(batch), 77);  // a round that is not open
    refused(413, large, "");
}

// It sends requests and reads no response. Others are served, and it gets few of the turns.
BOOST_FIXTURE_TEST_CASE(requests_that_do_not_wait_are_served_one_by_one, Server) {
    create("colour", plain);
    const Endpoint endpoint;
    std::string many;
    for (int i = 0; i < 200; ++i) many += message("GET /collections/colour/spec");
    Wire wire(endpoint);
    wire.send(many);
    for (int i = 0; i < 200; ++i) BOOST_TEST(status_of(wire.receive()) == 200U);
    // A client that waits for each response is not delayed.
    BOOST_TEST(status_of(wire.ask(message("GET /healthz"))) == 200U);
}

BOOST_FIXTURE_TEST_CASE(its_role_can_do_nothing_else, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint;
    HttpConnection link = link_to(endpoint);
    HttpUploader uploader(link, "colour");
    BOOST_TEST(uploader.deliver(batch_of(collection, 5)));
    BOOST_TEST(number("SELECT count(*) FROM colour") == 5);
    pqxx::connection as_gateway(dsn() + " user=" + gateway());
    for (const char* attempt :
         {"SELECT report FROM colour", "UPDATE colour SET round = 0", "DELETE FROM colour", "TRUNCATE colour",
          "SELECT * FROM ldp_internal.ldp_batch", "DELETE FROM ldp_internal.ldp_batch",
          "SELECT ldp_summary_of('colour')", "SELECT ldp_open_rounds('colour', 0, 9)",
          "SELECT ldp_drop_collection('colour')", "DROP TABLE colour",
          "SELECT ldp_create_collection('mine', '{\"mechanism\": \"grr\", \"epsilon\": 1, \"domain\": 3}')",
          "CREATE TABLE mine (x integer)", "SET ROLE ldp_admin", "COPY colour TO STDOUT"}) {
        pqxx::work transaction(as_gateway);
        BOOST_CHECK_THROW(transaction.exec(attempt), pqxx::insufficient_privilege);
    }
    // What it may not submit to, it does not show.
    sql("REVOKE ALL ON colour FROM ldp_submitter");
    BOOST_CHECK_EXCEPTION((void)uploader.deliver(batch_of(collection, 5)), TransportFailure, says("status"));
    Wire wire(endpoint);
    const auto status = [&] { return status_of(wire.ask(message("GET /collections/colour/spec"))); };
    for (int i = 0; i < 100 && status() == 200; ++i) std::this_thread::sleep_for(100ms);
    BOOST_TEST(status() == 404U);
}

BOOST_FIXTURE_TEST_CASE(held_reports_are_stored_together_or_not_at_all, Server) {
    const Collection collection = create("colour", hashed);
    Endpoint endpoint({"--hold", "5", "--hold-for", "3"});
    std::vector<Batch> batches;
    for (int i = 0; i < 6; ++i) batches.push_back(batch_of(collection, 3));
    const auto sent = [&](std::size_t i) {
        return std::async(std::launch::async, [&, i] {
            Wire wire(endpoint);
            return status_of(wire.ask(post("colour", batches[i])));
        });
    };
    // Four wait, and the first of them a second time: that is no fifth.
    std::vector<std::future<unsigned>> waiting;
    for (const std::size_t i : {0, 1, 2, 3, 0}) waiting.push_back(sent(i));
    std::this_thread::sleep_for(1s);
    for (auto& one : waiting) BOOST_CHECK(one.wait_for(0s) == std::future_status::timeout);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 0);
    waiting.push_back(sent(4));
    for (auto& one : waiting) BOOST_TEST(one.get() == 201U);
    // In one transaction and in random order: that of their bytes has the probability 1/15!, below 1e-12.
    BOOST_TEST(number("SELECT count(*) FROM colour") == 15);
    BOOST_TEST(number("SELECT count(DISTINCT xmin::text) FROM colour") == 1);
    BOOST_TEST(
        !sql("SELECT array_agg(report ORDER BY ctid) = array_agg(report ORDER BY report) FROM colour")[0][0]
             .as<bool>());
    // What is known already makes no company: the sixth, with four that were counted, is sent back.
    waiting.clear();
    for (const std::size_t i : {0, 1, 2, 3, 5}) waiting.push_back(sent(i));
    for (std::size_t i = 0; i < 4; ++i) BOOST_TEST(waiting[i].get() == 200U);
    BOOST_TEST(waiting[4].get() == 503U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 15);
    // So is what waits when it stops.
    auto last = sent(5);
    std::this_thread::sleep_for(500ms);
    BOOST_TEST(endpoint.stop(SIGTERM) == 0);
    BOOST_TEST(last.get() == 503U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 15);
}

BOOST_FIXTURE_TEST_CASE(what_is_stored_does_not_tell_whose_it_is, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint;
    HttpConnection link = link_to(endpoint);
    HttpUploader uploader(link, "colour");
    const Batch batch = batch_of(collection, 1);
    uploader.deliver(batch);
    BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'colour'") == 1);
    BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE batch = '" + batch.id + "'") == 0);
    // Nor does a digest of the report lead to it.
    BOOST_TEST(
        number(
            "SELECT count(*) FROM ldp_internal.ldp_batch, colour WHERE digest IN (sha256(ldp_internal.ldp_report_send(report)), "
            "sha256(convert_to('0:' || report::text, 'UTF8')))") == 0);
}

BOOST_FIXTURE_TEST_CASE(a_database_that_lags_slows_clients_down, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint({"--lag", "1"});
    std::vector<std::future<unsigned>> waiting;
    std::vector<Batch> batches;
    for (int i = 0; i < 6; ++i) batches.push_back(batch_of(collection, 3));
    const auto sent = [&](std::size_t i) {
        return std::async(std::launch::async, [&, i] {
            Wire wire(endpoint);
            return status_of(wire.ask(post("colour", batches[i])));
        });
    };
    {
        pqxx::work lock(connection);
        lock.exec("LOCK TABLE colour IN ACCESS EXCLUSIVE MODE");
        for (const std::size_t i : {0, 1}) {
            waiting.push_back(sent(i));
            std::this_thread::sleep_for(300ms);
        }
        std::this_thread::sleep_for(1500ms);
        Wire wire(endpoint);
        const auto response = wire.ask(post("colour", batches[2]));
        BOOST_TEST(status_of(response) == 429U);
        BOOST_TEST(!(*response)[http::field::retry_after].empty());
        BOOST_TEST(status_of(wire.ask(message("GET /collections/colour/spec"))) == 200U);
    }
    for (auto& one : waiting) BOOST_TEST(one.get() == 201U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 6);
    HttpConnection link = link_to(endpoint);
    HttpUploader uploader(link, "colour");
    BOOST_TEST(uploader.deliver(batches[2]));
}

// Reports of one transaction fail together; the errors are attributed afterwards.
BOOST_FIXTURE_TEST_CASE(what_is_refused_has_no_others_refused, Server) {
    const Collection collection = create("colour", hashed);
    const Endpoint endpoint({"--lag", "60"});
    std::vector<Batch> batches;
    for (int i = 0; i < 6; ++i) batches.push_back(batch_of(collection, 3));
    {
        Wire wire(endpoint);
        BOOST_TEST(status_of(wire.ask(post("colour", batches[0]))) == 201U);
    }
    batches[1].id = batches[0].id;
    sql("ALTER TABLE colour ADD CHECK (report <> '" + to_hex(batches[2].reports[1]) + "')");
    std::vector<std::future<unsigned>> waiting;
    {
        pqxx::work lock(connection);
        lock.exec("LOCK TABLE colour IN ACCESS EXCLUSIVE MODE");
        // The last one is on its way alone, the others wait for it.
        for (const std::size_t i : {5, 1, 2, 3, 4}) {
            waiting.push_back(std::async(std::launch::async, [&, i] {
                Wire wire(endpoint);
                return status_of(wire.ask(post("colour", batches[i])));
            }));
            std::this_thread::sleep_for(i == 5 ? 500ms : 100ms);
        }
    }
    for (const unsigned expected : {201U, 409U, 422U, 201U, 201U}) {
        BOOST_TEST(waiting.front().get() == expected);
        waiting.erase(waiting.begin());
    }
    BOOST_TEST(number("SELECT count(*) FROM colour") == 12);
    BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'colour'") == 4);
}

/// Statuses of requests that arrive while the table is locked: the first one is being stored, the others form groups.
std::vector<unsigned> statuses_of_group(Server& server, const std::string& table, const std::string& mode,
                                        const std::vector<std::pair<const Endpoint*, std::string>>& requests,
                                        const std::function<void()>& meanwhile = {}) {
    std::vector<std::future<unsigned>> waiting;
    {
        pqxx::work lock(server.connection);
        lock.exec("LOCK TABLE " + table + " IN " + mode + " MODE");
        for (const auto& [endpoint, request] : requests) {
            waiting.push_back(std::async(std::launch::async, [endpoint, &request] {
                Wire wire(*endpoint);
                return status_of(wire.ask(request));
            }));
            std::this_thread::sleep_for(waiting.size() == 1 ? 500ms : 100ms);
        }
        if (meanwhile) meanwhile();
    }
    std::vector<unsigned> statuses;
    for (auto& one : waiting) statuses.push_back(one.get());
    return statuses;
}

// Members of a group that the claims refuse do not end its transaction, and the reports of the others are stored in it.
BOOST_FIXTURE_TEST_CASE(claims_are_refused_alone, Server) {
    for (const std::string rows : {"reports", "batches"}) {
        const Collection collection = create("ballot", hashed, rows);
        const std::string count = rows == "reports" ? "1" : "ldp_count(batch)";
        sql("ALTER TABLE ballot ADD country text CHECK (country <> 'nowhere')");
        std::vector<std::string> tokens;
        {
            pqxx::work transaction(connection);
            for (const auto& row :
                 transaction.exec("SELECT pg_catalog.unnest(ldp_create_tokens('ballot', 8))"))
                tokens.push_back(row[0].as<std::string>());
            transaction.commit();
        }
        const Endpoint endpoint({"--lag", "60"});
        const std::string columned = std::string("Content-Type: ") + columned_batch_type + "\r\n";
        const auto request = [&](const Batch& batch, const std::string& token, const std::string& more = "") {
            return message("POST /collections/ballot/batches/" + batch.id, columned,
                           "{\"ldp_token\":\"" + token + "\"" + more + "}\n" + frame_of(batch));
        };
        std::vector<Batch> batches;
        for (std::size_t i = 0; i < 13; ++i) batches.push_back(batch_of(collection, i == 5 ? 2 : 1));
        Wire wire(endpoint);
        BOOST_TEST(status_of(wire.ask(request(batches[0], tokens[0]))) == 201U);
        BOOST_TEST(status_of(wire.ask(request(batches[12], tokens[7]))) == 201U);
        Batch other = batches[6];
        other.id = batches[12].id;
        const std::vector<std::pair<const Endpoint*, std::string>> requests = {
            {&endpoint, request(batches[1], tokens[1])},
            {&endpoint, request(batches[2], tokens[2])},                         // new
            {&endpoint, post("ballot", batches[3])},                             // no token
            {&endpoint, request(batches[4], std::string(32, '0'))},              // unknown
            {&endpoint, request(batches[5], tokens[3])},                         // two reports
            {&endpoint, request(batches[7], tokens[0])},                         // redeemed
            {&endpoint, request(other, tokens[3])},                              // the id of another batch
            {&endpoint, request(batches[0], tokens[0])},                         // repeated
            {&endpoint, request(batches[2], tokens[2])},                         // twice in the group
            {&endpoint, request(batches[8], tokens[4], ",\"country\":\"de\"")},  // other public columns
        };
        const std::vector<unsigned> expected{201, 201, 422, 422, 422, 422, 409, 200, 201, 201};
        const auto found = statuses_of_group(*this, "ballot", "ACCESS EXCLUSIVE", requests);
        BOOST_TEST(found == expected, boost::test_tools::per_element());
        BOOST_TEST(number("SELECT sum(" + count + ") FROM ballot") == 5);
        BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_token WHERE collection = 'ballot'") == 3);
        // The first two batches, the one that was being stored, and the group.
        BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'ballot'") == 5);
        BOOST_TEST(number("SELECT count(DISTINCT xmin::text) FROM ldp_internal.ldp_batch WHERE collection = "
                          "'ballot'") == 4);
        // A value that the table refuses, and a round that is closed.
        Batch closed = batches[10];
        closed.round = 9;
        auto late = message("POST /collections/ballot/batches/" + closed.id + "?round=9", columned,
                            "{\"ldp_token\":\"" + tokens[6] + "\"}\n" + frame_of(closed));
        const auto then =
            statuses_of_group(*this, "ballot", "ACCESS EXCLUSIVE",
                              {{&endpoint, request(batches[6], tokens[3])},
                               {&endpoint, request(batches[9], tokens[5], ",\"country\":\"nowhere\"")},
                               {&endpoint, late},
                               {&endpoint, request(batches[4], tokens[6])},
                               {&endpoint, request(batches[11], tokens[0])}});
        BOOST_TEST(then == (std::vector<unsigned>{201, 422, 422, 201, 422}),
                   boost::test_tools::per_element());
        BOOST_TEST(number("SELECT sum(" + count + ") FROM ballot") == 7);
        BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_token WHERE collection = 'ballot'") == 1);
    }
}

// Two endpoints with the same batches: each batch counts once, and of two batches with one id, one is refused.
BOOST_FIXTURE_TEST_CASE(two_endpoints_count_a_batch_once, Server) {
    const Collection collection = create("colour", hashed);
    const Endpoint one({"--lag", "60"}), two({"--lag", "60"});
    std::vector<Batch> batches;
    for (int i = 0; i < 6; ++i) batches.push_back(batch_of(collection, 3));
    Batch other = batches[5];
    other.id = batches[4].id;
    std::vector<std::pair<const Endpoint*, std::string>> requests;
    for (int i = 0; i < 4; ++i)
        for (const Endpoint* each : {&one, &two}) requests.emplace_back(each, post("colour", batches[i]));
    requests.emplace_back(&one, post("colour", batches[4]));
    requests.emplace_back(&two, post("colour", other));
    auto statuses = statuses_of_group(*this, "colour", "ACCESS EXCLUSIVE", requests);
    for (std::size_t i = 0; i < 8; i += 2) BOOST_TEST(statuses[i] + statuses[i + 1] == 401U);
    BOOST_TEST(statuses[8] + statuses[9] == 610U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 15);
    BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'colour'") == 5);
}

// A timeout, and the end of a session between claims and reports, leave no claim: the lock stops insertions only.
BOOST_FIXTURE_TEST_CASE(an_interrupted_group_is_stored_later, Server) {
    const Collection collection = create("colour", hashed);
    std::vector<Batch> batches;
    for (int i = 0; i < 8; ++i) batches.push_back(batch_of(collection, 3));
    std::vector<std::pair<const Endpoint*, std::string>> requests;
    {
        const Endpoint endpoint({"--lag", "60", "--time-limit", "1"});
        for (int i = 0; i < 4; ++i) requests.emplace_back(&endpoint, post("colour", batches[i]));
        const auto late =
            statuses_of_group(*this, "colour", "SHARE", requests, [] { std::this_thread::sleep_for(4s); });
        for (const unsigned status : late) BOOST_TEST(status == 503U);
        BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'colour'") == 0);
        for (const auto& [to, request] : requests) {
            Wire wire(endpoint);
            BOOST_TEST(status_of(wire.ask(request)) == 201U);
        }
    }
    const Endpoint endpoint({"--lag", "60"});
    requests.clear();
    for (int i = 4; i < 8; ++i) requests.emplace_back(&endpoint, post("colour", batches[i]));
    const auto killed = statuses_of_group(*this, "colour", "SHARE", requests, [&] {
        Database::run_in(connection.dbname(),
                         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" +
                             gateway() + "' AND wait_event_type = 'Lock'");
    });
    for (const unsigned status : killed) BOOST_TEST(status == 201U);
    BOOST_TEST(number("SELECT count(*) FROM colour") == 24);
    BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'colour'") == 8);
}

BOOST_FIXTURE_TEST_CASE(slow_clients_keep_nobody_out, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint({"--connections", "20", "--request-timeout", "2"});
    // As many as there is room for, which begin and go on byte by byte.
    std::vector<std::unique_ptr<Wire>> slow;
    for (int i = 0; i < 20; ++i) {
        slow.push_back(std::make_unique<Wire>(endpoint));
        slow.back()->send("POST /collections/colour/batches/");
    }
    HttpConnection link = link_to(endpoint);
    HttpUploader uploader(link, "colour");
    BOOST_TEST(uploader.deliver(batch_of(collection, 5)));
    const auto began = Clock::now();
    std::size_t open = slow.size();
    while (open > 0 && Clock::now() - began < 10s) {
        open = 0;
        for (const auto& wire : slow) open += wire->send("0") ? 1 : 0;
        std::this_thread::sleep_for(200ms);
    }
    BOOST_TEST(open == 0U);
    BOOST_TEST((Clock::now() - began < 6s));
    BOOST_TEST(uploader.deliver(batch_of(collection, 5)));
}

BOOST_FIXTURE_TEST_CASE(random_requests_leave_it_serving_and_small, Server) {
    const Collection collection = create("colour", plain);
    const Endpoint endpoint({"--largest", "65536"});
    const std::size_t requests = setting("LDP_REQUESTS", 5000), seed = setting("LDP_SEED", 1);
    constexpr std::size_t clients = 4;
    std::vector<std::future<std::uint64_t>> counted;
    for (std::size_t c = 0; c < clients; ++c)
        counted.push_back(std::async(std::launch::async, [&, c] {
            std::mt19937_64 random(seed * clients + c);
            std::optional<Wire> wire;
            std::uint64_t reports = 0;
            for (std::size_t i = 0; i < requests / clients; ++i) {
                const Batch batch = batch_of(collection, 1 + random() % 20);
                std::string bytes = post("colour", batch);
                const bool whole = random() % 8 == 0;
                for (std::size_t changes = whole ? 0 : 1 + random() % 4; changes > 0; --changes) {
                    const std::size_t at = random() % bytes.size();
                    switch (random() % 5) {
                        case 0:
                            bytes[at] = static_cast<char>(random());
                            break;
                        case 1:
                            bytes.insert(at, random() % 50, static_cast<char>(random()));
                            break;
                        case 2:
                            bytes.erase(at, random() % 50);
                            break;
                        case 3:
                            bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 100));
                            break;
                        default:
                            bytes[at] ^= static_cast<char>(1 << random() % 8);
                    }
                    if (bytes.empty()) bytes = "\r\n";
                }
                if (whole || !wire) wire.emplace(endpoint);
                wire->send(bytes);
                if (whole) {
                    const unsigned status = status_of(wire->receive());
                    if (status == 201) reports += batch.reports.size();
                    if (status != 201) return ~std::uint64_t{0};
                } else if (random() % 3 == 0) {
                    wire.reset();  // while it still reads, or answers
                }
            }
            return reports;
        }));
    std::uint64_t reports = 0;
    for (auto& one : counted) {
        const std::uint64_t some = one.get();
        BOOST_REQUIRE(some != ~std::uint64_t{0});
        reports += some;
    }
    BOOST_TEST(reports > requests / 8);
    HttpConnection link = link_to(endpoint);
    HttpUploader uploader(link, "colour");
    BOOST_TEST(uploader.deliver(batch_of(collection, 5)));
    // What was acknowledged is there. Of what was changed some was sound still, or under another id.
    BOOST_TEST(number("SELECT count(*) FROM colour") >= static_cast<std::int64_t>(reports) + 5);
    BOOST_TEST(number("SELECT count(*) FROM colour") ==
               number("SELECT sum(reports)::bigint FROM ldp_internal.ldp_batch WHERE collection = 'colour'"));
    BOOST_TEST_MESSAGE(requests << " random requests; " << endpoint.memory() << " kB");
    BOOST_TEST(endpoint.memory() < 64 * 1024);
}

BOOST_FIXTURE_TEST_CASE(stopping_loses_nothing, Server) {
    const Collection collection = create("colour", hashed);
    for (int turn = 0; turn < 3; ++turn) {
        Endpoint endpoint;
        std::vector<std::future<std::vector<Report>>> acknowledged;
        for (int c = 0; c < 8; ++c)
            acknowledged.push_back(std::async(std::launch::async, [&] {
                std::vector<Report> there;
                Wire wire(endpoint);
                for (;;) {
                    const Batch batch = batch_of(collection, 5);
                    if (status_of(wire.ask(post("colour", batch))) != 201) return there;
                    there.insert(there.end(), batch.reports.begin(), batch.reports.end());
                }
            }));
        std::this_thread::sleep_for(500ms);
        BOOST_TEST(endpoint.stop(SIGTERM) == 0);
        std::string all = "{";
        std::size_t count = 0;
        for (auto& one : acknowledged)
            for (const Report& report : one.get()) {
                all += (++count > 1 ? "," : "") + to_hex(report);
            }
        BOOST_TEST(count > 0U);
        BOOST_TEST(number("SELECT count(*) FROM unnest('" + all +
                          "}'::ldp_report[]) AS r WHERE NOT EXISTS (SELECT FROM colour WHERE report = r)") ==
                   0);
        BOOST_TEST(number("SELECT count(*) - count(DISTINCT report) FROM colour") == 0);
    }
}

// While partitions are being added, a row may fit none: that passes, and the same batch counts afterwards.
BOOST_FIXTURE_TEST_CASE(a_batch_that_fits_no_partition_comes_later, Server) {
    for (const char* rows : {"reports", "batches"}) {
        sql("SELECT ldp_drop_collection(name) FROM ldp_collections WHERE name = 'split'");
        sql("SELECT ldp_create_collection('split', " + connection.quote(plain) +
            ", partition_by => 'round', " + "rows => '" + rows + "')");
        sql("DROP TABLE split_default");
        const Collection collection(fetch_spec(connection, "split"));
        const Endpoint endpoint;
        Wire wire(endpoint);
        const Batch batch = batch_of(collection, 10);
        const auto early = wire.ask(post("split", batch));
        BOOST_TEST(status_of(early) == 503U, rows);
        BOOST_TEST(
            (early && early->count(http::field::retry_after) == 1 && early->count("Ldp-Receipt") == 0));
        BOOST_TEST(number("SELECT count(*) FROM ldp_internal.ldp_batch WHERE collection = 'split'") == 0);
        sql("CREATE TABLE split_first PARTITION OF split FOR VALUES FROM (0) TO (1)");
        for (const unsigned status : {201U, 200U}) {
            const auto settled = wire.ask(post("split", batch));
            BOOST_TEST(status_of(settled) == status, rows);
            BOOST_TEST((settled && settled->count("Ldp-Receipt") == 1));
        }
        BOOST_TEST(number("SELECT ldp_count(ldp_summary_of('split'))") == 10);
    }
}

BOOST_AUTO_TEST_SUITE_END()
