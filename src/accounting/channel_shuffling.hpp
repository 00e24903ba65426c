// The cost of shuffled reports of one channel, from its enumerated distributions.
#pragma once

#include <cstdint>

#include "core/mechanism/role/privacy_proof.hpp"

namespace ldp {

/// The cost of each person's report at δ, if the server receives one report of this channel from each of n people without
/// origin and in random order. Neighbours are two values of one person, for arbitrary values of all others.
struct ChannelShuffled {
    double epsilon;  ///< holds for all values of the others
    double
        generic;  ///< holds for every mechanism at the same ε (shuffled() in shuffling.hpp); not below `epsilon`
    double lower_bound;  ///< lower bound of the cost if all others have one value, the worst of the compared
                         ///< values
    double delta;        ///< the probability with which `epsilon` may not hold
    double blanket;  ///< probability with which a report does not depend on the value, whatever the value is
};

/// Returns the cost of a report of this channel among the reports of n people in total.
///
/// `epsilon` is the smaller of `generic` and the privacy blanket of the channel (Balle, Bell, Gascón, Nissim
/// 2019, arXiv:1903.02837), which is the best decomposition into clones (Su, Cheng, Wang 2025,
/// arXiv:2504.07414). Each of the others sends an output from the blanket m(y) = min_x P(y | x) with
/// probability γ = Σ m(y). For two values with the probabilities p and q, δ at ε is E[max(0, S)]/n. S is the
/// sum of n independent copies of (p − e^ε q)/m, with an output from m, and of 0 with probability 1 − γ.
/// `epsilon` is rounded upwards, by less than 0.1 % from 1000 people.
///
/// For `lower_bound`, all others have one value, and the probabilities of its report replace m. For this
/// value it is rounded downwards, by less than 0.3 % from 1000 people, and by more if it is close to the ε of
/// one report. The cost can be larger if the others have different values.
///
/// The maximum is taken over all pairs of values, and over the values of the others. The distribution of S is computed on a grid,
/// by a fast Fourier transform. Values between two points of the grid are divided between them without a change of the mean,
/// which raises the expectation of a convex function. The distribution is tilted exponentially, so that small δ lose no digits.
///
/// Throws Error (unsupported) as report_laws() does, and if there are more than about 1000 different pairs of values, or more than
/// 2^24 triples of two inputs and an output; Error
/// (invalid_value) unless n lies in [1, 10^7] and δ in [1e-100, 1).
[[nodiscard]] ChannelShuffled shuffled(const PrivacyProof& mechanism, std::uint64_t n, double delta);

}  // namespace ldp
