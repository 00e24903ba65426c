#include "client/batch_transport.hpp"

#include <algorithm>

namespace ldp {

std::optional<std::chrono::milliseconds> Backoff::next(std::chrono::milliseconds elapsed) {
    if (elapsed >= retry_policy_.limit) return std::nullopt;
    pause_ = std::min(pause_.count() == 0 ? retry_policy_.first : 2 * pause_, retry_policy_.longest);
    // The pause is random between one half and all of its nominal length. The last pause ends at the limit.
    const auto half = pause_ / 2;
    const auto more = bits_.below(static_cast<std::uint64_t>((pause_ - half).count()) + 1);
    return std::min(half + std::chrono::milliseconds(more), retry_policy_.limit - elapsed);
}

}  // namespace ldp
