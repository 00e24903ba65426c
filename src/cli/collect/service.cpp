#include "cli/collect/service.hpp"

#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/error.hpp"

namespace ldp::collect {

namespace {

/// Descriptors besides those of connections and sessions: standard streams, the listening socket, epoll, timers,
/// look-ups of names.
constexpr std::size_t others = 32;

}  // namespace

void tell_service(const char* state) noexcept {
    const char* const where = std::getenv("NOTIFY_SOCKET");
    if (where == nullptr || (*where != '/' && *where != '@')) return;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t length = std::strlen(where);
    if (length >= sizeof address.sun_path) return;
    std::memcpy(address.sun_path, where, length);
    if (*where == '@') address.sun_path[0] = '\0';  // a name in the abstract namespace
    const int to = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (to < 0) return;
    (void)::sendto(to, state, std::strlen(state), MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&address),
                   static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + length));
    ::close(to);
}

void reserve_descriptors(std::size_t connections, std::size_t sessions) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    // While connections are closed for new ones, an eighth more are open (Server::make_room).
    const rlim_t needed = connections + connections / 8 + 8 + 2 * (sessions + 1) + others;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed) return;
    if (limit.rlim_max != RLIM_INFINITY && limit.rlim_max < needed)
        raise(ErrorCode::environment, "there are too few file descriptors",
              "--connections " + std::to_string(connections) + " needs " + std::to_string(needed) +
                  "; the limit of the process is " + std::to_string(limit.rlim_max) + ".",
              "Raise the hard limit (ulimit -Hn, LimitNOFILE in a unit of systemd), or lower --connections.");
    limit.rlim_cur = needed;
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
        raise(ErrorCode::environment, "the limit of file descriptors cannot be raised",
              "--connections " + std::to_string(connections) + " needs " + std::to_string(needed) + ".",
              "Raise the soft limit (ulimit -n), or lower --connections.");
}

}  // namespace ldp::collect
