// The critical values of intervals: of one row at one look at the data, of all rows of a result together, and of all
// looks while reports arrive.
#pragma once

#include <cstddef>

namespace ldp {

/// The rule that determines critical values and p-values.
///
/// With `anytime`, intervals are confidence sequences: with the confidence, all intervals that are computed while
/// reports arrive contain the truth. For the standard error s, the interval of an estimate is ± s·c,
/// c² = (1 + 1/m)·(log(1 + m) + 2·log(1/error)). This is the boundary of a normal mixture (Robbins 1970; Howard,
/// Ramdas, McAuliffe, Sekhon 2021; for asymptotically normal estimates Waudby-Smith, Arbour, Sinha, Kennedy,
/// Ramdas 2024). m is the information 1/s² times the variance of the mixture. The variance is fixed so that c
/// is smallest at `tuned_people` people in each group and the error 0.05.
class IntervalRule {
  public:
    /// The number of people for which c is smallest.
    static constexpr double tuned_people = 1000;

    /// The rule of one row at one look.
    // NOLINTNEXTLINE(google-explicit-constructor): a critical value is this rule.
    IntervalRule(double critical_value);
    /// Error (invalid_value) unless the confidence is between 0 and 1.
    [[nodiscard]] static IntervalRule of(double confidence, bool anytime, bool simultaneous);

    [[nodiscard]] bool anytime() const noexcept { return anytime_; }
    [[nodiscard]] bool simultaneous() const noexcept { return simultaneous_; }
    /// Returns the rule of each row if there are this many. With `simultaneous`, each row has the error divided by their number
    /// (Bonferroni), so that all intervals hold together, whatever their dependence.
    [[nodiscard]] IntervalRule for_rows(std::size_t rows) const;

    /// Returns the critical value. `people` is the number of people in each of two groups, or in one sample.
    [[nodiscard]] double critical_value(double people) const noexcept;
    /// Returns the two-sided p-value of an estimate at this distance from the hypothesis, in standard errors. With
    /// `anytime`, the probability that it is ever at most x, at any look, is at most x. The number of rows has no effect.
    [[nodiscard]] double p_value(double deviations, double people) const noexcept;

  private:
    IntervalRule(double error, double critical_value, bool anytime, bool simultaneous) noexcept
        : error_(error), critical_value_(critical_value), anytime_(anytime), simultaneous_(simultaneous) {}

    double error_, critical_value_;
    bool anytime_ = false, simultaneous_ = false;
};

}  // namespace ldp
