// What several responses about one person cost together.
//
// Neighbours are two people, or one person with other values: each response is pure ε-LDP about one of the
// person's values, and the whole is about all of them. Answers may be asked one after another, each because
// of what came out before, as long as their ε's are settled beforehand.
#pragma once

#include <cstdint>
#include <span>

namespace ldp {

/// A number of responses with the same ε.
struct EqualReleases {
    double epsilon;           ///< of each response
    std::uint64_t count = 1;  ///< number of responses
};

/// Bounds of the total ε.
enum class Composition {
    basic,     ///< the sum, with δ = 0
    advanced,  ///< √(2 ln(1/δ) Σε²) + Σε(e^ε − 1)
    optimal,   ///< the smallest bound that holds for all mechanisms with these ε's
};
/// "basic", "advanced" or "optimal".
[[nodiscard]] const char* name(Composition composition) noexcept;

/// The total ε by each bound. All of them hold, so the smallest one is the result.
struct Composed {
    double sum;       ///< at δ = 0
    double advanced;  ///< at `delta`
    double optimal;   ///< at `delta`
    double delta;     ///< probability that the privacy loss of a person is larger

    /// The total ε by this bound.
    [[nodiscard]] double of(Composition composition) const noexcept;
    /// The smallest bound; the sum if it is equal to another, because it holds at δ = 0.
    [[nodiscard]] Composition by() const noexcept;
    /// The smallest total ε.
    [[nodiscard]] double least() const noexcept { return of(by()); }
    /// The δ of the smallest bound: 0 for the sum.
    [[nodiscard]] double least_delta() const noexcept { return by() == Composition::basic ? 0 : delta; }
};

/// Returns the total ε of these responses at δ. Advanced composition is that of Dwork, Rothblum and Vadhan
/// 2010 (doi:10.1109/FOCS.2010.12); their proof also covers different ε's. Optimal composition is the
/// smallest ε for which the product of randomized responses at these ε's is (ε, δ). Sources: Kairouz, Oh,
/// Viswanath 2015 (arXiv:1311.0776) for equal ε's; Murtagh, Vadhan 2016 (doi:10.1007/978-3-662-49096-9_7) for
/// different ones. It is rounded upwards: tails that are left out are charged to δ. Different ε's without a
/// common unit are rounded up to multiples of a small unit, which costs less than 1 % for a thousand
/// different ε's. Throws Error (invalid_value) unless each ε lies in (0, 700], δ in [1e-200, 1), and counts
/// are at most 10^10.
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
