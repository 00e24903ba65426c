// Length: one class, whose coroutines share its state.

#include "cli/collect/http_server.hpp"

#include <sys/socket.h>

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <iostream>
#include <list>
#include <mutex>
#include <thread>

#include "cli/collect/framing.hpp"
#include "cli/collect/metrics.hpp"
#include "cli/collect/report_writer.hpp"
#include "cli/collect/resources.hpp"
#include "cli/collect/service.hpp"
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
using Response = http::response<http::string_body>;

constexpr std::uint32_t largest_header = 8192;
/// Maximum bytes of input that is not parsed yet: a header or a part of a body.
constexpr std::size_t largest_buffer = 65536;
/// Time from SIGTERM until the endpoint gives up transactions that have not ended.
constexpr auto last_wait = std::chrono::seconds(10);
/// Maximum time without a successful query of the collections, which runs every two seconds.
constexpr auto longest_silence = std::chrono::seconds(10);
constexpr const char* octets = "application/octet-stream";
constexpr const char* wrong_type =
    "the content type of a batch must be application/octet-stream, or application/vnd.ldp.batch with public "
    "columns";

auto into(error_code& error) {
    return net::redirect_error(net::use_awaitable, error);
}

class Server {
  public:
    explicit Server(const Settings& settings)
        : settings_(settings),
          queue_(settings.queue),
          acceptor_(io_),
          signals_(io_, SIGTERM, SIGINT),
          sweep_(io_),
          overdue_(io_),
          ending_(io_),
          writer_(queue_, settings.dsn, settings.only, settings.writer, observer()) {}

    void run() {
        listen();
        net::co_spawn(io_, accept(), net::detached);
        net::co_spawn(io_, sweep_now_and_then(), net::detached);
        net::co_spawn(io_, close_overdue(), net::detached);
        signals_.async_wait([this](error_code error, int) {
            if (!error) stop();
        });
        std::exception_ptr writer_failure, failure;
        std::jthread storing([&] {
            try {
                writer_.run();
                net::post(io_, [this] { ending_.cancel(); });
            } catch (...) {
                writer_failure = std::current_exception();
                io_.stop();
            }
        });
        tell_service("READY=1");
        try {
            io_.run();
        } catch (...) {  // a handler had no memory
            failure = std::current_exception();
        }
        // The thread must end before the members that it uses. After a failure nobody answers its batches:
        // their clients send them again.
        if (failure || !stopping_) {
            queue_.abandon();
            writer_.abandon();
        }
        storing.join();
        if (failure) std::rethrow_exception(failure);
        if (writer_failure) std::rethrow_exception(writer_failure);
    }

  private:
    /// Counts a connection, in total and for its address, during the object's lifetime.
    class CountedConnection {
      public:
        CountedConnection(Server& server, const net::ip::address& address)
            : server_(server), address_(address) {
            ++server_.peers_[address_];
            ++server_.metrics_.connections;
        }
        CountedConnection(const CountedConnection&) = delete;
        CountedConnection& operator=(const CountedConnection&) = delete;
        ~CountedConnection() {
            --server_.metrics_.connections;
            const auto found = server_.peers_.find(address_);
            if (--found->second == 0) server_.peers_.erase(found);
        }

      private:
        Server& server_;
        net::ip::address address_;
    };
    struct Connection {
        Connection(tcp::socket socket, Server& server, const net::ip::address& address)
            : counted(server, address), stream(std::move(socket)) {}
        CountedConnection counted;
        beast::tcp_stream stream;
        beast::flat_buffer buffer{largest_buffer};
        Clock::time_point deadline = Clock::time_point::max();  ///< of the request that is being read
    };
    /// A client that waits for the outcome of a batch. Its coroutine sleeps until the outcome is known or the
    /// client has closed the connection.
    struct Ticket {
        Ticket(net::io_context& io, Connection& from)
            : timer(io, Clock::time_point::max()), connection(from) {}
        net::steady_timer timer;
        Connection& connection;
        std::optional<HttpResponse> answer;
        std::shared_ptr<std::atomic<bool>> gone = std::make_shared<std::atomic<bool>>(false);
    };
    using Tickets = std::list<std::shared_ptr<Ticket>>;
    using Connections = std::list<Connection*>;
    /// The outcome of a batch, for its ticket.
    struct Outcome {
        std::shared_ptr<Ticket> ticket;
        HttpResponse answer;
    };
    /// Lists a connection, during the object's lifetime, among those that are read from; the oldest first.
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

    /// Lists a ticket during the object's lifetime.
    class Waiting {
      public:
        Waiting(Tickets& all, const std::shared_ptr<Ticket>& one) : all_(all), one_(one) {
            all.push_back(one);
        }
        Waiting(const Waiting&) = delete;
        Waiting& operator=(const Waiting&) = delete;
        ~Waiting() { all_.remove(one_); }

      private:
        Tickets& all_;
        std::shared_ptr<Ticket> one_;
    };
    /// Returns an observer that posts the events of the report writer to this thread.
    ReportWriter::Observer observer() {
        return {[this](std::shared_ptr<const Catalog> catalog) {
                    net::post(io_, [this, catalog = std::move(catalog)] { catalog_ = catalog; });
                },
                [this](Clock::time_point asked, bool answered) {
                    net::post(io_, [this, asked, answered] {
                        alive_ = answered;
                        if (answered) {
                            looked_at_ = asked;
                            for (const auto& ticket : asking_) ticket->timer.cancel();
                            heard_at_ = Clock::now();
                        }
                    });
                },
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
                  "--listen requires an address of this machine and a port, such as 127.0.0.1:8417.");
        }
    }

    /// Stops accepting requests. Requests that were received completely are still stored and answered.
    void stop() {
        stopping_ = true;
        signals_.clear();
        acceptor_.close();
        sweep_.cancel();
        overdue_.cancel();
        queue_.stop();
        ending_.expires_after(last_wait);
        ending_.async_wait([this](error_code error) {
            if (!error) writer_.abandon();
        });
        for (Connection* one : reading_) one->stream.close();
    }

    /// Prints an error; the same error at most once a minute.
    void complain(const Error& error) {
        const std::string text = error.what() + (error.detail().empty() ? "" : ": " + error.detail());
        if (text == complained_ && Clock::now() - complained_at_ < std::chrono::minutes(1)) return;
        complained_ = text;
        complained_at_ = Clock::now();
        std::cerr << "error: " << in_quotes(text, 400) << std::endl;
    }

    /// Accepts connections. If one cannot be attended, it is closed: an exception must not end the loop.
    net::awaitable<void> accept() {
        while (!stopping_) {
            error_code error;
            tcp::socket socket = co_await acceptor_.async_accept(into(error));
            if (stopping_) co_return;
            if (!error) {
                try {
                    attend_to(std::move(socket));
                    continue;
                } catch (...) {
                    complain_of(std::current_exception());
                }
            }
            // For example, no file descriptor or no memory is left.
            net::steady_timer pause(io_, std::chrono::milliseconds(100));
            co_await pause.async_wait(into(error));
        }
    }

    void attend_to(tcp::socket socket) {
        error_code error;
        const auto address = counted_as(socket.remote_endpoint(error).address());
        if (error) return;  // the client has closed the connection
        const auto peer = peers_.find(address);
        if (settings_.per_address > 0 && peer != peers_.end() && peer->second >= settings_.per_address) {
            ++metrics_.refused;
            return;
        }
        if (metrics_.connections >= settings_.connections) {
            ++metrics_.crowded_out;
            if (!make_room()) return;
        }
        socket.set_option(tcp::no_delay(true), error);
        net::co_spawn(io_, attend(std::make_shared<Connection>(std::move(socket), *this, address)),
                      [this](const std::exception_ptr& thrown) {
                          if (thrown) complain_of(thrown);
                      });
    }

    /// Closes one connection to make room for another. The order of preference is: connections of clients
    /// that are gone; a request for a round that may not be open; the oldest incomplete request; a batch that
    /// waits for others (Queue::crowd_out). The connection ends as soon as its coroutine runs.
    [[nodiscard]] bool make_room() {
        if (metrics_.connections >= settings_.connections + settings_.connections / 8 + 8) return false;
        if (sweep()) return true;
        if (!asking_.empty()) {
            Ticket& longest = *asking_.front();
            longest.answer = later(503, 2, "too many requests for rounds that may not be open");
            longest.answer->close = true;
            longest.timer.cancel();
            asking_.pop_front();
            return true;
        }
        if (!reading_.empty()) {
            reading_.front()->stream.close();
            return true;
        }
        return queue_.crowd_out();
    }

    /// Finds waiting clients that have closed their connections, and returns whether there are any. A batch
    /// that waits for others is dropped if all its clients are gone. A client that has closed its sending
    /// side counts as gone.
    bool sweep() {
        std::vector<pollfd> polled;
        for (const auto& ticket : waiting_) {
            polled.push_back({ticket->connection.stream.socket().native_handle(), closing_events, 0});
        }
        if (polled.empty() || ::poll(polled.data(), static_cast<nfds_t>(polled.size()), 0) <= 0) return false;
        bool some = false;
        std::size_t i = 0;
        for (const auto& ticket : waiting_) {
            const pollfd& one = polled[i++];
            if (ticket->answer || !is_closed(one)) continue;
            some = true;
            if (ticket->gone->exchange(true)) continue;  // its coroutine is about to end
            ticket->timer.cancel();
        }
        if (some) queue_.drop_gone();
        return some;
    }

    net::awaitable<void> sweep_now_and_then() {
        while (!stopping_) {
            error_code error;
            sweep_.expires_after(std::chrono::seconds(1));
            co_await sweep_.async_wait(into(error));
            tell_service("WATCHDOG=1");
            try {
                (void)sweep();
            } catch (const std::bad_alloc&) {  // the next second may have memory
            }
        }
    }

    /// Closes connections whose request is incomplete at its deadline. All requests have the same time, so the deadlines
    /// ascend in the list, and one timer serves all connections.
    net::awaitable<void> close_overdue() {
        while (!stopping_) {
            const auto now = Clock::now();
            auto next = now + settings_.timeout;
            for (Connection* one : reading_) {
                if (one->deadline > now) next = std::min(next, one->deadline);
                if (one->deadline > now && one->deadline != Clock::time_point::max()) break;
                if (one->deadline <= now) one->stream.close();
            }
            error_code error;
            overdue_.expires_at(next);
            co_await overdue_.async_wait(into(error));
        }
    }

    /// Delivers an outcome to its ticket. Called from any thread. The outcomes of a transaction wake this thread once.
    void note(std::shared_ptr<Ticket> ticket, const HttpResponse& answer) {
        const std::lock_guard lock(outcomes_mutex_);
        outcomes_.push_back({std::move(ticket), answer});
        if (outcomes_.size() > 1) return;
        net::post(io_, [this] {
            std::vector<Outcome> all;
            {
                const std::lock_guard taking(outcomes_mutex_);
                all.swap(outcomes_);
            }
            for (Outcome& one : all) {
                one.ticket->answer = std::move(one.answer);
                one.ticket->timer.cancel();
            }
        });
    }

    /// Returns whether the last query of the database succeeded and is recent.
    [[nodiscard]] bool answering() const { return alive_ && Clock::now() - heard_at_ <= longest_silence; }

    void complain_of(const std::exception_ptr& thrown) noexcept {
        try {
            std::rethrow_exception(thrown);
        } catch (const std::bad_alloc&) {  // a complaint takes memory
        } catch (const std::exception& error) {
            try {
                complain(Error(ErrorCode::environment, "a connection failed", error.what()));
            } catch (const std::bad_alloc&) {
            }
        }
    }

    /// Serves the requests of one connection.
    net::awaitable<void> attend(std::shared_ptr<Connection> connection) {
        beast::tcp_stream& stream = connection->stream;
        for (bool more = true; more;) {
            Parser parser;
            parser.header_limit(largest_header);
            parser.body_limit(settings_.largest);
            error_code error;
            std::optional<HttpResponse> answer;
            {
                // One timeout for the whole request, so that slow senders cannot extend it.
                connection->deadline = Clock::now() + settings_.timeout;
                const Reading reading(reading_, *connection);
                answer = co_await read(*connection, parser, error);
                connection->deadline = Clock::time_point::max();
            }
            const auto came = Clock::now();
            if (error) {
                answer = unreadable(error);
                if (!answer) co_return;
                sign_unread(*answer, parser);
            }
            more = !answer && parser.keep_alive() && !stopping_;
            if (!answer) answer = co_await answer_to(*connection, parser.get());
            if (!answer) co_return;
            metrics_.answered(answer->status, std::chrono::duration<double>(Clock::now() - came).count());
            more = more && !answer->close && !stopping_;
            error = {};
            const std::string response = flat(response_of(std::move(*answer), parser.get(), more), error);
            if (error) co_return;
            // Nearly always, the socket takes the response at once.
            const auto sent = ::send(stream.socket().native_handle(), response.data(), response.size(),
                                     MSG_DONTWAIT | MSG_NOSIGNAL);
            const auto rest = net::buffer(response) + static_cast<std::size_t>(std::max<ssize_t>(sent, 0));
            if (rest.size() > 0) {
                stream.expires_after(settings_.timeout);
                co_await net::async_write(stream, rest, into(error));
            }
            if (error) co_return;
            if (more && connection->buffer.size() > 0) co_await received(*connection);
        }
        co_await leave(*connection);
    }

    /// Reads a whole header into the buffer, and returns its size.
    static net::awaitable<std::size_t> read_header(Connection& connection, error_code& error) {
        constexpr std::string_view end = "\r\n\r\n";
        for (;;) {
            const auto arrived = connection.buffer.data();
            const std::size_t found =
                std::string_view(static_cast<const char*>(arrived.data()), arrived.size()).find(end);
            if (found != std::string_view::npos) co_return found + end.size();
            if (arrived.size() > largest_header) {
                error = http::error::header_limit;
                co_return 0;
            }
            const auto room = connection.buffer.prepare(largest_header);
            const std::size_t read = co_await connection.stream.socket().async_read_some(room, into(error));
            if (error) co_return 0;
            connection.buffer.commit(read);
        }
    }

    /// Parses what has arrived, up to the end of the header or of the request.
    static void parse_arrived(Connection& connection, Parser& parser, bool whole, error_code& error) {
        parser.eager(whole);
        while (!error && connection.buffer.size() > 0 &&
               !(whole ? parser.is_done() : parser.is_header_done()))
            connection.buffer.consume(parser.put(connection.buffer.data(), error));
        if (error == http::error::need_more) error = {};
    }

    /// Reads a request. Returns a response if the request is readable but rejected.
    net::awaitable<std::optional<HttpResponse>> read(Connection& connection, Parser& parser,
                                                     error_code& error) {
        beast::tcp_stream& stream = connection.stream;
        auto no_extensions = [](std::uint64_t, auto extensions, error_code& wrong) {
            if (!extensions.empty()) wrong = http::error::bad_chunk_extension;
        };
        parser.on_chunk_header(no_extensions);
        const std::size_t size = co_await read_header(connection, error);
        if (error) co_return std::nullopt;
        // As it arrived: the parser joins folded lines.
        const auto arrived = connection.buffer.data();
        const bool folded = has_folded_line({static_cast<const char*>(arrived.data()), size});
        parse_arrived(connection, parser, false, error);
        if (error) co_return std::nullopt;
        if (folded) co_return problem(400, Error(ErrorCode::malformed, "a header field must not be folded"));
        if (auto why = ill_framed(parser.get())) co_return why;
        if (!has_room(parser)) co_return later(503, 1, "the endpoint has no memory for the body");
        stream.expires_at(connection.deadline);
        if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
            constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            co_await net::async_write(stream, net::buffer(go_on), into(error));
        }
        const auto fields = std::distance(parser.get().begin(), parser.get().end());
        if (!error) parse_arrived(connection, parser, true, error);
        if (!error && !parser.is_done())
            co_await http::async_read(stream, connection.buffer, parser, into(error));
        if (error) co_return std::nullopt;
        if (std::distance(parser.get().begin(), parser.get().end()) != fields)
            co_return problem(400, Error(ErrorCode::malformed, "a request must have no trailers"));
        if (parser.chunked()) parser.get().body().shrink_to_fit();
        co_return std::nullopt;
    }

    /// Adds the receipt to a response that settles a batch or refuses it (delivery_receipt.hpp).
    static void add_receipt(HttpResponse& answer, const Target& target, bool deletes,
                            const std::array<std::byte, 32>& content) {
        const unsigned status = answer.status;
        if (status / 100 != 2 && status != 400 && status != 409 && status != 413 && status != 422) return;
        answer.fields.emplace_back(
            receipt_field, delivery_receipt(deletes ? "DELETE" : "POST", status, target.collection,
                                            target.of == Target::Of::batch ? uuid_text(target.batch) : "",
                                            deletes ? 0 : target.round, content));
    }
    /// The same of a batch that is too large to be read: its receipt has no content.
    static void sign_unread(HttpResponse& answer, const Parser& parser) {
        if (answer.status != 413) return;
        const Request& request = parser.get();
        const auto target = parse_target({request.target().data(), request.target().size()});
        if (target && target->of == Target::Of::batch && request.method() == http::verb::post)
            add_receipt(answer, *target, false, sha256({}));
    }

    /// Reserves the memory of a body before it is read, where an exception has an answer. A body of unknown size
    /// would grow by doubling.
    [[nodiscard]] bool has_room(Parser& parser) const noexcept {
        const auto length = parser.content_length();
        if (length && *length > settings_.largest) return true;  // refused without being read
        try {
            parser.get().body().reserve(parser.chunked() ? settings_.largest
                                                         : static_cast<std::size_t>(length.value_or(0)));
            return true;
        } catch (const std::bad_alloc&) {
            return false;
        }
    }

    /// Waits until the client's system has received the response, before the next request is read that the
    /// client sent without waiting. A client that sends and does not read is served once in a millisecond.
    net::awaitable<void> received(Connection& connection) {
        const Reading idle(reading_, connection);
        const auto until = Clock::now() + settings_.timeout;
        net::steady_timer pause(io_);
        for (bool waiting = true; waiting && !stopping_;) {
            error_code error;
            pause.expires_after(std::chrono::milliseconds(1));
            co_await pause.async_wait(into(error));
            waiting = has_unsent(connection.stream.socket().native_handle()) && Clock::now() < until;
        }
    }

    /// Closes a connection in a way that lets the client read the response, even if it is still sending.
    net::awaitable<void> leave(Connection& connection) {
        error_code error;
        connection.stream.socket().shutdown(tcp::socket::shutdown_send, error);
        connection.stream.expires_after(std::chrono::seconds(1));
        std::array<char, 4096> rest;
        for (std::size_t read = 0; !error && !stopping_ && read < settings_.largest;)
            read += co_await connection.stream.async_read_some(net::buffer(rest), into(error));
    }

    const std::string* allowed_origin(const Request& request) const {
        const std::string origin(request[http::field::origin]);
        return settings_.allowed_origin(origin);
    }

    /// The bytes of a response.
    static std::string flat(const Response& response, error_code& error) {
        http::response_serializer<http::string_body> serializer(response);
        std::string bytes;
        while (!error && !serializer.is_done())
            serializer.next(error, [&](error_code&, const auto& buffers) {
                for (const auto piece : beast::buffers_range_ref(buffers))
                    bytes.append(static_cast<const char*>(piece.data()), piece.size());
                serializer.consume(beast::buffer_bytes(buffers));
            });
        return bytes;
    }

    Response response_of(HttpResponse answer, const Request& request, bool more) const {
        Response response(static_cast<http::status>(answer.status), 11);
        response.keep_alive(more);
        for (const auto& [name, value] : answer.fields) response.set(name, value);
        if (const std::string* origin = allowed_origin(request)) {
            response.set(http::field::access_control_allow_origin, *origin);
            response.set(http::field::access_control_expose_headers,
                         "ETag, Ldp-History, Ldp-Receipt, Retry-After");
        }
        // A cache must not return the response for one origin to another.
        if (!settings_.allow_origins.empty() && settings_.allow_origins[0] != "*")
            response.set(http::field::vary, "Origin");
        if (!answer.type.empty()) {
            response.set(http::field::content_type, answer.type);
            response.set("X-Content-Type-Options", "nosniff");
        }
        const std::size_t size = answer.body.size();
        if (request.method() != http::verb::head) response.body() = std::move(answer.body);
        if (answer.status != 204 && answer.status != 304) response.content_length(size);
        return response;
    }

    /// Returns the response to a request; nothing if the client has closed the connection.
    net::awaitable<std::optional<HttpResponse>> answer_to(Connection& connection, Request& request) {
        const auto target = parse_target({request.target().data(), request.target().size()});
        if (!target)
            co_return problem(404, "no resource exists at this address",
                              "Use /collections/NAME/spec, /collections/NAME/columns or "
                              "/collections/NAME/batches/UUID.");
        const bool posts = target->of == Target::Of::batch;
        const bool checks = target->of == Target::Of::columns;
        const char* const methods = posts ? "POST, DELETE" : checks ? "GET, HEAD, POST" : "GET, HEAD";
        const http::verb method = request.method();
        if (method == http::verb::options && !settings_.allow_origins.empty()) {
            if (allowed_origin(request) == nullptr && request.count(http::field::origin) > 0)
                co_return problem(403, "pages of this origin may not report here",
                                  "The option --allow-origin of ldp collect lists the allowed origins.");
            HttpResponse allowed{204};
            allowed.fields = {{"Access-Control-Allow-Methods", methods},
                              {"Access-Control-Allow-Headers", "content-type, if-none-match"},
                              {"Access-Control-Max-Age", "86400"}};
            co_return allowed;
        }
        const bool fits = posts ? method == http::verb::post || method == http::verb::delete_
                                : method == http::verb::get || method == http::verb::head ||
                                      (checks && method == http::verb::post);
        if (!fits) {
            HttpResponse refused = problem(405, "the method is not allowed at this address");
            refused.fields.emplace_back("Allow", methods);
            co_return refused;
        }
        metrics_.database = answering();
        if (target->of == Target::Of::metrics)
            co_return HttpResponse{200, "text/plain; version=0.0.4", metrics_.text(queue_.size()), {}};
        if (target->of == Target::Of::health) {
            if (!metrics_.database) co_return later(503, 2, "the database does not answer");
            co_return HttpResponse{200, "text/plain", "ok\n", {}};
        }
        const auto found = catalog_->find(target->collection);
        // A collection that was not found before the database failed may exist.
        if (found == catalog_->end() && !metrics_.database)
            co_return later(503, 2, "the collections cannot be looked up now");
        if (found == catalog_->end())
            co_return problem(
                404, "the collection does not exist",
                "The endpoint serves the collections that its role may submit to. It finds new collections "
                "after a few seconds.");
        if (checks && method != http::verb::post) co_return columns_response(*found->second);
        const auto known = request[http::field::if_none_match];
        if (!posts && !checks) co_return spec_response(*found->second, {known.data(), known.size()});
        co_return co_await submit(connection, found->second, *target, request);
    }

    net::awaitable<std::optional<HttpResponse>> submit(Connection& connection,
                                                       std::shared_ptr<const CatalogEntry> to,
                                                       const Target& target, Request& request) {
        // The receipt depends on the request's body, which the queue takes over.
        const bool deletes = request.method() == http::verb::delete_;
        const auto content = sha256(deletes ? Bytes() : std::as_bytes(std::span(request.body())));
        auto answer = co_await outcome_of(connection, std::move(to), target, request);
        if (answer) add_receipt(*answer, target, deletes, content);
        co_return answer;
    }

    /// Returns the response to a batch or a revocation, without its receipt.
    net::awaitable<std::optional<HttpResponse>> outcome_of(Connection& connection,
                                                           std::shared_ptr<const CatalogEntry> to,
                                                           const Target& target, Request& request) {
        const bool deletes = request.method() == http::verb::delete_;
        std::optional<ReceivedBatch> one;
        if (deletes) {
            one = void_batch(std::move(to), target.batch);
        } else if (target.of == Target::Of::columns) {
            if (!beast::iequals(request[http::field::content_type], "application/json"))
                co_return problem(415, "the content type must be application/json");
            try {
                one = value_check(std::move(to), request.body());
            } catch (const Error& error) {
                co_return problem(error.code() == ErrorCode::invalid_value ? 422 : 400, error);
            }
        } else {
            const auto type = request[http::field::content_type];
            const bool columned = beast::iequals(type, columned_batch_type);
            if (!columned && !beast::iequals(type, octets)) co_return problem(415, wrong_type);
            try {
                one = received_batch(std::move(to), target.batch, target.round, std::move(request.body()),
                                     columned);
            } catch (const Error& error) {
                if (error.code() == ErrorCode::invalid_value) co_return problem(422, error);
                if (error.code() != ErrorCode::incompatible) co_return problem(400, error);
                co_return problem(
                    422, Error(error.code(), "the spec of the batch differs from the spec of the collection",
                               error.detail(), "Fetch the collection's spec again."));
            }
            if (one->reports() > settings_.reports)
                co_return problem(413,
                                  "the batch has more than " + std::to_string(settings_.reports) + " reports",
                                  "Send the reports in smaller batches.");
            // Without --hold, the database checks the round when it stores the batch.
            if (settings_.queue.hold > 1 && !one->to->takes(one->round))
                if (auto why = co_await closed_round(connection, *one)) co_return why;
        }
        // Clients that are gone leave before one that waits.
        if (queue_.full(one->to->name)) (void)sweep();
        const auto ticket = std::make_shared<Ticket>(io_, connection);
        std::optional<Waiting> listed(std::in_place, waiting_, ticket);
        connection.stream.expires_never();
        queue_.add(std::move(*one),
                   {[this, ticket](const HttpResponse& answer) { note(ticket, answer); }, ticket->gone});
        error_code woken;
        while (!ticket->answer && !*ticket->gone) co_await ticket->timer.async_wait(into(woken));
        listed.reset();
        if (*ticket->gone || !ticket->answer) co_return std::nullopt;
        co_return std::move(ticket->answer);
    }

    /// Checks a round that was closed at the last query of the collections. Waits for the next query, because
    /// the round may have been opened since. Returns the response if the round is closed, nothing if it is
    /// open.
    net::awaitable<std::optional<HttpResponse>> closed_round(Connection& connection, ReceivedBatch& one) {
        const auto came = Clock::now();
        const auto ticket = std::make_shared<Ticket>(io_, connection);
        connection.stream.expires_never();
        std::optional<Waiting> listed(std::in_place, waiting_, ticket), asks(std::in_place, asking_, ticket);
        while (looked_at_ <= came && !ticket->answer && !*ticket->gone) {
            if (stopping_ || Clock::now() - came > longest_silence)
                ticket->answer = later(503, 2, "the state of the round is unknown");
            else {
                error_code woken;
                ticket->timer.expires_after(std::chrono::seconds(1));
                co_await ticket->timer.async_wait(into(woken));
            }
        }
        asks.reset();
        listed.reset();
        if (ticket->answer || *ticket->gone) co_return ticket->answer.value_or(HttpResponse{503});
        const auto found = catalog_->find(one.to->name);
        if (found != catalog_->end() && found->second->fingerprint == one.to->fingerprint &&
            found->second->takes(one.round)) {
            one.to = found->second;
            co_return std::nullopt;
        }
        co_return problem(422, "round " + std::to_string(one.round) + " of the collection is not open",
                          "The collection's owner can open rounds with ldp_open_rounds.");
    }

    const Settings& settings_;
    // The destructor of io_ ends coroutines, which use these lists.
    std::shared_ptr<const Catalog> catalog_ = std::make_shared<const Catalog>();
    Metrics metrics_;
    Connections reading_;
    Tickets waiting_;
    Tickets asking_;  ///< the tickets among these that wait for the next query of the collections
    std::map<net::ip::address, std::size_t> peers_;  ///< number of connections by address
    net::io_context io_{1};
    Queue queue_;
    tcp::acceptor acceptor_;
    net::signal_set signals_;
    net::steady_timer sweep_;
    net::steady_timer overdue_;
    net::steady_timer ending_;                ///< after SIGTERM, until the last transaction has ended
    bool alive_ = false;                      ///< whether the last query of the collections succeeded
    Clock::time_point looked_at_, heard_at_;  ///< start and end of the last successful query
    bool stopping_ = false;
    std::mutex outcomes_mutex_;
    std::vector<Outcome> outcomes_;  ///< that the tickets do not have yet
    std::string complained_;
    Clock::time_point complained_at_;
    ReportWriter writer_;
};

}  // namespace

void serve(const Settings& settings) {
    reserve_descriptors(settings.connections, settings.writer.sessions);
    Server(settings).run();
}

}  // namespace ldp::collect
