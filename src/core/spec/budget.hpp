// What a person who reports again and again may spend.
#pragma once

#include <cstdint>

namespace ldp {

/// What a person may spend over all time, and what happens then.
struct Budget {
    /// What becomes of a value that would need a new answer.
    enum class WhenSpent {
        repeat,  ///< a value without an answer of its own is given the nearest one's
        refuse,  ///< it is refused
    };
    double epsilon;                            ///< over all time
    WhenSpent when_spent = WhenSpent::repeat;  ///< and what happens then

    /// How many answers at ε each it pays for, as decimals have it: 0.3 pays for three at 0.1, although the
    /// sum of their nearest doubles is larger by one part in 10^16.
    [[nodiscard]] std::uint64_t answers(double each) const noexcept;
    friend bool operator==(const Budget&, const Budget&) = default;
};

}  // namespace ldp
