// The mean of a number that people may leave out, among the people who answer.
//
// The channel is that of optional_channel.hpp. It is a special case of key-value data with one key (PrivKV, Ye et
// al. 2019; PCKV, Gu et al. 2020), with one output for people without a value and a free probability c of it.
//
// A report is y = v/(1 − c) for an output with the decoded value v, and 0 for "none". Its mean over all people is
// ρμ, with the response rate ρ and the mean μ of the answers. The share of "none" is ρc + (1 − ρ)d, so that r = (d −
// [none])/(d − c) has the mean ρ. The estimate is the ratio of both means. Its interval consists of the μ for which
// the mean of y − μr, which has the expectation 0, is within its errors (Fieller 1954).
//
// parameters: grid steps with the rounding cells, window width (4 bytes each; 0 for one bit), the decoded values of
//             a window (9), c (4 bytes, in units of 2^-32), min, max · payload: an output · state: a counter for each output (8)

#include <algorithm>
#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/base/square.hpp"
#include "core/base/unknown.hpp"
#include "core/channel/binary.hpp"
#include "core/channel/warped.hpp"
#include "core/math/channel_law.hpp"
#include "core/math/spread.hpp"
#include "core/mechanism/frequency/counters.hpp"
#include "core/mechanism/mean/numeric_randomizer.hpp"
#include "core/mechanism/mean/optional_channel.hpp"
#include "core/mechanism/mean/response_rate.hpp"
#include "core/mechanism/mean/rounded_numbers.hpp"
#include "core/mechanism/role/entries.hpp"

namespace ldp::optional_mean {

namespace {

/// The limit of 1/(1 − c) without a declared response rate. If all people answer and the mean is in the middle of
/// the range, the variance is 1/(1 − c) times the variance without the option.
constexpr double most_loss = 1.15;

/// The decoded outputs of a channel for numbers, on [−1,1].
struct Decoding {
    std::vector<double> values;   ///< whose mean is the number
    std::vector<double> squares;  ///< whose mean is its square; NaN if outputs carry no information about it
    double even_square = 0;       ///< mean squared value of an output drawn with equal probabilities
    double even_of_squares = 0;   ///< mean of `squares` for such an output
    double least_noise = HUGE_VAL;

    explicit Decoding(const NumericChannel& channel) {
        const double half = static_cast<double>(channel.steps()) / 2;
        const auto outputs = static_cast<double>(channel.outputs());
        for (std::uint64_t out = 0; out < channel.outputs(); ++out) {
            std::vector<std::byte> tally(channel.tally_size());
            channel.accumulate(tally.data(), out);
            const NumericChannel::Moments moments = channel.invert(1, tally.data());
            values.push_back(moments.mean / half - 1);
            squares.push_back(moments.mean_square / square(half) - 1 - 2 * values.back());
            even_square += square(values.back()) / outputs;
            even_of_squares += squares.back() / outputs;
        }
        constexpr int places = 128;
        for (int i = 0; i <= places; ++i)
            least_noise = std::min(least_noise, channel.noise_at(2 * half * i / places) / square(half));
    }
};

/// c and d, the probabilities of "none" for people with and without a number.
struct NoneShares {
    double c, d;

    [[nodiscard]] double answered() const noexcept { return d / (d - c); }  ///< r of a report with a number
    [[nodiscard]] double missing() const noexcept { return (1 - d) / (d - c); }  ///< −r of "none"
    [[nodiscard]] double at(double rate) const noexcept { return rate * c + (1 - rate) * d; }
};

/// Returns n·Var of the ratio to first order, against the population. `noise` is that of the channel for numbers,
/// averaged over the people who answer.
double ratio_variance(const NoneShares& none, double rate, const AnsweredMoments& answers, double noise,
                      double even_square) {
    const double with = 1 - none.c, without = 1 - none.d, m = answers.mean;
    const double squares =
        rate * (noise + answers.mean_square) / with + (1 - rate) * without * even_square / square(with);
    const double both = rate * m * none.answered();
    const double rates =
        (1 - none.at(rate)) * square(none.answered()) + none.at(rate) * square(none.missing());
    return (squares - 2 * m * both + square(m) * rates) / square(rate);
}

/// The shares of outputs in a summary, and the means of decoded values over outputs with a number.
struct ObservedShares {
    double none;  ///< share of "none"
    double mean, mean_square, of_squares;

    ObservedShares(const Counts& counts, const Decoding& decoding)
        : none(static_cast<double>(counter(counts.state, 0)) / static_cast<double>(counts.n)),
          mean(0),
          mean_square(decoding.even_square),
          of_squares(decoding.even_of_squares) {
        const std::uint64_t numbers = counts.n - counter(counts.state, 0);
        if (numbers == 0) return;
        mean_square = of_squares = 0;
        for (std::size_t out = 0; out < decoding.values.size(); ++out) {
            const double share =
                static_cast<double>(counter(counts.state, out + 1)) / static_cast<double>(numbers);
            mean += share * decoding.values[out];
            mean_square += share * square(decoding.values[out]);
            of_squares += share * decoding.squares[out];
        }
    }
};

/// The mean of y − μr over the reports, as a function of μ on [−1,1], and its variance. `rounding` is the variance
/// of the rounding of a number, which errors for the people who reported contain.
class Residual {
  public:
    Residual(const Counts& counts, const NoneShares& none, const Decoding& decoding, double rounding = 0)
        : n_(static_cast<double>(counts.n)), none_(none), observed_(counts, decoding), rounding_(rounding) {
        const double with = 1 - none_.c, without = 1 - none_.d;
        sum_ = (1 - observed_.none) * observed_.mean / with;
        rate_ = (none_.d - observed_.none) / (none_.d - none_.c);
        const double possible = std::clamp(rate_, 0.0, 1.0);
        // Few reports may show less than the noise that the channel has for any input.
        numbers_ = 1 - none_.at(possible);
        const double share = possible * with / numbers_;
        const double least = share * decoding.least_noise + (1 - share) * decoding.even_square;
        square_ = std::max(observed_.mean_square, least);
        noise_ = possible * decoding.least_noise / with +
                 (1 - possible) * without * decoding.even_square / square(with);
        if (std::isnan(observed_.of_squares)) return;
        const double squares = ((1 - observed_.none) * observed_.of_squares -
                                (1 - possible) * without * decoding.even_of_squares) /
                               with;
        const double sum = std::clamp(sum_, -possible, possible);
        spread_ = {possible, sum, std::clamp(squares, possible > 0 ? square(sum) / possible : 0.0, possible)};
        exact_bits_ = false;
    }

    [[nodiscard]] double rate() const noexcept { return rate_; }
    [[nodiscard]] double sum() const noexcept { return sum_; }
    /// Returns the estimate on [−1,1]; unknown if the estimated response rate is not positive. It may be beyond the range, except
    /// if hardly anybody may answer, as such a ratio has no meaning.
    [[nodiscard]] double ratio() const noexcept {
        if (!(rate_ > 0)) return unknown;
        const double none = none_.at(std::clamp(rate_, 0.0, 1.0));
        const double error = std::sqrt(none * (1 - none) / n_) / (none_.d - none_.c);
        return hardly_answered({rate_, error}) ? std::clamp(sum_ / rate_, -1.0, 1.0) : sum_ / rate_;
    }
    [[nodiscard]] double at(double mean) const noexcept { return sum_ - mean * rate_; }
    /// Returns n·Var of a report's y − μr about 0.
    [[nodiscard]] double variance(double mean, Target target) const noexcept {
        const double with = 1 - none_.c;
        const double all =
            numbers_ * (square_ / square(with) - 2 * mean * observed_.mean / with * none_.answered() +
                        square(mean * none_.answered())) +
            (1 - numbers_) * square(mean * none_.missing());
        if (target == Target::population || exact_bits_) return all;
        const auto& [rate, sum, squares] = spread_;
        const double spread = std::max(0.0, squares - 2 * mean * sum + square(mean) * rate);
        return std::max(noise_, all - spread) + rate * rounding_;
    }
    /// Returns the standard error of the mean of y − μr.
    [[nodiscard]] double error(double mean, Target target, double repetitions) const noexcept {
        // As for other means, one additional person may be anywhere in the range: (2/n)²/12.
        const double unseen = target == Target::population && !exact_bits_ ? 1 / (3 * square(n_)) : 0;
        return std::sqrt(repetitions * variance(mean, target) / n_ + unseen);
    }

  private:
    struct AnswerSpread {
        double rate = 0, sum = 0, squares = 0;
    };
    double n_;
    NoneShares none_;
    ObservedShares observed_;
    double sum_, rate_, numbers_, square_, noise_, rounding_;
    AnswerSpread spread_{};
    bool exact_bits_ = true;  ///< whether the outputs carry no information about squares
};

class OptionalMean final : public Mechanism, public ResponseRate {
  public:
    OptionalMean(const Header& header, Bytes block, OptionalChannel channel, const Range& range,
                 std::uint32_t rounding_cells)
        : Mechanism(header, block),
          channel_(std::move(channel)),
          range_(range),
          rounding_cells_(rounding_cells),
          width_(cell_width(channel_.outputs())),
          none_{channel_.if_answered(), channel_.if_missing()} {}

    std::vector<std::uint64_t> cells() const override { return {channel_.inputs()}; }
    std::size_t payload_size() const noexcept override { return width_; }
    std::size_t state_size() const noexcept override { return channel_.outputs() * counter_size; }
    const Range* range_of_number() const noexcept override { return &range_; }
    std::vector<std::pair<std::string, double>> parameters() const override {
        std::vector<std::pair<std::string, double>> all{{"min", range_.min},
                                                        {"max", range_.max},
                                                        {"grid", static_cast<double>(channel_.steps())},
                                                        {"none_if_answered", none_.c},
                                                        {"none_if_missing", none_.d}};
        for (const auto& parameter : channel_.number().parameters()) all.push_back(parameter);
        return all;
    }

    void permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const override {
        store_cell(permanent.data(), width_, channel_.sample(input[0], bits));
    }
    /// A missing value is at the same distance from all numbers.
    std::vector<Cell> response_key(Input input, Bytes) const override {
        const bool missing = input[0] == channel_.missing();
        return {missing ? 0 : input[0], missing ? Cell{1} : Cell{0}};
    }
    std::vector<double> key_spans(Bytes) const override { return {static_cast<double>(channel_.steps()), 0}; }

    bool accumulate(MutableBytes state, Bytes payload) const noexcept override {
        return count(state, payload, 1);
    }
    bool accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept override {
        return payloads.for_each_run(
            [&](Bytes payload, std::uint64_t times) { return count(state, payload, times); });
    }
    void merge(MutableBytes state, Bytes other) const noexcept override { merge_counters(state, other); }
    bool valid_payload(Bytes payload) const noexcept override {
        return load_cell(payload.data(), width_) < channel_.outputs();
    }
    bool valid_state(const Counts& counts) const noexcept override {
        return counters_sum_to(counts.state, counts.n);
    }

    std::span<const Quantity> answers() const noexcept override {
        static constexpr Quantity quantities[] = {Quantity::means};
        return quantities;
    }
    std::vector<Estimate> estimate(const Counts& counts, const Question& question) const override {
        const Residual residual = residual_of(counts);
        const double mean = residual.ratio();
        if (std::isnan(mean)) return {{unknown, unknown}};
        const double error = residual.error(mean, question.target, 1) / residual.rate();
        return {range_.on({(1 + mean) / 2, error / 2})};
    }
    /// The error of bits is that of people who all have the mean. It contains the rounding.
    double rounding_deviation(std::size_t) const noexcept override {
        return channel_.number().outputs() == 2 ? 0 : range_.half() * rounding_of_unit();
    }
    std::vector<Check> health(const Counts& counts) const override;
    std::vector<Contribution> contributions(const Question& question) const override;
    double max_probability(Bytes payload) const override {
        return channel_.max_probability(load_cell(payload.data(), width_));
    }

    Estimate response_rate(const Counts& counts, Target target) const override {
        const double none = static_cast<double>(counter(counts.state, 0)) / static_cast<double>(counts.n);
        const double rate = (none_.d - none) / (none_.d - none_.c), possible = std::clamp(rate, 0.0, 1.0);
        return {rate, std::sqrt(rate_variance(possible, target) / static_cast<double>(counts.n))};
    }
    ErrorLaw response_law(const Counts& counts, Target target) const override {
        return {.n = counts.n,
                .p = 1 - none_.c,
                .q = 1 - none_.d,
                .counts_people = target == Target::sample,
                .truths = possible_shares};
    }
    AnsweredMean answered_mean(const Counts& counts, Target target) const override;
    Interval answered_interval(const Counts& counts, const AnsweredInterval& terms) const override;
    AnsweredVariances variances(double rate, const AnsweredMoments& answers, Target target) const override;

    double n_variance(double truth) const override {
        return variances(1, {truth, square(truth)}, Target::sample).mean;
    }
    double n_variance_of(std::size_t, std::size_t, std::span<const double> shares) const override;
    Cost cost() const noexcept override { return {2, 500}; }
    Exact probability(Input input, Bytes, Bytes permanent) const override {
        return channel_.probability(input[0], load_cell(permanent.data(), width_));
    }
    Exact worst_ratio() const override { return channel_.worst_ratio(); }
    ChannelLaw channel_law() const override { return channel_.channel_law(); }

  private:
    [[nodiscard]] bool count(MutableBytes state, Bytes payload, std::uint64_t times) const noexcept {
        const std::uint64_t output = load_cell(payload.data(), width_);
        if (output >= channel_.outputs()) return false;
        add(state.data() + output * counter_size, times);
        return true;
    }

    /// Returns the bound of the deviation of a rounding on [−1,1].
    [[nodiscard]] double rounding_of_unit() const noexcept {
        return RoundedSteps{static_cast<std::uint32_t>(channel_.steps()), rounding_cells_}.deviation(1);
    }
    [[nodiscard]] Residual residual_of(const Counts& counts) const {
        return {counts, none_, Decoding(channel_.number())};
    }
    [[nodiscard]] double rate_variance(double rate, Target target) const noexcept {
        const auto of = [](double share) { return share * (1 - share); };
        const double none =
            target == Target::population ? of(none_.at(rate)) : rate * of(none_.c) + (1 - rate) * of(none_.d);
        return none / square(none_.d - none_.c);
    }

    OptionalChannel channel_;
    Range range_;
    std::uint32_t rounding_cells_;
    std::size_t width_;
    NoneShares none_;
};

// "None" has a probability between c and d. Given a number, the output is that of some number or, for a missing
// value, any output, so the bounds of each output hold. A missing value does not have the residues of a window.
std::vector<Check> OptionalMean::health(const Counts& counts) const {
    const std::uint64_t none = counter(counts.state, 0), numbers = counts.n - none;
    std::vector<Check> checks{{"share of reports without a number",
                               static_cast<double>(none) / static_cast<double>(counts.n), none_.c,
                               binomial_between(counts.n, none_.c, none_.d, none)}};
    if (numbers == 0) return checks;
    std::vector<std::byte> tally(channel_.number().tally_size());
    if (channel_.number().outputs() == 2)
        store(tally.data(), counter(counts.state, 2));
    else
        std::ranges::copy(counts.state.subspan(counter_size), tally.begin());
    for (Check& check : channel_.number().health(numbers, tally.data()))
        if (check.name != "outputs modulo the window") checks.push_back(std::move(check));
    return checks;
}

// A forged report changes the mean of y − μr, whose expectation is 0, by its own value. This changes the ratio by that
// value divided by the response rate. The component is that of a response rate of 1.
std::vector<Contribution> OptionalMean::contributions(const Question&) const {
    const Decoding decoding(channel_.number());
    const double most = std::ranges::max(decoding.values) / (1 - none_.c) + none_.answered();
    const double half = range_.half();
    return {{1, {range_.max - most * half, range_.min + most * half}, {range_.min, range_.max}}};
}

// The set of accepted means is an interval, or contains an end of the range on at least one side of the estimate. It
// is searched from the estimate outwards.
Interval OptionalMean::answered_interval(const Counts& counts, const AnsweredInterval& terms) const {
    const Decoding decoding(channel_.number());
    const double rounding = terms.target == Target::sample ? square(rounding_of_unit()) : 0;
    const Residual residual(counts, none_, decoding, rounding);
    const double end = 1 + terms.margin;
    const Interval whole = {range_.on({(1 - end) / 2, 0}).value, range_.on({(1 + end) / 2, 0}).value};
    const double start = residual.ratio();
    if (std::isnan(start)) return whole;
    const double most = std::ranges::max(decoding.values) / (1 - none_.c);
    const auto accepted = [&](double mean) {
        const double forged = terms.forged * (most + std::abs(mean) * none_.answered());
        return std::abs(residual.at(mean)) <=
               terms.critical_value * residual.error(mean, terms.target, terms.repetitions) + forged;
    };
    const double half =
        terms.critical_value * residual.error(start, terms.target, terms.repetitions) / residual.rate();
    const auto [low, high] = accepted_means(start, half, {-end, end}, accepted);
    return {low == -end ? whole.lower : range_.on({(1 + low) / 2, 0}).value,
            high == end ? whole.upper : range_.on({(1 + high) / 2, 0}).value};
}

AnsweredMean OptionalMean::answered_mean(const Counts& counts, Target target) const {
    const double rounding = target == Target::sample ? square(rounding_of_unit()) : 0;
    const Residual residual(counts, none_, Decoding(channel_.number()), rounding);
    const auto at = [&](double share) { return square(residual.error(2 * share - 1, target, 1) / 2); };
    return {(residual.sum() + residual.rate()) / 2, residual.rate(),
            quadratic_through(at(0), at(0.5), at(1))};
}

AnsweredVariances OptionalMean::variances(double rate, const AnsweredMoments& answers, Target target) const {
    const NumericChannel& number = channel_.number();
    const double half = static_cast<double>(number.steps()) / 2;
    // The noise is nearly quadratic: half of the people are one standard deviation below the mean, half above.
    const double spread = std::max(0.0, answers.mean_square - square(answers.mean));
    const double off = std::sqrt(spread);
    const auto noise_at = [&](double x) {
        return number.noise_at(half * (1 + std::clamp(x, -1.0, 1.0))) / square(half);
    };
    const double noise = (noise_at(answers.mean - off) + noise_at(answers.mean + off)) / 2;
    const double all = ratio_variance(none_, rate, answers, noise, Decoding(number).even_square);
    return {target == Target::population ? all : all - spread / rate, rate_variance(rate, target)};
}

double OptionalMean::n_variance_of(std::size_t, std::size_t, std::span<const double> shares) const {
    const auto [mean, spread] = moments_of(shares);
    return variances(1, {mean, spread + square(mean)}, Target::sample).mean;
}

/// A channel for numbers with the smallest probability of an output.
struct NumberChannel {
    std::unique_ptr<const NumericChannel> channel;
    double low;
};

NumberChannel number_channel(const ChannelSize& size, double epsilon) {
    auto channel = make_channel(size.width == 0 ? Response::duchi : Response::optimal, size, epsilon);
    if (size.width != 0) {
        const double low = static_cast<const WarpedChannel&>(*channel).outside();
        return {std::move(channel), low};
    }
    const auto& bit = static_cast<const BinaryChannel&>(*channel);
    const double low = static_cast<double>(bit.odds().low) / static_cast<double>(bit.total());
    return {std::move(channel), low};
}

/// A channel, the probability of "none", and its variance.
struct OptionalDesign {
    ChannelSize size;
    double none, variance;
};

/// Designs for means that are spread evenly over the range (mean square 1/3), at a response rate; 0 if it is unknown.
OptionalDesign design(const ChannelSize& size, double epsilon, double response_rate) {
    const auto [channel, low] = number_channel(size, epsilon);
    const double most = OptionalChannel::most_none(low, channel->outputs(), epsilon);
    const double half = static_cast<double>(size.steps) / 2;
    const double noise = channel->noise_at(channel->noisiest()) / square(half);
    const double even_square = Decoding(*channel).even_square;
    constexpr double mean_square = 1.0 / 3;
    const auto at = [&](double none, double rate) {
        return ratio_variance({none, none * std::exp(epsilon)}, rate, {std::sqrt(mean_square), mean_square},
                              noise, even_square);
    };
    if (response_rate == 0) {
        const double none = std::min(most, 1 - 1 / most_loss);
        return {size, none, at(none, 1)};
    }
    OptionalDesign best{size, most, HUGE_VAL};
    constexpr int candidates = 64;
    for (int i = 1; i <= candidates; ++i) {
        const double none = most * i / candidates, variance = at(none, response_rate);
        if (variance < best.variance) best = {size, none, variance};
    }
    return best;
}

void write(const Settings& settings, Writer& writer) {
    const double epsilon = settings.epsilon(), rate = settings.real(response_rate_option.name);
    const std::uint64_t steps = settings.number(grid_option.name);
    OptionalDesign bit = design(channel_size(duchi_randomizer, epsilon, steps), epsilon, rate);
    OptionalDesign window = design(channel_size(optimal_randomizer, epsilon, steps), epsilon, rate);
    OptionalDesign& best = bit.variance <= window.variance ? bit : window;
    best.size.steps = RoundedSteps{best.size.steps, rounding_cells(settings)}.word();
    write_channel(writer, best.size);
    if (best.size.width != 0) write_readings(writer, Response::optimal, best.size);
    writer.put(static_cast<std::uint32_t>(std::max(1.0, std::floor(std::ldexp(best.none, 32)))));
    write_range(writer, {settings.attributes()[0].min, settings.attributes()[0].max});
}

std::unique_ptr<const Mechanism> load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    ChannelSize size = read_channel(reader);
    const RoundedSteps rounded = RoundedSteps::of_word(size.steps);
    rounded.check(header);
    size.steps = rounded.steps;
    if (size.width != 0) read_readings(reader, Response::optimal, size);
    const std::uint64_t none = std::uint64_t{reader.take<std::uint32_t>()} << 32;
    const Range range = read_range(reader);
    reader.finish();
    auto [channel, low] = number_channel(size, header.epsilon);
    return std::make_unique<OptionalMean>(
        header, block, OptionalChannel(std::move(channel), low, none, header.epsilon), range, rounded.cells);
}

void settle(SettingsDraft& draft) {
    const double rate = std::get<double>(draft.options.at(response_rate_option.name));
    if (!(rate >= 0 && rate <= 1))
        raise(ErrorCode::invalid_spec, "\"response_rate\" must be above 0 and at most 1",
              "Found " + std::to_string(rate) + ".", "Omit it if the response rate is unknown.");
}

constexpr Option options[] = {grid_option, response_rate_option};

}  // namespace

const MechanismEntry entry(
    37, "optional_mean", "mean of a number that people may leave out",
    "“no number”, or a number that chance picks, more often one near your own. If you give no number, it may send "
    "a number, and the other way round",
    Shape::one_numeric, 1, write, load,
    {.automatic = true,
     .options = options,
     .settle = settle,
     .responses = {grid_option.name, 2}});  // the points of the grid, and "no number"

}  // namespace ldp::optional_mean
