// The hybrid response: a window for some reports, one bit for the others.
#pragma once

#include "core/channel/binary.hpp"
#include "core/channel/window_channel.hpp"

namespace ldp {

/// Up to this ε, one bit alone has the smallest worst-case variance (Wang, Xiao et al. 2019): ln((−5 +
/// 2·∛(6353 − 405√241) + 2·∛(6353 + 405√241)) / 27).
inline constexpr double hybrid_threshold = 0.609352493027309532;

/// A window with the public probability 1 − exp(−ε/2), otherwise one bit, each at the full ε. Outputs below
/// the window's number of outputs belong to the window; the last two are the values of the bit.
///
/// Each report is an unbiased estimate of its user's number, so that the plain average is unbiased for the
/// mean, and its noise is the average of the parts' noise. The random assignment adds no noise. Larger
/// weights for the more accurate part would reduce the noise if users agree. The mean of that part would then
/// represent the mean of all, which adds the variance between users for the target sample.
///
/// tally: reports through the window (8 bytes), the window's tally, the bit's tally
class HybridChannel final : public QuadraticChannel {
  public:
    HybridChannel(std::uint64_t steps, std::uint64_t width, double epsilon);

    std::vector<std::pair<std::string, double>> parameters() const override;
    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override;
    Reach reach() const override;
    double max_probability(std::uint64_t out) const override;
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// The choice of the part does not depend on the input and cancels.
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;

    using QuadraticChannel::accumulate_all;
    void accumulate(std::byte* tally, std::uint64_t out) const noexcept override;
    void accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept override;
    void merge(std::byte* tally, const std::byte* other) const noexcept override;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept override;
    /// The mean square about the middle is estimated from the window's reports; without any, as in
    /// BinaryChannel.
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept override;
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const override;

  private:
    HybridChannel(const WindowChannel& window, const BinaryChannel& binary, double share);

    /// Returns n·Var of the mean in squared grid steps if this share of the reports came through the window.
    [[nodiscard]] static Quadratic mixture(const WindowChannel& window, const BinaryChannel& binary,
                                           double share) noexcept;

    /// Return the positions of the parts' tallies in a tally.
    template <class Byte>
    [[nodiscard]] Byte* window_part(Byte* tally) const noexcept {
        return tally + sizeof(std::uint64_t);
    }
    template <class Byte>
    [[nodiscard]] Byte* binary_part(Byte* tally) const noexcept {
        return window_part(tally) + window_.tally_size();
    }

    WindowChannel window_;
    BinaryChannel binary_;
    double share_;              // of reports through the window
    std::uint64_t draw_below_;  // the same times 2^64
};

}  // namespace ldp
