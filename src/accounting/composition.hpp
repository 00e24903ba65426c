// Total privacy cost of several responses of one person.
//
// Neighbours are two people, or one person with other values: each response is (ε, δ)-LDP about one of the person's values,
// mostly with δ = 0, and the composition is about all of these values. Queries may be adaptive: each query may depend on
// earlier responses, if the values of ε are fixed beforehand.
#pragma once

#include <cstdint>
#include <span>

namespace ldp {

/// A number of responses with the same ε and δ.
struct EqualReleases {
    double epsilon;           ///< of each response
    std::uint64_t count = 1;  ///< number of responses
    double delta = 0;         ///< of each response
};

/// Bounds of the total ε.
enum class Composition {
    basic,     ///< the sum of all ε's, at the sum of their δ's
    advanced,  ///< √(2 ln(1/δ') Σε²) + Σε(e^ε − 1), at δ' more than the sum of the δ's
    optimal,   ///< the smallest bound that holds for all mechanisms with these ε's and δ's
};
/// "basic", "advanced" or "optimal".
[[nodiscard]] const char* name(Composition composition) noexcept;

/// The total ε by each bound. All bounds are valid, so the smallest bound is the result.
struct Composed {
    double sum;            ///< at `sum_delta`
    double advanced;       ///< at `delta`; NaN unless `delta` is larger than `sum_delta`
    double optimal;        ///< at `delta`
    double delta;          ///< probability that the privacy loss of a person exceeds the bound
    double sum_delta = 0;  ///< sum of the δ's of all responses, or `delta` if that is smaller

    /// The total ε by this bound.
    [[nodiscard]] double of(Composition composition) const noexcept;
    /// The smallest bound; the sum if it is equal to another, because it holds at the smallest δ.
    [[nodiscard]] Composition by() const noexcept;
    /// The smallest total ε.
    [[nodiscard]] double least() const noexcept { return of(by()); }
    /// The δ at which a bound holds; for the sum, it is the sum of all δ's.
    [[nodiscard]] double delta_of(Composition composition) const noexcept {
        return composition == Composition::basic ? sum_delta : delta;
    }
    /// The δ of the smallest bound.
    [[nodiscard]] double least_delta() const noexcept { return delta_of(by()); }
};

/// Returns the total ε of these responses at δ. Advanced composition is due to Dwork, Rothblum and Vadhan 2010
/// (doi:10.1109/FOCS.2010.12; theorem 3.20 of Dwork, Roth 2014, doi:10.1561/0400000042); their proof also covers different ε's.
/// Optimal composition is the smallest ε for which the product of randomized responses at these ε's is (ε, δ). Sources:
/// Kairouz, Oh, Viswanath 2015 (arXiv:1311.0776) for equal ε's; Murtagh, Vadhan 2016 (doi:10.1007/978-3-662-49096-9_7) for
/// different values. The result is rounded upwards: omitted tails are added to δ. Different ε's without a common unit are
/// rounded up to multiples of a small unit, which costs less than 1 % for a thousand different ε's.
///
/// A response that is (ε_i, δ_i) has no larger privacy loss than a response that reveals the value with
/// probability δ_i, and otherwise a randomized response at ε_i (the same sources). With D = 1 − Π(1 − δ_i), the
/// responses together are (ε, D + (1 − D)δ'), where the randomized responses alone are (ε, δ').
///
/// Throws Error (invalid_value) unless each ε lies in (0, 700], each δ in [0, 1), the total δ in [1e-200, 1) and
/// not below D, and counts are at most 10^10. A total δ that is below D by less than a relative 1e-12 is D.
[[nodiscard]] Composed compose(std::span<const EqualReleases> responses, double delta);

/// The total cost of a person's responses, which all have the same ε, and of the signal of a spent budget.
struct Spent : Composed {
    std::uint64_t responses;  ///< number of responses
    double epsilon;           ///< of each response
    double signal = 0;        ///< ε of the signal of a spent budget; 0 without one
};

/// Returns the total cost of this number of responses at ε each and, if there are responses, of a signal.
/// Throws as compose() does.
[[nodiscard]] Spent spent(std::uint64_t responses, double epsilon, double delta, double signal = 0);

}  // namespace ldp
