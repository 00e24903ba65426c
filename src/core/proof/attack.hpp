// Lower bounds of ε by attacks on reports, after Jagielski, Ullman, Oprea 2020 and Arcolezi, Gambs 2023
// (LDP-Auditor). attack_power.hpp states which violations an attack can find.
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

/// Returns the lower bound of ε from the numbers of reports of two kinds with an event. It is ln(p/q), with the bounds
/// of Clopper and Pearson (1934) for the two probabilities, each with half of the error. If ε holds except with
/// probability δ, p is replaced by p − δ.
[[nodiscard]] double epsilon_above(std::uint64_t likelier, std::uint64_t rarer, std::uint64_t trials,
                                   double confidence, double delta);

/// Computes the bound from a distinguisher's scores of reports of two kinds; high scores indicate the second
/// kind. The event is the best threshold on half of the scores; the other half is counted, see epsilon_above().
/// For every channel that satisfies ε, the bound exceeds ε with probability at most 1 − confidence. The longer
/// kind is truncated to the length of the other.
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
    bool fresh = false;     ///< each round draws a new response; if false, responses are memoized, as on a
                            ///< device
    bool changing = false;  ///< odd rounds report the other of the two inputs

    /// Returns the sum of the guaranteed ε: for each key with a permanent response, or for each round if
    /// fresh.
    [[nodiscard]] double promised(const PrivacyProof& mechanism) const;
    /// Returns the sum of δ; with a δ, all rounds are fresh.
    [[nodiscard]] double promised_delta(const PrivacyProof& mechanism) const;
    /// Returns whether a person of the second kind, or of the first one, has the second input in a round, from 0.
    [[nodiscard]] bool has_second(bool second_kind, std::uint64_t round) const noexcept {
        return second_kind != (changing && round % 2 == 1);
    }
};

/// The scores of people of both kinds, in the order of their draws.
struct Scores {
    std::vector<double> first, second;
};

/// Draws the reports of `people` people for each of the two inputs, as a device draws them, and returns their scores.
/// A score is the logarithm of the likelihood ratio by the mechanism's own probabilities, summed over the rounds. In
/// one layer, this is the optimal score. In two layers, each report is scored as if it were a permanent response.
/// `progress` is called with the number of finished people.
[[nodiscard]] Scores simulated_scores(const PrivacyProof& mechanism, const Series& series,
                                      std::uint64_t people, BitSource& bits,
                                      const std::function<void(std::uint64_t)>& progress = {});

/// Attacks the reports that simulated_scores() draws.
[[nodiscard]] LowerBound attack(const PrivacyProof& mechanism, const Series& series, std::uint64_t people,
                                double confidence, BitSource& bits,
                                const std::function<void(std::uint64_t)>& progress = {});

/// Attacks reports that another program made under the spec of the mechanism. Each report is the bytes behind its
/// block, of which the payload is valid. The reports of a person are `series.rounds` consecutive ones. The event is
/// the best one by two scores: the likelihood ratio, as simulated_scores() computes it, and the texts of the reports.
/// The texts show a program whose public randomness depends on the value. A series has the second score only.
[[nodiscard]] LowerBound attack(const PrivacyProof& mechanism, const Series& series,
                                std::span<const std::vector<std::byte>> first,
                                std::span<const std::vector<std::byte>> second, double confidence);

}  // namespace ldp
