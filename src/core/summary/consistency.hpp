// Post-processing of estimated frequencies, which are unbiased and therefore neither all positive nor of sum
// 1: free of privacy cost, because it looks at estimates only; no longer unbiased, which is its price.
// Methods and names: Wang, Lopuhaä-Zwakenberg, Li, Skoric, Li 2020; ibu: Agrawal, Aggarwal 2001.
#pragma once

#include <string_view>
#include <vector>

#include "core/mechanism/capability.hpp"

namespace ldp {

/// What a method does to the estimates, what it guarantees and what it suits. All keep the order of the
/// values, power where standard errors are about equal. Standard errors and intervals belong to the unbiased
/// estimates: what comes out here has none.
enum class Consistency {
    /// The estimates as they are. Unbiased: for sums over many values, for comparing periods, for intervals.
    none,
    /// Those significant at 0.02 for all values together (top(), Bonferroni) stay as they are, the others
    /// become 0. Not negative, sum unbound; hardly biased where it stays. For heavy hitters; what is rare is
    /// lost. (The paper's threshold is the normal law's, which is far off for counts of a few reports.)
    base_cut,
    /// One amount added to all: sum 1, negative values remain, still unbiased for the people who reported.
    norm,
    /// Negatives become 0, the rest is scaled: not negative, sum 1, large values biased low. Equal shares if
    /// nothing is positive.
    norm_mul,
    /// The largest stay until they add up to 1, the one that would pass it gets what is left, the others
    /// become 0: not negative, sum 1, or less if all positive ones have less. For the most frequent values.
    norm_cut,
    /// One amount subtracted from all, what would be negative becomes 0: not negative, sum 1, the nearest
    /// distribution by squared distance. The least squared error of those that add up to 1 where reports are
    /// honest. Forged reports that lower most shares make it raise the others: see doc/forgery.md.
    norm_sub,
    /// The likeliest distribution if errors are normal, their variance as the frequency says: like norm_sub,
    /// but each value gives in proportion to its variance, frequent ones more than rare ones. Not negative,
    /// sum 1. For few values and many reports; where most values have hardly a report, frequent ones are
    /// biased low by as much as most of them, and norm_sub is better. Pure protocols only.
    mle_apx,
    /// The mean of each frequency given its estimate and standard error, if frequencies follow a power law on
    /// [x₀, 1] with the mean 1/k, which settles x₀, and the exponent that makes the estimates likeliest. Not
    /// negative, sum unbound. The least squared error over all values where the law holds, as for words and
    /// addresses; not for anything else.
    power,
    /// What the iterative Bayesian update converges to: the distribution on which the observed supports are
    /// likeliest, each value's taken for itself. With supports that exclude each other (grr) that is the
    /// update of the channel itself while no estimate is negative, and close to it otherwise. Not negative,
    /// sum 1. Like mle_apx in what it suits, better founded where counts are small. Pure protocols only.
    ibu,
    /// The iterative Bayesian update, begun at equal shares and stopped before it fits the noise: as soon as
    /// the squared error, which Stein's unbiased estimate tells, rises. Values that reports tell apart are
    /// about where ibu has them, the others nearer to each other. Not negative, sum 1. By no law, it has the
    /// least squared error of those that sum to 1 where all values are held, few or many; ibu is better where
    /// most are held by nobody and reports tell it. Pure protocols only.
    ibu_early,
    /// The mean of each frequency given its estimate, under the law of frequencies on which all estimates
    /// together are likeliest, whatever its shape (Kiefer, Wolfowitz 1956; Jiang, Zhang 2009); then one
    /// amount is added to all estimates so that the means sum to 1. Not negative, sum 1. About the least
    /// squared error over all values, with none of power's assumptions; forgers shift the law as they shift
    /// the estimates.
    empirical_bayes,
};

/// Throws Error (invalid_value) that lists the methods.
[[nodiscard]] Consistency consistency_named(std::string_view name);

/// The frequencies of a summary, made consistent. A value that the reports say nothing about (NaN) counts as
/// 0, except in none. `attribute` says whose frequencies, of a record. Throws what estimate() throws, and
/// Error (unsupported) where a method needs what the mechanism does not tell: mle_apx, ibu and
/// ibu_early the probabilities p and q, base_cut p-values.
[[nodiscard]] std::vector<double> consistent(const SummaryView& view, Consistency method,
                                             std::size_t attribute = only_attribute);

}  // namespace ldp
