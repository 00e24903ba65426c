// What several answers about one person cost together.
//
// Neighbours are two people, or one person with other values: each answer is pure ε-LDP about one of the
// person's values, and the whole is about all of them. Answers may be asked one after another, each because
// of what came out before, as long as their ε's are settled beforehand.
#pragma once

#include <cstdint>
#include <span>

namespace ldp {

/// So many answers at ε each.
struct EqualReleases {
    double epsilon;           ///< of each
    std::uint64_t count = 1;  ///< how many
};

/// Which bound of the whole it is.
enum class Composition {
    basic,     ///< the sum, for certain: δ = 0
    advanced,  ///< √(2 ln(1/δ) Σε²) + Σε(e^ε − 1)
    optimal,   ///< the least that holds of all answers at these ε's
};
/// "basic", "advanced" or "optimal".
[[nodiscard]] const char* name(Composition composition) noexcept;

/// ε of a whole by each bound. All of them are true, so the least one counts.
struct Composed {
    double sum;       ///< at δ = 0
    double advanced;  ///< at `delta`
    double optimal;   ///< at `delta`
    double delta;     ///< the probability with which a person's loss may be larger

    /// The one by this bound.
    [[nodiscard]] double of(Composition composition) const noexcept;
    /// Which bound is the least. The sum comes first among equals, since it holds for certain.
    [[nodiscard]] Composition by() const noexcept;
    /// The least ε of all.
    [[nodiscard]] double least() const noexcept { return of(by()); }
    /// The δ at which the least holds: 0 for the sum.
    [[nodiscard]] double least_delta() const noexcept { return by() == Composition::basic ? 0 : delta; }
};

/// What these answers cost together at δ. Advanced composition is that of Dwork, Rothblum and Vadhan 2010
/// (doi:10.1109/FOCS.2010.12), whose proof takes different ε's as well. Optimal composition is the smallest ε
/// at which the product of randomized responses at these ε's is (ε, δ): the theorem for
/// equal ε's (Kairouz, Oh, Viswanath 2015, arXiv:1311.0776) and for different ones (Murtagh, Vadhan 2016,
/// doi:10.1007/978-3-662-49096-9_7). It is rounded upwards: tails that are left out are charged to δ, and
/// ε's that are no multiples of a common unit are rounded up to a fine one, which costs less than 1 % for a
/// thousand different ones. Throws Error (invalid_value) unless each ε lies in (0, 700], δ in [1e-200, 1),
/// and counts are at most 10^10.
[[nodiscard]] Composed compose(std::span<const EqualReleases> answers, double delta);

/// What a person has spent: so many answers at ε each.
struct Spent : Composed {
    std::uint64_t answers;  ///< how many
    double epsilon;         ///< of each
};

/// The cost of so many answers at ε each. Throws as compose() does.
[[nodiscard]] Spent spent(std::uint64_t answers, double epsilon, double delta);

}  // namespace ldp
