// The channel of a number that people may leave out.
//
// Output 0 is "none". A person with a number sends it with probability c, and otherwise an output of a channel
// for numbers with the whole ε. A person without a number sends it with probability d = c·exp(ε), and otherwise
// any output of that channel with equal probability, whose decoded value has the mean 0.
//
// Let N be the number of outputs for numbers, and λ/N the smallest probability of one. All ratios are at most
// exp(ε) if d ≤ c·exp(ε) and 1 − d ≥ (1 − c)·λ, which holds with d = c·exp(ε) for c ≤ (1 − λ)/(exp(ε) − λ).
// If c is larger, d follows from the second condition.
#pragma once

#include <memory>

#include "core/base/input_code.hpp"
#include "core/channel/numeric.hpp"

namespace ldp {

class OptionalChannel {
  public:
    /// `low` is the smallest probability of an output for numbers, and `none` is c in units of 2^-64. Error (malformed) if
    /// c is 0 or above 1/2, or if people without a number would not send "none" more often.
    OptionalChannel(std::unique_ptr<const NumericChannel> number, double low, std::uint64_t none,
                    double epsilon);

    [[nodiscard]] const NumericChannel& number() const noexcept { return *number_; }
    [[nodiscard]] std::uint64_t steps() const noexcept { return number_->steps(); }
    /// Returns the input code of a missing number.
    [[nodiscard]] std::uint64_t missing() const noexcept { return number_->inputs(); }
    [[nodiscard]] std::uint64_t inputs() const noexcept { return number_->inputs() + 1; }
    [[nodiscard]] std::uint64_t outputs() const noexcept { return number_->outputs() + 1; }
    /// Return the probability of "none" for people with and without a number.
    [[nodiscard]] double if_answered() const noexcept { return if_answered_; }
    [[nodiscard]] double if_missing() const noexcept { return if_missing_; }

    /// Draws an output. The draws do not depend on the input.
    [[nodiscard]] std::uint64_t sample(Cell in, BitSource& bits) const;
    [[nodiscard]] Exact probability(Cell in, std::uint64_t out) const;
    [[nodiscard]] Exact worst_ratio() const;
    [[nodiscard]] ChannelLaw channel_law() const;
    /// Returns an upper bound of the probability of an output.
    [[nodiscard]] double max_probability(std::uint64_t out) const;

    /// Returns the largest probability c of "none" with d = c·exp(ε).
    [[nodiscard]] static double most_none(double low, std::uint64_t outputs, double epsilon);

  private:
    std::unique_ptr<const NumericChannel> number_;
    std::uint64_t answered_, absent_;  // heads of a coin with 2^64 outcomes
    double if_answered_, if_missing_;
};

}  // namespace ldp
