// The structure of a channel: the channel up to the symmetries from which its proof derives the largest likelihood
// ratio.
//
// core/proof/certificate.hpp writes structures for programs that check the ratio without this library.
// doc/audit.md describes each structure.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/exact.hpp"

namespace ldp {

struct ChannelLaw;
struct ChoicePart;
struct IndependentPart;

/// A number of outputs: `number`, or `items` choose `chosen` if `items` is not 0.
struct OutputCount {
    Exact number;
    std::uint64_t items = 0, chosen = 0;

    [[nodiscard]] static OutputCount of(std::uint64_t number) { return {exact(number, 1)}; }
    [[nodiscard]] static OutputCount choose(std::uint64_t items, std::uint64_t chosen) {
        return {exact(0, 1), items, chosen};
    }
};

/// Outputs with equal probabilities. `share` is the probability of all of them together.
struct LawLevel {
    Exact share;
    OutputCount outputs;
};

/// Every input gives the same probabilities to the outputs, in an order of its own. Each input, or each of the rows
/// that an input mixes, has these levels.
struct LevelsLaw {
    std::vector<LawLevel> levels;
};

/// The rows of all inputs are mixtures of these rows. The probabilities of an output are at the same index.
struct RowsLaw {
    std::vector<std::vector<Exact>> rows;
};

/// Bits of two inputs that have one row under the first and another under the second.
struct BitDifference {
    std::size_t from, to;  ///< indices of rows
    std::uint64_t times;   ///< number of bits
};

/// Independent bits. A bit has one of the rows: the probabilities of 0 and 1. Two inputs differ at most by one of the
/// sets of differences, each of which moves `times` bits from one row to another.
struct BitsLaw {
    std::vector<std::vector<Exact>> rows;
    std::vector<std::vector<BitDifference>> differences;
};

/// The largest and the smallest probability of each output over all inputs.
struct EnvelopeLaw {
    std::vector<std::pair<Exact, Exact>> outputs;
};

/// The discrete Laplace response of LaplaceChannel: the probability of a 1 for each digit of the magnitude, the lowest
/// first, and of a magnitude beyond the digits. Inputs differ by at most `steps`.
struct DecayLaw {
    std::uint64_t steps;
    std::vector<Exact> digits;
    Exact beyond;
};

/// Independent normal noise with the standard deviation `sigma` in each of `dimensions` coordinates, rounded to
/// integers. Inputs differ by at most 2·`radius`. The sampled probability of a coordinate has a relative error of at
/// most `precision`. Noise of `cut` standard deviations or more is not drawn. It is (ε, δ)-private only.
struct NormalLaw {
    std::uint64_t dimensions;
    double sigma, radius, precision, cut;
};

/// A number that may be missing. The output "none" has the probability `answered` with a number and `absent` without.
/// Otherwise a number is sent through `number`, and a missing number gives each of `outputs` outputs with
/// equal probability.
struct OptionalLaw {
    Exact answered, absent;
    std::uint64_t outputs;
    std::vector<ChannelLaw> number;  ///< one
};

/// One of the parts, drawn independently of the value, and contained in the output. `share` is the probability of a
/// part; empty if the proof does not need it.
struct ChoiceLaw {
    std::vector<ChoicePart> parts;
};

/// Independent parts, all of which an output contains.
struct ProductLaw {
    std::vector<IndependentPart> parts;
};

/// A second, symmetric response to an output, or to each bit: it stays with probability `stay`, and becomes each
/// other one with probability `other`.
struct SecondLayer {
    Exact stay, other;
};

struct ChannelLaw {
    std::variant<LevelsLaw, RowsLaw, BitsLaw, EnvelopeLaw, DecayLaw, NormalLaw, OptionalLaw, ChoiceLaw,
                 ProductLaw>
        structure;
    std::optional<SecondLayer> second = std::nullopt;
};

struct ChoicePart {
    ChannelLaw law;
    std::optional<Exact> share = std::nullopt;
};

struct IndependentPart {
    ChannelLaw law;
    std::uint64_t times = 1;
};

/// Returns the law of a channel with this number of outputs of the weight `odds.high` and of the weight `odds.low`.
template <class Odds>
[[nodiscard]] ChannelLaw levels_law(const Odds& odds, std::uint64_t highs, std::uint64_t lows) {
    const Uint128 high = Uint128{odds.high} * highs, low = Uint128{odds.low} * lows;
    LevelsLaw law{{{exact(high, high + low), OutputCount::of(highs)}}};
    if (lows != 0) law.levels.push_back({exact(low, high + low), OutputCount::of(lows)});
    return {std::move(law)};
}
/// Returns a choice of parts without stated probabilities.
[[nodiscard]] ChannelLaw choice_law(std::vector<ChannelLaw> parts);
/// Returns the law with a second layer over `outputs` outputs: `odds.high` is the weight to stay, and
/// `odds.low` is the weight of each other output.
template <class Odds>
[[nodiscard]] ChannelLaw with_second(ChannelLaw law, const Odds& odds, std::uint64_t outputs) {
    const Uint128 total = Uint128{odds.high} + Uint128{odds.low} * (outputs - 1);
    law.second = SecondLayer{exact(odds.high, total), exact(odds.low, total)};
    return law;
}

}  // namespace ldp
