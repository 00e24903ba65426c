#include "cli/collect/server.hpp"

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <iostream>
#include <list>
#include <thread>

#include "cli/collect/depot.hpp"
#include "cli/collect/metrics.hpp"
#include "client/in_quotes.hpp"
#include "core/base/sha256.hpp"
#include "core/delivery/delivery_receipt.hpp"

namespace ldp::collect {

namespace {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
using beast::error_code;
using net::ip::tcp;

using Parser = http::request_parser<http::string_body>;
using Request = http::request<http::string_body>;
using Response = http::response<http::string_body>;

constexpr std::uint32_t largest_header = 8192;
constexpr const char* octets = "application/octet-stream";

auto into(error_code& error) {
    return net::redirect_error(net::use_awaitable, error);
}

/// What is wrong with a request that could not be read; nothing if the client went away.
std::optional<Answer> unreadable(error_code error) {
    if (error == http::error::body_limit)
        return problem(413, "the body is too large", "Send the reports in smaller batches.");
    if (error == http::error::header_limit) return problem(431, "the header is too large");
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        error.category() != http::make_error_code(http::error::bad_method).category())
        return {};
    return problem(400, Error(ErrorCode::malformed, "this is no request of HTTP/1.1", error.message()));
}

class Server {
  public:
    explicit Server(const Settings& settings)
        : settings_(settings),
          queue_(settings.queue),
          acceptor_(io_),
          signals_(io_, SIGTERM, SIGINT),
          depot_(queue_, settings.dsn, settings.only, observer()) {}

    void run() {
        listen();
        net::co_spawn(io_, accept(), net::detached);
        signals_.async_wait([this](error_code error, int) {
            if (!error) stop();
        });
        std::jthread storing([this] { depot_.run(); });
        io_.run();
    }

  private:
    struct Connection {
        explicit Connection(tcp::socket socket) : stream(std::move(socket)) {}
        beast::tcp_stream stream;
        beast::flat_buffer buffer;
    };
    using Connections = std::list<Connection*>;
    /// Has a connection among those that are read from, the longest waiting first.
    class Reading {
      public:
        Reading(Connections& all, Connection& one) : all_(all), at_(all.insert(all.end(), &one)) {}
        Reading(const Reading&) = delete;
        Reading& operator=(const Reading&) = delete;
        ~Reading() { all_.erase(at_); }

      private:
        Connections& all_;
        Connections::iterator at_;
    };

    /// What the depot tells, brought over into this thread.
    Depot::Observer observer() {
        return {[this](std::shared_ptr<const Catalog> catalog) {
                    net::post(io_, [this, catalog = std::move(catalog)] { catalog_ = catalog; });
                },
                [this](bool alive) { net::post(io_, [this, alive] { metrics_.database = alive; }); },
                [this](std::size_t batches, std::uint64_t reports, double seconds) {
                    net::post(io_, [=, this] { metrics_.stored(batches, reports, seconds); });
                },
                [this](const Error& error) { net::post(io_, [this, error] { complain(error); }); }};
    }

    void listen() {
        const std::string where = settings_.host + ":" + std::to_string(settings_.port);
        try {
            const tcp::endpoint at(net::ip::make_address(settings_.host), settings_.port);
            acceptor_.open(at.protocol());
            acceptor_.set_option(tcp::acceptor::reuse_address(true));
            acceptor_.bind(at);
            acceptor_.listen();
            std::cerr << "listening on http://" << acceptor_.local_endpoint() << std::endl;
        } catch (const boost::system::system_error& error) {
            raise(ErrorCode::environment, "cannot listen on " + where, error.code().message(),
                  "--listen takes an address of this machine and a port, such as 127.0.0.1:8417.");
        }
    }

    /// Takes no more in, and lets what came in whole be stored and answered.
    void stop() {
        stopping_ = true;
        signals_.clear();
        acceptor_.close();
        queue_.stop();
        for (Connection* one : reading_) one->stream.close();
    }

    /// The same complaint once a minute.
    void complain(const Error& error) {
        const std::string text = error.what() + (error.detail().empty() ? "" : ": " + error.detail());
        if (text == complained_ && Clock::now() - complained_at_ < std::chrono::minutes(1)) return;
        complained_ = text;
        complained_at_ = Clock::now();
        std::cerr << "error: " << in_quotes(text, 400) << std::endl;
    }

    net::awaitable<void> accept() {
        while (!stopping_) {
            error_code error;
            tcp::socket socket = co_await acceptor_.async_accept(into(error));
            if (stopping_) co_return;
            if (error) {  // of descriptors, say, there are none left
                net::steady_timer pause(io_, std::chrono::milliseconds(100));
                co_await pause.async_wait(into(error));
                continue;
            }
            if (metrics_.connections >= settings_.connections) {
                ++metrics_.crowded_out;
                if (reading_.empty()) continue;
                reading_.front()->stream.close();
            }
            socket.set_option(tcp::no_delay(true), error);
            ++metrics_.connections;
            net::co_spawn(io_, attend(std::make_shared<Connection>(std::move(socket))),
                          [this](const std::exception_ptr& thrown) {
                              --metrics_.connections;
                              if (thrown) complain_of(thrown);
                          });
        }
    }

    void complain_of(const std::exception_ptr& thrown) {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::exception& error) {
            complain(Error(ErrorCode::environment, "a connection failed", error.what()));
        }
    }

    /// One connection: a request after another.
    net::awaitable<void> attend(std::shared_ptr<Connection> connection) {
        beast::tcp_stream& stream = connection->stream;
        for (bool more = true; more;) {
            Parser parser;
            parser.header_limit(largest_header);
            parser.body_limit(settings_.largest);
            // One limit for all of a request, however it trickles.
            stream.expires_after(settings_.patience);
            error_code error;
            {
                const Reading reading(reading_, *connection);
                co_await http::async_read_header(stream, connection->buffer, parser, into(error));
                if (!error && beast::iequals(parser.get()[http::field::expect], "100-continue")) {
                    constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
                    co_await net::async_write(stream, net::buffer(go_on), into(error));
                }
                if (!error) co_await http::async_read(stream, connection->buffer, parser, into(error));
            }
            const auto came = Clock::now();
            Answer answer;
            if (error) {
                const auto why = unreadable(error);
                if (!why) co_return;
                answer = *why;
            } else {
                answer = co_await answer_to(parser.get());
            }
            metrics_.answered(answer.status, std::chrono::duration<double>(Clock::now() - came).count());
            more = !error && parser.keep_alive() && !stopping_;
            Response response = response_of(std::move(answer), parser.get(), more);
            stream.expires_after(settings_.patience);
            co_await http::async_write(stream, response, into(error));
            if (error) co_return;
        }
        co_await leave(*connection);
    }

    /// Closes a connection so that the client can read the answer, even if it has not stopped sending.
    net::awaitable<void> leave(Connection& connection) {
        error_code error;
        connection.stream.socket().shutdown(tcp::socket::shutdown_send, error);
        connection.stream.expires_after(std::chrono::seconds(1));
        std::array<char, 4096> rest;
        for (std::size_t read = 0; !error && !stopping_ && read < settings_.largest;)
            read += co_await connection.stream.async_read_some(net::buffer(rest), into(error));
    }

    Response response_of(Answer answer, const Request& request, bool more) const {
        Response response(static_cast<http::status>(answer.status), 11);
        response.keep_alive(more);
        for (const auto& [name, value] : answer.fields) response.set(name, value);
        if (!settings_.allow_origin.empty()) {
            response.set(http::field::access_control_allow_origin, settings_.allow_origin);
            response.set(http::field::access_control_expose_headers, "ETag, Ldp-Receipt, Retry-After");
        }
        if (!answer.type.empty()) {
            response.set(http::field::content_type, answer.type);
            response.set("X-Content-Type-Options", "nosniff");
        }
        const std::size_t size = answer.body.size();
        if (request.method() != http::verb::head) response.body() = std::move(answer.body);
        if (answer.status != 204 && answer.status != 304) response.content_length(size);
        return response;
    }

    net::awaitable<Answer> answer_to(Request& request) {
        const auto target = parse_target({request.target().data(), request.target().size()});
        if (!target)
            co_return problem(404, "there is nothing at this address",
                              "There are /collections/NAME/spec and /collections/NAME/batches/UUID.");
        const bool posts = target->of == Target::Of::batch;
        const char* const methods = posts ? "POST, DELETE" : "GET, HEAD";
        const http::verb method = request.method();
        if (method == http::verb::options && !settings_.allow_origin.empty()) {
            Answer allowed{204};
            allowed.fields = {{"Access-Control-Allow-Methods", methods},
                              {"Access-Control-Allow-Headers", "content-type, if-none-match"},
                              {"Access-Control-Max-Age", "86400"}};
            co_return allowed;
        }
        const bool fits = posts ? method == http::verb::post || method == http::verb::delete_
                                : method == http::verb::get || method == http::verb::head;
        if (!fits) {
            Answer refused = problem(405, "this method is not for this address");
            refused.fields.emplace_back("Allow", methods);
            co_return refused;
        }
        if (target->of == Target::Of::metrics)
            co_return Answer{200, "text/plain; version=0.0.4", metrics_.text(queue_.size()), {}};
        if (target->of == Target::Of::health) {
            if (!metrics_.database) co_return later(503, 2, "the database does not answer");
            co_return Answer{200, "text/plain", "ok\n", {}};
        }
        const auto found = catalog_->find(target->collection);
        if (found == catalog_->end())
            co_return problem(
                404, "there is no such collection",
                "It may be new: collections are looked up every few seconds. The endpoint offers "
                "those that its role may submit to.");
        if (!posts) co_return spec(*found->second, request);
        co_return co_await submit(found->second, *target, request);
    }

    static Answer spec(const Offered& offered, const Request& request) {
        const std::string tag = "\"" + offered.fingerprint + "\"";
        const auto known = request[http::field::if_none_match];
        Answer answer{200, "application/json", offered.spec, {}};
        if (known.find(tag) != beast::string_view::npos || known == "*") answer = {304};
        answer.fields = {
            {"ETag", tag}, {"Last-Modified", offered.created}, {"Cache-Control", "public, max-age=300"}};
        if (answer.status == 200)
            answer.fields.emplace_back(receipt_field,
                                       delivery_receipt("GET", 200, offered.name, {}, 0,
                                                        sha256(std::as_bytes(std::span(offered.spec)))));
        return answer;
    }

    net::awaitable<Answer> submit(std::shared_ptr<const Offered> to, const Target& target, Request& request) {
        // With the receipt of what settles a batch: it names the request, whose body the queue takes.
        const bool deletes = request.method() == http::verb::delete_;
        const auto receipt = [collection = to->name, deletes, id = uuid_text(target.batch),
                              round = deletes ? 0 : target.round,
                              content = sha256(deletes ? Bytes() : std::as_bytes(std::span(request.body())))](
                                 unsigned status) {
            return delivery_receipt(deletes ? "DELETE" : "POST", status, collection, id, round, content);
        };
        std::optional<Submission> one;
        if (deletes) {
            one = void_submission(std::move(to), target.batch);
        } else {
            if (!beast::iequals(request[http::field::content_type], octets))
                co_return problem(415, "a batch is of the type application/octet-stream");
            try {
                one = submission(std::move(to), target.batch, target.round, std::move(request.body()));
            } catch (const Error& error) {
                if (error.code() != ErrorCode::incompatible) co_return problem(400, error);
                co_return problem(422, Error(error.code(), "the batch is of another spec than the collection",
                                             error.detail(), "Fetch the collection's spec again."));
            }
        }
        // Whoever waits sleeps until the queue tells the end.
        struct Ticket {
            explicit Ticket(net::io_context& io) : bell(io, Clock::time_point::max()) {}
            net::steady_timer bell;
            Answer answer;
        };
        const auto ticket = std::make_shared<Ticket>(io_);
        queue_.add(std::move(*one), [this, ticket](const Answer& answer) {
            net::post(io_, [ticket, answer] {
                ticket->answer = answer;
                ticket->bell.cancel();
            });
        });
        error_code rung;
        co_await ticket->bell.async_wait(into(rung));
        const unsigned status = ticket->answer.status;
        if (status / 100 == 2 || status == 409)
            ticket->answer.fields.emplace_back(receipt_field, receipt(status));
        co_return std::move(ticket->answer);
    }

    const Settings& settings_;
    net::io_context io_{1};
    Queue queue_;
    tcp::acceptor acceptor_;
    net::signal_set signals_;
    std::shared_ptr<const Catalog> catalog_ = std::make_shared<const Catalog>();
    Metrics metrics_;
    Connections reading_;
    bool stopping_ = false;
    std::string complained_;
    Clock::time_point complained_at_;
    Depot depot_;
};

}  // namespace

void serve(const Settings& settings) {
    Server(settings).run();
}

}  // namespace ldp::collect
