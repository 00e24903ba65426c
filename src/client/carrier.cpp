#include "client/carrier.hpp"

#include <algorithm>

namespace ldp {

std::optional<std::chrono::milliseconds> Backoff::next(std::chrono::milliseconds elapsed) {
    if (elapsed >= patience_.limit) return std::nullopt;
    pause_ = std::min(pause_.count() == 0 ? patience_.first : 2 * pause_, patience_.longest);
    // Between half of it and all of it; and the last attempt is made when the time is over, not before.
    const auto half = pause_ / 2;
    const auto more = bits_.below(static_cast<std::uint64_t>((pause_ - half).count()) + 1);
    return std::min(half + std::chrono::milliseconds(more), patience_.limit - elapsed);
}

}  // namespace ldp
