// The warped window: a window over few outputs whose decoded values are not equidistant.
#pragma once

#include <array>

#include "core/base/bytes.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/channel/numeric.hpp"
#include "core/channel/symmetric.hpp"

namespace ldp {

/// The width of the window and the decoded values of its outputs. It is small enough for a parameter block,
/// so that clients and servers decode equally.
struct Warp {
    static constexpr unsigned outputs = 95;
    static constexpr unsigned most_knots = 9;

    std::uint8_t width = 0;                                 ///< of the window: below half of the outputs
    std::array<std::uint8_t, most_knots> decoded_values{};  ///< of the knots; 0 for unused knots

    /// An output above the middle one whose decoded value is a parameter. If the knot is joined, decoded
    /// values are linear up to the next knot.
    struct Knot {
        unsigned output;
        bool joined;
    };
    /// Returns the knots for a width. Decoded values jump at the first output of the window at the upper end,
    /// and at the corresponding output of the window that starts at the lower end, moved up by its width.
    /// These two outputs divide the upper outputs into three segments. The lowest is a line of up to three
    /// pieces; the others have one and two pieces.
    [[nodiscard]] static std::vector<Knot> knots(unsigned width);
    /// Returns the decoded value of each output. It is 0 for the middle output and antisymmetric about it.
    using Table = std::array<std::int64_t, outputs>;
    [[nodiscard]] Table table() const;
    /// Returns whether the mean decoded value increases with the position of the window, and unused knots are
    /// 0.
    [[nodiscard]] bool valid() const;

    friend bool operator==(const Warp&, const Warp&) = default;
};

/// Estimation from outputs of a window that covers `width` adjacent outputs with equal, higher probability.
/// The window has outputs − width + 1 positions. Decoded values are antisymmetric, so that their sum is 0.
/// The mean decoded value at a position is therefore proportional to the sum over the covered outputs. An
/// input is rounded without bias to an adjacent position by integer sums; its probability depends on these
/// sums only.
///
/// The variance depends on the decoded values, which design_warp() optimizes.
///
/// tally: how often each output came (8 bytes each)
class WarpedResponse : public NumericChannel {
  public:
    std::vector<std::pair<std::string, double>> parameters() const override;
    void accumulate(std::byte* tally, std::uint64_t out) const noexcept override;
    void accumulate_all(std::byte* tally, std::span<const std::uint64_t> outs) const noexcept override;
    bool accumulate_all(std::byte* tally, const Payloads& outs) const noexcept override;
    void merge(std::byte* tally, const std::byte* other) const noexcept override;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept override;
    /// The second moment refers to the positions; it exceeds the second moment of the inputs by the rounding
    /// variance. The maximal rounding variance counts as noise.
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept override;
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const override;
    Reach reach() const override;
    double max_probability(std::uint64_t) const override { return low_ + tilt_; }

    double noise_at(double s) const noexcept override;
    double noisiest() const noexcept override;
    double average_noise() const noexcept override;

    [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
    [[nodiscard]] std::size_t places() const noexcept { return sums_.size(); }
    /// The position of an input: `lower`, or with probability up / 2^64 the next one.
    struct GridPosition {
        std::size_t lower;
        Uint128 up;
    };
    [[nodiscard]] GridPosition place_of(std::uint64_t in) const noexcept;
    /// Returns a position's value on [−1,1].
    [[nodiscard]] double position(std::size_t place) const noexcept { return positions_[place]; }

    /// Return the probability of an output outside the window, and the additional probability of one inside.
    [[nodiscard]] double outside() const noexcept { return low_; }
    [[nodiscard]] double more_inside() const noexcept { return tilt_; }

  protected:
    /// Requires warp.valid().
    WarpedResponse(std::uint64_t steps, const Warp& warp, double outside, double more_inside);

  private:
    /// Half the grid; n·Var is in units of its square.
    [[nodiscard]] double half() const noexcept { return static_cast<double>(steps()) / 2; }

    std::uint64_t width_;
    double low_, tilt_;
    std::vector<std::int64_t> sums_;           // of the decoded values that a window covers, by position
    std::array<double, Warp::outputs> value_;  // estimate of an output, whose mean is the input on [−1,1]
    // estimate of an output, whose mean is the square of the position
    std::array<double, Warp::outputs> square_;
    std::vector<double> positions_;
    std::vector<double> variances_;  // of value_, by position
    double rounding_;                // maximal rounding variance
};

/// A channel in which outputs inside the window have the high weight, the others the low one.
class WarpedChannel final : public WarpedResponse {
  public:
    WarpedChannel(std::uint64_t steps, const Warp& warp, double epsilon)
        : WarpedChannel(steps, warp, ldp::odds(epsilon, warp.width, Warp::outputs - warp.width)) {}

    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override;
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// Returns high / low. An input is a mixture of two windows. The windows at the ends of the grid share no
    /// output.
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;

    [[nodiscard]] const Warp& warp() const noexcept { return warp_; }
    [[nodiscard]] const Odds& odds() const noexcept { return odds_; }
    /// Return the weight of an output at a position below places(), and the sum of the weights of all
    /// outputs.
    [[nodiscard]] std::uint64_t weight(std::size_t place, std::uint64_t out) const noexcept {
        return out >= place && out - place < width() ? odds_.high : odds_.low;
    }
    [[nodiscard]] std::uint64_t total() const noexcept {
        return width() * odds_.high + (outputs() - width()) * odds_.low;
    }

  private:
    WarpedChannel(std::uint64_t steps, const Warp& warp, const Odds& odds);

    Warp warp_;
    Odds odds_;
};

/// A memoized output of a WarpedChannel, which is perturbed by a symmetric response each time it is sent. The
/// chain is a window with a lower probability.
class WarpedChain final : public WarpedResponse {
  public:
    WarpedChain(const WarpedChannel& kept, const SymmetricChannel& sent);

    [[nodiscard]] const WarpedChannel& kept() const noexcept { return kept_; }
    [[nodiscard]] const SymmetricChannel& sent() const noexcept { return sent_; }

    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override {
        return sent_.sample(kept_.sample(in, bits), bits);
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// The worst pair of inputs is the same as for the memoized channel.
    Exact worst_ratio() const override;
    ChannelLaw channel_law() const override;

  private:
    WarpedChannel kept_;
    SymmetricChannel sent_;
};

}  // namespace ldp
