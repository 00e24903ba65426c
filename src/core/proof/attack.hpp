// Lower bounds of ε by attacks on reports, after Jagielski, Ullman, Oprea 2020 and Arcolezi, Gambs 2023
// (LDP-Auditor).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/role/privacy_proof.hpp"

namespace ldp {

/// A lower bound of ε at a confidence. It uses an event (a set of reports) that was chosen on one part of the
/// reports and counted on another.
struct LowerBound {
    double epsilon = 0;
    std::uint64_t trials = 0;               ///< counted reports of each kind
    std::uint64_t likelier = 0, rarer = 0;  ///< reports with the event, by kind
    bool second = false;                    ///< the event is more probable for the second kind
};

/// Computes the bound from a distinguisher's scores of reports of two kinds; high scores indicate the second
/// kind. The event is the best threshold on half of the scores. On the other half, ε ≥ ln(p/q), with the
/// bounds of Clopper and Pearson (1934) for the two probabilities. For every channel that satisfies ε, the
/// bound exceeds ε with probability at most 1 − confidence. The longer kind is truncated to the length of the
/// other. If ε holds except with probability δ, p is replaced by p − δ.
[[nodiscard]] LowerBound attack(std::span<const double> first, std::span<const double> second,
                                double confidence, double delta = 0);

/// Computes the bound from the texts of reports. A quarter of the reports determines the scores: the
/// log-ratio of the frequencies of each text. If there are too many different texts, a score is the sum of
/// the log-ratios of the characters at each position, which are assumed to be independent.
[[nodiscard]] LowerBound attack(std::span<const std::string> first, std::span<const std::string> second,
                                double confidence, double delta = 0);

/// The inputs and rounds of an attack.
struct Series {
    Input first, second;  ///< the two inputs to distinguish
    std::uint64_t rounds = 1;
    bool fresh = false;     ///< each round draws a new response; else responses are memoized, as on a device
    bool changing = false;  ///< odd rounds report the other of the two inputs

    /// Returns the sum of the guaranteed ε: for each key with a permanent response, or for each round if
    /// fresh.
    [[nodiscard]] double promised(const PrivacyProof& mechanism) const;
    /// Returns the sum of δ; with a δ, all rounds are fresh.
    [[nodiscard]] double promised_delta(const PrivacyProof& mechanism) const;
};

/// Attacks the reports of `people` people for each of the two inputs. The distinguisher is the optimal one,
/// the likelihood ratio of the mechanism's own probabilities. If two layers have too many permanent responses
/// for a sum, it uses texts of the bits' counts instead. `progress` is called with the number of finished
/// people.
[[nodiscard]] LowerBound attack(const PrivacyProof& mechanism, const Series& series, std::uint64_t people,
                                double confidence, BitSource& bits,
                                const std::function<void(std::uint64_t)>& progress = {});

}  // namespace ldp
