// An endpoint through a sender of the application: requests, responses, retries, and what a relay may do.

#include <boost/test/unit_test.hpp>
#include <stdexcept>

#include "client/http/http_uploader.hpp"
#include "client/memory_store.hpp"

namespace ldp::test {

BOOST_AUTO_TEST_SUITE(senders)

namespace {

constexpr const char* spec =
    R"({"mechanism": "grr", "epsilon": 1, "attributes": [{"name": "pet", "domain": ["cat", "dog"]}]})";

/// An endpoint with the collection "pets" that is called directly, and counts batches by their ids.
struct CalledEndpoint {
    std::vector<HttpConnection::SentRequest> requests;
    std::map<std::string, std::string> batches;
    /// Called before the answer to the request with this number, counted from 1.
    std::function<void(std::size_t)> before = [](std::size_t) {};

    HttpConnection::ReceivedResponse operator()(const HttpConnection::SentRequest& request) {
        requests.push_back(request);
        before(requests.size());
        std::string body;
        unsigned status = 200;
        std::string id;
        if (request.method == "GET") {
            body = spec;
        } else {
            id = request.url.substr(request.url.rfind('/') + 1);
            status = batches.emplace(id, request.body).second ? 201 : 200;
        }
        const auto content = sha256(std::as_bytes(std::span(request.method == "GET" ? body : request.body)));
        return {status,
                {{"content-type", "text/plain"},
                 {"ldp-receipt", delivery_receipt(request.method, status, "pets", id, 0, content)},
                 {"LDP-HISTORY", "00000000000000ab"}},
                body};
    }
};

HttpConnection connected(CalledEndpoint& endpoint,
                         std::chrono::milliseconds limit = std::chrono::seconds(5)) {
    return {"https://relay.example/ldp/",
            [&](const HttpConnection::SentRequest& one) { return endpoint(one); },
            RetryPolicy{limit, std::chrono::milliseconds(1), std::chrono::milliseconds(2)}};
}

}  // namespace

BOOST_AUTO_TEST_CASE(requests_go_through_the_sender) {
    CalledEndpoint endpoint;
    HttpConnection link = connected(endpoint);
    Client client{Collection{fetch_spec(link, "pets")}, MemoryStore{}};
    client.report({"cat"}, 0, {{token_column, "0123456789abcdef0123456789abcdef"}});
    HttpUploader uploader{link, "pets"};
    BOOST_TEST(client.flush(uploader).reports == 1U);
    BOOST_TEST(uploader.history() == "00000000000000ab");
    BOOST_REQUIRE(endpoint.requests.size() == 2U);
    BOOST_TEST(endpoint.requests[0].method == "GET");
    BOOST_TEST(endpoint.requests[0].url == "https://relay.example/ldp/collections/pets/spec");
    BOOST_TEST(endpoint.requests[0].headers.empty());
    BOOST_TEST(endpoint.requests[1].method == "POST");
    BOOST_TEST(endpoint.requests[1].url.starts_with("https://relay.example/ldp/collections/pets/batches/"));
    BOOST_REQUIRE(endpoint.requests[1].headers.size() == 1U);
    BOOST_TEST(endpoint.requests[1].headers[0].first == "Content-Type");
    BOOST_TEST(endpoint.requests[1].headers[0].second == columned_batch_type);
    BOOST_TEST(
        endpoint.requests[1].body.starts_with("{\"ldp_token\":\"0123456789abcdef0123456789abcdef\"}\n"));
}

BOOST_AUTO_TEST_CASE(a_lost_response_repeats_the_request) {
    CalledEndpoint endpoint;
    endpoint.before = [](std::size_t number) {
        if (number == 1) throw std::runtime_error("the relay ended");
    };
    HttpConnection link = connected(endpoint);
    Client client{Collection{Spec::from_json(spec)}, MemoryStore{}};
    client.report({"dog"});
    HttpUploader uploader{link, "pets"};
    BOOST_TEST(client.flush(uploader).reports == 1U);
    BOOST_REQUIRE(endpoint.requests.size() == 2U);
    BOOST_TEST(endpoint.requests[0].url == endpoint.requests[1].url);
    BOOST_TEST(endpoint.requests[0].body == endpoint.requests[1].body);
}

BOOST_AUTO_TEST_CASE(failures_of_the_sender_are_temporary) {
    CalledEndpoint endpoint;
    endpoint.before = [](std::size_t) { throw std::runtime_error("no circuit"); };
    HttpConnection link = connected(endpoint, std::chrono::milliseconds(0));
    BOOST_CHECK_EXCEPTION((void)fetch_spec(link, "pets"), TransportFailure,
                          [](const TransportFailure& failure) {
                              return failure.passing() && failure.detail() == "no circuit";
                          });
}

BOOST_AUTO_TEST_CASE(responses_are_checked_whoever_received_them) {
    using Response = HttpConnection::ReceivedResponse;
    const auto refused = [](Response response, bool passing) {
        HttpConnection link{"https://relay.example",
                            [=](const HttpConnection::SentRequest&) { return response; },
                            RetryPolicy{std::chrono::milliseconds(0)}};
        BOOST_CHECK_EXCEPTION((void)fetch_spec(link, "pets"), TransportFailure,
                              [&](const TransportFailure& failure) { return failure.passing() == passing; });
    };
    refused({200, {}, spec}, true);
    refused({200, {{"Ldp-Receipt", std::string(64, '0')}}, spec}, true);
    refused({200, {}, std::string((1U << 20) + 1, ' ')}, false);
    refused({403, {}, "no"}, false);
}

BOOST_AUTO_TEST_SUITE_END()

}  // namespace ldp::test
