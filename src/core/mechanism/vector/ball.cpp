// The mean of vectors of bounded length, with pure ε: the number of a codeword of a random codebook; see
// codeword_channel.hpp.
//
// A vector is a grid point z, in steps from the middle. It is divided by `radius`, the declared norm and √d steps for the
// rounding to the grid; a longer vector is shortened to that length. The codeword g of a report has the mean m·z/radius in
// units of the codebook's standard deviation s, so that radius/(m·s)·g estimates z.
//
// For a linear combination a of coordinates, n·Var is (radius/m)² times |a|² + (v − 1)·(mean of (a·x)²), less the square of
// the mean. Along a person's direction x, the mean square of a codeword is v. Sums of squares show this mean for each
// coordinate, but not for combinations, which have the bound v·|a|².
//
// Parameters: d, grid steps (4 bytes each), norm (8), number of codewords, number of near ones (4 each), ranges of the
//             attributes in runs.
// Payload:    the seed of the codebook (8 bytes), the number of a codeword.
// State:      for each attribute the sum (8 bytes) and the sum of squares (8) of the codewords' coordinates.

#include <algorithm>
#include <bit>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/base/text.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/statistics.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/role/capability.hpp"
#include "core/mechanism/role/entries.hpp"
#include "core/mechanism/role/error_law.hpp"
#include "core/mechanism/vector/codeword_channel.hpp"
#include "core/mechanism/vector/vector_length.hpp"

namespace ldp::ball {

namespace {

constexpr std::uint64_t max_attributes = 4096;
constexpr std::size_t seed_size = sizeof(std::uint64_t);
using CoordinateSums = Codebook::CoordinateSums;

class Ball final : public Mechanism, public GroupMean, public KnownErrors {
  public:
    Ball(const Header& header, Bytes block, const VectorLength& length,
         const CodewordChannel::CodewordCounts& design, std::vector<Range> ranges)
        : Mechanism(header, block),
          channel_(ranges.size(), design, header.epsilon),
          length_(length),
          ranges_(std::move(ranges)),
          width_(cell_width(design.codewords)) {}

    std::vector<std::uint64_t> cells() const override {
        return std::vector<std::uint64_t>(ranges_.size(), length_.steps + 1);
    }
    std::size_t public_size() const noexcept override { return seed_size; }
    std::size_t permanent_size() const noexcept override { return width_; }
    std::size_t payload_size() const noexcept override { return seed_size + width_; }
    std::size_t state_size() const noexcept override { return ranges_.size() * sizeof(CoordinateSums); }
    std::vector<std::pair<std::string, double>> parameters() const override {
        return {{"attributes", static_cast<double>(ranges_.size())},
                {"grid", static_cast<double>(length_.steps)},
                {"norm", length_.norm},
                {"codewords", static_cast<double>(channel_.codewords())},
                {"near", static_cast<double>(channel_.near())}};
    }

    void draw_public(BitSource& bits, MutableBytes seed) const override { store(seed.data(), bits.word()); }
    void permanent_response(Input input, Bytes seed, BitSource& bits, MutableBytes permanent) const override {
        const std::vector<std::int32_t> steps = from_middle(input);
        store_cell(permanent.data(), width_,
                   channel_.sample(load<std::uint64_t>(seed.data()), {steps, share(input)}, bits));
    }
    void instantaneous_response(Bytes seed, Bytes permanent, BitSource&,
                                MutableBytes payload) const override {
        std::ranges::copy(seed, payload.begin());
        std::ranges::copy(permanent, payload.begin() + seed_size);
    }
    std::size_t clamped(Input input) const override {
        const auto moved = [&](Cell cell) { return 2 * cell != length_.steps; };
        return share(input) > 1 + 0x1p-40 ? static_cast<std::size_t>(std::ranges::count_if(input, moved)) : 0;
    }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        return accumulate_all(state, Payloads(payload.data(), 1, payload.size(), payload.size()));
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        const Codebook& codebook = channel_.codebook();
        std::uint64_t starts[Codebook::most_at_once];
        for (std::size_t from = 0; from < payloads.count(); from += Codebook::most_at_once) {
            const std::size_t count = std::min(payloads.count() - from, Codebook::most_at_once);
            for (std::size_t i = 0; i < count; ++i) {
                const Bytes payload = payloads[from + i];
                if (number(payload) >= channel_.codewords()) return false;
                starts[i] = codebook.start(seed(payload), number(payload));
            }
            for (std::size_t word = 0; word < codebook.words(); ++word) {
                CoordinateSums sums[4];
                codebook.add({starts, count}, word, sums);
                for (std::size_t j = 4 * word; j < std::min(4 * word + 4, ranges_.size()); ++j)
                    add_sums(state.data() + j * sizeof(CoordinateSums), sums[j % 4]);
            }
        }
        return true;
    }
    void merge(MutableBytes state, Bytes other) const noexcept override {
        for (std::size_t at = 0; at < state.size(); at += sizeof(CoordinateSums))
            add_sums(state.data() + at, load_sums(other.data() + at));
    }
    bool valid_payload(Bytes payload) const noexcept override {
        return number(payload) < channel_.codewords();
    }
    bool valid_state(const Counts& counts) const noexcept override {
        const Uint128 n = counts.n, most = Codebook::most;
        for (std::size_t j = 0; j < ranges_.size(); ++j) {
            const CoordinateSums sums = this->sums(counts, j);
            const auto sum = static_cast<Uint128>(sums.sum < 0 ? -Uint128(sums.sum) : Uint128(sums.sum));
            if (sum > n * most || sums.squares > n * most * most || sum * sum > n * sums.squares)
                return false;
            if ((static_cast<std::uint64_t>(sums.sum) ^ sums.squares) % 2 != 0) return false;
        }
        return true;
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means};
        return quantities;
    }
    // Both targets have the error of the population, which is conservative for the sample: the variance between people is
    // small beside the noise.
    std::vector<Estimate> estimate(const Counts& counts, const Question&) const override {
        std::vector<Estimate> estimates;
        for (std::size_t j = 0; j < ranges_.size(); ++j) {
            const auto [mean, variance] = moments(counts, j);
            estimates.push_back({ranges_[j].middle() + ranges_[j].half() * mean,
                                 ranges_[j].half() * std::sqrt(variance / static_cast<double>(counts.n))});
        }
        return estimates;
    }
    Estimate group_mean(const Counts& counts, std::size_t first, std::size_t last, Target) const override {
        const double unit = widest_half(std::span(ranges_).subspan(first, last - first + 1));
        const auto size = static_cast<double>(last - first + 1);
        double middle = 0, mean = 0, squares = 0;
        for (std::size_t j = first; j <= last; ++j) {
            const double weight = ranges_[j].half() / unit / size;
            middle += ranges_[j].middle() / size;
            mean += weight * moments(counts, j).mean;
            squares += square(weight);
        }
        const double variance =
            square(scale()) * std::max(1.0, channel_.mean_square()) * squares - square(mean);
        return {middle + unit * mean,
                unit * std::sqrt(std::max(0.0, variance) / static_cast<double>(counts.n))};
    }
    ErrorLaw error_law(std::uint64_t n, Target) const noexcept override {
        return {.degrees_of_freedom = static_cast<double>(n) - 1};
    }
    ErrorLaw group_law(const Counts&, std::size_t, std::size_t, Target) const override { return {}; }
    // Bernstein's inequality for sums of n square lengths (Boucheron, Lugosi, Massart 2013, theorem 2.10). Squares of normal
    // variables have the scale 2. A variable below b has the scale b/3; b is the largest square of an entry.
    std::vector<Check> health(const Counts& counts) const override {
        const auto n = static_cast<double>(counts.n), d = static_cast<double>(ranges_.size());
        double squares = 0, length = 0;
        for (std::size_t j = 0; j < ranges_.size(); ++j) {
            squares += static_cast<double>(sums(counts, j).squares) / n / Codebook::mean_square();
            const auto [mean, variance] = moments(counts, j);
            length += square(mean) - variance / n;
        }
        const double kurtosis = Codebook::mean_fourth_power() / square(Codebook::mean_square()),
                     along = channel_.mean_square();
        const double expected = d - 1 + along,
                     spread = (d - 1) * (kurtosis - 1) + channel_.mean_fourth_power() - square(along);
        const double tail = std::max(2.0, square(Codebook::most) / Codebook::mean_square() / 3),
                     deviation = std::abs(squares - expected),
                     improbable = 2 * std::exp(-n * square(deviation) / (2 * (spread + tail * deviation)));
        const double excess = length - square(length_.norm);
        return {{"mean square length of codewords", squares, expected, std::min(1.0, improbable)},
                {"square length of the mean within its bound", length, square(length_.norm),
                 excess > 0 ? squares_beyond(excess, d, square(scale()) * std::max(1.0, along) / n,
                                             square(length_.norm))
                            : 1}};
    }

    std::vector<Contribution> contributions(const Question& question) const override {
        const Range& range = ranges_[question.attribute == only_attribute ? 0 : question.attribute];
        const double reach = range.half() * scale() * Codebook::most / std::sqrt(Codebook::mean_square()),
                     length = range.half() * std::min(1.0, length_.norm);
        return {{1,
                 {range.middle() - reach, range.middle() + reach},
                 {range.middle() - length, range.middle() + length}}};
    }
    double max_probability(Bytes) const override { return std::ldexp(channel_.max_probability(), -64); }

    // If the value of each coordinate is `truth`, so is each coordinate of the direction.
    double n_variance(double truth) const override {
        const double along = (channel_.mean_square() - 1) / static_cast<double>(ranges_.size());
        return square(scale()) * (1 + along) - square(truth);
    }
    Cost cost() const noexcept override {
        const auto d = static_cast<double>(ranges_.size());
        return {2 + 0.6 * d, 20 * d};
    }

    Exact probability(Input input, Bytes seed, Bytes permanent) const override {
        const std::vector<std::int32_t> steps = from_middle(input);
        return channel_.probability(load<std::uint64_t>(seed.data()), {steps, share(input)},
                                    load_cell(permanent.data(), width_));
    }
    // For every seed and every codeword, some vector of full length has it among the near ones, and the opposite one does
    // not.
    Exact worst_ratio() const override {
        return exact(channel_.worst_ratio().high, channel_.worst_ratio().low);
    }
    ChannelLaw channel_law() const override { return channel_.channel_law(); }

  private:
    /// Returns the coordinates of a vector in steps from the middle.
    [[nodiscard]] std::vector<std::int32_t> from_middle(Input input) const {
        std::vector<std::int32_t> steps;
        for (const Cell cell : input)
            steps.push_back(static_cast<std::int32_t>(cell) - static_cast<std::int32_t>(length_.steps / 2));
        return steps;
    }
    /// Returns the length of a vector as a share of the bound. Square root and quotient are rounded as IEEE 754 says, on
    /// every host.
    [[nodiscard]] double share(Input input) const noexcept {
        return std::sqrt(length_.squared(input)) / length_.radius();
    }
    [[nodiscard]] static std::uint64_t seed(Bytes payload) noexcept {
        return load<std::uint64_t>(payload.data());
    }
    [[nodiscard]] std::uint64_t number(Bytes payload) const noexcept {
        return load_cell(payload.data() + seed_size, width_);
    }
    [[nodiscard]] static CoordinateSums load_sums(const std::byte* at) noexcept {
        return {load<std::int64_t>(at), load<std::uint64_t>(at + sizeof(std::int64_t))};
    }
    // Unsigned, so that merging is modulo 2^64.
    static void add_sums(std::byte* at, const CoordinateSums& sums) noexcept {
        add<std::uint64_t>(at, static_cast<std::uint64_t>(sums.sum));
        add<std::uint64_t>(at + sizeof(std::int64_t), sums.squares);
    }
    [[nodiscard]] CoordinateSums sums(const Counts& counts, std::size_t j) const noexcept {
        return load_sums(counts.state.data() + j * sizeof(CoordinateSums));
    }

    /// Returns radius/m: the estimate of a coordinate, in half the width of its range, for a codeword's coordinate of one
    /// standard deviation.
    [[nodiscard]] double scale() const noexcept {
        return length_.radius() / length_.half() / channel_.mean();
    }
    /// The mean of a coordinate, and the variance of one report's estimate about it; a bound of the variance if there is one
    /// report.
    struct CoordinateMoments {
        double mean, variance;
    };
    [[nodiscard]] CoordinateMoments moments(const Counts& counts, std::size_t j) const noexcept {
        const auto n = static_cast<double>(counts.n);
        const CoordinateSums sums = this->sums(counts, j);
        const double unit = scale() / std::sqrt(Codebook::mean_square());
        const double mean = static_cast<double>(sums.sum) / n,
                     squares = static_cast<double>(sums.squares) / n;
        if (counts.n == 1) return {unit * mean, square(scale()) * std::max(1.0, channel_.mean_square())};
        return {unit * mean, square(unit) * std::max(0.0, squares - square(mean)) * n / (n - 1)};
    }

    CodewordChannel channel_;
    VectorLength length_;
    std::vector<Range> ranges_;
    std::size_t width_;
};

constexpr Option options[] = {
    {.name = "norm", .real = true},
    {.name = "grid", .fallback = 0, .least = 2, .most = max_grid},
};

/// Unless given, the grid is the coarsest power of two on which rounding lengthens vectors by at most 1/1024 of the norm.
void settle(SettingsDraft& draft) {
    constexpr double finer = 1024;
    settle_length(draft, [](const SettingsDraft& asked, double norm) {
        return finer * std::sqrt(static_cast<double>(asked.attributes.size())) / norm;
    });
}

void write(const Settings& settings, Writer& writer) {
    const std::size_t d = settings.attributes().size();
    const auto [codewords, near] = CodewordChannel::best(d, settings.epsilon());
    writer.put(static_cast<std::uint32_t>(d));
    writer.put(static_cast<std::uint32_t>(settings.number("grid")));
    writer.put(settings.real("norm"));
    writer.put(static_cast<std::uint32_t>(codewords));
    writer.put(static_cast<std::uint32_t>(near));
    write_ranges(writer, settings.attributes());
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const std::uint64_t d = take_number(reader, "number of attributes", 2, max_attributes);
    const std::uint64_t steps = take_number(reader, "number of grid steps", 2, max_grid);
    const VectorLength length{d, steps, reader.take<double>()};
    length.check_block();
    const std::uint64_t codewords =
        take_number(reader, "number of codewords", 2, CodewordChannel::most_codewords);
    const std::uint64_t near = take_number(reader, "number of near codewords", 1, codewords - 1);
    std::vector<Range> ranges = read_ranges(reader, d);
    reader.finish();
    return std::make_unique<Ball>(header, block, length, CodewordChannel::CodewordCounts{codewords, near},
                                  std::move(ranges));
}

}  // namespace

const MechanismEntry entry(
    41, "ball", "a vector of bounded length by a random codebook",
    "the number of a list of vectors drawn at random. Lists of vectors near your own numbers come more "
    "often; your numbers are made smaller first if together they are too large",
    Shape::numeric_vector, max_attributes, write, load, {.options = options, .settle = settle});

}  // namespace ldp::ball
