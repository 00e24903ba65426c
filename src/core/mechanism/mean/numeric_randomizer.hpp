// The numeric randomizers: which response each stands for, and how it is written in a parameter
// block. Shared by the mechanisms for one number and by those that send numbers of their own making through
// one.
#pragma once

#include <memory>

#include "core/channel/numeric.hpp"
#include "core/channel/warp_design.hpp"
#include "core/mechanism/capability.hpp"
#include "core/mechanism/fields.hpp"
#include "core/mechanism/registry.hpp"

/// Window widths; each stands in its mechanism's file.
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

/// A response, as a block may tell it: 0 for a window, otherwise the number of the mechanism that it is by
/// itself.
enum class Response : std::uint8_t { window = 0, laplace = 13, duchi = 14, hybrid = 16, optimal = 28 };

/// A response under the name that a spec knows it by.
struct NumericRandomizer {
    const char* name;
    Response response;
    std::uint64_t (*width)(double epsilon, std::uint64_t steps);  ///< of its window, in grid steps; 0: none
    bool from_zero = false;                                       ///< whether its range must begin at 0
    WarpAim aim = WarpAim::worst;                                 ///< of a warped window
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

/// The grid's size, as a spec may give it.
inline constexpr std::uint64_t max_grid = std::uint64_t{1} << 20;
inline constexpr Option grid_option{.name = "grid", .fallback = 32768, .least = 2, .most = max_grid};

/// All that a block tells of a channel but the response.
struct ChannelSize {
    std::uint32_t steps;
    std::uint32_t width;
    decltype(Warp::decoded_values) decoded_values{};  ///< of a warped window
};
[[nodiscard]] ChannelSize channel_size(const NumericRandomizer& randomizer, double epsilon,
                                       std::uint64_t steps);
/// Writes grid steps and window width (4 bytes each).
void write_channel(Writer& writer, const ChannelSize& size);
/// Writes what a warped window has beyond them: the readings of its knots (1 byte each).
void write_readings(Writer& writer, Response response, const ChannelSize& size);
/// What both wrote, before it is believed.
[[nodiscard]] ChannelSize read_channel(Reader& reader);
void read_readings(Reader& reader, Response response, ChannelSize& size);
/// Throws Error (malformed) if what was read is out of range.
[[nodiscard]] std::unique_ptr<const NumericChannel> make_channel(Response response, const ChannelSize& size,
                                                                 double epsilon);

/// A single number.
class Number : public Capability {
  public:
    static constexpr const char* offers = "a single number";

    /// The declared range.
    [[nodiscard]] virtual const Range& range() const noexcept = 0;
};

}  // namespace ldp
