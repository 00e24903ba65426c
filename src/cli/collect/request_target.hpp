// Parsing of request targets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ldp::collect {

using Uuid = std::array<std::byte, 16>;

/// Parses the text form of a UUID, in upper or lower case; nothing if it is malformed.
[[nodiscard]] std::optional<Uuid> parse_uuid(std::string_view text);
[[nodiscard]] std::string uuid_text(const Uuid& uuid);

struct Target {
    enum class Of { spec, columns, batch, metrics, health };
    Of of;
    std::string collection = {};  ///< set for spec, columns and batch
    Uuid batch = {};
    std::int32_t round = 0;
};

/// Parses /collections/NAME/spec, /collections/NAME/columns, /collections/NAME/batches/UUID with an optional
/// ?round=N, /metrics or /healthz; nothing for other targets. A name may have any characters, percent-encoded
/// (RFC 3986).
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace ldp::collect
