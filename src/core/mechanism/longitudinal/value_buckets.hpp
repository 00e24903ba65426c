// Mechanisms whose shares are those of buckets of consecutive values.
#pragma once

#include <cstdint>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// Capability of mechanisms of one attribute that estimate a share for each bucket, not for each value.
class ValueBuckets : public Capability {
  public:
    static constexpr const char* offers = "shares of buckets of values";

    /// Returns the number of buckets, which is that of the estimates.
    [[nodiscard]] virtual std::uint64_t buckets() const noexcept = 0;
};

}  // namespace ldp
