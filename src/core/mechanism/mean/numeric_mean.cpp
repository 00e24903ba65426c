#include "core/mechanism/mean/numeric_mean.hpp"

#include <cmath>

#include "core/base/error.hpp"
#include "core/base/exact.hpp"
#include "core/math/channel_law.hpp"

namespace ldp {

std::vector<std::pair<std::string, double>> NumericMean::parameters() const {
    std::vector<std::pair<std::string, double>> all{
        {"min", range_.min}, {"max", range_.max}, {"grid", static_cast<double>(channel_->steps())}};
    for (const auto& parameter : channel_->parameters()) all.push_back(parameter);
    return all;
}

void NumericMean::permanent_response(Input input, Bytes, BitSource& bits, MutableBytes permanent) const {
    store_cell(permanent.data(), width_, channel_->sample(input[0], bits));
}

bool NumericMean::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const std::uint64_t output = load_cell(payload.data(), width_);
    if (output >= channel_->outputs()) return false;
    channel_->accumulate(state.data(), output);
    return true;
}

bool NumericMean::accumulate_all(MutableBytes state, const Payloads& payloads) const noexcept {
    return channel_->accumulate_all(state.data(), payloads);
}

void NumericMean::merge(MutableBytes state, Bytes other) const noexcept {
    channel_->merge(state.data(), other.data());
}

bool NumericMean::valid_payload(Bytes payload) const noexcept {
    return load_cell(payload.data(), width_) < channel_->outputs();
}

bool NumericMean::valid_state(const Counts& counts) const noexcept {
    return channel_->valid(counts.n, counts.state.data());
}

std::span<const Quantity> NumericMean::answers() const noexcept {
    static constexpr Quantity quantities[] = {Quantity::means};
    return quantities;
}

std::vector<Estimate> NumericMean::estimate(const Counts& counts, const Question& question) const {
    const auto [mean, mean_square, noise, sampled] = moments(counts);
    const double sampling = question.target == Target::population ? sampled : 0;
    const auto steps = static_cast<double>(channel_->steps());
    return {range_.on({mean / steps, std::sqrt((noise + sampling) / static_cast<double>(counts.n)) / steps})};
}

std::vector<Check> NumericMean::health(const Counts& counts) const {
    return channel_->health(counts.n, counts.state.data());
}

std::vector<Contribution> NumericMean::contributions(const Question&) const {
    const auto [least, most] = channel_->reach();
    const double step = 2 * range_.half() / static_cast<double>(channel_->steps());
    return {{1, {range_.min + step * least, range_.min + step * most}, {range_.min, range_.max}}};
}

// For bits, the estimate is linear in a count; if users have different probabilities, the variance is
// smaller. For other channels, the variance between users is estimated, and the noise is nearly known. If a
// few users are far from the others, a small sample may contain none of them. A mean moves in steps of 1/n of
// the range, and its variance within a step is step²/12 larger (Sheppard 1898). The law therefore includes
// one additional user anywhere in the range.
ErrorLaw NumericMean::error_law(std::uint64_t n, Target target) const noexcept {
    const Interval range{range_.min, range_.max};
    if (channel_->outputs() == 2) {
        const auto [least, most] = channel_->reach();
        const auto one = [from = least, width = most - least](double s) { return (s - from) / width; };
        return {.n = n, .p = one(static_cast<double>(channel_->steps())), .q = one(0), .truths = range};
    }
    if (target == Target::sample) return {.truths = range};
    const double people = static_cast<double>(n), step = 2 * range_.half() / people;
    return {.truths = range, .degrees_of_freedom = people - 1, .unseen_error = step / std::sqrt(12.0)};
}

// The noise of bits is that of people who all have the mean. It contains the rounding.
double NumericMean::rounding_deviation(std::size_t) const noexcept {
    if (channel_->outputs() == 2) return 0;
    return RoundedSteps{static_cast<std::uint32_t>(channel_->steps()), rounding_cells_}.deviation(
        range_.half());
}

double NumericMean::n_variance(double truth) const {
    const auto steps = static_cast<double>(channel_->steps());
    return channel_->noise_at((truth + 1) / 2 * steps) * 4 / (steps * steps);
}

double NumericMean::expected_variance_of_part(std::size_t, double part) const {
    const auto steps = static_cast<double>(channel_->steps());
    return channel_->most_noise(part) * 4 / (steps * steps);
}

Exact NumericMean::probability(Input input, Bytes, Bytes permanent) const {
    return channel_->probability(input[0], load_cell(permanent.data(), width_));
}

Exact NumericMean::worst_ratio() const {
    return channel_->worst_ratio();
}

ChannelLaw NumericMean::channel_law() const {
    return channel_->channel_law();
}

void NumericMean::write(const NumericRandomizer& randomizer, const Settings& settings, double epsilon,
                        Writer& writer) {
    const Attribute& attribute = settings.attributes()[0];
    if (randomizer.from_zero && attribute.min != 0)
        raise(ErrorCode::invalid_spec, std::string(randomizer.name) + " requires a range with \"min\": 0",
              "The range of \"" + attribute.name + "\" does not begin at 0.",
              "Subtract the minimum from the values, or use duchi, which supports any range.");
    ChannelSize size = channel_size(randomizer, epsilon, settings.number("grid"));
    size.steps = RoundedSteps{size.steps, rounding_cells(settings)}.word();
    write_channel(writer, size);
    write_readings(writer, randomizer.response, size);
    write_range(writer, {attribute.min, attribute.max});
}

NumericMean::Parameters NumericMean::take(const NumericRandomizer& randomizer, Reader& reader,
                                          const Header& header) {
    ChannelSize size = read_channel(reader);
    const RoundedSteps rounded = RoundedSteps::of_word(size.steps);
    rounded.check(header);
    size.steps = rounded.steps;
    read_readings(reader, randomizer.response, size);
    auto channel = make_channel(randomizer.response, size, header.epsilon);
    const Range range = read_range(reader);
    if (randomizer.from_zero && range.min != 0) refuse_block("the declared range does not begin at 0");
    return {std::move(channel), range, rounded.cells};
}

std::unique_ptr<const Mechanism> NumericMean::load(const NumericRandomizer& randomizer, const Header& header,
                                                   Bytes block) {
    Reader reader(block.subspan(header_size));
    auto [channel, range, cells] = take(randomizer, reader, header);
    reader.finish();
    return std::make_unique<NumericMean>(header, block, std::move(channel), range, cells);
}

}  // namespace ldp
