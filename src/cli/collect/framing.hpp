// Framing of HTTP requests, detection of closed connections, and counting of clients by address.
#pragma once

#include <poll.h>

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>
#include <string_view>

#include "cli/collect/http_response.hpp"

namespace ldp::collect {

using Request = boost::beast::http::request<boost::beast::http::string_body>;

/// Returns the response to a request that could not be read; nothing if the client closed the connection.
[[nodiscard]] std::optional<HttpResponse> unreadable(boost::beast::error_code error);
/// Checks the header of a request for fields that could make a proxy and the endpoint disagree about the end
/// of the request. Returns the response if there are any; the connection must then be closed.
[[nodiscard]] std::optional<HttpResponse> ill_framed(const Request& request);

/// Returns whether a header, as it arrived, has a line that continues another one (obs-fold of RFC 9112). A
/// proxy may read such a line in another way.
[[nodiscard]] bool has_folded_line(std::string_view header);

/// Returns whether the peer's system has not yet acknowledged all that was written to this socket.
[[nodiscard]] bool has_unsent(int socket);

/// The events for poll(), and whether its result means that the peer has closed the connection. The peer may
/// have sent data before. A system without POLLRDHUP reports the end only after that data was read.
#ifdef POLLRDHUP
inline constexpr short closing_events = POLLRDHUP;
#else
inline constexpr short closing_events = POLLIN;
#endif
[[nodiscard]] bool is_closed(const pollfd& polled);

/// Returns the address under which a client is counted: an IPv4 address, or an IPv6 network of 64 bits, which
/// a single client may control.
[[nodiscard]] boost::asio::ip::address counted_as(const boost::asio::ip::address& address);

}  // namespace ldp::collect
