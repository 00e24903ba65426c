#include "core/channel/window_decoder.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/math/bit_counters.hpp"

namespace ldp {

namespace {

/// Returns the n + 1 prefix sums, the empty one first.
std::vector<double> beginnings(std::span<const double> terms) {
    std::vector<double> sums(terms.size() + 1);
    for (std::size_t i = 0; i < terms.size(); ++i) sums[i + 1] = sums[i] + terms[i];
    return sums;
}

// The same source is compiled twice, as in bit_counters.cpp: for any processor, and for wide registers. The results are
// equal.

using Four [[gnu::vector_size(32)]] = double;
constexpr std::size_t four = 4;

/// Returns a size that is enough for whole groups of four terms at any position.
constexpr std::size_t in_fours(std::size_t size) noexcept {
    return size + four;
}

[[gnu::always_inline]] inline void load_four(Four& terms, const double* from) noexcept {
    std::memcpy(&terms, from, sizeof(terms));
}
[[gnu::always_inline]] inline void store_four(double* to, const Four& terms) noexcept {
    std::memcpy(to, &terms, sizeof(terms));
}
[[gnu::always_inline]] inline double sum_of_four(const Four& terms) noexcept {
    return (terms[0] + terms[1]) + (terms[2] + terms[3]);
}

/// Writes the prefix sums of `count` terms, the empty one first, with one addition for four of them to wait for.
void sum_up(const double* terms, std::size_t count, double* sums) noexcept {
    double sum = *sums = 0;
    std::size_t i = 0;
    for (; i + four <= count; i += four) {
        const double a = terms[i], b = a + terms[i + 1], c = terms[i + 2], d = c + terms[i + 3];
        sums[i + 1] = sum + a;
        sums[i + 2] = sum + b;
        sums[i + 3] = sum + (b + c);
        sums[i + 4] = sum += b + d;
    }
    for (; i < count; ++i) sums[i + 1] = sum += terms[i];
}

/// What WindowFit has of an output.
struct OutputTerms {
    const double*
        below;  ///< the sum of shares before the output's window; the one at its end is `width` further
    const double* observed;  ///< its observed share
    const double* last_inverse;
    double* inverse;
    double* ratio;
};

/// The means of x and x² over the reports, and the largest |x|, where 1 + x is the ratio of the probabilities of an output after
/// and before a step.
struct ProbabilityChange {
    double first, second, furthest;
};

/// Computes the probabilities of outputs.
[[gnu::always_inline]] inline ProbabilityChange expect(const OutputTerms& of, std::size_t outputs,
                                                       std::size_t width, double low, double tilt) noexcept {
    Four first{}, second{}, furthest{};
    for (std::size_t j = 0; j < outputs; j += four) {
        Four below, end, observed, last_inverse;
        load_four(below, of.below + j);
        load_four(end, of.below + j + width);
        load_four(observed, of.observed + j);
        load_four(last_inverse, of.last_inverse + j);
        const Four likely = low + tilt * (end - below), inverse = 1.0 / likely;
        const Four change = likely * last_inverse - 1.0, part = observed * change;
        first += part;
        second += part * change;
        const Four distance = change < 0.0 ? -change : change;
        furthest = distance > furthest ? distance : furthest;
        store_four(of.inverse + j, inverse);
        store_four(of.ratio + j, observed * inverse);
    }
    return {sum_of_four(first), sum_of_four(second),
            std::max({furthest[0], furthest[1], furthest[2], furthest[3]})};
}

/// Multiplies shares by the ratio of observed and expected reports. The sums of an input's window are `width` apart.
[[gnu::always_inline]] inline void maximize(const double* shares, const double* sums, std::size_t inputs,
                                            std::size_t width, double outside, double tilt,
                                            double* next) noexcept {
    for (std::size_t s = 0; s < inputs; s += four) {
        Four share, begin, end;
        load_four(share, shares + s);
        load_four(begin, sums + s);
        load_four(end, sums + s + width);
        store_four(next + s, share * (outside + tilt * (end - begin)));
    }
}

/// Writes the averages of terms and their neighbours; the first one has a neighbour before it.
[[gnu::always_inline]] inline void average(const double* terms, std::size_t count,
                                           double* averages) noexcept {
    for (std::size_t s = 0; s < count; s += four) {
        Four before, here, behind;
        load_four(before, terms + s - 1);
        load_four(here, terms + s);
        load_four(behind, terms + s + 1);
        store_four(averages + s, (before + 2.0 * here + behind) / 4.0);
    }
}

#ifdef LDP_WIDE
LDP_WIDE ProbabilityChange expect_wide(const OutputTerms& of, std::size_t outputs, std::size_t width,
                                       double low, double tilt) noexcept {
    return expect(of, outputs, width, low, tilt);
}
LDP_WIDE void maximize_wide(const double* shares, const double* sums, std::size_t inputs, std::size_t width,
                            double outside, double tilt, double* next) noexcept {
    maximize(shares, sums, inputs, width, outside, tilt, next);
}
LDP_WIDE void average_wide(const double* terms, std::size_t count, double* averages) noexcept {
    average(terms, count, averages);
}
#endif

}  // namespace

WindowDecoder::WindowDecoder(const WindowChannel& channel) noexcept
    : inputs_(channel.inputs()),
      outputs_(channel.outputs()),
      width_(channel.width()),
      low_(static_cast<double>(channel.weights().low) / static_cast<double>(channel.total())),
      tilt_(static_cast<double>(channel.weights().high - channel.weights().low) /
            static_cast<double>(channel.total())) {}

std::vector<double> WindowDecoder::outputs(std::span<const double> shares) const {
    const std::vector<double> below = beginnings(shares);
    std::vector<double> likely(outputs_);
    for (std::size_t j = 0; j < outputs_; ++j)
        likely[j] = low_ + tilt_ * (below[std::min(j + 1, inputs_)] - below[j < width_ ? 0 : j + 1 - width_]);
    return likely;
}

std::vector<double> WindowDecoder::cumulative(std::span<const double> observed) const {
    std::vector<double> below(inputs_);
    for (std::size_t residue = 0; residue < width_; ++residue) {
        double whole = 0;
        for (std::size_t j = residue; j < outputs_; j += width_) whole += (observed[j] - low_) / tilt_;
        const double excess = (whole - 1) / static_cast<double>(members(residue));
        double sum = 0;
        for (std::size_t j = residue; j < inputs_; j += width_)
            below[j] = sum += (observed[j] - low_) / tilt_ - excess;
    }
    return below;
}

// By summation by parts, the mean of g is g(last) + Σ F(s)·(g(s) − g(s+1)). In cumulative(), output j enters
// F(s) for all later s in its residue class, minus the average of the class. This gives the weight of the
// output, whose mean given the input s is g(s).
WindowDecoder::OutputWeights WindowDecoder::weights(std::span<const double> function) const {
    std::vector<double> weight(outputs_);
    double constant = function[inputs_ - 1];
    for (std::size_t residue = 0; residue < width_; ++residue) {
        double average = 0, sum = 0;
        for (std::size_t member = members(residue); member-- > 0;) {
            const std::size_t j = residue + member * width_;
            if (j + 1 < inputs_) sum += function[j] - function[j + 1];
            weight[j] = sum;
            average += sum;
        }
        average /= static_cast<double>(members(residue));
        constant += average;
        for (std::size_t j = residue; j < outputs_; j += width_) weight[j] = (weight[j] - average) / tilt_;
    }
    return {std::move(weight), constant};
}

double WindowDecoder::stride(std::span<const double> function) const {
    const std::vector<double> weight = weights(function).weight;
    const auto [least, most] = std::ranges::minmax(weight);
    return most - least;
}

double WindowDecoder::noise(std::span<const double> shares, std::span<const double> likely,
                            std::span<const double> function) const {
    const auto [weight, constant] = weights(function);
    double variance = 0;
    for (std::size_t j = 0; j < outputs_; ++j) variance += likely[j] * weight[j] * weight[j];
    for (std::size_t s = 0; s < inputs_; ++s)
        variance -= shares[s] * (function[s] - constant) * (function[s] - constant);
    return std::max(variance, 0.0);
}

// A window contains each residue class once.
double WindowDecoder::residue_probability(std::size_t residue) const noexcept {
    return low_ * static_cast<double>(members(residue)) + tilt_;
}

WindowFit::WindowFit(const WindowDecoder& decoder, std::span<const double> observed,
                     std::span<const double> start)
    : decoder_(decoder),
      observed_(in_fours(observed.size())),
      shares_(in_fours(start.size())),
      inverse_(in_fours(observed.size()), 1),
      last_inverse_(inverse_),
      ratios_(in_fours(observed.size())),
      below_(in_fours(observed.size() + decoder.width_)),
      ratios_below_(in_fours(observed.size() + 1)),
      unsmoothed_(in_fours(start.size() + 2)) {
    std::ranges::copy(observed, observed_.begin());
    std::ranges::copy(start, shares_.begin());
}

// The sums of shares begin with zeros and end with the whole, so that the window of each output lies within them: the
// sum before input s is element width − 1 + s.
double WindowFit::gain(double small) {
    const std::size_t inputs = decoder_.inputs_, outputs = decoder_.outputs_, width = decoder_.width_;
    const double low = decoder_.low_, tilt = decoder_.tilt_;
    std::swap(inverse_, last_inverse_);
    double* const sums = below_.data() + width - 1;
    sum_up(shares_.data(), inputs, sums);
    std::fill(sums + inputs, below_.data() + below_.size(), sums[inputs]);
    const OutputTerms of{below_.data(), observed_.data(), last_inverse_.data(), inverse_.data(),
                         ratios_.data()};
#ifdef LDP_WIDE
    const auto [first, second, furthest] =
        wide_registers() ? expect_wide(of, outputs, width, low, tilt) : expect(of, outputs, width, low, tilt);
#else
    const auto [first, second, furthest] = expect(of, outputs, width, low, tilt);
#endif
    if (first_) return HUGE_VAL;
    // The logarithm of 1 + x differs from x − x²/2 by less than |x|³/2 for |x| < 1/4.
    const double gain = first - second / 2;
    if (furthest < 1.0 / 4 && std::abs(gain) - second * furthest / 2 > small) return gain;
    double sum = 0;
    for (std::size_t j = 0; j < outputs; ++j)
        sum +=
            observed_[j] * std::log1p((low + tilt * (below_[j + width] - below_[j])) * last_inverse_[j] - 1);
    return sum;
}

void WindowFit::step(bool smooth) {
    const std::size_t inputs = decoder_.inputs_, outputs = decoder_.outputs_, width = decoder_.width_;
    first_ = false;
    // The sums replace the ratios, one behind each.
    double* const sums = ratios_below_.data();
    double* const next = unsmoothed_.data() + 1;
    sum_up(ratios_.data(), outputs, sums);
    const double outside = decoder_.low_ * sums[outputs];
#ifdef LDP_WIDE
    const bool wide = wide_registers();
    if (wide)
        maximize_wide(shares_.data(), sums, inputs, width, outside, decoder_.tilt_, next);
    else
#endif
        maximize(shares_.data(), sums, inputs, width, outside, decoder_.tilt_, next);
    if (!smooth) {
        std::copy_n(next, inputs, shares_.begin());
        return;
    }
    const std::size_t last = inputs - 1;
    next[0] *= 2;
    next[last] *= 2;
    next[-1] = next[1];
    next[inputs] = next[last - 1];
#ifdef LDP_WIDE
    if (wide)
        average_wide(next, inputs, shares_.data());
    else
#endif
        average(next, inputs, shares_.data());
    shares_[0] /= 2;
    shares_[last] /= 2;
    std::ranges::fill(std::span(shares_).subspan(inputs), 0.0);
}

}  // namespace ldp
