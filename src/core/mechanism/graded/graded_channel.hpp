// A channel whose output probabilities decrease with a declared utility.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/random.hpp"
#include "core/channel/epsilon_odds.hpp"

namespace ldp {

/// The exponential mechanism (McSherry, Talwar 2007) as a channel over k values. Output y has the probability
/// exp(s·u(x, y))/Z(x) for input x, where u are declared utilities. Let Δ be the largest variation of a
/// utility with the input. With s = ε/2Δ, the channel has ε for any utilities: half of ε covers the
/// numerator, and half covers Z(x). Here, s is the largest value for which the actual table satisfies ε,
/// which is up to twice as large.
///
/// Each row consists of integers with the sum 2^62, which are the exact probabilities. The rounding remainder
/// is added to the most probable output.
class GradedChannel {
  public:
    /// Returns the utility of an output for an input, in any unit. Called once per pair.
    using Utility = std::function<double(std::uint64_t in, std::uint64_t out)>;

    /// Requires k ≥ 2. Time and memory are proportional to k². Error (invalid_spec) if the largest log-ratio
    /// is ε for no s, or if an output is too improbable.
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
    /// Returns an output's largest and smallest weight over the inputs.
    [[nodiscard]] const Odds& extremes(std::uint64_t out) const noexcept { return extremes_[out]; }
    /// Returns the largest ratio of an output's weights under two inputs, which is at most exp(ε), exactly.
    [[nodiscard]] Odds worst_ratio() const noexcept;

    [[nodiscard]] std::uint64_t sample(std::uint64_t in, BitSource& bits) const {
        return bits.pick(std::span(sums_).subspan(in * k_, k_));
    }

  private:
    static constexpr std::uint64_t whole = std::uint64_t{1} << 62;

    class ProbabilityTable;
    /// Fills the rows at a scale. Returns whether the rows satisfy ε.
    [[nodiscard]] bool fill(ProbabilityTable& utilities, double scale, double epsilon);

    std::uint64_t k_;
    std::vector<std::uint64_t> sums_;  ///< cumulative weights of each row, row after row
    std::vector<Odds> extremes_;
};

}  // namespace ldp
