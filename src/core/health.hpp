// Whether reports look honest: statistics that they must follow whatever people's values are.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace ldp {

/// One statistic of a summary. A small p_value says that honest reports would hardly have led to it; it does
/// not say which reports are forged, and forgeries that imitate the randomiser well go unseen.
struct Check {
    std::string name;
    double observed;
    double expected;  ///< or the bound that it may pass by chance only
    double p_value;   ///< the chance of something as extreme, if all reports are honest
};

/// The chance that a normal variable is at least this far from its mean, in standard deviations.
[[nodiscard]] double two_sided(double deviations);
/// P(X ≤ count) and P(X ≥ count) for X binomial; exact.
[[nodiscard]] double binomial_at_most(std::uint64_t n, double p, std::uint64_t count);
[[nodiscard]] double binomial_at_least(std::uint64_t n, double p, std::uint64_t count);
/// The chance of a count as extreme as this, two-sided, if each of n falls on it with a probability between
/// `least` and `most`, not necessarily the same; exact at the bounds, too large within.
[[nodiscard]] double binomial_between(std::uint64_t n, double least, double most, std::uint64_t count);
/// Whether counts fall on classes in these proportions (equal ones if there are none): observed is the
/// chi-square statistic, expected its mean.
[[nodiscard]] Check goodness_of_fit(std::string name, std::span<const std::uint64_t> counts,
                                    std::span<const double> weights = {});

}  // namespace ldp
