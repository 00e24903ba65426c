// The destination of reports: the address of an endpoint or of a database, and the name of the collection.
#pragma once

#include <string>
#include <string_view>

namespace ldp {

/// Where a transport delivers. Unknown texts are empty.
struct Destination {
    std::string endpoint = {};    ///< address of the endpoint or database; see normal_address()
    std::string collection = {};  ///< name of the collection
};

/// Returns an address in one form, in which equal addresses are equal texts. An address of an endpoint has no slash at
/// its end, no default port, and its scheme and host in lower case. An address of a database is
/// "postgresql://HOST:PORT/NAME", with a list of hosts if libpq chooses among them. The addresses of the loopback
/// interface and the default directories of Unix sockets become "localhost". Credentials are removed.
[[nodiscard]] std::string normal_address(std::string_view address);

/// Returns the normal address of a database from parameters of libpq: the hosts and their ports, separated by commas, and
/// the name of the database.
[[nodiscard]] std::string database_address(std::string_view hosts, std::string_view ports,
                                           std::string_view name);

/// Returns whether reports that were agreed for one address may be sent to another: the addresses are equal, or all hosts of
/// the database are among the agreed hosts, as after a failover. Both addresses are normal.
[[nodiscard]] bool is_same_place(std::string_view agreed, std::string_view now);

}  // namespace ldp
