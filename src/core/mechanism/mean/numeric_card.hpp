// The numeric cards: which response each stands for, and how it is written in a parameter block. Shared by
// the mechanisms for one number and by those that send numbers of their own making through one.
#pragma once

#include <memory>

#include "core/channel/numeric.hpp"
#include "core/mechanism/mechanism.hpp"
#include "core/spec/spec.hpp"

namespace ldp {

/// A response, as a block may tell it: 0 for a window, otherwise the number of the mechanism that it is by
/// itself.
enum class Response : std::uint8_t { window = 0, laplace = 13, duchi = 14, hybrid = 16 };

/// A response under the name that a spec knows it by.
struct NumericCard {
    const char* name;
    Response response;
    std::uint64_t (*width)(double epsilon, std::uint64_t steps);  ///< of its window, in grid steps; 0: none
    bool from_zero = false;                                       ///< whether its range must begin at 0
};

/// Window widths; each stands in its mechanism's file.
[[nodiscard]] std::uint64_t piecewise_width(double epsilon, std::uint64_t steps);
[[nodiscard]] std::uint64_t pdp_width(double epsilon, std::uint64_t steps);
[[nodiscard]] std::uint64_t hybrid_width(double epsilon, std::uint64_t steps);
[[nodiscard]] constexpr std::uint64_t no_width(double, std::uint64_t) noexcept {
    return 0;
}

inline constexpr NumericCard piecewise_card{"piecewise", Response::window, piecewise_width};
inline constexpr NumericCard pdp_card{"pdp", Response::window, pdp_width};
inline constexpr NumericCard laplace_card{"laplace", Response::laplace, no_width};
inline constexpr NumericCard duchi_card{"duchi", Response::duchi, no_width};
inline constexpr NumericCard onebit_card{"onebit", Response::duchi, no_width, true};
inline constexpr NumericCard hybrid_card{"hybrid", Response::hybrid, hybrid_width};

/// The grid's size, as a spec may give it.
inline constexpr std::uint64_t max_grid = std::uint64_t{1} << 20;
inline constexpr Option grid_option{.name = "grid", .fallback = 32768, .least = 2, .most = max_grid};

/// Writes grid steps and window width (4 bytes each).
void write_channel(Writer& writer, const NumericCard& card, double epsilon, std::uint64_t steps);
/// What write_channel() wrote, before it is believed.
struct ChannelSize {
    std::uint32_t steps;
    std::uint32_t width;
};
[[nodiscard]] ChannelSize read_channel(Reader& reader);
/// Throws Error (malformed) if what was read is out of range.
[[nodiscard]] std::unique_ptr<const NumericChannel> make_channel(Response response, const ChannelSize& size,
                                                                 double epsilon);

/// An attribute's declared range, as two numbers in the block.
struct Range {
    double min;
    double max;

    /// Original units of a position on [−1,1]·half around the middle.
    [[nodiscard]] double middle() const noexcept { return min / 2 + max / 2; }
    [[nodiscard]] double half() const noexcept { return max / 2 - min / 2; }
    friend bool operator==(const Range&, const Range&) = default;
};

void write_range(Writer& writer, const Range& range);
/// Throws Error (malformed) if what was read is out of range.
[[nodiscard]] Range read_range(Reader& reader);

/// The ranges of a vector's attributes: number of runs (2), then runs of attributes with equal ranges: length
/// (4), min, max.
void write_ranges(Writer& writer, const std::vector<Attribute>& attributes);
/// Throws Error (malformed) unless there are ranges for `d` attributes.
[[nodiscard]] std::vector<Range> read_ranges(Reader& reader, std::size_t d);

}  // namespace ldp
