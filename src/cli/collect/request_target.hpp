// What the target of a request stands for.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ldp::collect {

using Uuid = std::array<std::byte, 16>;

/// Of its text form, in upper or lower case.
[[nodiscard]] std::optional<Uuid> parse_uuid(std::string_view text);
[[nodiscard]] std::string uuid_text(const Uuid& uuid);

struct Target {
    enum class Of { spec, batch, metrics, health };
    Of of;
    std::string collection = {};  ///< of spec and batch
    Uuid batch = {};
    std::int32_t round = 0;
};

/// /collections/NAME/spec, /collections/NAME/batches/UUID with ?round=N or without, /metrics, /healthz.
/// Nothing if it is none of them. A name may have any characters, percent-encoded as RFC 3986 says.
[[nodiscard]] std::optional<Target> parse_target(std::string_view target);

}  // namespace ldp::collect
