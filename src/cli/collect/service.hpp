// Notifications of systemd, and the file descriptors of the process.
#pragma once

#include <cstddef>

namespace ldp::collect {

/// Sends a state, such as READY=1 or WATCHDOG=1, to the service manager that the variable NOTIFY_SOCKET names
/// (sd_notify). Without such a manager, or if it does not read, nothing happens.
void tell_service(const char* state) noexcept;

/// Raises the soft limit of file descriptors so that this many connections and database sessions fit. Throws
/// Error (environment) if the hard limit is too low.
void reserve_descriptors(std::size_t connections, std::size_t sessions);

}  // namespace ldp::collect
