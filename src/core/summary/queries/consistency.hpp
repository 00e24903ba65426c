// Post-processing of estimated frequencies. The unbiased estimates can be negative and do not sum to 1; the
// methods enforce such constraints at the price of bias. They use only estimates, so that they cost no
// privacy. Methods and names: Wang, Lopuhaä-Zwakenberg, Li, Skoric, Li 2020; ibu: Agrawal, Aggarwal 2001.
#pragma once

#include <string_view>
#include <vector>

#include "core/mechanism/role/capability.hpp"

namespace ldp {

/// The methods. Each entry states the operation, the guarantees and the use. All methods keep the order of
/// the values; for power, this requires about equal standard errors. Standard errors and intervals refer to
/// the unbiased estimates only.
enum class Consistency {
    /// Returns the estimates unchanged. They are unbiased. Use them for sums over many values, comparisons of
    /// periods, and intervals.
    none,
    /// Keeps estimates that are significant at 0.02 for all values together (top(), Bonferroni) and sets the
    /// others to 0. The shares are not negative and have any sum; the kept values have a small bias. Use it
    /// for heavy hitters: rare values are lost. (The threshold of the paper is based on the normal law, which
    /// is inaccurate for counts of a few reports.)
    base_cut,
    /// Adds a constant to all estimates. The sum is 1, negative values remain, and the shares are unbiased
    /// for the sample.
    norm,
    /// Sets negative estimates to 0 and scales the others. The shares are not negative and sum to 1; large
    /// values are biased low. Returns equal shares if no estimate is positive.
    norm_mul,
    /// Keeps the largest estimates until they sum to 1, truncates the next one to the remainder, and sets the
    /// others to 0. The shares are not negative. Their sum is 1, or less if all positive estimates sum to
    /// less. Use it for the most frequent values.
    norm_cut,
    /// Subtracts a constant from all estimates and sets negative results to 0. The shares sum to 1. The
    /// result is the distribution nearest to the estimates by squared distance. If reports are honest, it has
    /// the smallest squared error of the methods with sum 1. Forged reports that lower most shares make this
    /// method raise the others, see doc/forgery.md.
    norm_sub,
    /// Returns the maximum-likelihood distribution under normal errors whose variance depends on the
    /// frequency. It resembles norm_sub, but subtracts an amount proportional to each value's variance, which
    /// is larger for frequent values. The shares are not negative and sum to 1. Use it for few values and
    /// many reports. If most values have hardly any reports, frequent values are biased low by most of their
    /// share; prefer norm_sub. It exists for pure protocols only.
    mle_apx,
    /// Returns the posterior mean of each frequency given its estimate and standard error. The prior is a
    /// power law on [x₀, 1] with mean 1/k, which determines x₀. The exponent maximizes the likelihood of the
    /// estimates. The shares are not negative and have any sum. The method has the smallest squared error
    /// over all values if the law holds, as for words and addresses, and is unsuitable otherwise.
    power,
    /// Returns the limit of the iterative Bayesian update: the distribution that maximizes the likelihood of
    /// the observed supports, with the supports of different values treated as independent. If supports
    /// exclude each other (grr), this equals the update of the channel itself while no estimate is negative,
    /// and approximates it otherwise. The shares are not negative and sum to 1. Use it as mle_apx; it has a
    /// better foundation for small counts. It exists for pure protocols only.
    ibu,
    /// Returns the iterative Bayesian update from equal shares, stopped early. It stops when Stein's unbiased
    /// estimate of the squared error begins to rise. Values that the reports separate well are close to ibu;
    /// the others are shrunk towards each other. The shares are not negative and sum to 1. Without a
    /// distributional assumption, the method has the smallest squared error among the methods with sum 1 if
    /// all values occur. If most values do not occur and the reports show this, ibu is better. It exists for
    /// pure protocols only.
    ibu_early,
    /// Returns posterior means under the distribution of frequencies that maximizes the joint likelihood of
    /// all estimates, whatever its shape (Kiefer, Wolfowitz 1956; Jiang, Zhang 2009). A constant is then
    /// added to all estimates so that the means sum to 1. The shares are not negative. The method has about
    /// the smallest squared error over all values without the assumptions of power. Forged reports shift the
    /// distribution as they shift the estimates.
    empirical_bayes,
};

/// Returns the method of this name. Error (invalid_value) that lists the methods.
[[nodiscard]] Consistency consistency_named(std::string_view name);

/// Returns the frequencies of a summary after post-processing. A value without information (NaN) counts as 0,
/// except for none. `attribute` selects an attribute of a record. Throws the errors of estimate(). Error
/// (unsupported) if the mechanism lacks what the method needs: the probabilities p and q for mle_apx, ibu and
/// ibu_early, p-values for base_cut. All methods except none and base_cut assume shares that add up to 1:
/// Error (unsupported) for sets of labels.
[[nodiscard]] std::vector<double> consistent(const SummaryView& view, Consistency method,
                                             std::size_t attribute = only_attribute);

}  // namespace ldp
