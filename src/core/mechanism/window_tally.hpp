// What is kept of many window outputs: their sum and the sum of their squares, exactly.
#pragma once

#include "../bytes.hpp"
#include "../channel/window.hpp"
#include "../error.hpp"

namespace ldp {

/// Σ cell (8 bytes) and Σ cell² (16 bytes) at a place in a state. Cells lie below 2^23 and a summary counts
/// at most 2^40 reports, so neither sum can overflow.
struct WindowTally {
    static constexpr std::size_t size = 24;

    static void accumulate(std::byte* at, std::uint64_t cell) noexcept {
        ldp::add<std::uint64_t>(at, cell);
        ldp::add<Uint128>(at + 8, Uint128{cell} * cell);
    }
    static void merge(std::byte* at, const std::byte* other) noexcept {
        ldp::add(at, load<std::uint64_t>(other));
        ldp::add(at + 8, load<Uint128>(other + 8));
    }
    /// Whether n outputs of the channel can have these sums.
    [[nodiscard]] static bool valid(std::uint64_t n, const std::byte* at, std::uint64_t outputs) noexcept {
        const Uint128 sum = load<std::uint64_t>(at);
        const auto squares = load<Uint128>(at + 8);
        const Uint128 most = Uint128{n} * (outputs - 1);
        // Cauchy–Schwarz below, cell ≤ outputs−1 above; sum < 2^63, so that its square fits.
        return sum <= most && squares <= sum * (outputs - 1) && sum * sum <= Uint128{n} * squares;
    }
    [[nodiscard]] static WindowChannel::Sums sums(std::uint64_t n, const std::byte* at) noexcept {
        return {static_cast<double>(n), static_cast<double>(load<std::uint64_t>(at)),
                static_cast<double>(load<Uint128>(at + 8))};
    }
};

inline constexpr std::uint64_t max_grid = std::uint64_t{1} << 20;

/// Writes and reads steps and width (4 bytes each); reading throws Error (malformed) for what no spec leads
/// to.
inline void write_window(Writer& writer, std::uint64_t steps, std::uint64_t width) {
    writer.put(static_cast<std::uint32_t>(steps));
    writer.put(static_cast<std::uint32_t>(width));
}

[[nodiscard]] inline WindowChannel read_window(Reader& reader, double epsilon) {
    const auto steps = reader.take<std::uint32_t>();
    const auto width = reader.take<std::uint32_t>();
    if (steps < 2 || steps > max_grid || width < 1 || width > 4 * max_grid)
        throw Error(
            ErrorCode::malformed, "the window is out of range",
            "Found " + std::to_string(steps) + " grid steps and a window of " + std::to_string(width) + ".",
            "The bytes were damaged or forged.");
    return {steps, width, epsilon};
}

/// An attribute's declared range, as two numbers in the block.
struct Range {
    double min;
    double max;

    /// Original units of a position on [−1,1]·half around the middle.
    [[nodiscard]] double middle() const noexcept { return min / 2 + max / 2; }
    [[nodiscard]] double half() const noexcept { return max / 2 - min / 2; }
    friend bool operator==(const Range&, const Range&) = default;
};

[[nodiscard]] inline Range read_range(Reader& reader) {
    const auto min = reader.take<double>();
    const auto max = reader.take<double>();
    if (!(min < max && max - min <= 1e300))
        throw Error(ErrorCode::malformed, "the declared range is empty or infinite", {},
                    "The bytes were damaged or forged.");
    return {min, max};
}

}  // namespace ldp
