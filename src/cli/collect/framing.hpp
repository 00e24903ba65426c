// Where a request begins and ends, whether a connection has ended, and which client it belongs to.
#pragma once

#include <poll.h>

#include <boost/asio/ip/address.hpp>
#include <boost/beast/core/error.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/string_body.hpp>
#include <optional>

#include "cli/collect/http_response.hpp"

namespace ldp::collect {

using Request = boost::beast::http::request<boost::beast::http::string_body>;

/// What is wrong with a request that could not be read; nothing if the client went away.
[[nodiscard]] std::optional<Answer> unreadable(boost::beast::error_code error);
/// What is wrong with a request of which the header was read: whatever could make a proxy and the endpoint
/// disagree where it ends. Afterwards the connection cannot be used for another one.
[[nodiscard]] std::optional<Answer> ill_framed(const Request& request);

/// What poll() is asked for, and whether its answer means that the other side of a connection has closed it.
/// It may have sent more before; where the system cannot tell that apart, this is noticed once that was read.
#ifdef POLLRDHUP
inline constexpr short closing_events = POLLRDHUP;
#else
inline constexpr short closing_events = POLLIN;
#endif
[[nodiscard]] bool is_closed(const pollfd& polled);

/// Clients of one address are counted together; of IPv6 those of a network of 64 bits, which one client may
/// have.
[[nodiscard]] boost::asio::ip::address counted_as(const boost::asio::ip::address& address);

}  // namespace ldp::collect
