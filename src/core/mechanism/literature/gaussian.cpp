// The means of many numbers with normal noise. Each report covers all of them and is (ε, δ)-private. The
// error decreases with the length of the vectors relative to the cube of their ranges.
//
// A vector is a grid point z, in steps from the middle. If it is longer than `radius`, it is shortened to
// that length, towards 0 and onto the grid. Two inputs therefore differ by at most 2·radius. Rounding to the
// grid moves each coordinate by less than a step. With radius = norm + √d steps, every vector of at most the
// declared norm is unchanged, and its mean is preserved. No vector is longer than the corners of the cube.
//
// The noise is the exact integer part of a normal variable, ⌊G⌋. Since z + ⌊G⌋ = ⌊z + G⌋ is a function of z +
// G, the privacy of normal noise carries over to any grid. This construction is as exact as discrete Gaussian
// noise proportional to exp(−n²/2σ²) (Canonne, Kamath, Steinke 2020, arXiv:2004.00010). The δ of the latter
// is known through its Rényi divergences only, which requires a larger σ. The mean of z + ⌊G⌋ + ½ is z.
//
// The sampled noise differs from the ideal in two ways, which δ accounts for. Let P be the ideal law of a
// report and P' the law conditional on noise below `magnitudes`. The sampled law is within e^±dη of P' at
// every output. P' is within d·t of P, where t is the probability of larger noise. Therefore Σ max(0, p −
// e^ε·q) over the sampled laws of two inputs is at most e^dη·(δ_G(ε − 2dη) + (1 + e^ε)·d·t), where δ_G is
// that of normal noise.
//
// parameters: d, grid steps (4 bytes each), δ, norm (8 each), σ in steps (4), ranges of the attributes in
//             runs
// payload:    an output of the channel for each attribute
// state:      the channel's counters for each attribute

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/channel/channel_moments.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/vector/haar_vector.hpp"
#include "core/mechanism/vector/vector_length.hpp"

namespace ldp::gaussian {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr double least_delta = 1e-15, most_delta = 1e-3;
constexpr double far = 12;  ///< noise of this number of σ or more is not drawn
constexpr double max_sigma = 0x1p36;

/// Returns the δ at which normal noise has ε, rounded upwards: Φ(μ/2 − ε/μ) − e^ε·Φ(−μ/2 − ε/μ). μ is the
/// largest distance of two inputs in standard deviations (Balle, Wang 2018, arXiv:1805.06530, theorem 8). The
/// relative error of both terms is below 2^-52. erfcl contributes a few units in its last place. The rounding
/// of its argument x contributes 2x² times, and x is below 20 if the result is above 1e-170.
double normal_delta(double epsilon, double mu) noexcept {
    static_assert(LDBL_MANT_DIG >= 64, "exact weights need a long double of at least 64 bits");
    constexpr long double slack = 0x1p-52L;
    const long double away = static_cast<long double>(epsilon) / mu, half = static_cast<long double>(mu) / 2;
    const auto above = [](long double x) { return std::erfc(x / std::numbers::sqrt2_v<long double>) / 2; };
    const long double held = std::exp(static_cast<long double>(epsilon)) * above(away + half) * (1 - slack);
    return static_cast<double>((above(away - half) * (1 + slack) - held + 1e-170L) * (1 + slack));
}

/// The channel ⌊z + G⌋ for a grid point z counted from the middle. Output number y represents y − `beyond` +
/// ½.
///
/// The noise is m or −1 − m with equal probability, where P(≥ m) = erfc(m/√2σ). m is found by bisection of
/// 0..magnitudes with one 128-bit coin per step. The relative error of erfcl is at most 2^-56, including the
/// rounding of its argument. The probability of a magnitude is at least 0.7/(σ + 1) of P(≥ m). The sampled
/// probability therefore has a relative error below (σ + 2)·2^-53, including the rounding of at most 40
/// coins; precision() allows for twice that. Bisection keeps the odds of each coin above 2^-50, which 128
/// bits represent precisely.
class GaussianChannel final : public MomentChannel {
  public:
    /// Requires an even number of steps.
    GaussianChannel(std::uint64_t steps, double sigma)
        : MomentChannel(
              steps, 2 * (steps / 2 + magnitudes(sigma)),
              {1,
               -static_cast<double>(steps) / 2,
               {1, -static_cast<double>(steps), square(static_cast<double>(steps) / 2) + variance(sigma)}}),
          sigma_(sigma),
          magnitudes_(magnitudes(sigma)) {}

    [[nodiscard]] double sigma() const noexcept { return sigma_; }
    /// Returns η of the comment at the top of the file.
    [[nodiscard]] static double precision(double sigma) noexcept { return (sigma + 2) * 0x1p-52; }
    /// Returns t of the comment at the top of the file.
    [[nodiscard]] static double tail() noexcept { return std::erfc(far / std::numbers::sqrt2); }
    /// Returns the variance of ⌊G⌋: that of G, that of the fractional part, and their covariance.
    [[nodiscard]] static double variance(double sigma) noexcept {
        double sum = square(sigma) + 1.0 / 12;
        for (double j = 1; j < 10; ++j)
            sum += std::exp(-2 * square(std::numbers::pi * j * sigma)) *
                   (4 * square(sigma) + 1 / square(std::numbers::pi * j));
        return sum;
    }

    std::vector<std::pair<std::string, double>> parameters() const override { return {{"sigma", sigma_}}; }
    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override {
        const bool negative = bits.fair(1) != 0;
        Halving halving(*this);
        while (halving.open()) halving.choose(bits.lands(halving.heads(), 128));
        const std::uint64_t m = halving.least();
        return negative ? in + magnitudes_ - 1 - m : in + magnitudes_ + m;
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override {
        const std::uint64_t m = magnitude(in, out);
        if (m >= magnitudes_) return {};
        Exact product = exact(1, 2);
        for (Halving halving(*this); halving.open();) {
            const Exact upper = exact_dyadic(halving.heads(), 128);
            const bool beyond = m >= halving.middle();
            product = product * (beyond ? upper : upper.complement());
            halving.choose(beyond);
        }
        return product;
    }
    Exact worst_ratio() const override {
        raise(ErrorCode::unsupported, "normal noise does not bound the ratio of probabilities",
              "Some outputs are possible for some inputs only, with probability at most delta.");
    }
    ChannelLaw channel_law() const override {
        return {NormalLaw{1, sigma_, static_cast<double>(steps()) / 2, precision(sigma_), far}};
    }
    // The maximum is attained by the nearest input.
    double max_probability(std::uint64_t out) const override {
        const std::uint64_t nearest = std::min(out - std::min(out, magnitudes_), steps());
        const std::uint64_t m = std::min(magnitude(nearest, out), magnitudes_ - 1);
        return (1 + 1e-9) * static_cast<double>((at_least(m) - at_least(m + 1)) / 2);
    }

  private:
    [[nodiscard]] static std::uint64_t magnitudes(double sigma) noexcept {
        return static_cast<std::uint64_t>(std::ceil(far * sigma)) + 1;
    }
    [[nodiscard]] std::uint64_t magnitude(std::uint64_t in, std::uint64_t out) const noexcept {
        const std::uint64_t none = in + magnitudes_;
        return out >= none ? out - none : none - out - 1;
    }
    [[nodiscard]] long double at_least(std::uint64_t m) const noexcept {
        return std::erfc(static_cast<long double>(m) / (std::numbers::sqrt2_v<long double> * sigma_));
    }
    /// Bisection for a magnitude. Each coin decides between least..middle and middle..end.
    class Halving {
      public:
        explicit Halving(const GaussianChannel& channel) noexcept
            : channel_(channel), end_(channel.magnitudes_), beyond_end_(channel.at_least(end_)) {
            halve();
        }
        [[nodiscard]] bool open() const noexcept { return end_ - least_ > 1; }
        [[nodiscard]] std::uint64_t least() const noexcept { return least_; }
        [[nodiscard]] std::uint64_t middle() const noexcept { return middle_; }
        /// Returns the number of 2^128 outcomes of the coin that select middle..end.
        [[nodiscard]] Uint128 heads() const noexcept {
            return static_cast<Uint128>(
                std::ldexp((beyond_middle_ - beyond_end_) / (beyond_least_ - beyond_end_), 128));
        }
        void choose(bool upper) noexcept {
            (upper ? least_ : end_) = middle_;
            (upper ? beyond_least_ : beyond_end_) = beyond_middle_;
            halve();
        }

      private:
        void halve() noexcept {
            middle_ = std::midpoint(least_, end_);
            beyond_middle_ = channel_.at_least(middle_);
        }

        const GaussianChannel& channel_;
        std::uint64_t least_ = 0, middle_ = 0, end_;
        /// tail probabilities at the three points
        long double beyond_least_ = 1, beyond_middle_ = 1, beyond_end_;
    };

    // Chernoff's bound from the moment generating function of G and its integer part.
    double mean_beyond(double excess, double n) const override {
        return std::min(1.0, 2 * std::exp(-n * square(excess) / (2 * variance(sigma_))));
    }
    double square_beyond(double excess, double n) const override {
        return squares_beyond(n * excess, n, variance(sigma_), n * square(static_cast<double>(steps()) / 2));
    }

    double sigma_;
    std::uint64_t magnitudes_;
};

/// The noise for vectors of bounded length. Both are in grid steps.
struct Noise : VectorLength {
    /// Rounded upwards.
    [[nodiscard]] double radius() const noexcept { return VectorLength::radius() * (1 + 0x1p-50); }
    /// Returns the δ of this noise, rounded upwards. The relative error of the radius is at most 2^-52.
    [[nodiscard]] double delta(double epsilon, double sigma) const noexcept {
        const auto size = static_cast<double>(d);
        const double slack = size * GaussianChannel::precision(sigma);
        if (!(2 * slack < epsilon)) return 1;
        return (1 + 0x1p-45) * std::exp(slack) *
               (normal_delta(epsilon - 2 * slack, 2 * radius() * (1 + 0x1p-50) / sigma) +
                (1 + std::exp(epsilon)) * size * GaussianChannel::tail());
    }
    /// Returns the smallest σ with this δ, to a relative precision of 2^-23, the resolution of the block.
    /// Error (invalid_spec) if no σ suffices.
    [[nodiscard]] float least_sigma(double epsilon, double delta_asked) const {
        double low = 0, high = 1;
        while (delta(epsilon, high) > delta_asked) {
            if (high >= max_sigma / 2)
                raise(ErrorCode::invalid_spec, "no noise satisfies this epsilon on this grid",
                      "\"grid\" is " + std::to_string(steps) + ".", "Lower \"grid\", or raise epsilon.");
            low = high;
            high *= 2;
        }
        for (int i = 0; i < 60; ++i) {
            const double middle = std::midpoint(low, high);
            (delta(epsilon, middle) > delta_asked ? low : high) = middle;
        }
        return std::nextafter(static_cast<float>(high), INFINITY);
    }
};

class Gaussian final : public Mechanism, public GroupMean, public KnownErrors {
  public:
    Gaussian(const Header& header, Bytes block, const Noise& noise, double delta, double sigma,
             std::vector<Range> ranges)
        : Mechanism(header, block),
          channel_(noise.steps, sigma),
          noise_(noise),
          delta_(delta),
          ranges_(std::move(ranges)),
          width_(cell_width(channel_.outputs())) {}

    double delta() const noexcept override { return delta_; }
    std::vector<std::uint64_t> cells() const override {
        return std::vector<std::uint64_t>(ranges_.size(), channel_.inputs());
    }
    std::size_t payload_size() const noexcept override { return ranges_.size() * width_; }
    std::size_t state_size() const noexcept override { return ranges_.size() * channel_.tally_size(); }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"attributes", static_cast<double>(ranges_.size())},
                {"grid", static_cast<double>(noise_.steps)},
                {"norm", noise_.norm},
                {"sigma", channel_.sigma() / half()}};
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        const double shrink = shortening(input);
        for (std::size_t j = 0; j < input.size(); ++j)
            store_cell(permanent.data() + j * width_, width_,
                       channel_.sample(shortened_to(input[j], shrink), bits));
    }

    std::size_t clamped(Input input) const override {
        const double shrink = shortening(input);
        return static_cast<std::size_t>(
            std::ranges::count_if(input, [&](Cell cell) { return shortened_to(cell, shrink) != cell; }));
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        if (!valid_payload(payload)) return false;
        for (std::size_t j = 0; j < ranges_.size(); ++j)
            channel_.accumulate(state.data() + j * channel_.tally_size(), output(payload, j));
        return true;
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        for (std::size_t j = 0; j < ranges_.size(); ++j)
            if (!channel_.accumulate_all(state.data() + j * channel_.tally_size(),
                                         payloads.part(j * width_, width_)))
                return false;
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        for (std::size_t at = 0; at < state.size(); at += channel_.tally_size())
            channel_.merge(state.data() + at, other.data() + at);
    }
    bool valid_payload(Bytes payload) const noexcept override {
        for (std::size_t j = 0; j < ranges_.size(); ++j)
            if (output(payload, j) >= channel_.outputs()) return false;
        return true;
    }
    bool valid_state(const Counts& counts) const noexcept override {
        for (std::size_t j = 0; j < ranges_.size(); ++j)
            if (!channel_.valid(counts.n, tally(counts, j))) return false;
        return true;
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        std::vector<Estimate> estimates;
        for (std::size_t j = 0; j < ranges_.size(); ++j)
            estimates.push_back(group_mean(counts, j, j, question.target));
        return estimates;
    }
    // The noise of different attributes is independent. The counters do not show correlations between a
    // user's attributes; the sum of the standard deviations is a bound.
    Estimate group_mean(const Counts& counts, std::size_t first, std::size_t last,
                        Target target) const override {
        const double unit = widest_half(std::span(ranges_).subspan(first, last - first + 1));
        const auto size = static_cast<double>(last - first + 1);
        double middle = 0, mean = 0, noise = 0, spread = 0;
        for (std::size_t j = first; j <= last; ++j) {
            const auto moments = channel_.invert(counts.n, tally(counts, j));
            const double weight = ranges_[j].half() / unit / size / half();
            middle += ranges_[j].middle() / size;
            mean += weight * (moments.mean - half());
            noise += square(weight) * moments.noise;
            spread += weight * std::sqrt(moments.sampling);
        }
        const double variance = noise + (target == Target::population ? square(spread) : 0);
        return {middle + unit * mean, unit * std::sqrt(variance / static_cast<double>(counts.n))};
    }
    // The variance of the noise is known; the variance between users is estimated.
    ErrorLaw error_law(std::uint64_t n, Target target) const noexcept override {
        return {.degrees_of_freedom = target == Target::population ? static_cast<double>(n) - 1 : 0};
    }
    ErrorLaw group_law(const Counts& counts, std::size_t, std::size_t, Target target) const override {
        return error_law(counts.n, target);
    }
    // Returns the worst check over the attributes, and a check of the length of the vectors.
    std::vector<Check> health(const Counts& counts) const override {
        const auto n = static_cast<double>(counts.n), d = static_cast<double>(ranges_.size());
        std::vector<std::vector<Check>> parts;
        double squares = 0;
        for (std::size_t j = 0; j < ranges_.size(); ++j) {
            parts.push_back(channel_.health(counts.n, tally(counts, j)));
            const auto moments = channel_.invert(counts.n, tally(counts, j));
            squares += moments.mean_square - 2 * half() * moments.mean + square(half());
        }
        std::vector<Check> checks = worst_of(parts, ranges_.size());
        const double excess = squares - square(noise_.radius());
        checks.push_back({"mean square length within its bound", squares / square(noise_.radius()), 1,
                          excess > 0
                              ? squares_beyond(n * excess, n * d, GaussianChannel::variance(channel_.sigma()),
                                               n * square(noise_.radius()))
                              : 1});
        return checks;
    }

    std::vector<Contribution> contributions(const Question& question) const override {
        const Range& range = ranges_[question.attribute == only_attribute ? 0 : question.attribute];
        const auto [least, most] = channel_.reach();
        const double unit = range.half() / half(), length = std::min(half(), noise_.radius()) * unit;
        return {{1,
                 {range.middle() + unit * (least - half()), range.middle() + unit * (most - half())},
                 {range.middle() - length, range.middle() + length}}};
    }
    double max_probability(Bytes payload) const override {
        double product = 1;
        for (std::size_t j = 0; j < ranges_.size(); ++j)
            product *= channel_.max_probability(output(payload, j));
        return product;
    }

    double n_variance(double) const override { return channel_.noise_at(0) / square(half()); }
    Cost cost() const noexcept override {
        const auto d = static_cast<double>(ranges_.size());
        return {2 * d, 20 * d};
    }

    Exact probability(Input input, Bytes, Bytes permanent) const override {
        const double shrink = shortening(input);
        Exact product = exact(1, 1);
        for (std::size_t j = 0; j < input.size(); ++j)
            product = product * channel_.probability(shortened_to(input[j], shrink), output(permanent, j));
        return product;
    }
    Exact worst_ratio() const override { return channel_.worst_ratio(); }
    double worst_delta() const override { return noise_.delta(epsilon(), channel_.sigma()); }
    ChannelLaw channel_law() const override {
        const double sigma = channel_.sigma();
        return {NormalLaw{ranges_.size(), sigma, noise_.radius() * (1 + 0x1p-50),
                          GaussianChannel::precision(sigma), far}};
    }

  private:
    [[nodiscard]] double half() const noexcept { return noise_.half(); }
    [[nodiscard]] std::uint64_t output(Bytes payload, std::size_t j) const noexcept {
        return load_cell(payload.data() + j * width_, width_);
    }
    [[nodiscard]] const std::byte* tally(const Counts& counts, std::size_t j) const noexcept {
        return counts.state.data() + j * channel_.tally_size();
    }
    // Returns the factor that shortens a vector. Its squared length is an integer below 2^53. The quotient
    // therefore has a relative error below 2^-51, and the truncated products are not longer than the radius.
    [[nodiscard]] double shortening(Input input) const noexcept {
        const double squares = noise_.squared(input);
        return squares <= square(noise_.radius()) ? 1 : noise_.radius() / std::sqrt(squares) * (1 - 0x1p-49);
    }
    [[nodiscard]] Cell shortened_to(Cell cell, double shrink) const noexcept {
        return static_cast<Cell>(half() + std::trunc((static_cast<double>(cell) - half()) * shrink));
    }

    GaussianChannel channel_;
    Noise noise_;
    double delta_;
    std::vector<Range> ranges_;
    std::size_t width_;
};

constexpr Option options[] = {
    {.name = "delta", .real = true},
    {.name = "norm", .real = true},
    {.name = "grid", .fallback = 0, .least = 2, .most = max_grid},
};

/// Unless given, the grid is the coarsest power of two on which rounding lengthens vectors by at most 1/256
/// of the norm. At a very small ε, it is the finest grid on which the precision of the noise costs at most
/// ε/32, with σ at most 17·norm/ε.
void settle(SettingsDraft& draft) {
    const double delta = std::get<double>(draft.options.at("delta"));
    if (!(delta >= least_delta && delta <= most_delta))
        raise(ErrorCode::invalid_spec,
              "\"delta\" must be a number from " + shortest(least_delta) + " to " + shortest(most_delta),
              delta == 0 ? "It is missing, or 0." : "Found " + shortest(delta) + ".",
              "It is the probability with which epsilon may not hold, and should be far below 1/n for n "
              "people, such as 1e-9. Other mechanisms need no delta.");
    settle_length(draft, [](const SettingsDraft& asked, double norm) {
        const auto d = static_cast<double>(asked.attributes.size());
        const double finest = std::min(0x1p41 * square(asked.epsilon) / (d * norm), 0x1p19);
        return std::min(256 * std::sqrt(d) / norm, finest);
    });
}

void write(const Settings& settings, Writer& writer) {
    const Noise noise{{settings.attributes().size(), settings.number("grid"), settings.real("norm")}};
    writer.put(static_cast<std::uint32_t>(noise.d));
    writer.put(static_cast<std::uint32_t>(noise.steps));
    writer.put(settings.real("delta"));
    writer.put(noise.norm);
    writer.put(noise.least_sigma(settings.epsilon(), settings.real("delta")));
    write_ranges(writer, settings.attributes());
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t d = take_number(reader, "number of attributes", 2, max_attributes);
    const std::uint64_t steps = take_number(reader, "number of grid steps", 2, max_grid);
    const auto delta = reader.take<double>(), norm = reader.take<double>();
    const double sigma = reader.take<float>();
    std::vector<Range> ranges = read_ranges(reader, d);
    reader.finish();
    if (!(delta >= least_delta && delta <= most_delta)) refuse_block("delta is out of range");
    const Noise noise{{d, steps, norm}};
    noise.check_block();
    if (!(sigma > 0 && sigma <= max_sigma && noise.delta(header.epsilon, sigma) <= delta))
        refuse_block("the noise does not match epsilon and delta");
    return std::make_unique<Gaussian>(header, block, noise, delta, sigma, std::move(ranges));
}

}  // namespace

const MechanismEntry entry(32, "gaussian", "a vector with discrete Gaussian noise",
                           "each of your numbers, moved up or down by chance, usually far; all of "
                           "them are made smaller first if together they are too large",
                           Shape::numeric_vector, max_attributes, write, load,
                           {.options = options, .settle = settle, .literature = true});

}  // namespace ldp::gaussian
