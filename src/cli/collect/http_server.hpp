// The endpoint itself: HTTP/1.1 for many clients in one thread (Boost.Beast).
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <set>
#include <string>

#include "cli/collect/report_writer.hpp"

namespace ldp::collect {

struct Settings {
    std::string host;    ///< an address of this machine
    std::uint16_t port;  ///< 0: any that is free
    std::string dsn;
    std::set<std::string> only;  ///< collections that are offered; empty: all that the role may submit to
    std::string allow_origin;    ///< whose pages may call, for browsers; empty: none
    std::size_t largest;         ///< bytes of a body
    std::size_t reports;         ///< of a batch
    std::size_t connections;     ///< at once
    std::size_t per_address;     ///< and of these from one address; 0: as many
    std::chrono::seconds retry_policy;  ///< for a request to come in whole, and for an answer to be taken
    Queue::Limits queue;
    ReportWriter::WriterLimits writer;
};

/// Serves until the process is told to stop (SIGTERM, SIGINT); then stores and answers what came in before.
/// Says on standard error where it listens, and what goes wrong with the database. Throws Error (environment)
/// if it cannot listen, or not connect to the database.
void serve(const Settings& settings);

}  // namespace ldp::collect
