// Uploads over HTTP where something other than the endpoint answers: captive portals, login pages, proxies.
// A server of this file stands in for them; it needs no database.

// Before Boost.Asio, which in version 1.74 uses std::exchange without it.
#include <utility>
//
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <deque>
#include <map>
#include <set>
#include <thread>

#include "client/http/http_uploader.hpp"
#include "core/base/sha256.hpp"
#include "core/summary/batch.hpp"
#include "e2e_server.hpp"

using namespace ldp;
using namespace ldp::e2e;
using namespace std::chrono_literals;

namespace {

namespace net = boost::asio;
namespace http = boost::beast::http;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

const char* const spec = R"({"mechanism": "grr", "epsilon": 1, "domain": 5})";
const char* const login_page = "<html><title>Welcome to our network</title>";

/// Responds to requests in order, each with the next response that a test has prepared; 599 without one.
class Portal {
  public:
    using Reply = std::function<Response(const Request&)>;

    Portal()
        : acceptor_(io_, {net::ip::make_address("127.0.0.1"), 0}),
          port_(acceptor_.local_endpoint().port()),
          serving_([this] { serve(); }) {}
    Portal(const Portal&) = delete;
    Portal& operator=(const Portal&) = delete;
    ~Portal() {
        ended_ = true;
        boost::system::error_code error;
        net::ip::tcp::socket last(io_);
        last.connect({net::ip::make_address("127.0.0.1"), port_}, error);
        serving_.join();
    }
    [[nodiscard]] std::string address() const { return "http://127.0.0.1:" + std::to_string(port_); }

    // A test changes these while no request is on its way.
    std::deque<Reply> replies;
    std::vector<std::string> asked;  ///< method and target of each request

  private:
    void serve() {
        while (!ended_) {
            boost::system::error_code error;
            net::ip::tcp::socket socket(io_);
            acceptor_.accept(socket, error);
            if (error || ended_) continue;
            boost::beast::flat_buffer buffer;
            Request request;
            http::read(socket, buffer, request, error);
            if (error) continue;
            asked.push_back(std::string(request.method_string()) + " " + std::string(request.target()));
            Response response(static_cast<http::status>(599), 11);
            if (!replies.empty()) {
                response = replies.front()(request);
                replies.pop_front();
            }
            response.keep_alive(false);
            if (response.result_int() != 204) response.prepare_payload();
            http::write(socket, response, error);
            socket.shutdown(net::ip::tcp::socket::shutdown_both, error);
        }
    }

    net::io_context io_{1};
    net::ip::tcp::acceptor acceptor_;
    std::uint16_t port_;
    std::atomic<bool> ended_ = false;
    std::thread serving_;
};

/// An answer without a receipt.
Portal::Reply page(unsigned status, const std::string& body = login_page, const std::string& location = {}) {
    return [=](const Request&) {
        Response response(static_cast<http::status>(status), 11);
        if (status != 204) response.body() = body;
        if (!location.empty()) response.set(http::field::location, location);
        return response;
    };
}

/// An answer with the receipt of a request about a batch of "mood", as the endpoint gives it.
Portal::Reply receipt(unsigned status, std::int32_t round = 0) {
    return [=](const Request& request) {
        Response response = page(status, "")(request);
        const bool deletes = request.method() == http::verb::delete_;
        const std::string target(request.target()), id = target.substr(target.find("/batches/") + 9, 36);
        response.set("ldp-receipt", delivery_receipt(deletes ? "DELETE" : "POST", status, "mood", id, round,
                                                     sha256(std::as_bytes(std::span(request.body())))));
        return response;
    };
}

/// An answer with the receipt of a spec.
Portal::Reply spec_reply(const std::string& collection, const std::string& body) {
    return [=](const Request& request) {
        Response response = page(200, body)(request);
        response.set("Ldp-Receipt",
                     delivery_receipt("GET", 200, collection, {}, 0, sha256(std::as_bytes(std::span(body)))));
        return response;
    };
}

/// A client with three reports, and a portal in its way.
struct Behind {
    explicit Behind(std::chrono::milliseconds retry_policy = 0ms)
        : link(portal.address(), RetryPolicy{retry_policy, 1ms, 5ms}) {
        for (int i = 0; i < 3; ++i) client.report({i});
    }
    Portal portal;
    HttpConnection link;
    HttpUploader uploader{link, "mood"};
    Client client{Collection(Spec::from_json(spec)), MemoryStore()};
};

auto foreign(bool passing = true, const std::string& text = "something other than the endpoint answered") {
    return [=](const Error& error) {
        const auto* failure = dynamic_cast<const TransportFailure*>(&error);
        return failure != nullptr && failure->passing() == passing && says(text)(error) &&
               says("captive portal")(error);
    };
}

}  // namespace

BOOST_AUTO_TEST_SUITE(portals)

BOOST_AUTO_TEST_CASE(no_answer_without_the_receipt_empties_the_queue) {
    Behind test;
    const auto wrong = [](const Request& request) {
        Response response = receipt(201)(request);
        response.set("Ldp-Receipt", std::string(64, '0'));
        return response;
    };
    // Of another round, and of another status.
    const auto of_another_status = [](const Request& request) {
        Response response = receipt(200)(request);
        response.result(201);
        return response;
    };
    for (const Portal::Reply& reply : {page(200), page(201), page(202), page(204), Portal::Reply(wrong),
                                       receipt(201, 1), Portal::Reply(of_another_status), receipt(204)}) {
        test.portal.replies = {reply};
        BOOST_CHECK_THROW(test.client.flush(test.uploader), TransportFailure);
        BOOST_TEST(test.client.pending() == 3U);
    }
    test.portal.replies = {page(200)};
    BOOST_CHECK_EXCEPTION(test.client.flush(test.uploader), Error, foreign());
    test.portal.replies = {receipt(201)};
    BOOST_TEST(test.client.flush(test.uploader).reports == 3U);
    BOOST_TEST(test.client.pending() == 0U);
}

BOOST_AUTO_TEST_CASE(no_redirect_is_followed) {
    for (const unsigned status : {301, 302, 303, 307, 308}) {
        Behind test;
        test.portal.replies = {page(status, "", test.portal.address() + "/login"), receipt(201)};
        const bool passing = status != 301 && status != 308;
        BOOST_CHECK_EXCEPTION(test.client.flush(test.uploader), Error,
                              foreign(passing, "a redirect (status " + std::to_string(status) + ")"));
        BOOST_TEST(test.portal.asked.size() == 1U);
        BOOST_TEST(test.client.pending() == 3U);
    }
}

BOOST_AUTO_TEST_CASE(a_portal_passes) {
    Behind test(20s);
    test.portal.replies = {page(302, "", "/login"), page(200), page(511), receipt(201)};
    BOOST_TEST(test.client.flush(test.uploader).reports == 3U);
    BOOST_TEST(test.portal.asked.size() == 4U);
}

BOOST_AUTO_TEST_CASE(no_answer_without_the_receipt_revokes_an_id) {
    Behind test;
    const auto pending = [&](std::initializer_list<Portal::Reply> replies) {
        test.portal.replies = replies;
        BOOST_CHECK_EXCEPTION(test.client.flush(test.uploader), Error, foreign());
        BOOST_TEST(test.client.pending() == 3U);
        BOOST_TEST(test.client.store().refused().empty());
    };
    pending({page(422), page(204)});
    pending({page(422), page(200)});
    // As if something had been stored under the id: the batch would be taken for delivered.
    pending({page(422), page(409)});
    // As if something else had been: the store would be taken for an old copy.
    pending({page(409)});
    pending({receipt(409), page(409)});
    // A proxy may limit sizes. The batch is split once the endpoint itself has revoked its id.
    pending({page(413), page(422)});
    pending({page(413), page(413), page(204)});
    BOOST_TEST(test.portal.asked.back().starts_with("DELETE"));
    test.portal.replies = {page(413), page(413), receipt(204), receipt(201), receipt(201), receipt(201)};
    BOOST_TEST(test.client.flush(test.uploader).reports == 3U);
}

/// An endpoint behind something that answers most requests itself, with these statuses by turns.
class ByTurns {
  public:
    explicit ByTurns(std::vector<unsigned> statuses) : statuses_(std::move(statuses)) {}
    Response operator()(const Request& request) {
        const std::size_t turn = turn_++ % (statuses_.size() + 1);
        if (turn < statuses_.size()) return page(statuses_[turn], "")(request);
        const std::string target(request.target()), id = target.substr(target.find("/batches/") + 9, 36);
        const auto found = batches.find(id);
        if (request.method() == http::verb::delete_) {
            if (found != batches.end()) return receipt(409)(request);
            revoked_.insert(id);
            return receipt(204)(request);
        }
        if (revoked_.contains(id)) return receipt(409)(request);
        if (found != batches.end()) return receipt(found->second == request.body() ? 200 : 409)(request);
        batches[id] = request.body();
        return receipt(201)(request);
    }
    /// Payloads of all counted batches.
    [[nodiscard]] std::size_t counted(const Mechanism& mechanism) const {
        std::size_t reports = 0;
        for (const auto& [id, body] : batches)
            reports +=
                batch_frame(mechanism).count(with_block(std::as_bytes(std::span(body)), mechanism.block()));
        return reports;
    }
    std::map<std::string, std::string> batches;

  private:
    std::vector<unsigned> statuses_;
    std::size_t turn_ = 0;
    std::set<std::string> revoked_;
};

BOOST_AUTO_TEST_CASE(statuses_of_a_proxy_set_nothing_aside) {
    Behind test(1s);
    for (int i = 0; i < 37; ++i) test.client.report({i % 5});
    ByTurns endpoint({400, 413, 422, 520});
    for (int tries = 0; test.client.pending() > 0 && tries < 100; ++tries) {
        test.portal.replies.assign(1000, std::ref(endpoint));
        try {
            (void)test.client.flush(test.uploader, 7);
        } catch (const TransportFailure&) {
        }
    }
    BOOST_TEST(test.client.pending() == 0U);
    BOOST_TEST(test.client.store().refused().empty());
    BOOST_TEST(endpoint.counted(test.client.collection().mechanism()) == 40U);
}

// An endpoint looks for new collections every two seconds.
BOOST_AUTO_TEST_CASE(a_new_collection_is_waited_for) {
    Behind test(20s);
    test.portal.replies = {page(404), page(404), spec_reply("mood", spec)};
    BOOST_CHECK(fetch_spec(test.link, "mood").fingerprint() == Spec::from_json(spec).fingerprint());
    test.portal.replies.assign(10000, page(404));
    const auto began = std::chrono::steady_clock::now();
    BOOST_CHECK_EXCEPTION((void)fetch_spec(test.link, "mood"), Error, says("no collection \"mood\""));
    BOOST_TEST((std::chrono::steady_clock::now() - began < 15s));
}

BOOST_AUTO_TEST_CASE(addresses_have_schemes_in_any_case) {
    for (const char* good : {"HTTP://localhost:1", "http://example.org", "localhost:8417",
                             "127.0.0.1:8417/path", "[::1]:8417", "localhost"})
        BOOST_CHECK_NO_THROW(HttpConnection{good});
    // Only this machine is reached in clear without being asked to.
    for (const char* bad : {"example.org:8417", "https://localhost", "ftp://localhost",
                            "localhost:", "://localhost", "localhost.example.org:80", "user@localhost:80"})
        BOOST_CHECK_THROW(HttpConnection{bad}, Error);
}

BOOST_AUTO_TEST_CASE(a_login_page_is_no_spec) {
    Behind test;
    const std::initializer_list<Portal::Reply> foreigners{page(200), page(200, spec), page(302, "", "/login"),
                                                          spec_reply("others", spec)};
    for (const Portal::Reply& reply : foreigners) {
        test.portal.replies = {reply};
        BOOST_CHECK_EXCEPTION((void)fetch_spec(test.link, "mood"), Error, foreign());
    }
    test.portal.replies = {spec_reply("mood", spec)};
    BOOST_CHECK(fetch_spec(test.link, "mood").fingerprint() == Spec::from_json(spec).fingerprint());
    test.portal.replies = {page(404)};
    BOOST_CHECK_EXCEPTION((void)fetch_spec(test.link, "mood"), Error, says("no collection \"mood\""));
}

BOOST_AUTO_TEST_CASE(a_spec_has_at_most_a_mebibyte) {
    const std::string fits = std::string((std::size_t{1} << 20) - std::string_view(spec).size(), ' ') + spec;
    Behind test;
    test.portal.replies = {spec_reply("mood", fits)};
    BOOST_CHECK(fetch_spec(test.link, "mood").fingerprint() == Spec::from_json(spec).fingerprint());
    for (const std::size_t more : {1U, 1U << 20, 1U << 26}) {
        test.portal.replies = {spec_reply("mood", std::string(more, ' ') + fits)};
        BOOST_CHECK_EXCEPTION((void)fetch_spec(test.link, "mood"), Error, [](const Error& error) {
            return std::string(error.what()).find("the response is too long") != std::string::npos;
        });
    }
}

// Reports of a collection are not sent to another one, nor to another endpoint, before the person accepts it.
BOOST_AUTO_TEST_CASE(another_endpoint_waits_for_an_acceptance) {
    Behind test;
    const auto asks = [](const char* field) {
        return [field](const Error& error) {
            return error.code() == ErrorCode::changed && error.detail().find(field) != std::string::npos;
        };
    };
    test.portal.replies = {page(503)};
    BOOST_CHECK_THROW(test.client.flush(test.uploader), TransportFailure);
    BOOST_TEST(test.client.contract().endpoint.empty());  // nothing was delivered there
    test.portal.replies = {receipt(201)};
    BOOST_TEST(test.client.flush(test.uploader).reports == 3U);
    BOOST_TEST(test.client.contract().endpoint == test.portal.address());
    const std::size_t asked = test.portal.asked.size();
    test.client.report({1});
    HttpUploader other(test.link, "other");
    BOOST_CHECK_EXCEPTION(test.client.flush(other), Error,
                          asks("collection: before \"mood\", now \"other\""));
    Behind second;
    BOOST_CHECK_EXCEPTION(test.client.flush(second.uploader), Error, asks(second.portal.address().c_str()));
    BOOST_TEST(test.portal.asked.size() + second.portal.asked.size() == asked);
    test.client.accept(test.client.waiting()->contract.short_digest());
    second.portal.replies = {receipt(201)};
    BOOST_TEST(test.client.flush(second.uploader).reports == 1U);
    BOOST_TEST(test.client.contract().endpoint == second.portal.address());
}

// Bytes as they are, to one request.
template <class Write>
void answer_with(Write write, const std::function<void(HttpConnection&)>& ask) {
    net::io_context io;
    net::ip::tcp::acceptor acceptor(io, {net::ip::make_address("127.0.0.1"), 0});
    std::jthread serving([&] {
        net::ip::tcp::socket socket(io);
        acceptor.accept(socket);
        boost::beast::flat_buffer buffer;
        Request request;
        http::read(socket, buffer, request);
        write(socket);
    });
    HttpConnection link("http://127.0.0.1:" + std::to_string(acceptor.local_endpoint().port()),
                        RetryPolicy{0ms, 1ms, 1ms});
    ask(link);
}

BOOST_AUTO_TEST_CASE(interim_responses_are_not_final) {
    const std::string body = spec;
    const auto send = [](net::ip::tcp::socket& socket, const std::string& text) {
        boost::system::error_code error;
        net::write(socket, net::buffer(text), error);
    };
    const std::string final_reply =
        "HTTP/1.1 200 OK\r\nLdp-Receipt: " +
        delivery_receipt("GET", 200, "mood", {}, 0, sha256(std::as_bytes(std::span(body)))) +
        "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
    answer_with(
        [&](net::ip::tcp::socket& socket) {
            send(socket,
                 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + final_reply);
        },
        [](HttpConnection& link) {
            BOOST_CHECK(fetch_spec(link, "mood").fingerprint() == Spec::from_json(spec).fingerprint());
        });
    answer_with(
        [&](net::ip::tcp::socket& socket) {
            for (int i = 0; i < 1000; ++i) send(socket, "HTTP/1.1 103 Early Hints\r\n\r\n");
        },
        [](HttpConnection& link) { BOOST_CHECK_THROW((void)fetch_spec(link, "mood"), TransportFailure); });
}

BOOST_AUTO_TEST_CASE(a_chunk_extension_without_end_takes_no_memory) {
    std::size_t sent = 0;
    answer_with(
        [&](net::ip::tcp::socket& socket) {
            boost::system::error_code error;
            net::write(socket,
                       net::buffer(std::string("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4;")),
                       error);
            const std::string much(std::size_t{1} << 20, 'x');
            while (!error && sent < (std::size_t{64} << 20))
                sent += net::write(socket, net::buffer(much), error);
        },
        [](HttpConnection& link) { BOOST_CHECK_THROW((void)fetch_spec(link, "mood"), TransportFailure); });
    BOOST_TEST(sent < std::size_t{32} << 20);  // the limit and the buffers of the connection
}

BOOST_AUTO_TEST_SUITE_END()
