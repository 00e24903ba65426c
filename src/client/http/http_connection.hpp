// Connections to an endpoint (ldp collect) over HTTP/1.1. Header-only, so that libldp itself does not depend
// on Boost.Beast. For TLS, use a local proxy, or pass a sender over another library (HttpConnection::Send).
#pragma once

// Before Boost.Asio, which in version 1.74 uses std::exchange without it.
#include <utility>
//
#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>
#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "client/batch_transport.hpp"
#include "client/http/endpoint_error.hpp"
#include "core/base/error.hpp"
#include "core/base/random.hpp"
#include "core/delivery/delivery_receipt.hpp"

namespace ldp {

/// A connection that is opened at the first request and reopened after a failure. It retries temporary
/// failures: an endpoint that restarts, is busy, or has lost its database. For one thread at a time.
class HttpConnection {
  public:
    /// GET, POST and so on.
    using Method = boost::beast::http::verb;
    /// A response of the endpoint.
    struct Reply {
        unsigned status;            ///< HTTP status
        std::string body;           ///< content
        std::string last_modified;  ///< the header Last-Modified, or empty
        std::string receipt;        ///< the header Ldp-Receipt (delivery_receipt.hpp), or empty
        std::string history;        ///< the header Ldp-History, or empty
    };
    /// The media type of a batch.
    static constexpr const char* octets = "application/octet-stream";
    /// Judges a reply. Returns nothing if it is final, else the failure, which states whether to repeat the
    /// request.
    using Judge = std::function<std::optional<TransportFailure>(const Reply&)>;

    /// A request for the sender of an application.
    struct SentRequest {
        std::string method;                                        ///< GET, POST or DELETE
        std::string url;                                           ///< with the address of the endpoint
        std::vector<std::pair<std::string, std::string>> headers;  ///< the media type of the body
        std::string body;                                          ///< empty except for POST
    };
    /// The response that the sender received.
    struct ReceivedResponse {
        unsigned status;                                           ///< HTTP status
        std::vector<std::pair<std::string, std::string>> headers;  ///< names in upper or lower case
        std::string body;                                          ///< content
    };
    /// Sends one request and returns its response, whatever the status is. It follows no redirects, does not repeat the request
    /// and adds no identifying header fields. It throws any exception derived from std::exception if there is no complete
    /// response.
    using Send = std::function<ReceivedResponse(const SentRequest&)>;

    /// Sends all requests with this function, for example through a relay, an anonymizing network or another HTTP library. The
    /// address may begin with https://. The connection checks the receipt and the size of responses, and repeats failed requests.
    HttpConnection(const std::string& address, Send send, const RetryPolicy& retry_policy = {})
        : address_(normal_address(address)),
          retry_policy_(retry_policy),
          timeout_(0),
          send_(std::move(send)),
          url_(address) {
        while (url_.ends_with('/')) url_.pop_back();
    }

    /// Connects to the endpoint at http://HOST[:PORT][/PATH] at the first request. The scheme may be missing if
    /// the host is this machine (localhost, 127.0.0.1, [::1]). A response may take
    /// `timeout`, which must exceed the time that the endpoint holds batches. Throws Error (invalid_value)
    /// for another form of address.
    explicit HttpConnection(const std::string& address, const RetryPolicy& retry_policy = {},
                            std::chrono::seconds timeout = std::chrono::seconds(100))
        : retry_policy_(retry_policy), timeout_(timeout) {
        // A scheme may be in upper or lower case (RFC 3986, 3.1).
        constexpr std::string_view scheme = "http://";
        std::string_view rest = address;
        const auto same = [](char a, char b) {
            return a == b || (b >= 'a' && b <= 'z' && a == b - 'a' + 'A');
        };
        const bool begins = std::ranges::equal(rest.substr(0, scheme.size()), scheme, same);
        if (begins) rest.remove_prefix(scheme.size());
        const std::string_view authority = rest.substr(0, rest.find('/'));
        address_ = normal_address(address);
        prefix_ = rest.substr(authority.size());
        while (prefix_.ends_with('/')) prefix_.pop_back();
        // A colon inside the brackets of an IPv6 address does not precede a port.
        const std::size_t colon = authority.find(':', authority.rfind(']') + 1);
        host_ = authority.substr(0, colon);
        if (colon != std::string_view::npos) port_ = authority.substr(colon + 1);
        const bool known = begins || host_ == "localhost" || host_ == "127.0.0.1" || host_ == "[::1]";
        const bool sound = known && !host_.empty() && !port_.empty() &&
                           address.find_first_of(" \t\r\n?#@") == std::string::npos;
        if (!sound)
            raise(ErrorCode::invalid_value, "invalid address of an endpoint",
                  "The address is " + address + ".",
                  "Use an address such as http://127.0.0.1:8417. For https, use a local proxy.");
    }

    /// Returns the endpoint's address in its normal form.
    [[nodiscard]] const std::string& address() const noexcept { return address_; }

    /// A listener that is called before each pause with its cause and length.
    using Waiting = std::function<void(const Error&, std::chrono::milliseconds)>;
    /// Sets the listener; by default there is no listener.
    void on_waiting(Waiting waiting) { waiting_ = std::move(waiting); }

    /// Sends a request that is safe to repeat, until a reply is final or the retry policy ends. `doing` names
    /// the purpose in errors. `path` is appended to the endpoint's path. Redirects are not followed. Throws
    /// TransportFailure.
    Reply request(std::string_view doing, Method method, const std::string& path, const Judge& judge,
                  std::string body = {}, const char* type = octets) {
        using std::chrono::milliseconds;
        using std::chrono::steady_clock;
        namespace http = boost::beast::http;
        http::request<http::string_body> message(method, prefix_ + path, 11);
        message.set(http::field::host, port_ == default_port ? host_ : host_ + ":" + port_);
        if (method == Method::post) {
            message.set(http::field::content_type, type);
            message.body() = std::move(body);
        }
        message.prepare_payload();
        SentRequest sent;
        if (send_) {
            sent = {std::string(boost::beast::http::to_string(method)), url_ + path, {}, message.body()};
            if (method == Method::post) sent.headers.emplace_back("Content-Type", type);
        }

        SystemRandom bits;
        std::optional<Backoff> backoff;
        steady_clock::time_point first_failure;
        for (;;) {
            milliseconds asked{0};
            const auto taken = [&](Reply reply, std::string_view seconds) {
                reply_ = std::move(reply);
                std::int64_t number = 0;
                std::from_chars(seconds.data(), seconds.data() + seconds.size(), number);
                asked = std::chrono::seconds(std::clamp<std::int64_t>(number, 0, 3600));
                return judge(reply_);
            };
            const auto failure = [&]() -> std::optional<TransportFailure> {
                if (send_) {
                    std::optional<ReceivedResponse> received;
                    try {
                        received = send_(sent);
                    } catch (const std::exception& lost) {
                        return unanswered(doing, lost.what());
                    }
                    if (received->body.size() > most_body) return too_long(doing);
                    const auto field = [&](std::string_view name) {
                        const auto found = std::ranges::find_if(received->headers, [&](const auto& one) {
                            return boost::beast::iequals(one.first, {name.data(), name.size()});
                        });
                        return found == received->headers.end() ? std::string() : found->second;
                    };
                    return taken({received->status, std::move(received->body), field("Last-Modified"),
                                  field(receipt_field), field(history_field)},
                                 field("Retry-After"));
                }
                try {
                    const auto response = exchanged(message);
                    return taken({response.result_int(), response.body(),
                                  std::string(response[http::field::last_modified]),
                                  std::string(response[receipt_field]), std::string(response[history_field])},
                                 std::string(response[http::field::retry_after]));
                } catch (const boost::system::system_error& broken) {
                    stream_.reset();
                    return broken.code() == http::error::body_limit
                               ? too_long(doing)
                               : unanswered(doing, broken.code().message());
                }
            }();
            if (!failure) return std::move(reply_);
            if (!failure->passing()) throw TransportFailure(*failure);
            if (!backoff) {
                first_failure = steady_clock::now();
                backoff.emplace(retry_policy_, bits);
            }
            const auto elapsed =
                std::chrono::duration_cast<milliseconds>(steady_clock::now() - first_failure);
            const auto pause = backoff->next(elapsed);
            if (!pause) throw TransportFailure(*failure);
            const milliseconds longer = std::min(std::max(*pause, asked), retry_policy_.limit - elapsed);
            if (waiting_) waiting_(*failure, longer);
            std::this_thread::sleep_for(longer);
        }
    }

  private:
    using Response = boost::beast::http::response<boost::beast::http::string_body>;
    using Stream = boost::beast::tcp_stream;

    static TransportFailure too_long(std::string_view doing) {
        return {{ErrorCode::environment, std::string(doing) + ": the response is too long",
                 "At most " + std::to_string(most_body) + " bytes are read.",
                 "Check the address of the endpoint."},
                false};
    }
    static TransportFailure unanswered(std::string_view doing, const std::string& why) {
        return {{ErrorCode::environment, std::string(doing) + ": there is no connection to the endpoint", why,
                 "Check the address, and check that the endpoint runs."},
                true};
    }

    /// Starts an asynchronous operation and waits for its handler. Boost.Beast enforces time limits for
    /// asynchronous operations only.
    template <class Start>
    void finish(Start start) {
        boost::beast::error_code ended;
        stream_->expires_after(timeout_);
        start([&](boost::beast::error_code error, const auto&...) { ended = error; });
        io_.restart();
        io_.run();
        if (ended) throw boost::system::system_error(ended);
    }

    Response exchanged(const boost::beast::http::request<boost::beast::http::string_body>& message) {
        namespace http = boost::beast::http;
        if (stream_) {
            // The endpoint may have closed an idle connection, which only a request can detect.
            try {
                return exchanged_now(message);
            } catch (const boost::system::system_error&) {
                stream_.reset();
            }
        }
        connect();
        return exchanged_now(message);
    }

    void connect() {
        const bool bracketed = host_.starts_with('[') && host_.ends_with(']');
        boost::asio::ip::tcp::resolver resolver(io_);
        const auto found = resolver.resolve(bracketed ? host_.substr(1, host_.size() - 2) : host_, port_);
        stream_.emplace(io_);
        finish([&](auto handler) { stream_->async_connect(found, handler); });
        stream_->socket().set_option(boost::asio::ip::tcp::no_delay(true));
        buffer_.clear();
    }

    Response exchanged_now(const boost::beast::http::request<boost::beast::http::string_body>& message) {
        namespace http = boost::beast::http;
        finish([&](auto handler) { http::async_write(*stream_, message, handler); });
        for (int interim = 0; interim < most_interim; ++interim) {
            http::response_parser<http::string_body> parser;
            parser.body_limit(most_body);
            // Reads the header separately: Boost 1.74 applies no limit to a body whose first bytes arrive with the header.
            finish([&](auto handler) { http::async_read_header(*stream_, buffer_, parser, handler); });
            // 100 Continue, 103 Early Hints and others precede the response.
            if (parser.get().result_int() / 100 == 1) continue;
            finish([&](auto handler) { http::async_read(*stream_, buffer_, parser, handler); });
            if (!parser.keep_alive()) stream_.reset();
            return parser.release();
        }
        throw boost::system::system_error(http::make_error_code(http::error::bad_status));
    }

    static constexpr const char* default_port = "80";
    /// Maximum bytes that are received and not parsed: a header line, or the line before a chunk.
    static constexpr std::size_t most_unparsed = 65536;
    /// Maximum size of a response: the maximum size of a spec.
    static constexpr std::uint64_t most_body = std::uint64_t{1} << 20;
    /// Maximum number of interim responses (1xx), plus one.
    static constexpr int most_interim = 16;
    std::string address_, host_, port_ = default_port, prefix_;
    RetryPolicy retry_policy_;
    std::chrono::seconds timeout_;
    Send send_;        ///< of the application; empty by default
    std::string url_;  ///< address with which the URLs of its requests begin
    Waiting waiting_;
    boost::asio::io_context io_{1};
    std::optional<Stream> stream_;
    boost::beast::flat_buffer buffer_{most_unparsed};
    Reply reply_;
};

}  // namespace ldp
