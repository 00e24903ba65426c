// How strongly attributes hang together, two by two.
#pragma once

#include <span>
#include <vector>

#include "core/mechanism/estimate.hpp"
#include "core/tables/measured.hpp"

namespace ldp {

/// How two attributes hang together: of the table in which values that are too rare to be told from nobody
/// are counted as one; of Haar details that in which stretches of values are values, the finest that all
/// levels of both attributes tell and two of which are told from nobody, but no more than 16. NaN where of an
/// attribute no two values are left.
struct Association {
    std::size_t first, second;
    /// Cramér's V, from 0 (independent) to 1: the root of the mean squared contingency divided by the lesser
    /// number of values less 1. The squared contingency is rid of what noise alone makes of it (cf. Bergsma
    /// 2013 for sampling), so that independent attributes have about 0 however few the reports.
    double cramers_v;
    Interval v_interval;  ///< that of the squared contingency, carried over; of the confidence asked for
    /// Mutual information in bits: that of the table whose departure from independence is shrunk to its
    /// debiased size. The standard error is that of the squared contingency, carried over.
    Estimate information;
    /// The chance of a departure as large if the two are independent: the squares of the interaction
    /// contrasts, each in units of its noise, summed; compared with the law of weighted χ² that has the same
    /// first three cumulants (Gaboardi, Rogers 2018 for the idea; Hall 1983, Buckley, Eagleson 1988 for the
    /// law). With equal noise it is χ² of (k₁−1)(k₂−1) degrees. Of Haar details, down to stretches of a 16th,
    /// each square counts by the part of the values that it is about and by its noise: coarse ones count
    /// most.
    double p_value;
    /// The same made good for all pairs having been tested, so that among independent ones one falls below
    /// any level with at most this chance (Holm 1979).
    double adjusted;
    double people;  ///< whose reports are about both
};

/// Every pair of attributes that was measured, in ascending order. Whoever draws a view by lot is a
/// sample, so that errors are always those against a population: independence is a statement about one.
[[nodiscard]] std::vector<Association> associations(const Measured& measured, double confidence);

/// What a second round had better ask about, after a first one told these of so many attributes: the pairs
/// whose adjusted p-value is below `significance`, and, alone, each attribute that is in none of them. Those
/// alone come first; each part is ascending. Throws Error (invalid_value) unless 0 ≤ significance ≤ 1.
[[nodiscard]] std::vector<std::vector<std::size_t>> learnt_views(std::span<const Association> found,
                                                                 std::size_t attributes, double significance);

}  // namespace ldp
