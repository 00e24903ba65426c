// Square wave reporting (Li, Wang et al. 2020): the window of width 2b for inputs in [0,1], b = (εe − e +
// 1)/(2e(e − 1 − ε)), e = exp(ε), which maximizes the mutual information. Every output is counted, so that
// the state determines the distribution and not only the mean.
//
// parameters: grid steps, window width (4 bytes each), min, max · payload: an output · state: reports per
//             output

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/channel/window_decoder.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/mean/numeric_mean.hpp"
#include "core/mechanism/ordered/ordered.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::square_wave {

namespace {

/// Steps, not outputs: values are rounded to the grid's points, one more than steps. The state has a counter
/// for each of these and for each output of the window.
constexpr Option square_wave_grid{.name = "grid", .fallback = 1024, .least = 2, .most = 65536};

class SquareWave final : public CountedReports<SquareWave, NumericMean>, public Ordered {
  public:
    SquareWave(const Header& header, Bytes block, const WindowChannel& window, const Range& range)
        : CountedReports(header, block, std::make_unique<WindowChannel>(window), range),
          window_(window),
          decoder_(window) {}

    std::size_t state_size() const noexcept override { return outputs() * counter_size; }

    [[nodiscard]] std::size_t counter_at(Bytes payload) const noexcept {
        return load_cell(payload.data(), payload_size()) * counter_size;
    }
    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means, Quantity::distribution};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override;
    std::vector<Check> health(const Counts& counts) const override;
    Cost cost() const noexcept override {
        constexpr double iterations = 1000, steps_an_output = 15;
        return {2, iterations * steps_an_output * static_cast<double>(outputs())};
    }

    std::size_t points() const noexcept override { return window_.inputs(); }
    Interval ends() const noexcept override { return {range_of_number()->min, range_of_number()->max}; }
    Distribution fit(const Counts& counts, Smoothing smoothing) const override;
    std::vector<double> cumulative(const Counts& counts) const override {
        return decoder_.cumulative(observed(counts));
    }
    std::unique_ptr<const OrderedNoise> noise(const Counts&, std::vector<double> shares) const override;
    std::unique_ptr<const OrderedNoise> expected_noise(std::vector<double> shares) const override {
        return noise({}, std::move(shares));
    }
    std::uint64_t blur(std::uint64_t n) const noexcept override;

  private:
    WindowChannel::Moments moments(const Counts& counts) const noexcept override {
        return window_.invert(sums(counts));
    }
    WindowChannel::Sums sums(const Counts& counts) const noexcept;
    /// Returns the shares of the outputs.
    static std::vector<double> observed(const Counts& counts);

    WindowChannel window_;
    WindowDecoder decoder_;
};

class SquareWaveNoise final : public WholeFunctionNoise {
  public:
    SquareWaveNoise(const WindowDecoder& decoder, std::vector<double> shares)
        : WholeFunctionNoise(shares.size()),
          decoder_(decoder),
          shares_(std::move(shares)),
          likely_(decoder_.outputs(shares_)) {}
    double of(std::span<const double> function) const override {
        return decoder_.noise(shares_, likely_, function);
    }
    double stride(std::span<const double> function) const override { return decoder_.stride(function); }

  private:
    WindowDecoder decoder_;
    std::vector<double> shares_, likely_;
};

std::unique_ptr<const OrderedNoise> SquareWave::noise(const Counts&, std::vector<double> shares) const {
    return std::make_unique<SquareWaveNoise>(decoder_, std::move(shares));
}

WindowChannel::Sums SquareWave::sums(const Counts& counts) const noexcept {
    Uint128 sum = 0, squares = 0;
    for (std::uint64_t cell = 0; cell < outputs(); ++cell) {
        const Uint128 term = Uint128{counter(counts.state, cell)} * cell;
        sum += term;
        squares += term * cell;
    }
    return {static_cast<double>(counts.n), static_cast<double>(sum), static_cast<double>(squares)};
}

std::vector<double> SquareWave::observed(const Counts& counts) {
    std::vector<double> shares(counts.state.size() / counter_size);
    for (std::size_t cell = 0; cell < shares.size(); ++cell)
        shares[cell] = static_cast<double>(counter(counts.state, cell)) / static_cast<double>(counts.n);
    return shares;
}

Distribution SquareWave::fit(const Counts& counts, Smoothing smoothing) const {
    return fit_points(ends(), decoder_, observed(counts), counts.n, epsilon(), smoothing);
}

// Shares come from the fit, whose error is unknown.
std::vector<Estimate> SquareWave::estimate(const Counts& counts, const Question& question) const {
    if (question.quantity == Quantity::means) return NumericMean::estimate(counts, question);
    return without_errors(fit(counts, Smoothing::binomial));
}

// If all outputs are equally probable, a step of the cumulative share has n·Var 1/(outputs·tilt²). In the
// middle of a residue class of K outputs, it is K/4 times that (or a half, if K ≤ 2). Adjacent points are in
// different residue classes, so that averaging points divides it by their number.
std::uint64_t SquareWave::blur(std::uint64_t n) const noexcept {
    const auto steps = static_cast<double>(window_.steps());
    const auto cells = static_cast<double>(outputs());
    const auto [high, low] = window_.weights();
    const double tilt = static_cast<double>(high - low) / static_cast<double>(window_.total());
    const double members = std::max(cells / static_cast<double>(window_.width()) / 4, 0.5);
    return balanced_blur(members / (cells * tilt * tilt * steps), n, window_.steps());
}

// The share of an output is between that of the low and of the high weight for any input. The residue of the
// output modulo the width does not depend on the input.
std::vector<Check> SquareWave::health(const Counts& counts) const {
    std::vector<Check> checks = window_.health(sums(counts));
    const std::vector<std::uint64_t> cells = counters(counts.state);
    const auto [least, most] = std::ranges::minmax(cells);
    const auto [high, low] = window_.weights();
    const auto share = [&](std::uint64_t weight) {
        return static_cast<double>(weight) / static_cast<double>(window_.total());
    };
    const auto any = [&](double p_value) {
        return std::min(1.0, static_cast<double>(cells.size()) * p_value);
    };
    const auto reports = static_cast<double>(counts.n);
    checks.push_back({"least share of an output", static_cast<double>(least) / reports, share(low),
                      any(binomial_at_most(counts.n, share(low), least))});
    checks.push_back({"greatest share of an output", static_cast<double>(most) / reports, share(high),
                      any(binomial_at_least(counts.n, share(high), most))});

    const std::uint64_t width = window_.width();
    const auto classes = std::min<std::uint64_t>({width, 32, counts.n / 10});
    if (classes < 2) return checks;
    std::vector<std::uint64_t> found(classes);
    std::vector<double> weights(classes);
    for (std::size_t cell = 0; cell < cells.size(); ++cell)
        found[cell % width * classes / width] += cells[cell];
    for (std::size_t residue = 0; residue < width; ++residue)
        weights[residue * classes / width] += decoder_.residue_probability(residue);
    checks.push_back(goodness_of_fit("outputs modulo the window", found, weights));
    return checks;
}

std::uint64_t width(double epsilon, std::uint64_t steps) {
    const double e = std::exp(epsilon);
    // expm1 preserves the difference of nearly equal numbers for small ε.
    const double b = (epsilon * e - std::expm1(epsilon)) / (2 * e * (std::expm1(epsilon) - epsilon));
    return std::max<std::uint64_t>(
        1, static_cast<std::uint64_t>(std::llround(2 * b * static_cast<double>(steps))));
}

constexpr NumericRandomizer randomizer{"square_wave", Response::window, width};

void write(const Settings& settings, Writer& writer) {
    NumericMean::write(randomizer, settings, writer);
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const auto [word, width, decoded_values] = read_channel(reader);
    // A spec with a rounding is refused after its mechanism is built.
    const RoundedSteps rounded = RoundedSteps::of_word(word);
    rounded.check(header);
    const std::uint32_t steps = rounded.steps;
    const Range range = read_range(reader);
    reader.finish();
    if (steps < square_wave_grid.least || steps > square_wave_grid.most || width < 1 || width > steps)
        refuse_block(
            "the window is out of range",
            "Found " + std::to_string(steps) + " grid steps and a window of " + std::to_string(width) + ".");
    return std::make_unique<SquareWave>(header, block, WindowChannel(steps, width, header.epsilon), range);
}

}  // namespace

const MechanismEntry entry(17, "square_wave", "square wave reporting",
                           "a number drawn by chance, more often from near your own than from elsewhere",
                           Shape::one_numeric, 1, write, load,
                           {.options = {&square_wave_grid, 1}, .purpose = Purpose::smooth_distribution});

}  // namespace ldp::square_wave
