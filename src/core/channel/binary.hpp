// Two outputs, the second likelier the larger the number: one bit a report.
#pragma once

#include "numeric.hpp"
#include "odds.hpp"

namespace ldp {

/// P(1 | s) = (base + s·rise) / (2·base + steps·rise), an affine function, which the share of ones inverts.
///
/// An output is a bit, so the share of ones is all there is to know: whether people differ much around their
/// mean or not at all, the reports look alike. The noise given the inputs, which falls with their variance,
/// cannot be told from the sampling error, which rises with it. Only their sum can, and it is what invert()
/// gives as noise: the variance against a population, too large against the people who reported, by their
/// own variance.
///
/// tally: ones (8 bytes)
class BinaryChannel final : public NumericChannel {
  public:
    BinaryChannel(std::uint64_t steps, double epsilon, unsigned bits = 64)
        : BinaryChannel(steps, ramp(epsilon, steps, bits)) {}

    [[nodiscard]] std::uint64_t total() const noexcept { return 2 * ramp_.base + steps() * ramp_.rise; }
    [[nodiscard]] std::uint64_t weight(std::uint64_t in, std::uint64_t out) const noexcept {
        return ramp_.base + (out == 1 ? in : steps() - in) * ramp_.rise;
    }

    std::vector<std::pair<std::string, double>> parameters() const override;
    std::uint64_t sample(std::uint64_t in, BitSource& bits) const override {
        return bits.chance(weight(in, 1), total()) ? 1 : 0;
    }
    Exact probability(std::uint64_t in, std::uint64_t out) const override;
    /// Both outputs are monotone in the input, so the ends of the grid are the worst pair.
    Exact worst_ratio() const override;

    void accumulate(std::byte* tally, std::uint64_t out) const noexcept override;
    void merge(std::byte* tally, const std::byte* other) const noexcept override;
    bool valid(std::uint64_t n, const std::byte* tally) const noexcept override;
    Moments invert(std::uint64_t n, const std::byte* tally) const noexcept override;
    std::vector<Check> health(std::uint64_t n, const std::byte* tally) const override;

  private:
    BinaryChannel(std::uint64_t steps, const Ramp& ramp);

    /// P(1) at either end of the grid.
    [[nodiscard]] double least() const noexcept;
    [[nodiscard]] double most() const noexcept;

    Ramp ramp_;
};

}  // namespace ldp
