// The warped window: a window over few outputs, which are not read as evenly as they stand.
#pragma once

#include <array>

#include "core/base/bytes.hpp"
#include "core/channel/epsilon_odds.hpp"
#include "core/channel/numeric.hpp"
#include "core/channel/symmetric.hpp"

namespace ldp {

/// Which outputs a window covers, and what they are read as: small enough to stand in a parameter block, so
/// that device and server read the same.
struct Warp {
    static constexpr unsigned outputs = 95;
    static constexpr unsigned most_knots = 9;

    std::uint8_t width = 0;                                 ///< of the window: below half of the outputs
    std::array<std::uint8_t, most_knots> decoded_values{};  ///< of the knots; 0 of those that there are not

    /// An output above the middle one whose reading stands in the warp. Up to the next knot, if they are
    /// joined, readings lie on a line.
    struct Knot {
        unsigned output;
        bool joined;
    };
    /// Readings jump at the first output that the window at its upper end covers, and where it lands that
    /// starts from the lower end and goes up by its own width: these cut the upper outputs in three
    /// stretches, the lowest a line of up to three pieces, the others of one and of two.
    [[nodiscard]] static std::vector<Knot> knots(unsigned width);
    /// What each output is read as. That of the middle one is 0, and outputs as far below it as others are
    /// above have the opposite reading.
    using Table = std::array<std::int64_t, outputs>;
    [[nodiscard]] Table table() const;
    /// Whether a window moves the mean reading upwards wherever it stands, and nothing is left over.
    [[nodiscard]] bool valid() const;

    friend bool operator==(const Warp&, const Warp&) = default;
};

/// What outputs tell of the numbers behind them, where a window covers `width` neighbouring outputs, each of
/// which is more likely than the others by the same. It has outputs − width + 1 *places* to stand in.
/// Readings being antisymmetric, the mean of all of them is 0, and the mean reading under a window is the sum
/// of those that it covers, but for a factor that is the same everywhere. So an input is rounded to a place
/// below or above it, unbiased, by sums of integers; the probability depends on them alone.
///
/// The variance depends on the readings: which are best, design_warp() tells.
///
/// tally: how often each output came (8 bytes each)
class WarpedResponse : public NumericChannel {
  public:
    std::vector<std::pair<std::string, double>> parameters() const override;
    void accumulate(std::byte* tally, std::uint64_t out) const noexcept override;
    void merge(std::byte* tally, const std::byte* other) const noexcept override;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept override;
    /// The second moment is that of the places, which is larger than the inputs' by what rounding adds. That
    /// is counted as noise, as if everybody were rounded as far as can be.
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept override;
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const override;
    Reach reach() const override;
    double max_probability(std::uint64_t) const override { return low_ + tilt_; }

    double noise_at(double s) const noexcept override;
    double noisiest() const noexcept override;
    double average_noise() const noexcept override;

    [[nodiscard]] std::uint64_t width() const noexcept { return width_; }
    [[nodiscard]] std::size_t places() const noexcept { return sums_.size(); }
    /// An input stands at `lower`, or with probability up / 2^64 at the next place.
    struct GridPosition {
        std::size_t lower;
        Uint128 up;
    };
    [[nodiscard]] GridPosition place_of(std::uint64_t in) const noexcept;
    /// Where a place stands, on [−1,1].
    [[nodiscard]] double position(std::size_t place) const noexcept { return positions_[place]; }

    /// The probability of an output outside the window, and how much more one inside has.
    [[nodiscard]] double outside() const noexcept { return low_; }
    [[nodiscard]] double more_inside() const noexcept { return tilt_; }

  protected:
    /// The warp is valid().
    WarpedResponse(std::uint64_t steps, const Warp& warp, double outside, double more_inside);

  private:
    /// Half the grid, whose square n·Var is counted in.
    [[nodiscard]] double half() const noexcept { return static_cast<double>(steps()) / 2; }

    std::uint64_t width_;
    double low_, tilt_;
    std::vector<std::int64_t> sums_;            // of the readings that a window covers, place by place
    std::array<double, Warp::outputs> value_;   // of an output: its mean is the input's, on [−1,1]
    std::array<double, Warp::outputs> square_;  // of an output: its mean is the place's square
    std::vector<double> positions_;
    std::vector<double> variances_;  // of value_, place by place
    double rounding_;                // the most that rounding adds to them
};

/// Outputs inside the window have the high weight, the others the low one.
class WarpedChannel final : public WarpedResponse {
  public:
    WarpedChannel(std::uint64_t steps, const Warp& warp, double epsilon)
        : WarpedChannel(steps, warp, ldp::odds(epsilon, warp.width, Warp::outputs - warp.width)) {}

    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override;
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// high / low: an input is a mixture of two windows, and the ends of the grid are one window each, which
    /// share no output.
    Exact worst_ratio() const override;

    [[nodiscard]] const Warp& warp() const noexcept { return warp_; }
    [[nodiscard]] const Odds& odds() const noexcept { return odds_; }
    /// The weight of an output at a place, which is below places(), and the sum of all outputs' weights.
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

/// An output of a WarpedChannel that is kept, and goes through a symmetric response of its own whenever it is
/// sent: a window again, less likely.
class WarpedChain final : public WarpedResponse {
  public:
    WarpedChain(const WarpedChannel& kept, const SymmetricChannel& sent);

    [[nodiscard]] const WarpedChannel& kept() const noexcept { return kept_; }
    [[nodiscard]] const SymmetricChannel& sent() const noexcept { return sent_; }

    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override {
        return sent_.sample(kept_.sample(in, bits), bits);
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// As of what is kept.
    Exact worst_ratio() const override;

  private:
    WarpedChannel kept_;
    SymmetricChannel sent_;
};

}  // namespace ldp
