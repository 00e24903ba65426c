// The receipt of a response of an endpoint, in the header Ldp-Receipt. It shows that the response belongs to this request and
// comes from a program that implements this protocol: a cache, portal or login page does not send it by accident. The receipt
// is not a signature; TLS protects against an adversary on the network.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/base/bytes.hpp"

namespace ldp {

/// The receipt's header field.
inline constexpr const char* receipt_field = "Ldp-Receipt";
/// The header field with the id of the history of the endpoint's database. It is valid only together with a receipt.
inline constexpr const char* history_field = "Ldp-History";

/// Returns SHA-256, as 64 lower-case hexadecimal digits, of the following lines. Each line but the last ends
/// with a line feed.
///
///   - "ldp receipt 1";
///   - the method;
///   - the status of the response;
///   - the batch id in lower case;
///   - the round;
///   - SHA-256 of the content in lower-case hexadecimal digits;
///   - the collection's name.
///
/// `content` is SHA-256 of the body of a POST, or of the response's body for a GET. A DELETE has no content
/// and the round 0; a GET has an empty id and the round 0. The status 413 has no content, whatever is given: the
/// endpoint need not read the body.
[[nodiscard]] std::string delivery_receipt(std::string_view method, unsigned status,
                                           std::string_view collection, std::string_view id,
                                           std::int32_t round, const std::array<std::byte, 32>& content);

}  // namespace ldp
