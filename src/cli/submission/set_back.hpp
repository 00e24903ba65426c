// Servers that were set back to an earlier state: reports that are kept after their delivery, and sent again.
#pragma once

#include <chrono>
#include <string>

#include "client/client.hpp"
#include "client/sqlite_store.hpp"

namespace ldp::cli::submit {

class Destination;

/// Reads a time such as 7d, 12h, 30m or 90s; 0 stands for none. Throws UsageError for another text.
[[nodiscard]] std::chrono::seconds keep_option(const std::string& text);

/// Sends the batches that `ldp queue --resend` has marked again, and prints the number of reports that the
/// server lacked. From now on the store keeps delivered batches for the time of --keep. Throws Error
/// (environment) if a batch was delivered by another route, and the exceptions of the transport; the batch
/// then stays marked.
void keep_and_resend(SqliteStore& store, Destination& destination);

/// Returns the exit code, and prints an error if the server was set back since the last delivery.
[[nodiscard]] int noted_set_back(const Flushed& flushed, const SqliteStore& store, const std::string& state,
                                 int exit_code);

}  // namespace ldp::cli::submit
