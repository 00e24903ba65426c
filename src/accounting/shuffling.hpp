// What reports cost that somebody shuffles before the server sees them.
#pragma once

#include <cstdint>

namespace ldp {

/// What each person's report costs at δ, if the server gets one report of each of n people without origin and
/// in an order that tells nothing. Neighbours are two values of one person, whatever all others report.
struct Shuffled {
    double epsilon;      ///< holds, whatever the mechanism
    double closed_form;  ///< holds as well, and is larger; NaN where the formula's condition fails
    double lower_bound;  ///< what no bound for all mechanisms can be below
    double delta;
};

/// The cost of a report at ε₀ that is shuffled among those of n people in all, each by the same mechanism or
/// by another at no more than ε₀.
///
/// `epsilon` is that of the reduction to clones, computed to about six digits and rounded upwards (Feldman,
/// McMillan, Talwar 2021, theorem 3.1, doi:10.1109/FOCS52979.2021.00096, arXiv:2012.12803): everybody else's
/// report is with probability e^{−ε₀} a clone of one of the two that the person may send, so that the server
/// sees little more than how many there are of either. `closed_form` is the same paper's, for
/// ε₀ ≤ ln(n/(16 ln(4/δ))). `lower_bound` is exact for one mechanism, randomized response among three values,
/// when everybody else has the third, rounded downwards.
///
/// Takes time in proportion to √n. Throws Error (invalid_value) unless ε₀ lies in [1e-9, 300], n in [1, 10^9]
/// and δ in [1e-100, 1).
[[nodiscard]] Shuffled shuffled(double epsilon, std::uint64_t n, double delta);

}  // namespace ldp
