// The promise of ε, attacked: what somebody can show who sees nothing but reports. A lower bound, in the
// manner of Jagielski, Ullman, Oprea 2020 and of Arcolezi, Gambs 2023 (LDP-Auditor).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/mechanism/privacy_proof.hpp"

namespace ldp {

/// ε is at least so much, unless the reports were unlucky. Shown by an event (a set of reports) that was
/// chosen on one part of the reports and counted on another.
struct LowerBound {
    double epsilon = 0;
    std::uint64_t trials = 0;               ///< reports of either kind in the part that was counted
    std::uint64_t likelier = 0, rarer = 0;  ///< of these, how many show the event, by kind
    bool second = false;                    ///< whether the event speaks for the second kind
};

/// From scores that a distinguisher gave reports of a first and of a second kind, the higher the more they
/// look like the second. The event is the best threshold of half of them; on the other half,
/// ε ≥ ln(p/q) with Clopper and Pearson's (1934) bounds of the two probabilities. For every channel that
/// keeps an ε, a larger one is told with a probability of at most 1 − confidence. Both kinds are cut to the
/// length of the shorter.
/// Where ε holds but for a probability of δ, p − δ stands for p.
[[nodiscard]] LowerBound attack(std::span<const double> first, std::span<const double> second,
                                double confidence, double delta = 0);

/// The same of reports that nothing is known of but their text. A quarter of them teaches scores: the
/// log-ratio of how often each text came, or, if there are too many different ones, the sum of that of the
/// characters at each place, taken as independent.
[[nodiscard]] LowerBound attack(std::span<const std::string> first, std::span<const std::string> second,
                                double confidence, double delta = 0);

/// What is reported, and how often.
struct Series {
    Input first, second;  ///< the two inputs to tell apart
    std::uint64_t rounds = 1;
    bool fresh = false;  ///< each round randomizes anew; else permanent responses are kept, as a device does
    bool changing = false;  ///< odd rounds report the other of the two inputs

    /// What the promises add up to: ε for each key that had a permanent response drawn, or for each round if
    /// fresh.
    [[nodiscard]] double promised(const PrivacyProof& mechanism) const;
    /// The same of δ, whose rounds are always fresh.
    [[nodiscard]] double promised_delta(const PrivacyProof& mechanism) const;
};

/// Reports of `people` of the first and the second kind, attacked. The distinguisher is the best there is,
/// the likelihood ratio, from the mechanism's own probabilities; where two layers have too many permanent
/// responses to sum over, that of the texts of how often each bit was set. `progress`, if given, is told how
/// many people are done.
[[nodiscard]] LowerBound attack(const PrivacyProof& mechanism, const Series& series, std::uint64_t people,
                                double confidence, BitSource& bits,
                                const std::function<void(std::uint64_t)>& progress = {});

}  // namespace ldp
