// A running endpoint (ldp collect), and connections to it with arbitrary bytes.
#pragma once

// Before Boost.Asio, which in version 1.74 uses std::exchange without it.
#include <utility>
//
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <csignal>
#include <fstream>
#include <future>
#include <random>
#include <thread>

#include "client/http/http_uploader.hpp"
#include "e2e_server.hpp"

namespace ldp::e2e {

using namespace std::chrono_literals;

namespace net = boost::asio;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;
using Response = http::response<http::string_body>;

inline const char* const hashed = R"({"mechanism": "olh", "epsilon": 1, "domain": 100})";
inline const char* const plain = R"({"mechanism": "grr", "epsilon": 1, "domain": 5})";

/// The role that endpoints connect as: it may submit, and nothing else.
inline const std::string& gateway() {
    struct Role {
        Role() : name("ldp_e2e_gateway_" + std::to_string(getpid())) {
            (void)Server::dsn();  // makes the roles that it is to be a member of
            Database::run_in("postgres", "CREATE ROLE " + name + " LOGIN IN ROLE ldp_submitter");
        }
        ~Role() {
            try {
                Database::run_in("postgres", "DROP ROLE " + name);
            } catch (const std::exception& error) {
                std::cerr << error.what() << "\n";
            }
        }
        std::string name;
    };
    static const Role role;
    return role.name;
}

/// A running ldp collect.
struct Endpoint {
    explicit Endpoint(std::vector<std::string> options = {}) {
        const char* named = std::getenv("LDP");
        std::vector<std::string> words{
            named != nullptr ? named : "build/bin/ldp", "collect", "--listen", "127.0.0.1:0", "--dsn",
            Server::dsn() + " user=" + gateway()};
        words.insert(words.end(), options.begin(), options.end());
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);

        int ends[2];
        BOOST_REQUIRE(pipe2(ends, O_CLOEXEC) == 0);
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
        const int failed = posix_spawn(&process, arguments[0], &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        BOOST_REQUIRE(failed == 0);
        std::string said;
        for (char c = 0; c != '\n' && read(ends[0], &c, 1) == 1;) said += c;
        errors = ends[0];
        const std::string listening = "listening on http://127.0.0.1:";
        BOOST_REQUIRE_MESSAGE(said.starts_with(listening), said);
        port = static_cast<std::uint16_t>(std::stoi(said.substr(listening.size())));
    }
    Endpoint(const Endpoint&) = delete;
    Endpoint& operator=(const Endpoint&) = delete;
    ~Endpoint() {
        if (process > 0) (void)stop(SIGKILL);
        close(errors);
    }
    /// Its exit code, or a negative signal.
    int stop(int signal) {
        int status = 0;
        kill(process, signal);
        waitpid(process, &status, 0);
        process = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    }
    [[nodiscard]] std::string address() const { return "http://127.0.0.1:" + std::to_string(port); }
    /// Kilobytes of memory; "VmHWM:": the most so far.
    [[nodiscard]] std::int64_t memory(const std::string& of = "VmRSS:") const {
        std::ifstream status("/proc/" + std::to_string(process) + "/status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with(of)) return std::stoll(line.substr(of.size()));
        return -1;
    }

    pid_t process = -1;
    int errors = -1;
    std::uint16_t port = 0;
};

/// A connection for arbitrary bytes. It reports failures by exceptions, because it is used in threads.
class Wire {
  public:
    explicit Wire(const Endpoint& to) : stream_(io_) {
        error_ = finish([&](auto handler) {
            stream_.async_connect(net::ip::tcp::endpoint(net::ip::make_address("127.0.0.1"), to.port),
                                  handler);
        });
        if (error_) throw std::runtime_error("no connection: " + error_.message());
    }
    /// False if the other side has closed.
    bool send(const std::string& bytes) {
        if (error_) return false;  // in version 1.74, writing once more would wait for the time limit
        error_ = finish([&](auto handler) { net::async_write(stream_, net::buffer(bytes), handler); });
        return !error_;
    }
    /// Nothing if the connection ends without one.
    std::optional<Response> receive(bool of_head = false) {
        http::response_parser<http::string_body> parser;
        parser.skip(of_head);
        error_ = finish([&](auto handler) { http::async_read(stream_, buffer_, parser, handler); });
        if (error_ == boost::beast::error::timeout) throw std::runtime_error("no answer");
        if (error_) return {};
        return parser.release();
    }
    std::optional<Response> ask(const std::string& bytes) {
        send(bytes);
        return receive(bytes.starts_with("HEAD"));
    }

  private:
    template <class Start>
    boost::beast::error_code finish(Start start) {
        boost::beast::error_code ended;
        stream_.expires_after(20s);
        start([&](boost::beast::error_code error, const auto&...) { ended = error; });
        io_.restart();
        io_.run();
        return ended;
    }

    net::io_context io_{1};
    boost::beast::tcp_stream stream_;
    boost::beast::flat_buffer buffer_;
    boost::beast::error_code error_;
};

inline std::string message(const std::string& line, const std::string& fields = {},
                           const std::string& body = {}) {
    return line + " HTTP/1.1\r\nHost: here\r\n" + fields +
           (body.empty() ? "" : "Content-Length: " + std::to_string(body.size()) + "\r\n") + "\r\n" + body;
}

inline const std::string octets = "Content-Type: application/octet-stream\r\n";

inline std::string frame_of(const Batch& batch) {
    const auto frame = batch.packed()->front();
    return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

inline std::string short_frame_of(const Batch& batch) {
    const auto frame = batch.packed_shortly()->front();
    return {reinterpret_cast<const char*>(frame.data()), frame.size()};
}

inline std::string post(const std::string& collection, const Batch& batch) {
    return message("POST /collections/" + collection + "/batches/" + batch.id, octets, frame_of(batch));
}

inline unsigned status_of(const std::optional<Response>& response) {
    return response ? response->result_int() : 0;
}

inline HttpConnection link_to(const Endpoint& endpoint) {
    return HttpConnection(endpoint.address(), RetryPolicy{0ms, 1ms, 1ms});
}

}  // namespace ldp::e2e
