// The random bits of a device, from ldp_device_random(). In libldp-device, this file replaces base/system_random.cpp. It has no
// buffer: no word exists before it is drawn, so none can be copied by a fork or left in memory.
#include <utility>

#include "capi/ldp_device.h"
#include "core/base/error.hpp"
#include "core/base/random.hpp"

namespace ldp {

SystemRandom::SystemRandom() : page_(nullptr) {}

SystemRandom::~SystemRandom() = default;

void SystemRandom::discard() noexcept {}

std::uint64_t SystemRandom::word() {
    std::uint64_t drawn = 0;
    if (ldp_device_random(&drawn, sizeof(drawn)) != 0)
        raise(ErrorCode::environment, "the random generator of the device failed", {},
              "Reports need random bits; try again later.");
    return drawn;
}

}  // namespace ldp
