// What error formulas say on every line.
#pragma once

namespace ldp {

[[nodiscard]] constexpr double square(double number) noexcept {
    return number * number;
}

}  // namespace ldp
