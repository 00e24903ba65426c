// The power of attacks: whether an attack that found nothing would have found a client that spends twice the claimed
// ε, and the number of people with which it would.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/mechanism/role/mechanism.hpp"
#include "core/mechanism/role/settings.hpp"
#include "core/proof/attack.hpp"

namespace ldp {

/// The known violation of a claim has this multiple of the claimed ε.
inline constexpr double violation_factor = 2;

/// The probabilities of an event (a set of reports) under two inputs.
struct EventOdds {
    double likelier, rarer;
};

/// Returns the mechanism of these settings with ε and the ε of one report times `factor`. Returns nothing if the
/// mechanism does not permit this ε.
[[nodiscard]] std::unique_ptr<const Mechanism> mechanism_with_factor(const Settings& settings, double factor);

/// Returns events of the reports of a mechanism, for trials_with_power(). Their probabilities are estimated from the
/// reports of `people` people of each kind.
[[nodiscard]] std::vector<EventOdds> simulated_events(const PrivacyProof& mechanism, const Series& series,
                                                      std::uint64_t people, BitSource& bits);
/// Returns the event of randomized response of one bit (Warner 1965) with this ε. It is the strongest channel: every
/// channel with this ε is a function of its output and of independent noise (Kairouz, Oh, Viswanath 2015).
[[nodiscard]] std::vector<EventOdds> events_of_randomized_response(double epsilon);

/// Returns the smallest number of counted reports of each kind with which an attack on one of the events finds more
/// than the claimed ε in about nine of ten attacks. Returns nothing if 2^40 reports are not enough.
[[nodiscard]] std::optional<std::uint64_t> trials_with_power(std::span<const EventOdds> events,
                                                             double claimed, double confidence,
                                                             double delta = 0);

/// The result of an attack on a claim.
enum class AttackVerdict {
    kept,      ///< no evidence against the claim, which would have been found against the known violation
    violated,  ///< the lower bound is above the claimed ε
    no_power,  ///< no evidence against the claim, and too few reports to find the known violation
};

/// A claim, and the verdict of an attack on it.
struct AttackJudgement {
    AttackVerdict verdict;
    /// The number of people of each kind with which the attack finds the known violation; nothing if no number does.
    std::optional<std::uint64_t> people;
};

/// Judges the result of an attack on `people` people of each kind. `violation` has the events of a client that spends
/// violation_factor times the claimed ε.
[[nodiscard]] AttackJudgement judge(const LowerBound& found, std::uint64_t people,
                                    std::span<const EventOdds> violation, double claimed, double confidence,
                                    double delta = 0);

}  // namespace ldp
