// The numeric randomizers: their channels, and the encoding in a parameter block. Shared by the mechanisms
// for one number and by mechanisms that report derived numbers.
#pragma once

#include <memory>

#include "core/channel/numeric.hpp"
#include "core/channel/warp_design.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/fields.hpp"
#include "core/mechanism/role/registry.hpp"

/// Window widths.
namespace ldp::piecewise {
[[nodiscard]] std::uint64_t width(double epsilon, std::uint64_t steps);
}
namespace ldp::pdp {
[[nodiscard]] std::uint64_t width(double epsilon, std::uint64_t steps);
}
namespace ldp::hybrid {
[[nodiscard]] std::uint64_t width(double epsilon, std::uint64_t steps);
}

namespace ldp {

/// The channel as encoded in a block: 0 for a window, otherwise the id of the mechanism that uses it.
enum class Response : std::uint8_t { window = 0, laplace = 13, duchi = 14, hybrid = 16, optimal = 28 };

/// A channel and its name in a spec.
struct NumericRandomizer {
    const char* name;
    Response response;
    /// width of its window in grid steps; 0 without a window
    std::uint64_t (*width)(double epsilon, std::uint64_t steps);
    bool from_zero = false;        ///< whether its range must start at 0
    WarpAim aim = WarpAim::worst;  ///< of a warped window
};

[[nodiscard]] constexpr std::uint64_t no_width(double, std::uint64_t) noexcept {
    return 0;
}

inline constexpr NumericRandomizer piecewise_randomizer{"piecewise", Response::window, piecewise::width};
inline constexpr NumericRandomizer pdp_randomizer{"pdp", Response::window, pdp::width};
inline constexpr NumericRandomizer laplace_randomizer{"laplace", Response::laplace, no_width};
inline constexpr NumericRandomizer duchi_randomizer{"duchi", Response::duchi, no_width};
inline constexpr NumericRandomizer onebit_randomizer{"onebit", Response::duchi, no_width, true};
inline constexpr NumericRandomizer hybrid_randomizer{"hybrid", Response::hybrid, hybrid::width};
inline constexpr NumericRandomizer optimal_randomizer{"optimal", Response::optimal, no_width};
inline constexpr NumericRandomizer average_randomizer{"optimal", Response::optimal, no_width, false,
                                                      WarpAim::average};

/// The permitted sizes of the grid in a spec.
inline constexpr std::uint64_t max_grid = std::uint64_t{1} << 20;
inline constexpr Option grid_option{.name = "grid", .fallback = 32768, .least = 2, .most = max_grid};

/// The parameters of a channel in a block, except the kind of channel.
struct ChannelSize {
    std::uint32_t steps;
    std::uint32_t width;
    decltype(Warp::decoded_values) decoded_values{};  ///< of a warped window
};
[[nodiscard]] ChannelSize channel_size(const NumericRandomizer& randomizer, double epsilon,
                                       std::uint64_t steps);
/// Writes grid steps and window width (4 bytes each).
void write_channel(Writer& writer, const ChannelSize& size);
/// Writes the decoded values of a warped window's knots (1 byte each).
void write_readings(Writer& writer, Response response, const ChannelSize& size);
/// These functions read what write_channel() and write_readings() write, without validation.
[[nodiscard]] ChannelSize read_channel(Reader& reader);
void read_readings(Reader& reader, Response response, ChannelSize& size);
/// Returns the channel. Error (malformed) if the parameters are out of range.
[[nodiscard]] std::unique_ptr<const NumericChannel> make_channel(Response response, const ChannelSize& size,
                                                                 double epsilon);

}  // namespace ldp
