#include "core/channel/window_decoder.hpp"

#include <algorithm>
#include <cmath>

namespace ldp {

namespace {

/// Returns the n + 1 prefix sums, the empty one first.
std::vector<double> beginnings(std::span<const double> terms) {
    std::vector<double> sums(terms.size() + 1);
    for (std::size_t i = 0; i < terms.size(); ++i) sums[i + 1] = sums[i] + terms[i];
    return sums;
}

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

double WindowDecoder::improve(std::span<const double> observed, std::span<double> shares) const {
    std::vector<double> ratio = outputs(shares);
    double likelihood = 0;
    for (std::size_t j = 0; j < outputs_; ++j) {
        if (observed[j] > 0) likelihood += observed[j] * std::log(ratio[j]);
        ratio[j] = observed[j] / ratio[j];
    }
    const std::vector<double> below = beginnings(ratio);
    for (std::size_t s = 0; s < inputs_; ++s)
        shares[s] *= low_ * below[outputs_] + tilt_ * (below[s + width_] - below[s]);
    return likelihood;
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

double WindowDecoder::noise(std::span<const double> shares, std::span<const double> function) const {
    const auto [weight, constant] = weights(function);
    const std::vector<double> likely = outputs(shares);
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

}  // namespace ldp
