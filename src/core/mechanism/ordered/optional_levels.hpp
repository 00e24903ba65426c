// The distribution of a number that people may leave out: "no answer" is one more position after all points.
#pragma once

#include "core/mechanism/ordered/drawn_levels.hpp"

namespace ldp {

/// The estimates of a number that people may leave out, from its distribution.
class OptionalDistribution : public ResponseRate {
  public:
    Estimate response_rate(const Counts& counts, Target target) const override;
    ErrorLaw response_law(const Counts& counts, Target target) const override;
    AnsweredMean answered_mean(const Counts& counts, Target target) const override;
    Interval answered_interval(const Counts& counts, const AnsweredInterval& terms) const override;
    AnsweredVariances variances(double response_rate, const AnsweredMoments& answers,
                                Target target) const override;

  protected:
    [[nodiscard]] virtual const DrawnLevels& levels_of() const noexcept = 0;
};

/// A mechanism of drawn levels in which the last position stands for people without a number.
template <class Levels>
class OptionalLevels final : public Levels, public OptionalDistribution {
  public:
    using Levels::Levels;

    /// A missing value is at the same distance from all numbers.
    std::vector<Cell> response_key(Input input, Bytes) const override {
        const bool missing = input[0] == this->points();
        return {missing ? 0 : input[0], missing ? Cell{1} : Cell{0}};
    }
    std::vector<double> key_spans(Bytes) const override {
        return {static_cast<double>(this->points() - 1), 0};
    }

  private:
    const DrawnLevels& levels_of() const noexcept override { return *this; }
};

}  // namespace ldp
