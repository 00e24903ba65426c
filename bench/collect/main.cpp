// Load for an endpoint (ldp collect): batches from many connections, each posting its next one when the last
// was acknowledged and its time has come. Prints how many reports a second were, and how long
// acknowledgements took: from when the batch was due, so that an endpoint which lags behind cannot hide it.
// `bench-collect ADDRESS:PORT COLLECTION CONNECTIONS REPORTS SECONDS RATE`; bench/collect/run starts it. RATE
// is of reports a second, 0: as many as are acknowledged.

// Before Boost.Asio, which in version 1.74 uses std::exchange without it.
#include <utility>
//
#include <algorithm>
#include <boost/asio.hpp>
#include <boost/beast.hpp>
#include <chrono>
#include <cstdio>
#include <vector>

#include "client/http/http_uploader.hpp"
#include "client/memory_store.hpp"
#include "core/mechanism/role/mechanism.hpp"

namespace {

using namespace ldp;
namespace net = boost::asio;
namespace http = boost::beast::http;
using Clock = std::chrono::steady_clock;

struct Load {
    net::ip::tcp::endpoint where;
    std::string path;
    std::vector<std::string> bodies;
    std::size_t connections;
    Clock::time_point start, begin, end;  ///< what is sent between the last two is measured
    Clock::duration pause;                ///< from a connection's batch to its next
    std::vector<double> seconds;          ///< of each batch that was acknowledged
};

/// A batch after another, of this connection's number.
net::awaitable<void> connection(Load& load, std::size_t number) {
    boost::beast::tcp_stream stream(co_await net::this_coro::executor);
    co_await stream.async_connect(load.where, net::use_awaitable);
    stream.socket().set_option(net::ip::tcp::no_delay(true));
    boost::beast::flat_buffer buffer;
    net::steady_timer timer(co_await net::this_coro::executor);
    Clock::time_point due = load.start;
    SystemRandom bits;
    char id[37];
    for (std::size_t i = number; Clock::now() < load.end; ++i) {
        std::snprintf(id, sizeof id, "%08llx-0000-4000-8000-%012llx",
                      static_cast<unsigned long long>(bits.word() >> 32),
                      static_cast<unsigned long long>(bits.word() >> 16));
        http::request<http::string_body> request(http::verb::post, load.path + id, 11);
        request.set(http::field::host, "localhost");
        request.set(http::field::content_type, "application/octet-stream");
        request.body() = load.bodies[i % load.bodies.size()];
        request.prepare_payload();
        const bool paced = load.pause.count() > 0;
        // Connections take turns.
        if (i == number) due += load.pause * number / load.connections;
        if (paced) {
            timer.expires_at(due);
            co_await timer.async_wait(net::use_awaitable);
        }
        const auto sent = paced ? due : Clock::now();
        due += load.pause;
        co_await http::async_write(stream, request, net::use_awaitable);
        http::response<http::string_body> response;
        co_await http::async_read(stream, buffer, response, net::use_awaitable);
        const auto got = Clock::now();
        if (response.result_int() != 201)
            raise(ErrorCode::environment, "the endpoint answers " + std::to_string(response.result_int()),
                  response.body());
        if (sent >= load.begin) load.seconds.push_back(std::chrono::duration<double>(got - sent).count());
    }
}

std::vector<std::string> made_bodies(const Collection& collection, std::size_t reports) {
    std::vector<std::string> bodies;
    SystemRandom bits;
    for (int i = 0; i < 64; ++i) {
        MemoryStore store;
        std::vector<Report> made;
        const std::vector<Cell> cells(collection.spec().attributes().size(), 0);
        for (std::size_t j = 0; j < reports; ++j) made.push_back(collection.mechanism().perturb(cells, bits));
        store.append(made, 0);
        const auto frame = store.next_batch(reports)->packed()->front();
        bodies.emplace_back(reinterpret_cast<const char*>(frame.data()), frame.size());
    }
    return bodies;
}

void run(const std::string& address, const std::string& name, std::size_t connections, std::size_t reports,
         int seconds, double rate) {
    HttpConnection link("http://" + address);
    const Collection collection(fetch_spec(link, name));
    const std::size_t colon = address.rfind(':');
    Load load{{net::ip::make_address(address.substr(0, colon)),
               static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1)))},
              web::path_of(name) + "/batches/",
              made_bodies(collection, reports),
              connections,
              Clock::now(),
              Clock::now() + std::chrono::seconds(1),
              Clock::now() + std::chrono::seconds(1 + seconds),
              {},
              {}};
    if (rate > 0)
        load.pause = std::chrono::duration_cast<Clock::duration>(
            std::chrono::duration<double>(static_cast<double>(connections * reports) / rate));
    net::io_context io(1);
    for (std::size_t i = 0; i < connections; ++i)
        net::co_spawn(io, connection(load, i), [](const std::exception_ptr& thrown) {
            if (thrown) std::rethrow_exception(thrown);
        });
    io.run();
    std::ranges::sort(load.seconds);
    const auto quantile = [&](double share) {
        return 1000 * load.seconds.at(
                          static_cast<std::size_t>(share * static_cast<double>(load.seconds.size() - 1)));
    };
    std::printf("%-10s %10zu %10zu %12.0f %8.1f %8.1f %8.1f\n", name.c_str(), connections, reports,
                static_cast<double>(load.seconds.size() * reports) / seconds, quantile(0.5), quantile(0.99),
                quantile(1));
}

}  // namespace

int main(int count, char** words) {
    try {
        if (count != 7) raise(ErrorCode::invalid_value, "six arguments are needed");
        run(words[1], words[2], std::stoul(words[3]), std::stoul(words[4]), std::stoi(words[5]),
            std::stod(words[6]));
    } catch (const ldp::Error& error) {
        std::fprintf(stderr, "error: %s\n%s\n", error.what(), error.detail().c_str());
        return 1;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
}
