// Oracles of whose estimates any sum has an error that is known.
#pragma once

#include "core/mechanism/capability.hpp"

namespace ldp {

class Contrasts : public Capability {
  public:
    static constexpr const char* offers = "how sure sums of shares are";

    /// The shares that are estimated add up to 1. Of Σ g·share and Σ h·share, g and h adding up to 0, n·Cov
    /// against a population is even·Σ gh + held·Σ f·gh − Σ fg·Σ fh, f being the true shares; exact.
    struct Moments {
        double even, held;
    };
    [[nodiscard]] virtual Moments contrasts() const noexcept = 0;
};

}  // namespace ldp
