#include "window_mean.hpp"

#include <algorithm>
#include <cmath>

#include "../exact.hpp"
#include "../spec.hpp"

namespace ldp {

std::vector<std::pair<std::string, double>> WindowMean::parameters() const {
    return {{"min", range_.min},
            {"max", range_.max},
            {"grid", static_cast<double>(channel_.steps())},
            {"window", static_cast<double>(channel_.width())}};
}

void WindowMean::randomise(Input input, Bytes, BitSource& bits, MutableBytes memo) const {
    store_cell(memo.data(), width_, channel_.sample(input[0], bits));
}

bool WindowMean::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const std::uint32_t cell = load_cell(payload.data(), width_);
    if (cell >= channel_.outputs()) return false;
    WindowTally::accumulate(state.data(), cell);
    return true;
}

void WindowMean::merge(MutableBytes state, Bytes other) const noexcept {
    WindowTally::merge(state.data(), other.data());
}

bool WindowMean::valid_payload(Bytes payload) const noexcept {
    return load_cell(payload.data(), width_) < channel_.outputs();
}

bool WindowMean::valid_state(std::uint64_t n, Bytes state) const noexcept {
    return WindowTally::valid(n, state.data(), channel_.outputs());
}

std::span<const Quantity> WindowMean::answers() const noexcept {
    static constexpr Quantity quantities[] = {Quantity::means};
    return quantities;
}

std::vector<Estimate> WindowMean::estimate(std::uint64_t n, Bytes state, const Question& question) const {
    const auto moments = channel_.invert(sums(n, state));
    const double sampling = question.target == Target::population ? moments.sampling : 0;
    const double step = 2 * range_.half() / static_cast<double>(channel_.steps());
    return {{range_.min + step * moments.mean,
             step * std::sqrt((moments.noise + sampling) / static_cast<double>(n))}};
}

std::vector<Check> WindowMean::health(std::uint64_t n, Bytes state) const {
    return channel_.health(sums(n, state));
}

double WindowMean::n_variance(double truth) const {
    const auto steps = static_cast<double>(channel_.steps());
    return channel_.noise_at((truth + 1) / 2 * steps) * 4 / (steps * steps);
}

Exact WindowMean::probability(Input input, Bytes, Bytes memo) const {
    return exact(channel_.weight(input[0], load_cell(memo.data(), width_)), channel_.total());
}

// Every output has one of two weights, and the rows of inputs 0 and steps have each of them in places where
// the other has the other one: high/low is attained and cannot be exceeded.
Exact WindowMean::worst_ratio() const {
    return exact(channel_.worst_ratio().high, channel_.worst_ratio().low);
}

void WindowMean::write(const Spec& spec, std::uint64_t width, Writer& writer) {
    write_window(writer, spec.number("grid"), width);
    writer.put(spec.attributes()[0].min);
    writer.put(spec.attributes()[0].max);
}

std::unique_ptr<const Mechanism> WindowMean::load(const Header& header, Bytes block) {
    Reader reader(block.subspan(header_size));
    const WindowChannel channel = read_window(reader, header.epsilon);
    const Range range = read_range(reader);
    reader.finish();
    return std::make_unique<WindowMean>(header, block, channel, range);
}

}  // namespace ldp
