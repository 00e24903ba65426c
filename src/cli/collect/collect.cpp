// ldp collect

#include <algorithm>
#include <charconv>

#include "cli/collect/http_server.hpp"
#include "cli/command.hpp"
#include "client/pqxx_compat.hpp"

namespace ldp::cli::collect {

namespace {

namespace po = boost::program_options;

Options options() {
    Options options;
    options.add_options()("listen", po::value<std::string>()->default_value("127.0.0.1:8417"),
                          "address and port; port 0: any free port")(
        "dsn", po::value<std::string>()->default_value(""), dsn_help)(
        "collection", po::value<std::vector<std::string>>(),
        "a collection to serve (may be repeated; default: all that the role may submit to)")(
        "hold", po::value<std::int64_t>()->default_value(1),
        "minimum number of batches that are stored together; clients wait until this number is reached")(
        "hold-for", po::value<std::int64_t>()->default_value(60),
        "maximum time in seconds that a batch waits for other batches; afterwards the client must repeat it")(
        "allow-origin", po::value<std::vector<std::string>>(),
        "origin of pages that may report from a browser, such as https://example.org (may be repeated), or * "
        "for all origins")("largest", po::value<std::int64_t>()->default_value(1 << 20),
                           "maximum size of a request body in bytes")(
        "reports", po::value<std::int64_t>()->default_value(100000), "maximum number of reports per batch")(
        "connections", po::value<std::int64_t>()->default_value(512), "maximum connections")(
        "per-address", po::value<std::int64_t>(),
        "maximum number of connections from one address; 0: no limit (default: 0 on a loopback address, "
        "else a quarter of --connections)")("request-timeout", po::value<std::int64_t>()->default_value(30),
                                            "seconds within which a request must arrive completely")(
        "lag", po::value<std::int64_t>()->default_value(2),
        "seconds that batches may wait for the database before further ones are rejected")(
        "time-limit", po::value<std::int64_t>()->default_value(30),
        "statement timeout in seconds; a transaction is terminated one second after it")(
        "sessions", po::value<std::int64_t>()->default_value(4),
        "database connections for storing; an owner's collections use one at a time");
    return options;
}

std::int64_t number(const Arguments& arguments, const std::string& option, std::int64_t least,
                    std::int64_t most) {
    const auto given = arguments[option].as<std::int64_t>();
    if (given < least || given > most)
        throw UsageError("--" + option + " must be " + std::to_string(least) + " to " + std::to_string(most) +
                         ", not " + std::to_string(given));
    return given;
}

/// Parses ADDRESS:PORT; an IPv6 address is in brackets.
void set_address(ldp::collect::Settings& settings, const std::string& text) {
    const std::size_t colon = text.rfind(':');
    const char* const end = text.data() + text.size();
    const char* const port = colon == std::string::npos ? end : text.data() + colon + 1;
    const auto parsed = std::from_chars(port, end, settings.port);
    if (port == end || parsed.ec != std::errc{} || parsed.ptr != end)
        throw UsageError("--listen must be an address and a port, such as 127.0.0.1:8417, not \"" + text +
                         "\"");
    settings.host = text.substr(0, colon);
    if (settings.host.starts_with('[') && settings.host.ends_with(']'))
        settings.host = settings.host.substr(1, settings.host.size() - 2);
}

/// On a loopback address, all clients of a proxy share one address, so there is no limit by default.
std::size_t per_address(const Arguments& arguments, const ldp::collect::Settings& settings) {
    if (arguments.count("per-address") != 0)
        return static_cast<std::size_t>(number(arguments, "per-address", 0, 100000));
    const bool loopback = settings.host.starts_with("127.") || settings.host == "::1";
    return loopback ? 0 : std::max<std::size_t>(1, settings.connections / 4);
}

/// Checks origins of pages: "*" alone, or schemes with hosts and ports.
std::vector<std::string> origins_of(std::vector<std::string> origins) {
    for (const std::string& origin : origins) {
        const std::size_t host = origin.find("://");
        const bool printable = std::ranges::all_of(origin, [](char c) { return c > ' ' && c <= '~'; });
        const bool whole = host != std::string::npos && host > 0 && host + 3 < origin.size() &&
                           origin.find_first_of("/?#*", host + 3) == std::string::npos;
        if (!(printable && (whole || (origin == "*" && origins.size() == 1))))
            throw UsageError(
                "--allow-origin must be *, or an origin without a path or a trailing slash, such as "
                "https://example.org");
    }
    return origins;
}

int run(const Arguments& arguments) {
    using std::chrono::seconds;
    ldp::collect::Settings settings;
    set_address(settings, arguments["listen"].as<std::string>());
    settings.dsn = pq::for_writing(arguments["dsn"].as<std::string>());
    if (arguments.count("collection") != 0) {
        const auto& names = arguments["collection"].as<std::vector<std::string>>();
        settings.only = {names.begin(), names.end()};
    }
    if (arguments.count("allow-origin") != 0)
        settings.allow_origins = origins_of(arguments["allow-origin"].as<std::vector<std::string>>());
    settings.largest = static_cast<std::size_t>(number(arguments, "largest", 1024, 1 << 25));
    settings.connections = static_cast<std::size_t>(number(arguments, "connections", 1, 100000));
    settings.reports = static_cast<std::size_t>(number(arguments, "reports", 1, 100000000));
    settings.per_address = per_address(arguments, settings);
    settings.timeout = seconds(number(arguments, "request-timeout", 1, 3600));
    settings.queue.hold = static_cast<std::size_t>(number(arguments, "hold", 1, 50000));
    settings.queue.hold_for = seconds(number(arguments, "hold-for", 1, 86400));
    settings.queue.lag = seconds(number(arguments, "lag", 1, 3600));
    settings.queue.bytes = std::size_t{64} << 20;
    settings.queue.share = std::max(settings.queue.hold, settings.connections / 2);
    settings.writer.duration = seconds(number(arguments, "time-limit", 1, 3600));
    settings.writer.sessions = static_cast<std::size_t>(number(arguments, "sessions", 1, 64));
    if (settings.queue.hold >= settings.connections)
        throw UsageError("--hold must be less than --connections: each waiting batch holds one connection");
    try {
        ldp::collect::serve(settings);
    } catch (const pq::Failure& failure) {
        if (failure.passing())
            throw Unavailable(failure.code(), failure.what(), failure.detail(), failure.hint());
        throw;
    }
    return Exit::done;
}

}  // namespace

const Command command{
    "collect",
    "[OPTION...]",
    "receives reports over HTTP and stores them",
    "Listens for HTTP/1.1 on a local address; use a proxy for TLS. Devices fetch /collections/NAME/spec\n"
    "and post batches to /collections/NAME/batches/UUID. The endpoint checks each batch, stores it, and\n"
    "then acknowledges it. A batch counts once even if it is sent repeatedly. The database role must be a\n"
    "member of ldp_submitter and of no other role. The endpoint does not store addresses. On SIGTERM, it\n"
    "stores and acknowledges the received batches, then exits. /healthz and /metrics are for the\n"
    "operator: do not expose them through the proxy.",
    options,
    {},
    run};

}  // namespace ldp::cli::collect
