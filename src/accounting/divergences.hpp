// Divergences between the distributions of a channel's reports under two inputs, and their bounds.
//
// Let P and Q be the distributions of a report under two inputs. Each divergence is the largest one over all ordered
// pairs of inputs. Bounds hold for every channel that is (ε, δ)-LDP.
#pragma once

#include <cstdint>
#include <vector>

#include "core/proof/report_laws.hpp"

namespace ldp {

/// The kinds of divergences.
enum class Divergence {
    total_variation,    ///< ½ Σ|p − q|: the contraction coefficient of Dobrushin
    kullback_leibler,   ///< Σ p ln(p/q)
    jeffreys,           ///< Σ (p − q) ln(p/q): Kullback–Leibler divergences in both directions together
    chi_squared,        ///< Σ (p − q)²/q
    squared_hellinger,  ///< ½ Σ (√p − √q)²
    renyi,              ///< of order a: ln(Σ pᵃq¹⁻ᵃ)/(a − 1); of order ∞: the largest ln(p/q)
    hockey_stick,       ///< E_γ = Σ max(0, p − γq): the contraction coefficient of E_γ
    contraction,        ///< contraction coefficient of χ², and of the Kullback–Leibler divergence
};
/// "total_variation", …, as in the enumeration.
[[nodiscard]] const char* name(Divergence divergence) noexcept;

/// A divergence and its bounds.
struct DivergenceValue {
    Divergence divergence;
    double parameter;         ///< order of `renyi`, γ of `hockey_stick`, else NaN
    double value;             ///< may be infinite
    bool exact;               ///< whether `value` is the divergence, not an upper bound of it
    std::vector<Cell> one;    ///< the input with the distribution P; for several rounds, of each round
    std::vector<Cell> other;  ///< the input with the distribution Q
    double bound;  ///< the largest value of any channel that is (ε, δ)-LDP; infinite if there is no bound
    /// The bound of Duchi, Jordan, Wainwright 2018 (doi:10.1080/01621459.2017.1389735), which is a polynomial of
    /// e^ε; NaN if they have none, and for a δ.
    double general_bound;
};

/// Returns a value for each divergence, for this number of independent reports about one person.
///
/// For one report, values are computed from the enumerated distributions, to about 1e-12. For several rounds, let each
/// round be a fresh report of the pair's inputs. Then `kullback_leibler`, `jeffreys` and `renyi` add up, 1 + χ² and
/// 1 − H² multiply, and these values are exact. All others are bounds. Total variation is at most 1 − (1 − TV)^rounds
/// (coupling) and √(1 − (1 − H²)^{2·rounds}); E_γ is at most the total variation; the contraction coefficient η is at
/// most 1 − (1 − η)^rounds (Polyanskiy, Wu 2017, arXiv:1508.06025). No value is above its `bound`.
///
/// `contraction` is the largest ratio of output to input divergence over all pairs of input distributions. It is the
/// largest value over pairs of inputs and over b in (0, 1) of b(1 − b) Σ (p − q)²/(bp + (1 − b)q), for χ² as for
/// Kullback–Leibler (Ordentlich, Polyanskiy 2022, arXiv:2010.01987).
///
/// `bound` is the divergence of randomized response at ε, `rounds` times: the distributions of any ε-LDP report under two
/// inputs arise from it by post-processing (Kairouz, Oh, Viswanath 2015, arXiv:1311.0776). With a δ, the value is
/// revealed with probability δ.
///
/// Throws Error (unsupported) as report_laws() does, and if there are more than 2^24 triples of two inputs and an output;
/// Error (invalid_value) unless `rounds` is 1 to 10^6.
[[nodiscard]] std::vector<DivergenceValue> divergences(const PrivacyProof& mechanism, ResponseKind response,
                                                       std::uint64_t rounds = 1);

}  // namespace ldp
