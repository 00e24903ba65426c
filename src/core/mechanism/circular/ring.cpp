// The window on a circle: a response for values on a circle, such as hours of the day, weekdays and angles. The ends of the
// range are one point. For the direction alone, the pattern is the window of PrivUnit on the circle (Bhowmick, Duchi,
// Freudiger, Kapoor, Rogers 2018), whose output is a point instead of a vector. Detached points of the pattern make the
// shares of arcs estimable, see ring_design.hpp.
//
// parameters: points on the circle (4 bytes), pattern (8), min, max · payload: a point · state: reports per point

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/math/channel_law.hpp"
#include "core/mechanism/circular/mean_direction.hpp"
#include "core/mechanism/circular/ring_channel.hpp"
#include "core/mechanism/circular/ring_noise.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/ordered/ordered_estimator.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::ring {

namespace {

constexpr const char* uses[] = {"direction", "arcs"};
constexpr Option options[] = {
    {.name = "grid", .fallback = 24, .least = least_ring_points, .most = most_ring_points},
    {.name = "optimize_for", .choices = uses, .optional = true}};

using Harmonic = RingChannel::Harmonic;

/// The first two trigonometric moments of the people: the means of e^(iθ) and e^(2iθ).
struct TrigonometricMoments {
    Harmonic first, second;

    /// Returns the variance of the people's unit vectors across their mean vector.
    [[nodiscard]] double across() const noexcept { return (1 - turned(second)) / 2; }
    /// Returns the part of a second moment along the axis of the mean vector.
    [[nodiscard]] double turned(const Harmonic& of) const noexcept {
        const double length = std::norm(first);
        return length > 0 ? (of * std::conj(first * first)).real() / length : 0;
    }
};

class Ring final : public Counting<Mechanism>, public Ordered, public MeanDirection, public KnownErrors {
  public:
    Ring(const Header& header, Bytes block, const RingChannel& channel, const Range& range)
        : Counting(channel.points(), header, block), channel_(channel), range_(range) {}

    std::vector<std::uint64_t> cells() const override { return {channel_.points() + 1}; }
    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        store_output(permanent, channel_.sample(point_of(input), bits));
    }
    std::vector<Cell> response_key(Input input, Bytes) const override {
        return {static_cast<Cell>(point_of(input))};
    }
    std::uint64_t most_keys() const noexcept override { return channel_.points(); }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means, Quantity::distribution};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        if (question.quantity == Quantity::means)
            return {direction(counts, {question.target, usual}).direction};
        return without_errors(fit(counts, Smoothing::none));
    }
    ErrorLaw error_law(std::uint64_t, Target) const noexcept override { return {.truths = ends()}; }
    std::vector<Check> health(const Counts& counts) const override;
    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes) const override {
        return static_cast<double>(channel_.weights().high) / static_cast<double>(channel_.total());
    }

    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"min", range_.min},
                {"max", range_.max},
                {"grid", static_cast<double>(channel_.points())},
                {"width", static_cast<double>(channel_.width())}};
    }
    double n_variance(double truth) const override;
    double n_variance_of(std::size_t, std::size_t, std::span<const double> shares) const override {
        return direction_variance(shares).noise;
    }
    double expected_variance_of_part(std::size_t attribute, double) const override {
        return expected_variance(attribute);
    }
    Cost cost() const noexcept override {
        const auto points = static_cast<double>(channel_.points());
        return {1, 100 * points * points};
    }

    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return exact(channel_.weight(point_of(input), load_output(permanent)), channel_.total());
    }
    // A pattern differs from each of its turns, because it would otherwise hide a harmonic.
    Exact worst_ratio() const override { return exact(channel_.weights().high, channel_.weights().low); }
    ChannelLaw channel_law() const override {
        return levels_law(channel_.weights(), channel_.width(), channel_.points() - channel_.width());
    }

    std::size_t points() const noexcept override { return channel_.points() + 1; }
    const MeanDirection* circle() const noexcept override { return this; }
    Interval ends() const noexcept override { return {range_.min, range_.max}; }
    Distribution fit(const Counts& counts, Smoothing) const override {
        return OrderedEstimator(*this, counts).fit();
    }
    std::vector<double> cumulative(const Counts& counts) const override;
    std::unique_ptr<const OrderedNoise> noise(const Counts& counts,
                                              std::vector<double> shares) const override {
        return noise_on_ring(channel_, counts.n, std::move(shares));
    }
    std::unique_ptr<const OrderedNoise> expected_noise(std::vector<double> shares) const override {
        constexpr std::uint64_t many = 1'000'000;  // the result does not depend on it
        return noise_on_ring(channel_, many, std::move(shares));
    }
    std::uint64_t blur(std::uint64_t) const noexcept override { return 0; }

    Direction direction(const Counts& counts, const DirectionTerms& terms) const override {
        return direction_of(vector(counts, terms), ends(), terms.critical_value, shift(terms));
    }
    ResultantLength resultant_length(const Counts& counts, const DirectionTerms& terms) const override {
        return length_of(vector(counts, terms), terms.critical_value, shift(terms));
    }
    DirectionVariance direction_variance(std::span<const double> shares) const override;

  private:
    static constexpr double usual = 1.959963984540054;  // at 95 %
    /// The last code is the upper end of the range, which is the lower end.
    [[nodiscard]] std::uint64_t point_of(Input input) const noexcept {
        return input[0] < channel_.points() ? input[0] : 0;
    }
    /// Returns the estimated mean vector.
    [[nodiscard]] MeanVector vector(const Counts& counts, const DirectionTerms& terms) const;
    /// Returns by how much forged reports may move the mean vector.
    [[nodiscard]] double shift(const DirectionTerms& terms) const noexcept {
        return std::clamp(terms.forged, 0.0, 1.0) * std::sqrt(mean_square());
    }
    /// Returns the part of the noise across the mean vector.
    [[nodiscard]] double noise_across(const TrigonometricMoments& people) const noexcept {
        const Harmonic turn = channel_.factor(2) / (channel_.factor(1) * channel_.factor(1));
        return (mean_square() - people.turned(turn * people.second)) / 2 - people.across();
    }
    /// Returns the mean square of the term of the mean vector, whatever the value.
    [[nodiscard]] double mean_square() const noexcept { return 1 / std::norm(channel_.factor(1)); }

    RingChannel channel_;
    Range range_;
};

std::vector<double> Ring::cumulative(const Counts& counts) const {
    std::vector<double> shares(channel_.points());
    const auto n = static_cast<double>(counts.n);
    for (std::uint64_t out = 0; out < channel_.points(); ++out) {
        const double seen = static_cast<double>(counter(counts.state, out)) / n;
        for (std::uint64_t point = 0; point < channel_.points(); ++point)
            shares[point] += seen * channel_.term(point, out);
    }
    std::vector<double> below(points());
    std::partial_sum(shares.begin(), shares.end(), below.begin());
    below[below.size() - 2] = below.back() = 1;  // up to rounding
    return below;
}

// A report has the term e^(iφ)/λ₁, where φ is its point and λ₁ the first harmonic of the channel. Its mean is e^(iθ). All
// terms have one length, so that only the second harmonic of the reports decides in which direction they vary most. It is
// estimated, and shrunk towards 0 where it is mostly noise (James, Stein 1961).
MeanVector Ring::vector(const Counts& counts, const DirectionTerms& terms) const {
    const auto n = static_cast<double>(counts.n);
    Harmonic first = 0, second = 0;
    for (std::uint64_t out = 0; out < channel_.points(); ++out) {
        const double seen = static_cast<double>(counter(counts.state, out)) / n;
        first += seen * channel_.root(out);
        second += seen * channel_.root(2 * out);
    }
    const Harmonic one = channel_.factor(1), two = channel_.factor(2);
    TrigonometricMoments people{first / one, second / two};
    const double found = std::norm(people.second), noise = 1 / (n * std::norm(two));
    people.second *= found > noise ? std::min(1 - noise / found, 1 / std::sqrt(found)) : 0;
    // The matrix of mean squares is half of trace·I plus the matrix of the second harmonic. The part of the people has the
    // trace 1 and their own second moment.
    const Harmonic axis = people.second * (two / (one * one) - 1.0);
    const double trace = mean_square() - 1;
    MeanVector vector{people.first, (trace + axis.real()) / 2, axis.imag() / 2, (trace - axis.real()) / 2};
    if (terms.target == Target::population) {
        constexpr double least = 1e-9;  // keeps the matrix invertible if all people have one value
        const double xx = (1 + people.second.real()) / 2 + least, yy = (1 - people.second.real()) / 2 + least,
                     xy = people.second.imag() / 2;
        // The squared length of the mean vector is too large by its variance, and the vector may be too long for the second
        // moment.
        const double squared = std::norm(people.first);
        const double sure = std::max(0.0, squared - mean_square() / n);
        const double x = people.first.real(), y = people.first.imag();
        const double most = (yy * x * x - 2 * xy * x * y + xx * y * y) / (xx * yy - xy * xy);
        const double part = squared > 0 ? std::min(sure / squared, 1 / std::max(most, least)) : 0;
        vector.xx += xx - part * x * x;
        vector.yy += yy - part * y * y;
        vector.xy += xy - part * x * y;
    }
    const double scale = terms.repetitions / n;
    for (double* one_of : {&vector.xx, &vector.xy, &vector.yy}) *one_of *= scale;
    return vector;
}

MeanDirection::DirectionVariance Ring::direction_variance(std::span<const double> shares) const {
    TrigonometricMoments people{0, 0};
    for (std::uint64_t point = 0; point < shares.size(); ++point) {
        people.first += shares[point] * channel_.root(point);
        people.second += shares[point] * channel_.root(2 * point);
    }
    constexpr double hardly = 1e-9;
    const double squared = std::norm(people.first) * square(std::numbers::pi);
    if (squared < hardly) {
        constexpr double none = std::numeric_limits<double>::infinity();
        return {none, none};
    }
    return {noise_across(people) / squared, people.across() / squared};
}

// All people have one value. The variance does not depend on it.
double Ring::n_variance(double truth) const {
    const Harmonic own = std::polar(1.0, std::numbers::pi * (truth + 1));
    return noise_across({own, own * own}) / square(std::numbers::pi);
}

// Of the part of the vector across the mean direction, if all other people have one value.
std::vector<Contribution> Ring::contributions(const Question& question) const {
    if (question.quantity == Quantity::distribution) return {};
    const double reach = range_.half() / std::numbers::pi * std::sqrt(mean_square());
    return {{1, {range_.middle() - reach, range_.middle() + reach}, {range_.min, range_.max}}};
}

// The share of an output is between that of the low and of the high weight, and the mean vector is not longer than 1. The
// mean of n vectors of length 1 is farther than r from its expectation with a probability of at most 2·exp(−n·r²/8)
// (Pinelis 1994).
std::vector<Check> Ring::health(const Counts& counts) const {
    const std::vector<std::uint64_t> outputs = counters(counts.state);
    const auto [least, most] = std::ranges::minmax(outputs);
    const auto n = static_cast<double>(counts.n);
    const auto share = [&](std::uint64_t weight) {
        return static_cast<double>(weight) / static_cast<double>(channel_.total());
    };
    const auto any = [&](double p_value) {
        return std::min(1.0, static_cast<double>(outputs.size()) * p_value);
    };
    const auto [high, low] = channel_.weights();
    Harmonic first = 0;
    for (std::uint64_t out = 0; out < outputs.size(); ++out)
        first += static_cast<double>(outputs[out]) / n * channel_.root(out);
    const double longest = std::abs(channel_.factor(1));
    const double excess = std::max(0.0, std::abs(first) - longest);
    return {{"least share of an output", static_cast<double>(least) / n, share(low),
             any(binomial_at_most(counts.n, share(low), least))},
            {"greatest share of an output", static_cast<double>(most) / n, share(high),
             any(binomial_at_least(counts.n, share(high), most))},
            {"length of the mean vector", std::abs(first) / longest, 1,
             std::min(1.0, 2 * std::exp(-n * square(excess) / 8))}};
}

void write(const Settings& settings, Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    const std::uint64_t points = settings.number("grid");
    writer.put(static_cast<std::uint32_t>(points));
    writer.put(design_ring(points, settings.epsilon(),
                           settings.word("optimize_for") == uses[1] ? RingUse::arcs : RingUse::direction));
    write_range(writer, {attribute.min, attribute.max});
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t points = take_number(reader, "number of points", least_ring_points, most_ring_points);
    const auto pattern = reader.take<std::uint64_t>();
    const Range range = read_range(reader);
    reader.finish();
    if (!RingChannel::valid(points, pattern))
        refuse_block("the pattern is invalid", "It has no bits, too many, or hides a harmonic.");
    return std::make_unique<Ring>(header, block, RingChannel(points, pattern, header.epsilon), range);
}

}  // namespace

const MechanismEntry entry(
    43, "ring", "window on a circle",
    "one of a few dozen points on a circle, drawn by chance, more often one of some points around your own",
    Shape::one_numeric, 1, write, load,
    {.automatic = true, .options = options, .purpose = Purpose::direction});

}  // namespace ldp::ring
