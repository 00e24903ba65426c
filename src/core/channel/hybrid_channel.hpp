// The hybrid response: a window for some reports, one bit for the others.
#pragma once

#include "core/channel/binary.hpp"
#include "core/channel/window_channel.hpp"

namespace ldp {

/// Up to this ε one bit alone has the least worst variance (Wang, Xiao et al. 2019):
/// ln((−5 + 2·∛(6353 − 405√241) + 2·∛(6353 + 405√241)) / 27).
inline constexpr double hybrid_threshold = 0.609352493027309532;

/// With the public probability 1 − exp(−ε/2) a window, otherwise one bit, either at the full ε. An output
/// below the window's number of outputs is the window's, the last two are the bit.
///
/// Each report by itself is unbiased for its person's number, so their plain average is unbiased for the mean
/// of all, and its noise is the average of the parts' noise: who fell into which part adds nothing. Weights
/// that favour the more accurate part would lower the noise where people agree, but then the mean of the part
/// stands for the mean of all, and against the people who reported that costs their own variance.
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
    /// Which part it is does not depend on the input and cancels.
    Exact worst_ratio() const override;

    void accumulate(std::byte* tally, std::uint64_t out) const noexcept override;
    void merge(std::byte* tally, const std::byte* other) const noexcept override;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept override;
    /// The window's reports tell the mean square; where there are none, as for BinaryChannel.
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept override;
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const override;

  private:
    HybridChannel(const WindowChannel& window, const BinaryChannel& binary, double share);

    /// n·Var of the mean, in squared grid steps, if this share of the reports came through the window.
    [[nodiscard]] static Quadratic mixture(const WindowChannel& window, const BinaryChannel& binary,
                                           double share) noexcept;

    /// Where the parts' tallies stand in a tally.
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
