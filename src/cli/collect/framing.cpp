#include "cli/collect/framing.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/error.hpp>

namespace ldp::collect {

namespace net = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;

std::optional<HttpResponse> unreadable(boost::beast::error_code error) {
    if (error == http::error::body_limit)
        return problem(413, "the body is too large", "Send the reports in smaller batches.");
    if (error == http::error::header_limit || error == http::error::buffer_overflow)
        return problem(431, "the header is too large");
    if (error == http::error::bad_chunk_extension)
        return problem(400, Error(ErrorCode::malformed, "chunks must have no extensions"));
    if (error == http::error::end_of_stream || error == http::error::partial_message ||
        error.category() != http::make_error_code(http::error::bad_method).category())
        return {};
    return problem(400, Error(ErrorCode::malformed, "the request is not valid HTTP/1.1", error.message()));
}

std::optional<HttpResponse> ill_framed(const Request& request) {
    const auto malformed = [](const char* what) { return problem(400, Error(ErrorCode::malformed, what)); };
    const auto hosts = request.count(http::field::host);
    if (hosts > 1 || (hosts == 0 && request.version() >= 11))
        return malformed("a request must name one host");
    const auto lengths = request.count(http::field::content_length);
    const auto length = request[http::field::content_length];
    if (lengths > 1 || length.find_first_not_of("0123456789") != beast::string_view::npos)
        return malformed("a request must have one Content-Length");
    if (request.count(http::field::content_encoding) > 0) {
        HttpResponse refused =
            problem(415, "the endpoint supports no Content-Encoding", "Send the batch without compression.");
        refused.fields.emplace_back("Accept-Encoding", "identity");
        return refused;
    }
    const auto [first, last] = request.equal_range(http::field::transfer_encoding);
    if (first == last) return {};
    if (request.version() < 11) return malformed("HTTP/1.0 does not define Transfer-Encoding");
    if (request.count(http::field::content_length) > 0)
        return malformed("a request must not have both Transfer-Encoding and Content-Length");
    for (auto field = first; field != last; ++field)
        if (!beast::iequals(field->value(), "chunked"))
            return problem(501, "the endpoint supports only the Transfer-Encoding chunked");
    return {};
}

bool has_folded_line(std::string_view header) {
    for (const char* const blank : {"\n ", "\n\t"})
        if (header.find(blank) != std::string_view::npos) return true;
    return false;
}

bool has_unsent(int socket) {
    int octets = 0;
#ifdef SIOCOUTQ
    if (ioctl(socket, SIOCOUTQ, &octets) != 0) return false;
#else
    (void)socket;
#endif
    return octets > 0;
}

bool is_closed(const pollfd& polled) {
    constexpr short ended = POLLHUP | POLLERR | POLLNVAL;
#ifdef POLLRDHUP
    return (polled.revents & (POLLRDHUP | ended)) != 0;
#else
    char next;
    return (polled.revents & ended) != 0 ||
           ((polled.revents & POLLIN) != 0 && recv(polled.fd, &next, 1, MSG_PEEK | MSG_DONTWAIT) == 0);
#endif
}

net::ip::address counted_as(const net::ip::address& address) {
    if (address.is_v4()) return address;
    net::ip::address_v6 network = address.to_v6();
    if (network.is_v4_mapped()) return net::ip::make_address_v4(net::ip::v4_mapped, network);
    auto bytes = network.to_bytes();
    std::fill(bytes.begin() + 8, bytes.end(), 0);
    return net::ip::address_v6(bytes);
}

}  // namespace ldp::collect
