// A response that prefers some outputs to others by degrees.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

/// The exponential mechanism (McSherry, Talwar 2007) as a channel over k values: output y comes for input x
/// with probability exp(s·u(x, y))/Z(x), u being declared utilities. With s = ε/2Δ, Δ the most that a utility
/// varies with the input, ε is kept whatever the utilities are: half of it pays for the numerator, half for
/// Z(x). Here s is the largest for which the table itself keeps ε, which is up to twice as much.
///
/// Each row is a row of whole numbers with the sum 2^62, and these are the probabilities: what rounding
/// leaves over is added to the likeliest output.
class GradedChannel {
  public:
    /// The utility of an output for an input, of any unit. Asked about every pair once.
    using Utility = std::function<double(std::uint64_t in, std::uint64_t out)>;

    /// k ≥ 2. Takes time and memory in proportion to k². Throws Error (invalid_spec) if there is no s that
    /// brings the worst log-ratio to ε, or some output would hardly ever come.
    GradedChannel(std::uint64_t k, double epsilon, const Utility& utility);

    [[nodiscard]] std::uint64_t inputs() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return k_; }
    [[nodiscard]] std::uint64_t total() const noexcept { return whole; }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        return sums_[in * k_ + out] - (out == 0 ? 0 : sums_[in * k_ + out - 1]);
    }
    [[nodiscard]] double probability(std::uint64_t in, std::uint64_t out) const noexcept {
        return static_cast<double>(weight(in, out)) / static_cast<double>(whole);
    }
    /// An output's greatest and least weight, over the inputs.
    [[nodiscard]] const Odds& extremes(std::uint64_t out) const noexcept { return extremes_[out]; }
    /// The worst ratio of an output's weights under two inputs; at most exp(ε), exactly.
    [[nodiscard]] Odds worst_ratio() const noexcept;

    [[nodiscard]] std::uint64_t sample(std::uint64_t in, BitSource& bits) const {
        return bits.pick(std::span(sums_).subspan(in * k_, k_));
    }

  private:
    static constexpr std::uint64_t whole = std::uint64_t{1} << 62;

    class ProbabilityTable;
    /// Fills the rows at a scale. Whether they keep ε.
    [[nodiscard]] bool fill(ProbabilityTable& utilities, double scale, double epsilon);

    std::uint64_t k_;
    std::vector<std::uint64_t> sums_;  ///< of a row's weights up to an output, row after row
    std::vector<Odds> extremes_;
};

}  // namespace ldp
