#include "cli/collect/http_server.hpp"

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <iostream>
#include <list>
#include <thread>

#include "cli/collect/framing.hpp"
#include "cli/collect/metrics.hpp"
#include "cli/collect/report_writer.hpp"
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
/// Of what was received and not taken apart yet: a header, or a part of a body. What does not fit is refused.
constexpr std::size_t largest_buffer = 65536;
/// How long the database may leave the question unanswered which collections there are, which is asked every
/// two seconds.
constexpr auto longest_silence = std::chrono::seconds(10);
constexpr const char* octets = "application/octet-stream";

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
          writer_(queue_, settings.dsn, settings.only, settings.writer, observer()) {}

    void run() {
        listen();
        net::co_spawn(io_, accept(), net::detached);
        net::co_spawn(io_, sweep_now_and_then(), net::detached);
        signals_.async_wait([this](error_code error, int) {
            if (!error) stop();
        });
        std::jthread storing([this] { writer_.run(); });
        io_.run();
    }

  private:
    struct Connection {
        explicit Connection(tcp::socket socket) : stream(std::move(socket)) {}
        beast::tcp_stream stream;
        beast::flat_buffer buffer{largest_buffer};
    };
    /// A client that waits for the end of a batch. It sleeps until the end is known, or it has gone
    /// away.
    struct Ticket {
        Ticket(net::io_context& io, Connection& from)
            : bell(io, Clock::time_point::max()), connection(from) {}
        net::steady_timer bell;
        Connection& connection;
        std::optional<Answer> answer;
        std::shared_ptr<std::atomic<bool>> gone = std::make_shared<std::atomic<bool>>(false);
    };
    using Tickets = std::list<std::shared_ptr<Ticket>>;
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
    ReportWriter::Observer observer() {
        return {[this](std::shared_ptr<const Catalog> catalog) {
                    net::post(io_, [this, catalog = std::move(catalog)] { catalog_ = catalog; });
                },
                [this](Clock::time_point asked, bool answered) {
                    net::post(io_, [this, asked, answered] {
                        alive_ = answered;
                        if (answered) {
                            looked_at_ = asked;
                            for (const auto& ticket : asking_) ticket->bell.cancel();
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
                  "--listen takes an address of this machine and a port, such as 127.0.0.1:8417.");
        }
    }

    /// Takes no more in, and lets what came in whole be stored and answered.
    void stop() {
        stopping_ = true;
        signals_.clear();
        acceptor_.close();
        sweep_.cancel();
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
            const auto address = counted_as(socket.remote_endpoint(error).address());
            if (error) continue;  // it went away again
            if (settings_.per_address > 0 && peers_[address] >= settings_.per_address) {
                ++metrics_.refused;
                continue;
            }
            if (metrics_.connections >= settings_.connections) {
                ++metrics_.crowded_out;
                if (!make_room()) continue;
            }
            socket.set_option(tcp::no_delay(true), error);
            ++metrics_.connections;
            ++peers_[address];
            net::co_spawn(io_, attend(std::make_shared<Connection>(std::move(socket))),
                          [this, address](const std::exception_ptr& thrown) {
                              --metrics_.connections;
                              if (--peers_[address] == 0) peers_.erase(address);
                              if (thrown) complain_of(thrown);
                          });
        }
    }

    /// Has a connection closed, so that there is room for another: of a client that is gone; else one that
    /// asks for a round that may not be open; else the one that has kept a request unfinished longest; else
    /// one that waits for others (Queue::crowd_out). They end as soon as their coroutines run.
    [[nodiscard]] bool make_room() {
        if (metrics_.connections >= settings_.connections + settings_.connections / 8 + 8) return false;
        if (sweep()) return true;
        if (!asking_.empty()) {
            Ticket& longest = *asking_.front();
            longest.answer = later(503, 2, "too many ask for rounds that may not be open");
            longest.answer->close = true;
            longest.bell.cancel();
            asking_.pop_front();
            return true;
        }
        if (!reading_.empty()) {
            reading_.front()->stream.close();
            return true;
        }
        return queue_.crowd_out();
    }

    /// Looks which clients that wait have gone away, and has their batches forgotten if nobody else waits
    /// for them and they wait for others. A client that has closed its sending side counts as gone.
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
            if (ticket->gone->exchange(true)) continue;  // it is about to end
            ticket->bell.cancel();
        }
        if (some) queue_.drop_gone();
        return some;
    }

    net::awaitable<void> sweep_now_and_then() {
        while (!stopping_) {
            error_code error;
            sweep_.expires_after(std::chrono::seconds(1));
            co_await sweep_.async_wait(into(error));
            (void)sweep();
        }
    }

    /// Whether the database has answered lately.
    [[nodiscard]] bool answering() const { return alive_ && Clock::now() - heard_at_ <= longest_silence; }

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
            stream.expires_after(settings_.retry_policy);
            error_code error;
            std::optional<Answer> answer;
            {
                const Reading reading(reading_, *connection);
                answer = co_await read(*connection, parser, error);
            }
            const auto came = Clock::now();
            if (error) {
                answer = unreadable(error);
                if (!answer) co_return;
            }
            more = !answer && parser.keep_alive() && !stopping_;
            if (!answer) answer = co_await answer_to(*connection, parser.get());
            if (!answer) co_return;
            metrics_.answered(answer->status, std::chrono::duration<double>(Clock::now() - came).count());
            more = more && !answer->close && !stopping_;
            Response response = response_of(std::move(*answer), parser.get(), more);
            stream.expires_after(settings_.retry_policy);
            co_await http::async_write(stream, response, into(error));
            if (error) co_return;
        }
        co_await leave(*connection);
    }

    /// Reads a request. Returns what is wrong with it, if it can be read and is refused all the same.
    net::awaitable<std::optional<Answer>> read(Connection& connection, Parser& parser, error_code& error) {
        beast::tcp_stream& stream = connection.stream;
        auto no_extensions = [](std::uint64_t, auto extensions, error_code& wrong) {
            if (!extensions.empty()) wrong = http::error::bad_chunk_extension;
        };
        parser.on_chunk_header(no_extensions);
        co_await http::async_read_header(stream, connection.buffer, parser, into(error));
        if (error) co_return std::nullopt;
        if (auto why = ill_framed(parser.get())) co_return why;
        // A body whose size is not known would grow by doubling.
        if (parser.chunked()) parser.get().body().reserve(settings_.largest);
        if (beast::iequals(parser.get()[http::field::expect], "100-continue")) {
            constexpr std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
            co_await net::async_write(stream, net::buffer(go_on), into(error));
        }
        const auto fields = std::distance(parser.get().begin(), parser.get().end());
        if (!error) co_await http::async_read(stream, connection.buffer, parser, into(error));
        if (error) co_return std::nullopt;
        if (std::distance(parser.get().begin(), parser.get().end()) != fields)
            co_return problem(400, Error(ErrorCode::malformed, "a request must have no trailers"));
        if (parser.chunked()) parser.get().body().shrink_to_fit();
        co_return std::nullopt;
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

    /// Nothing if the client went away.
    net::awaitable<std::optional<Answer>> answer_to(Connection& connection, Request& request) {
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
        metrics_.database = answering();
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
        co_return co_await submit(connection, found->second, *target, request);
    }

    static Answer spec(const CatalogEntry& offered, const Request& request) {
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

    net::awaitable<std::optional<Answer>> submit(Connection& connection,
                                                 std::shared_ptr<const CatalogEntry> to, const Target& target,
                                                 Request& request) {
        // With the receipt of what settles a batch: it names the request, whose body the queue takes.
        const bool deletes = request.method() == http::verb::delete_;
        const auto receipt = [collection = to->name, deletes, id = uuid_text(target.batch),
                              round = deletes ? 0 : target.round,
                              content = sha256(deletes ? Bytes() : std::as_bytes(std::span(request.body())))](
                                 unsigned status) {
            return delivery_receipt(deletes ? "DELETE" : "POST", status, collection, id, round, content);
        };
        std::optional<ReceivedBatch> one;
        if (deletes) {
            one = void_batch(std::move(to), target.batch);
        } else {
            if (!beast::iequals(request[http::field::content_type], octets))
                co_return problem(415, "a batch is of the type application/octet-stream");
            try {
                one = received_batch(std::move(to), target.batch, target.round, std::move(request.body()));
            } catch (const Error& error) {
                if (error.code() != ErrorCode::incompatible) co_return problem(400, error);
                co_return problem(422, Error(error.code(), "the batch is of another spec than the collection",
                                             error.detail(), "Fetch the collection's spec again."));
            }
            if (one->reports() > settings_.reports)
                co_return problem(413,
                                  "the batch has more than " + std::to_string(settings_.reports) + " reports",
                                  "Send the reports in smaller batches.");
            // Where the database decides at once, it decides this, too.
            if (settings_.queue.hold > 1 && !one->to->takes(one->round))
                if (auto why = co_await closed_round(connection, *one)) co_return why;
        }
        const auto ticket = std::make_shared<Ticket>(io_, connection);
        const auto at = waiting_.insert(waiting_.end(), ticket);
        connection.stream.expires_never();
        queue_.add(std::move(*one), {[this, ticket](const Answer& answer) {
                                         net::post(io_, [ticket, answer] {
                                             ticket->answer = answer;
                                             ticket->bell.cancel();
                                         });
                                     },
                                     ticket->gone});
        error_code rung;
        while (!ticket->answer && !*ticket->gone) co_await ticket->bell.async_wait(into(rung));
        waiting_.erase(at);
        if (*ticket->gone || !ticket->answer) co_return std::nullopt;
        const unsigned status = ticket->answer->status;
        if (status / 100 == 2 || status == 409)
            ticket->answer->fields.emplace_back(receipt_field, receipt(status));
        co_return std::move(ticket->answer);
    }

    /// A round that was not open when the collections were last looked up may be by now: this waits until
    /// they have been looked up again. Nothing if it is open.
    net::awaitable<std::optional<Answer>> closed_round(Connection& connection, ReceivedBatch& one) {
        const auto came = Clock::now();
        const auto ticket = std::make_shared<Ticket>(io_, connection);
        connection.stream.expires_never();
        waiting_.push_back(ticket);
        asking_.push_back(ticket);
        while (looked_at_ <= came && !ticket->answer && !*ticket->gone) {
            if (stopping_ || Clock::now() - came > longest_silence)
                ticket->answer = later(503, 2, "it cannot be known now whether the round is open");
            else {
                error_code rung;
                ticket->bell.expires_after(std::chrono::seconds(1));
                co_await ticket->bell.async_wait(into(rung));
            }
        }
        waiting_.remove(ticket);
        asking_.remove(ticket);
        if (ticket->answer || *ticket->gone) co_return ticket->answer.value_or(Answer{503});
        const auto found = catalog_->find(one.to->name);
        if (found != catalog_->end() && found->second->fingerprint == one.to->fingerprint &&
            found->second->takes(one.round)) {
            one.to = found->second;
            co_return std::nullopt;
        }
        co_return problem(422, "round " + std::to_string(one.round) + " of the collection is not open",
                          "The collection's owner opens rounds by ldp_open_rounds.");
    }

    const Settings& settings_;
    net::io_context io_{1};
    Queue queue_;
    tcp::acceptor acceptor_;
    net::signal_set signals_;
    std::shared_ptr<const Catalog> catalog_ = std::make_shared<const Catalog>();
    Metrics metrics_;
    Connections reading_;
    Tickets waiting_;
    Tickets asking_;  ///< and of these, those that wait until collections have been looked up
    std::map<net::ip::address, std::size_t> peers_;  ///< connections of each address that has any
    net::steady_timer sweep_;
    bool alive_ =
        false;  ///< whether the database answered when it was last asked which collections there are
    Clock::time_point looked_at_, heard_at_;  ///< when it was last asked and answered, and when it did
    bool stopping_ = false;
    std::string complained_;
    Clock::time_point complained_at_;
    ReportWriter writer_;
};

}  // namespace

void serve(const Settings& settings) {
    Server(settings).run();
}

}  // namespace ldp::collect
