// The cost of reports that are shuffled before they reach the server.
#pragma once

#include <cstdint>

namespace ldp {

/// The cost of each person's report at δ, if the server receives one report of each of n people without
/// origin and in random order. Neighbours are two values of one person, for arbitrary reports of all others.
struct Shuffled {
    double epsilon;      ///< holds, whatever the mechanism
    double closed_form;  ///< also valid, and larger; NaN if the formula's condition is not met
    double lower_bound;  ///< lower bound of every bound for all mechanisms
    double delta;
};

/// Returns the cost of a report at ε₀ that is shuffled among the reports of n people in total. The others use
/// the same mechanism, or another one with at most ε₀.
///
/// `epsilon` follows from the reduction to clones, computed to about six digits and rounded upwards (Feldman,
/// McMillan, Talwar 2021, theorem 3.1, doi:10.1109/FOCS52979.2021.00096, arXiv:2012.12803). With probability
/// e^{−ε₀}, another person's report is a clone of one of the two reports of the person, so that the
/// observation reduces to the two counts. `closed_form` is from the same paper, for ε₀ ≤ ln(n/(16 ln(4/δ))).
/// `lower_bound` is the cost of randomized response among three values if all others have the third value, rounded
/// downwards. The cost can be larger if the others have different values.
///
/// Takes time in proportion to √n. Throws Error (invalid_value) unless ε₀ lies in [1e-9, 300], n in [1, 10^9]
/// and δ in [1e-100, 1).
[[nodiscard]] Shuffled shuffled(double epsilon, std::uint64_t n, double delta);

}  // namespace ldp
