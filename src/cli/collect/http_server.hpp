// The HTTP/1.1 server of the endpoint, which serves all clients in one thread (Boost.Beast).
#pragma once

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cli/collect/report_writer.hpp"

namespace ldp::collect {

struct Settings {
    std::string host;    ///< an address of this machine
    std::uint16_t port;  ///< 0: any free port
    std::string dsn;
    std::set<std::string> only;  ///< collections to serve; empty: all that the role may submit to

    /// Origins of pages that may send requests (CORS), or "*" for all pages; empty: none.
    std::vector<std::string> allow_origins;
    /// Returns the value that allows a page of this origin to read responses; null if it may not. The origin
    /// is empty for requests that do not come from a page.
    [[nodiscard]] const std::string* allowed_origin(const std::string& origin) const {
        if (allow_origins.empty()) return nullptr;
        if (allow_origins[0] == "*" || (origin.empty() && allow_origins.size() == 1))
            return allow_origins.data();
        const auto found = std::ranges::find(allow_origins, origin);
        return found == allow_origins.end() ? nullptr : &*found;
    }

    std::size_t largest;           ///< maximum size of a body in bytes
    std::size_t reports;           ///< maximum number of reports per batch
    std::size_t connections;       ///< maximum number of open connections
    std::size_t per_address;       ///< maximum number of connections from one address; 0: no limit
    std::chrono::seconds timeout;  ///< maximum time to receive a request, and to send a response
    Queue::Limits queue;
    ReportWriter::WriterLimits writer;
};

/// Serves until the process receives SIGTERM or SIGINT, then stores and answers the requests received before.
/// Prints the address and database errors to standard error. Throws Error (environment) if it cannot listen
/// or cannot connect to the database.
void serve(const Settings& settings);

}  // namespace ldp::collect
