#include "core/mechanism/mean/numeric_estimator.hpp"

#include <cmath>

namespace ldp {

bool NumericEstimator::accumulate(MutableBytes state, Bytes payload) const noexcept {
    const std::uint64_t output = load_cell(payload.data(), parameters_.width);
    if (output >= parameters_.channel->outputs()) return false;
    parameters_.channel->accumulate(state.data(), output);
    return true;
}

void NumericEstimator::merge(MutableBytes state, Bytes other) const noexcept {
    parameters_.channel->merge(state.data(), other.data());
}

bool NumericEstimator::valid_payload(Bytes payload) const noexcept {
    return load_cell(payload.data(), parameters_.width) < parameters_.channel->outputs();
}

bool NumericEstimator::valid_state(const Counts& counts) const noexcept {
    return parameters_.channel->valid(counts.n, counts.state.data());
}

std::vector<Estimate> NumericEstimator::estimate(const Counts& counts, const NumericChannel::Moments& moments,
                                                 Target target) const {
    const auto [mean, mean_square, noise, sampled] = moments;
    const double sampling = target == Target::population ? sampled : 0;
    const auto steps = static_cast<double>(parameters_.channel->steps());
    return {parameters_.range.on(
        {mean / steps, std::sqrt((noise + sampling) / static_cast<double>(counts.n)) / steps})};
}

std::vector<Check> NumericEstimator::health(const Counts& counts) const {
    return parameters_.channel->health(counts.n, counts.state.data());
}

// The mean of bits is that of one law, of which people's own may differ: they vary less then. Of others the
// spread of the people is estimated, that of the noise hardly; and where a few people are far from the
// others, a sample of few may have none of them. A mean moves in steps of 1/n of the range, and within one it
// varies by step²/12 more (Sheppard 1898): as if one person more, who may be anywhere, had added to the
// spread.
ErrorLaw NumericEstimator::error_law(std::uint64_t n, Target target) const noexcept {
    const Interval range{parameters_.range.min, parameters_.range.max};
    if (parameters_.channel->outputs() == 2) {
        const auto [least, most] = parameters_.channel->reach();
        const auto one = [from = least, width = most - least](double s) { return (s - from) / width; };
        return {.n = n,
                .p = one(static_cast<double>(parameters_.channel->steps())),
                .q = one(0),
                .truths = range};
    }
    if (target == Target::sample) return {.truths = range};
    const double people = static_cast<double>(n), step = 2 * parameters_.range.half() / people;
    return {.truths = range, .freedom = people - 1, .unseen = step * step / 12};
}

}  // namespace ldp
