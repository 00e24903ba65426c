// Whether reports look honest: statistics that they must follow whatever people's values are.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ldp {

/// One statistic of a summary. A small p_value says that honest reports would hardly have led to it; it does
/// not say which reports are forged, and forgeries that imitate the randomizer well go unseen.
struct Check {
    std::string name;
    double observed;
    double expected;  ///< or the bound that it may pass by chance only
    double p_value;   ///< the chance of something as extreme, if all reports are honest, or a bound of it
};

/// The chance that a normal variable is at least this far from its mean, in standard deviations.
[[nodiscard]] double two_sided(double deviations);
/// The chance that it is at least this far above its mean.
[[nodiscard]] double one_sided(double deviations);
/// What a normal variable of mean 0 and variance 1 is below with this probability.
[[nodiscard]] double normal_quantile(double probability);
/// P(X ≤ count) and P(X ≥ count) for X binomial; exact.
[[nodiscard]] double binomial_at_most(std::uint64_t n, double p, std::uint64_t count);
[[nodiscard]] double binomial_at_least(std::uint64_t n, double p, std::uint64_t count);
/// The chance of a count as extreme as this, two-sided, if each of n falls on it with a probability between
/// `least` and `most`, not necessarily the same; exact at the bounds, too large within.
[[nodiscard]] double binomial_between(std::uint64_t n, double least, double most, std::uint64_t count);
/// What the probability of an event lies above, or below, unless the chance of its having come `count` times
/// in n was `error` or less (Clopper, Pearson 1934).
[[nodiscard]] double probability_above(std::uint64_t count, std::uint64_t n, double error);
[[nodiscard]] double probability_below(std::uint64_t count, std::uint64_t n, double error);
/// The chance that χ² of so many degrees of freedom, which need not be whole, is above this.
[[nodiscard]] double chi_square_above(double degrees_of_freedom, double statistic);
/// Whether counts fall on classes in these proportions (equal ones if there are none): observed is the
/// chi-square statistic, expected its mean. Neighbouring classes are taken together until ten or more are
/// expected in each, below which the statistic is not what its name says.
[[nodiscard]] Check goodness_of_fit(std::string name, std::span<const std::uint64_t> counts,
                                    std::span<const double> weights = {});

/// Statistics that were taken of several parts, the same of each: each where its p-value is least, made good
/// for having been looked for in that many parts, or fewer.
[[nodiscard]] std::vector<Check> worst_of(std::span<const std::vector<Check>> parts, std::size_t tests);

/// Independent bits of a report that are 1 with the same probability, not 0 nor 1.
struct BitGroup {
    double bits;
    double one;
};

/// A bound of the chance that n reports of such bits have as many or as few ones in all; two-sided.
[[nodiscard]] double chance_of_ones(std::uint64_t n, double sum, std::span<const BitGroup> groups);
/// Whether the number of ones varies from report to report as that of independent bits does: from its sum and
/// sum of squares over n reports. The p-value is a bound.
[[nodiscard]] Check variance_of_ones(std::uint64_t n, double sum, double sum_of_squares,
                                     std::span<const BitGroup> groups);

}  // namespace ldp
