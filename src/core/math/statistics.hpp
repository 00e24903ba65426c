// Tests of reports by statistics whose distribution under honest reports does not depend on the users'
// values.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ldp {

/// A test statistic of a summary. With a small p_value, honest reports are improbable. The test does not
/// identify forged reports, and forgeries that imitate the randomizer are not detected.
struct Check {
    std::string name;
    double observed;
    double expected;  ///< or the bound for the expectation
    /// probability of a value at least as extreme if all reports are honest, or a bound of it
    double p_value;
};

/// Returns the probability that a normal variable differs from its mean by at least this number of standard
/// deviations.
[[nodiscard]] double two_sided(double deviations);
/// Returns the probability that it exceeds its mean by at least this number of standard deviations.
[[nodiscard]] double one_sided(double deviations);
/// Returns the quantile of the standard normal distribution.
[[nodiscard]] double normal_quantile(double probability);
/// Return P(X ≤ count) and P(X ≥ count) for a binomial X; exact. In a search for the least of many, `least` is the least one so
/// far. The result is then 1 if a bound shows that it is not less, which takes a hundredth of the time.
[[nodiscard]] double binomial_at_most(std::uint64_t n, double p, std::uint64_t count,
                                      double least = HUGE_VAL);
[[nodiscard]] double binomial_at_least(std::uint64_t n, double p, std::uint64_t count,
                                       double least = HUGE_VAL);
/// Returns the two-sided p-value of a count if each of n events has a probability between `least` and `most`,
/// possibly different ones. Exact at the bounds, conservative in between.
[[nodiscard]] double binomial_between(std::uint64_t n, double least, double most, std::uint64_t count);
/// Return the lower, or upper, confidence bound of an event's probability from its count in n trials, with
/// this error probability (Clopper, Pearson 1934).
[[nodiscard]] double probability_above(std::uint64_t count, std::uint64_t n, double error);
[[nodiscard]] double probability_below(std::uint64_t count, std::uint64_t n, double error);
/// Returns the probability that a χ² variable exceeds the statistic. The degrees of freedom need not be an
/// integer.
[[nodiscard]] double chi_square_above(double degrees_of_freedom, double statistic);
/// Tests whether counts of classes have these proportions (equal ones by default). `observed` is the
/// chi-square statistic, `expected` its mean. Adjacent classes are merged until each has an expected count of
/// at least ten, below which the χ² approximation is poor.
[[nodiscard]] Check goodness_of_fit(std::string name, std::span<const std::uint64_t> counts,
                                    std::span<const double> weights = {});

/// Returns, for each statistic that was computed for at least one part, the check with the smallest p-value,
/// adjusted for this number of tests. Parts may have different statistics, each at most once.
[[nodiscard]] std::vector<Check> worst_of(std::span<const std::vector<Check>> parts, std::size_t tests);

/// Independent bits of a report with the same probability of 1, which is neither 0 nor 1.
struct BitGroup {
    double bits;
    double one;
};

/// Returns a bound of the two-sided p-value of the total number of ones in n reports of such bits.
[[nodiscard]] double chance_of_ones(std::uint64_t n, double sum, std::span<const BitGroup> groups);
/// Tests whether the variance of the number of ones per report equals the variance for independent bits, from
/// its sum and sum of squares over n reports. The p-value is a bound.
[[nodiscard]] Check variance_of_ones(std::uint64_t n, double sum, double sum_of_squares,
                                     std::span<const BitGroup> groups);

}  // namespace ldp
