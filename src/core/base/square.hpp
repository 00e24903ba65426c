// The square of a number.
#pragma once

namespace ldp {

[[nodiscard]] constexpr double square(double number) noexcept {
    return number * number;
}

}  // namespace ldp
